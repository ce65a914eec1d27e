"""Rows of two tables that name the same thing and give another figure for it."""

import re

from sanbo.evidence.rules.sentences import Sentence
from sanbo.evidence.rules.table_rows import cells
from sanbo.kernel.text import matching_form
from sanbo.language.numerals import narrow

_FIGURE = re.compile(
    r"^[¥$€£△▲-]?\s?[0-9][0-9,.]*\s?(?:円|%|ドル|人|名|日|個|件|台|枚|時間|か月|年)?$"
)


def differing_cells(
    row: Sentence, header: tuple[str, ...], other: Sentence, other_header: tuple[str, ...]
) -> tuple[str, str, str] | None:
    """What it is, and both figures: one cell differs, all others and all columns are the same."""
    ours, theirs = cells(row), cells(other)
    if len(ours) != len(theirs) or len(ours) < 2 or _forms(header) != _forms(other_header):
        return None
    differing = [
        nth for nth, (a, b) in enumerate(zip(ours, theirs, strict=True)) if _plain(a) != _plain(b)
    ]
    if len(differing) != 1 or differing[0] == 0:
        return None
    nth = differing[0]
    if not _FIGURE.match(narrow(ours[nth])) or not _FIGURE.match(narrow(theirs[nth])):
        return None
    named = [cell for cell in ours[:nth] if cell and not _FIGURE.match(narrow(cell))]
    if not named:
        return None
    column = header[nth] if nth < len(header) else ""
    return " ".join(filter(None, (*named, column))), ours[nth], theirs[nth]


def _forms(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(matching_form(name) for name in names)


def _plain(cell: str) -> str:
    return re.sub(r"[,\s]|円$", "", matching_form(cell))
