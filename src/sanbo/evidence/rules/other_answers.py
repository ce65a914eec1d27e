"""Another document that gives another figure for just what is asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.evidence.model import Passage, View
from sanbo.evidence.rules.choosing import Chosen, Wanted, ranked, wanted
from sanbo.evidence.rules.sameness import are_of_one_setting
from sanbo.evidence.rules.supporting import relevance_for
from sanbo.evidence.rules.table_rows import answer_of, header_of
from sanbo.evidence.rules.terms import content_words
from sanbo.evidence.rules.values import Value, values
from sanbo.language.numerals import narrow

MOST = 3
# Below, a passage hardly speaks of the question.
_LEAST_RELEVANT = 0.2
_SENTENCES = 3
_CLAUSE = re.compile("[^、。，；;/／\n]+")
_QUALIFIED = re.compile(r"([^、。はがをにで\s]{1,20})の(?=([^、。はがをにでの\s]{1,12}))")
_BOUND = re.compile("(?:以内|以上|以下|以降|未満|前|後|分|まで)*")
_DATES = frozenset({"date", "fiscal"})


@dataclass(frozen=True)
class Given:
    """A figure that a place gives as the answer."""

    chosen: Chosen
    value: Value
    words: frozenset[str]
    """Of the question: said there, or around it."""

    @property
    def written(self) -> str:
        """7日以内"""
        text = narrow(_told(self.chosen))
        after = _BOUND.match(text, self.value.end)
        return self.value.written + (after.group() if after else "")


def other_answers(
    question: str, best: Chosen, view: View, nth: int
) -> Iterator[tuple[Given, Given]]:
    """The figure of the best answer, and each that another document gives for the same."""
    if not best.holds_kind:
        return
    want = wanted(question, view.passages)
    mine = _given(best, want, None)
    if mine is None or len(mine.words) < 2:
        return
    told: set[str] = {mine.value.meaning}
    for passage in _others(best.passage, view, nth):
        for chosen in ranked(passage, want)[:_SENTENCES]:
            if not chosen.holds_kind or (chosen.sentence.is_row and _is_plain_row(best)):
                continue  # two rows are compared cell by cell
            theirs = _given(chosen, want, mine.value.unit)
            if theirs is not None and theirs.value.meaning not in told and _same(mine, theirs):
                told.add(theirs.value.meaning)
                yield mine, theirs
                break
        if len(told) > MOST:
            return


def _others(mine: Passage, view: View, nth: int) -> Sequence[Passage]:
    return [
        passage
        for passage in sorted(view.passages, key=lambda each: -relevance_for(each, nth))
        if passage.document_id != mine.document_id
        and relevance_for(passage, nth) >= _LEAST_RELEVANT
        and are_of_one_setting(mine, passage)
    ]


def _given(chosen: Chosen, want: Wanted, unit: str | None) -> Given | None:
    """None where it is not clear which figure is meant."""
    text = narrow(_told(chosen))
    asked = frozenset(want.weights)
    found = [value for value in values(text) if unit is None or value.unit == unit]
    found = [value for value in found if value.unit not in _DATES]
    kinds = {value.unit for value in found}
    if not found or (len(found) > 1 and len(kinds) > 1 and unit is None):
        found = _money(found)
    if len(found) > 1:
        clauses = [_clause(text, value) for value in found]
        said = [len(asked.intersection(content_words(clause))) for clause in clauses]
        best = max(said)
        found = [value for value, count in zip(found, said, strict=True) if count == best > 0]
    if len(found) != 1:
        return None
    place = chosen.passage
    around = f"{place.document} {place.context} {' '.join(place.position.headings)}"
    before = chosen.passage.text[: chosen.sentence.start][-200:]
    words = frozenset(content_words(f"{around} {before} {chosen.sentence.text}"))
    meant = frozenset[str]().union(*(word for word, other in want.otherwise if other <= words))
    return Given(chosen, found[0], asked & (words | meant))


def _is_plain_row(chosen: Chosen) -> bool:
    return chosen.sentence.is_row and not answer_of(chosen.sentence, header_of(chosen.passage))


def _money(found: Sequence[Value]) -> list[Value]:
    """1泊につき10,000円: the amount is told, the night is what it is for."""
    return [value for value in found if value.unit in {"円", "$", "€", "£"}]


def _clause(text: str, value: Value) -> str:
    for found in _CLAUSE.finditer(text):
        if found.start() <= value.start < found.end():
            return found.group()
    return text


def _same(mine: Given, theirs: Given) -> bool:
    """Nothing that the question names is missing there, and no figure says that it is other."""
    if not mine.words <= theirs.words:
        return False
    one, other = narrow(_told(mine.chosen)), narrow(_told(theirs.chosen))
    ours, theirs_too = _others_of(one, mine.value), _others_of(other, theirs.value)
    if any(ours[unit] != theirs_too[unit] for unit in ours.keys() & theirs_too.keys()):
        return False
    return not _qualified_otherwise(one, other)


def _others_of(text: str, given: Value) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for value in values(text):
        if value.unit != given.unit:
            found[value.unit] = found.get(value.unit, frozenset()) | {value.meaning}
    return found


def _qualified_otherwise(one: str, other: str) -> bool:
    """部長の日当 and 課長の日当."""
    ours = {found[2]: frozenset(content_words(found[1])) for found in _QUALIFIED.finditer(one)}
    for found in _QUALIFIED.finditer(other):
        words = frozenset(content_words(found[1]))
        if found[2] in ours and words and ours[found[2]].isdisjoint(words):
            return True
    return False


def _told(chosen: Chosen) -> str:
    """The sentence; of a row with a question and its answer only the answer."""
    if not chosen.sentence.is_row:
        return chosen.sentence.text
    return answer_of(chosen.sentence, header_of(chosen.passage)) or chosen.sentence.text
