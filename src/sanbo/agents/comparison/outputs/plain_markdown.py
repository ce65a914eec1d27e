"""Markdown made of words from documents and models: shown letter by letter, never obeyed."""

import re
import unicodedata
from collections.abc import Sequence

from sanbo.kernel.markdown import UNSEEN, cell, without_links
from sanbo.reports.letters import Span, printable


def marked_cell(spans: Sequence[Span], mark: str) -> str:
    """A cell whose changed words stand between marks: `~~` or `**`."""
    parts: list[str] = []
    for span in spans:
        core = cell(printable(span.text))
        if span.marked and not core and span.text.strip():
            core = "\N{REPLACEMENT CHARACTER}"  # what has changed is seen, whatever it is
        before = " " if span.text[:1].isspace() else ""
        after = " " if span.text[-1:].isspace() and core else ""
        parts.append(f"{before}{_between(core, mark) if span.marked else core}{after}")
    return without_links(re.sub(" +", " ", "".join(parts)).strip())


def _between(words: str, mark: str) -> str:
    """Between letters, marks next to a bracket or a full stop are read as plain asterisks."""
    if not words:
        return ""
    first = "" if _is_letter(words[0]) else UNSEEN
    last = "" if _is_letter(words[-1]) else UNSEEN
    return f"{mark}{first}{words}{last}{mark}"


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Of cells that are Markdown already."""
    lines = [
        f"| {' | '.join(headers)} |",
        f"| {' | '.join('---' for _ in headers)} |",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)
