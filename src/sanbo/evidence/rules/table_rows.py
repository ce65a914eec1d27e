"""A table's row as a person reads it: each value with the name of its column."""

import re

from sanbo.documents.model import CELL_SEPARATOR
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.sentences import Sentence, sentences
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import narrow

_FIGURES = re.compile(r"[0-9０-９]")
_PROSE = frozenset(["the", "a", "an", "of", "for", "and", "to", "in", "on", "by", "with"])
_ASKED = frozenset({"質問", "質問内容", "問い", "q", "question", "questions"})
_ANSWERED = frozenset({"回答", "回答内容", "答え", "a", "answer", "answers"})
# 個別見積もり stands among amounts: one row in four may say it in words.
_MOSTLY = 0.75
# 単価(円):880, 売上高（単位：百万円）：1,200
_UNIT_ABOVE = re.compile(
    r"\((?:単位[:は]?)?(?P<unit>[十百千]?[万億]?(?:円|ドル|人|名|個|台|枚|件|回|日|時間|か月|年|%|kg|g|m|km))\)"
    r"(?P<before>:\s?)(?P<number>[0-9][0-9,]{0,24}(?:\.[0-9]{1,9})?)(?![0-9,.]*[^0-9,.、;\s])"
)
_NOTHING = frozenset({"", "-", "－", "―", "—", "–"})


def header_of(passage: Passage) -> tuple[str, ...]:
    """The columns' names, from the passage's first row or its context; empty where unknown."""
    rows = [sentence for sentence in sentences(passage.text) if sentence.is_row]
    if not rows:
        return ()
    first = cells(rows[0])
    if is_header(passage, rows[0]):
        return first
    width = len(first)
    lines = [line for line in passage.context.splitlines() if line.strip()]
    if not lines or lines[-1] in passage.position.headings:
        return ()
    names = tuple(lines[-1].split(CELL_SEPARATOR if CELL_SEPARATOR in lines[-1] else None))
    # As many words as cells: each is a name, unless they are a sentence.
    return names if len(names) == width > 1 and not _PROSE.intersection(names) else ()


def is_header(passage: Passage, row: Sentence) -> bool:
    """Whether a row names the columns and says nothing itself."""
    rows = [sentence for sentence in sentences(passage.text) if sentence.is_row]
    if not rows or row.start != rows[0].start:
        return False
    names = cells(row)
    if " ".join(names).split() in [line.split() for line in passage.context.splitlines()]:
        return True
    place = passage.position
    if place.row is not None and place.last_row is not None:
        counted = place.last_row - place.row + 1
        if len(rows) > counted or place.row > 1:  # the sheet's first row may be one of those
            return len(rows) > counted
    others = [cells(other) for other in rows[1:]]
    return bool(others) and any(
        not _FIGURES.search(name)
        and sum(nth < len(other) and bool(_FIGURES.search(other[nth])) for other in others)
        >= _MOSTLY * len(others)
        for nth, name in enumerate(names)
    )


def cells(row: Sentence) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.text.split(CELL_SEPARATOR))


def answer_of(row: Sentence, header: tuple[str, ...]) -> str:
    """What a row of questions and answers answers; empty where it is none."""
    _, answer = _asked_and_answered(cells(row), header)
    return answer


def _asked_and_answered(values: tuple[str, ...], header: tuple[str, ...]) -> tuple[str, str]:
    names = [name.strip().casefold() for name in header]
    asked = next((nth for nth, name in enumerate(names) if name in _ASKED), None)
    answered = next((nth for nth, name in enumerate(names) if name in _ANSWERED), None)
    if asked is None or answered is None or len(values) != len(header):
        return "", ""
    return values[asked], values[answered]


def readable(row: Sentence, header: tuple[str, ...], language: Language) -> str:
    """役職：部長、日当：3,000円"""
    values = cells(row)
    if len(values) > 1:  # the last cells of a row may be empty
        values += ("",) * (len(header) - len(values))
    question, answer = _asked_and_answered(values, header)
    if answer and question:
        return tell("evidence.row.answer", language, question=question, answer=answer)
    if len(header) != len(values):
        kept = [value for value in values if value not in _NOTHING]
        return tell("evidence.row.between", language).join(kept)
    named = [
        tell("evidence.row.cell", language, name=name, value=value) if name else value
        for name, value in zip(header, values, strict=True)
        if value not in _NOTHING
    ]
    return tell("evidence.row.between", language).join(named)


def with_units(told: str) -> str:
    """A row as it is told, in narrow form, each value with its column's unit: 単価:880円."""
    return _UNIT_ABOVE.sub(r"\g<before>\g<number>\g<unit>", narrow(told))
