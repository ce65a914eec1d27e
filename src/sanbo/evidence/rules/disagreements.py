"""Two places that say different things about the same: other amounts, dates, or yes and no."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sanbo.evidence.model import Part, Passage, Quoted, View
from sanbo.evidence.rules.choices import Chosen, Wanted, of_clauses, ranked, relevance_for, wanted
from sanbo.evidence.rules.queries import plainly
from sanbo.evidence.rules.sameness import (
    are_of_one_setting,
    comparable,
    contradicts,
    differing_value,
    pairs,
    statement,
)
from sanbo.evidence.rules.sentences import (
    Sentence,
    answer_of,
    cells,
    header_of,
    one_line,
    sentences,
)
from sanbo.evidence.rules.standing import (
    Ruling,
    are_editions,
    are_of_other_kinds,
    ruling,
    told_ruling,
)
from sanbo.evidence.rules.terms import content_words
from sanbo.evidence.rules.values import Value, holds_what, values, years
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.text import matching_form
from sanbo.language.likeness import likeness
from sanbo.language.numerals import KANJI_LARGE, narrow

MOST_OTHERS = 3
# Below, a passage hardly speaks of the question.
_LEAST_RELEVANT = 0.2
# Or so much of what the answer's own passage has.
_SHARE = 0.2
_FEWEST_WORDS = 2
# Of the question's words that one place has, so much must be said or meant at the other.
_MEANT = 0.6
_SENTENCES = 3
_CLAUSES = 8
_CLAUSE = re.compile("[^、。，；;/／\n]+")
_QUALIFIED = re.compile(r"([^、。はがをにで\s]{1,20})の(?=([^、。はがをにでの\s]{1,12}))")
_BOUND = re.compile("(?:以内|以上|以下|以降|未満|前|後|分|まで)*")
_DATES = frozenset({"date", "fiscal"})
_UNITS = {"営業日": "日"}
"""Units of which one place may use the one, and another place the other."""
_FROM = re.compile(r"(?:\([^)]{0,20}\))?(?:から|より)、?[^、。から]{0,6}|\s?to\s?")
_TO = re.compile(
    r"(?:以内|まで|前|後){0,3}(?:に|へ)(?:と)?[^、。]{0,6}?(?:変更|変わ|変え|改定|改訂|改正|改め|引き?上げ|引き?下げ|延長|短縮|増額|減額)"
)
_CHANGE = re.compile(r"\b(?:chang|rais|lower|extend|shorten|increas|reduc)\w* from\s$", re.I)


@dataclass(frozen=True)
class Given:
    """A figure that a place gives as the answer."""

    chosen: Chosen
    value: Value
    words: frozenset[str]
    """Of the question: said there, or around it."""
    before: Value | None = None
    """What it says that it was until now."""

    @property
    def written(self) -> str:
        """7日以内"""
        text = narrow(_other_figure(self.chosen))
        after = _BOUND.match(text, self.value.end)
        return self.value.written + (after.group() if after else "")


def ruling_answer(mine: Given, theirs: Given) -> Ruling | None:
    """By what they say themselves, and else by what their documents are."""
    for new, old in ((mine, theirs), (theirs, mine)):
        if _is_before(old, new):
            return Ruling(new.chosen.passage, old.chosen.passage, "changed")
    return ruling(mine.chosen.passage, theirs.chosen.passage)


def _is_before(old: Given, new: Given) -> bool:
    return new.before is not None and new.before.meaning == old.value.meaning


def leading(question: str, best: Chosen, view: View, nth: int) -> Chosen:
    """The best answer, or what rules over it; asked for a year, a document of that year answers."""
    if years(question):
        return best
    for mine, theirs in other_answers(question, best, view, nth):
        if _rules(ruling_answer(mine, theirs), theirs.chosen.passage):
            return theirs.chosen
    place = _place_of(best)
    for other in _others(view):
        is_ruling = _rules(ruling(best.passage, other.passage), other.passage)
        if is_ruling and _may_differ(place, other) and _told(place, other, "ja"):
            beside = ranked(other.passage, wanted(question, view.passages))
            return next((each for each in beside if each.sentence == other.sentence), best)
    return best


def _rules(found: Ruling | None, passage: Passage) -> bool:
    return found is not None and found.rules is passage


def other_answers(
    question: str, best: Chosen, view: View, nth: int
) -> Iterator[tuple[Given, Given]]:
    """The figure of the best answer, and each that another document gives for the same."""
    asks_for_it = holds_what(question) is not None or not of_clauses(best.passage)
    if asks_for_it and not best.holds_kind:
        return
    want = wanted(question, view.passages)
    mine = _given(best, want, None)
    if mine is None or not mine.words:
        return
    told = {_amount(mine.value)}
    for passage in _other_figures(best.passage, view, nth):
        most = _CLAUSES if of_clauses(passage) else _SENTENCES
        for chosen in ranked(passage, want)[:most]:
            if chosen.sentence.is_row and _is_plain_row(best):
                continue  # two rows are compared cell by cell
            if best.holds_kind and not chosen.holds_kind:
                continue
            theirs = _given(chosen, want, mine.value.unit)
            if theirs is not None and _amount(theirs.value) not in told and _same(mine, theirs):
                told.add(_amount(theirs.value))
                yield mine, theirs
                break
        if len(told) > MOST_OTHERS:
            return


def _other_figures(mine: Passage, view: View, nth: int) -> Sequence[Passage]:
    return [
        passage
        for passage in sorted(view.passages, key=lambda each: -relevance_for(each, nth))
        if passage.document_id != mine.document_id
        and relevance_for(passage, nth) >= min(_LEAST_RELEVANT, _SHARE * relevance_for(mine, nth))
        and (are_of_one_setting(mine, passage) or are_of_other_kinds(mine, passage))
    ]


def _given(chosen: Chosen, want: Wanted, unit: str | None) -> Given | None:
    """None where it is not clear which figure is meant."""
    text = narrow(_other_figure(chosen))
    # A figure that the question names is what may be otherwise, not what it is about.
    asked = frozenset(word for word in want.weights if not word.isdecimal())
    found = [
        value for value in values(text) if unit is None or _counts(value) == _UNITS.get(unit, unit)
    ]
    found = [value for value in found if value.unit not in _DATES]
    changed = _changed(text, found)
    found = [value for value in found if value not in changed.values()]
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
    return Given(chosen, found[0], asked & (words | meant), changed.get(found[0]))


def _changed(text: str, found: Sequence[Value]) -> Mapping[Value, Value]:
    """20日から15日に変更: what it is from now on, and what it was."""
    return {
        new: old
        for old, new in pairwise(found)
        if _counts(old) == _counts(new)
        and _FROM.fullmatch(text, old.end, new.start)
        and (_TO.match(text, new.end) or _CHANGE.search(text, 0, old.start))
    }


def _amount(value: Value) -> tuple[str, str]:
    return value.unit, value.meaning


def _counts(value: Value) -> str:
    return _UNITS.get(value.unit, value.unit)


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
    here, there = mine.chosen.passage, theirs.chosen.passage
    belong = are_editions(here, there) or _is_before(mine, theirs) or _is_before(theirs, mine)
    if not belong and len(mine.words) < _FEWEST_WORDS - of_clauses(here):
        return False
    if not mine.words <= theirs.words and not _meant(mine, theirs):
        return False
    one, other = narrow(_other_figure(mine.chosen)), narrow(_other_figure(theirs.chosen))
    ours, theirs_too = _others_of(one, mine.value), _others_of(other, theirs.value)
    if any(ours[unit] != theirs_too[unit] for unit in ours.keys() & theirs_too.keys()):
        return False
    return not _qualified_otherwise(one, other)


def _meant(mine: Given, theirs: Given) -> bool:
    """Clauses say in other words what they are about: 精算 and 申請; running text names it."""
    here, there = mine.chosen.passage, theirs.chosen.passage
    if not (of_clauses(here) and of_clauses(there)) or ruling(here, there) is None:
        return False
    said = content_words(f"{there.context} {there.document} {theirs.chosen.sentence.text}")
    alike = likeness(tuple(sorted(mine.words)), tuple(sorted({*said, *theirs.words})))
    return len(alike) >= _FEWEST_WORDS and sum(alike) / len(alike) >= _MEANT


def _others_of(text: str, given: Value) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for value in values(text):
        if _counts(value) != _counts(given):
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


def _other_figure(chosen: Chosen) -> str:
    """The sentence; of a row with a question and its answer only the answer."""
    if not chosen.sentence.is_row:
        return chosen.sentence.text
    return answer_of(chosen.sentence, header_of(chosen.passage)) or chosen.sentence.text


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


MOST = 5
# How many of the most relevant passages are held against what was chosen.
_LOOKED_AT = 15
_LONGEST_SUBJECT = 40
_FIGURES = re.compile(f"[0-9０-９{KANJI_LARGE},，.]+")


@dataclass(frozen=True)
class Place:
    passage: Passage
    sentence: Sentence
    quote: str
    pairs: frozenset[str]
    """Neighbouring letters without figures: a cheap look before a close one."""


def disagreements(
    chosen: Sequence[Chosen],
    answers: Sequence[tuple[int, str, Chosen]],
    view: View,
    language: Language,
) -> Iterator[Part]:
    """Each pair of places once; only what was chosen for the answer is held against the rest.

    `answers`: the best sentence of each sub-question, with its number and the question.
    """
    others = _others(view)
    told: set[str] = set()
    for nth, question, best in answers:
        for mine, theirs in other_answers(question, best, view, nth):
            told.add("\n".join(sorted((mine.chosen.quote, theirs.chosen.quote))))
            yield _answered_otherwise(question, mine, theirs, language)
    for each in chosen:
        mine = _place_of(each)
        for other in others:
            text = _told(mine, other, language) if _may_differ(mine, other) else None
            key = "\n".join(sorted((mine.quote, other.quote)))
            if text is not None and key not in told and len(told) < MOST:
                told.add(key)
                quotes = (
                    Quoted(passage=mine.passage.id, quote=mine.quote),
                    Quoted(passage=other.passage.id, quote=other.quote),
                )
                settled = _rules(ruling(mine.passage, other.passage), mine.passage)
                yield Part(section="disagreement", text=text, quotes=quotes, is_settled=settled)


def _answered_otherwise(question: str, mine: Given, theirs: Given, language: Language) -> Part:
    one, two = mine.chosen, theirs.chosen
    text = tell(
        "evidence.disagreement.values",
        language,
        subject=_short(plainly(question).rstrip("。.?？")),
        first=one.passage.document,
        one=mine.written,
        second=two.passage.document,
        other=theirs.written,
    )
    found = ruling_answer(mine, theirs)
    text = _joined(text, told_ruling(found, language), language)
    quotes = tuple(Quoted(passage=each.passage.id, quote=each.quote) for each in (one, two))
    return Part(
        section="disagreement", text=text, quotes=quotes, is_settled=_rules(found, one.passage)
    )


def _others(view: View) -> list[Place]:
    count = max(1, len(view.sub_questions))
    best = {
        passage.id: passage
        for nth in range(count)
        for passage in sorted(view.passages, key=lambda each: -relevance_for(each, nth))[
            :_LOOKED_AT
        ]
    }
    return [
        Place(passage, sentence, sentence.text, _pairs(sentence))
        for passage in best.values()
        for sentence in sentences(passage.text)
    ]


def _place_of(chosen: Chosen) -> Place:
    return Place(chosen.passage, chosen.sentence, chosen.quote, _pairs(chosen.sentence))


def _pairs(sentence: Sentence) -> frozenset[str]:
    return pairs(_FIGURES.sub("", sentence.text))


def _may_differ(mine: Place, other: Place) -> bool:
    if mine.sentence.is_row != other.sentence.is_row:
        return False
    shared = len(mine.pairs & other.pairs)
    if 2 * shared < min(len(mine.pairs), len(other.pairs)):
        return False
    return comparable(mine.passage, other.passage)


def _told(mine: Place, other: Place, language: Language) -> str | None:
    if mine.sentence.is_row:
        return _rows(mine, other, language)
    one, two = statement(mine.sentence.text), statement(other.sentence.text)
    nth = differing_value(one, two)
    if nth is not None:
        subject = one.topic or one.form
        return _values(
            mine, other, (subject, one.values[nth].written, two.values[nth].written), language
        )
    if contradicts(one, two):
        first, second = _names(mine, other, language)
        text = tell(
            "evidence.disagreement.words",
            language,
            first=first,
            one=one_line(mine.sentence.text).rstrip("。."),
            second=second,
            other=one_line(other.sentence.text).rstrip("。."),
        )
        return _with_ruling(text, mine.passage, other.passage, language)
    return None


def _rows(mine: Place, other: Place, language: Language) -> str | None:
    found = differing_cells(
        mine.sentence, header_of(mine.passage), other.sentence, header_of(other.passage)
    )
    return None if found is None else _values(mine, other, found, language)


def _values(mine: Place, other: Place, found: tuple[str, str, str], language: Language) -> str:
    subject, one, two = found
    first, second = _names(mine, other, language)
    text = tell(
        "evidence.disagreement.values",
        language,
        subject=_short(subject),
        first=first,
        one=one,
        second=second,
        other=two,
    )
    return _with_ruling(text, mine.passage, other.passage, language)


def _with_ruling(text: str, one: Passage, other: Passage, language: Language) -> str:
    if one.document_id == other.document_id:
        return text
    return _joined(text, told_ruling(ruling(one, other), language), language)


def _joined(text: str, further: str, language: Language) -> str:
    return f"{text}{further}" if language == "ja" else f"{text} {further}"


def _short(subject: str) -> str:
    return subject if len(subject) <= _LONGEST_SUBJECT else subject[: _LONGEST_SUBJECT - 1] + "…"


def _names(mine: Place, other: Place, language: Language) -> tuple[str, str]:
    """The documents, and where in them if it is one and the same."""
    first, second = mine.passage.document, other.passage.document
    if first != second:
        return first, second
    return _place(mine.passage, language), _place(other.passage, language)


def _place(passage: Passage, language: Language) -> str:
    position = passage.position
    if position.page is None and position.row is None:
        return passage.document
    kind, number = ("page", position.page) if position.page else ("row", position.row)
    return tell(f"evidence.beside.{kind}", language, document=passage.document, number=number)
