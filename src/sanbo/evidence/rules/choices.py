"""Which sentences of a passage answer a question best, and what belongs to each of them.

To a sentence belong the rest of its clause, exceptions, a list's items.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from sanbo.evidence.model import Passage, View
from sanbo.evidence.rules.sentences import (
    Sentence,
    header_of,
    is_header,
    readable,
    sentences,
    with_units,
)
from sanbo.evidence.rules.terms import asked_words, content_words, other_words
from sanbo.evidence.rules.values import Value, holds_what, values
from sanbo.language.likeness import likeness
from sanbo.language.numerals import narrow
from sanbo.language.questions import INTERROGATIVE, is_exact
from sanbo.retrieval.tokens import letters

_FROM = re.compile(r"\s?(?:以上|以降|を?超|超過|より(?:多|大き|高|上))|\s(?:or more|or above)\b")
_TO = re.compile(r"\s?(?:以下|未満|より(?:少|小さ|低|下))|\s(?:or less|or below)\b")
_OPEN = re.compile(r"\s?(?:未満|を?超|より)|\b(?:under|over|below|above|(?:more|less) than)\s*$")
_FROM_BEFORE = re.compile(r"\b(?:over|above|more than|at least|from)\s*$", re.IGNORECASE)
_TO_BEFORE = re.compile(r"\b(?:under|below|less than|up to|at most)\s*$", re.IGNORECASE)
# Between two bounds of one range: 以上, and up to.
_BETWEEN_BOUNDS = re.compile(
    r"[^、。\s]{0,4}[、 ]?|\s?(?:or more )?(?:and|but) (?:up to|under|below|less than|at most) "
)
_NOT_COUNTED = frozenset({"date", "fiscal", "clock"})


@dataclass(frozen=True)
class Bound:
    unit: str
    value: Fraction
    low: bool
    """Whether the range begins here."""
    open: bool
    """The figure itself is not in it."""
    start: int
    end: int

    def admits(self, figure: Fraction) -> bool:
        if figure == self.value:
            return not self.open
        return figure > self.value if self.low else figure < self.value


@dataclass(frozen=True)
class AskedFigure:
    unit: str
    value: Fraction
    written: str


@lru_cache(maxsize=256)
def asked_figures(question: str) -> tuple[AskedFigure, ...]:
    """What a question says how much it is about; just below it where it says 未満."""
    form = narrow(question)
    return tuple(_asked(form, value) for value in _counted_unit(form))


def falls_into(question: str, sentence: str) -> bool | None:
    """Whether a figure of the question is within a range of the sentence; None where it has none.

    10万円以上の備品 is not what 3万円以上10万円未満 speaks of.
    """
    asked = asked_figures(question)
    if not asked:
        return None
    found = _ranges(narrow(sentence))
    units = {bounds[0].unit for bounds in found}
    told = [figure for figure in asked if figure.unit in units]
    if not told:
        return None
    return all(
        any(
            bounds[0].unit == figure.unit and all(each.admits(figure.value) for each in bounds)
            for bounds in found
        )
        for figure in told
    )


def _counted_unit(form: str) -> Iterator[Value]:
    yield from (value for value in values(form) if value.unit not in _NOT_COUNTED)


def _asked(form: str, value: Value) -> AskedFigure:
    number = Fraction(value.meaning)
    bound = _bound(form, value)
    if bound is not None and bound.open:
        number += Fraction(1, 1000) if bound.low else -Fraction(1, 1000)
    return AskedFigure(value.unit, number, value.written)


@lru_cache(maxsize=2048)
def _ranges(form: str) -> tuple[tuple[Bound, ...], ...]:
    """Of two bounds next to each other, the lower first, one range is made."""
    found: list[tuple[Bound, ...]] = []
    for value in _counted_unit(form):
        bound = _bound(form, value)
        if bound is None:
            continue
        last = found[-1] if found else ()
        if len(last) == 1 and _belongs(last[0], bound, form):
            found[-1] = (last[0], bound)
        else:
            found.append((bound,))
    return tuple(found)


def _belongs(first: Bound, second: Bound, form: str) -> bool:
    is_range = first.low and not second.low and first.unit == second.unit
    if not is_range or first.value >= second.value:
        return False
    return _BETWEEN_BOUNDS.fullmatch(form, first.end, second.start) is not None


def _bound(form: str, value: Value) -> Bound | None:
    before, after = form[max(0, value.start - 12) : value.start], form[value.end :]
    low = _FROM.match(after) or _FROM_BEFORE.search(before)
    high = _TO.match(after) or _TO_BEFORE.search(before)
    if not low and not high:
        return None
    is_open = bool(_OPEN.match(after) or _OPEN.search(before))
    number = Fraction(value.meaning)
    return Bound(value.unit, number, low is not None, is_open, value.start, value.end)


# How much a word counts that only stands near the sentence: in its heading, header or neighbour.
_NEAR = 0.5
_MEANT = 0.8
# A word of about the same meaning, as far as it is alike.
_LIKE = 0.8
_GRAMS = 0.5
_KIND = 0.35
_EXACT_KIND = 0.7
# What 3万円以上10万円未満 says is not said of 20万円.
_OUTSIDE = 0.6
_FOCUS = 1.7
# Left of a question when what it asks for is gone.
_CARRYING_TEXT = "為る 言う 呼ぶ 称する 有る 成る か さ れる られる"
_CARRYING = frozenset(_CARRYING_TEXT.split())
_BEFORE = re.compile("(?<![^のをがにで、はも ])[^のをがにで、はも ]++[はがのをに、]*+$")
_NAMED = re.compile(
    r"(?<![^のをがにで、はも 　])([^のをがにで、はも 　]++)"
    r"(?:は|を教えて.{0,200}+)?[。？?！!\s]{0,50}+$"
)
_AFTER_QUESTION = 0.9
_AS_GOOD = 0.9
_SHORT_ANSWER = 25
_ASKS = re.compile(r"[？?][」』）)]*$|(?:です|ます|でしょう|ました|でした)か。?$|^[QＱ][.．:：0-9]")
# Fewer letters prove nothing as a quote.
FEWEST_LETTERS = 6


@dataclass(frozen=True)
class Wanted:
    """A question, ready to be looked for in sentences."""

    question: str
    weights: Mapping[str, float]
    otherwise: tuple[tuple[frozenset[str], frozenset[str]], ...]
    """Words of the question, and words that say the same."""
    grams: frozenset[str]


@dataclass(frozen=True)
class Chosen:
    passage: Passage
    sentence: Sentence
    quote: str
    """Verbatim; more than the sentence where that alone is too short to prove anything."""
    score: float
    holds_kind: bool = False
    """It has a date where one is asked for, an amount, a number."""
    speaks_of_it: bool = True
    """It has a word of the question itself, not only its surroundings do."""
    only_names: bool = False
    """A heading, or a row that names a table's columns."""
    asked: str = ""
    """The question that stands before it, in a list of questions and answers."""


def wanted(question: str, passages: Sequence[Passage]) -> Wanted:
    """Words that few of the passages have weigh more."""
    asked = asked_words(question)
    texts = [letters(passage.text + passage.context) for passage in passages]
    weights: dict[str, float] = {}
    for word in asked:
        form = letters(word)
        with_it = sum(form in text for text in texts)
        weights[word] = 1.0 / (1.0 + 2.0 * with_it / (len(texts) or 1))
    for word in weights.keys() & frozenset(focus(question)):
        weights[word] *= _FOCUS
    return Wanted(
        question=question,
        weights=weights,
        otherwise=tuple(
            (frozenset(content_words(word)) & weights.keys(), frozenset(content_words(other)))
            for word, other in other_words(question)
        ),
        grams=frozenset(_pairs(question)),
    )


def focus(question: str) -> tuple[str, ...]:
    """The words next to what is asked: 暗殺 in いつ暗殺されましたか, 愛称 in 愛称は何ですか."""
    asks = list(INTERROGATIVE.finditer(question))
    if not asks:  # 熊谷工場の投資額は？
        named = _NAMED.search(question)
        return asked_words(named[1]) if named else ()
    after = asked_words(question[asks[-1].end() :])
    if any(word not in _CARRYING for word in after):
        return after
    before = _BEFORE.search(question[: asks[-1].start()])
    return asked_words(before[0]) if before else ()


def _pairs(text: str) -> list[str]:
    form = letters(text)
    return [form[at : at + 2] for at in range(len(form) - 1)]


def ranked(passage: Passage, want: Wanted) -> list[Chosen]:
    """The passage's sentences, the best answer first; questions and headings are none."""
    found = sentences(passage.text)
    around = frozenset(content_words(f"{passage.context} {' '.join(passage.position.headings)}"))
    header = header_of(passage)
    around = around.union(*(content_words(name) for name in header))
    words = [frozenset(content_words(sentence.text)) for sentence in found]
    holding = [_holds_kind(sentence, header, want) for sentence in found]
    scores = [
        _score(sentence, words[at], around.union(*words[max(0, at - 1) : at]), want)
        + _kind_score(want, holds=holding[at])
        for at, sentence in enumerate(found)
    ]
    chosen: list[Chosen] = []
    asking: int | None = None
    for at, sentence in enumerate(found):
        if _ASKS.search(sentence.text):
            asking = at
            continue
        score, first, asked = scores[at], at, ""
        if asking is not None:  # an answer alone does not say what it answers
            held = _kind_score(want, holds=holding[at]) - _kind_score(want, holds=holding[asking])
            score = max(score, scores[asking] * _AFTER_QUESTION + max(held, 0.0))
            first = asking if len(sentence.text) < _SHORT_ANSWER else at
            asked = found[asking].text
            asking = None
        names = (
            sentence.is_heading
            or sentence.text in passage.position.headings
            or (bool(header) and sentence.is_row and is_header(passage, sentence))
        )
        if names:
            score *= 0.3
        quote = _quote(passage, found, first, at)
        speaks = any(_speaks(words[nth], want) for nth in {first, at})
        holds = holding[at] and not (names and sentence.is_row)  # 金額（万円） is no amount
        chosen.append(Chosen(passage, sentence, quote, score, holds, speaks, names, asked))
    if not chosen:  # nothing but questions
        chosen = [
            Chosen(passage, sentence, _quote(passage, found, at, at), scores[at])
            for at, sentence in enumerate(found)
        ]
    in_turn = sorted(chosen, key=lambda each: -each.score)
    return in_turn if holds_what(want.question) else _in_order(in_turn)


def _in_order(ranked: list[Chosen]) -> list[Chosen]:
    """Of two that are as good, what is said first: the rule before its exception."""
    if len(ranked) > 1:
        first, second = ranked[:2]
        as_good = second.score >= _AS_GOOD * first.score and not second.sentence.is_row
        if as_good and second.sentence.start < first.sentence.start:
            return [second, first, *ranked[2:]]
    return ranked


def _score(sentence: Sentence, words: frozenset[str], near: frozenset[str], want: Wanted) -> float:
    total = sum(want.weights.values()) or 1.0
    meant = frozenset[str]().union(*(word for word, other in want.otherwise if other <= words))
    within = falls_into(want.question, sentence.text)
    if within:
        figures = (each.written for each in asked_figures(want.question))
        meant = meant.union(*(content_words(figure) for figure in figures))
    asked = tuple(want.weights)
    alike = likeness(asked, tuple(sorted(words)))
    alike_near = likeness(asked, tuple(sorted(near)))
    said = sum(
        want.weights[word] * max(_said(word, words, meant, near), _LIKE * here, _LIKE * _NEAR * by)
        for word, here, by in zip(asked, alike, alike_near, strict=True)
    )
    score = said / total
    if want.grams:
        score += _GRAMS * len(want.grams.intersection(_pairs(sentence.text))) / len(want.grams)
    return score - _OUTSIDE * (within is False)


def _kind_score(want: Wanted, *, holds: bool) -> float:
    if not holds:
        return 0.0
    return _EXACT_KIND if is_exact(want.question) else _KIND


def _holds_kind(sentence: Sentence, header: tuple[str, ...], want: Wanted) -> bool:
    holds = holds_what(want.question)
    if holds is None or falls_into(want.question, sentence.text) is False:
        return False
    # What a column's figures count stands above them.
    return holds(sentence.text) or (sentence.is_row and holds(_counted(sentence, header)))


def _counted(row: Sentence, header: tuple[str, ...]) -> str:
    return with_units(readable(row, header, "ja")) if header else ""


def _speaks(words: frozenset[str], want: Wanted) -> bool:
    return not words.isdisjoint(want.weights) or any(other <= words for _, other in want.otherwise)


def _said(word: str, words: frozenset[str], meant: frozenset[str], near: frozenset[str]) -> float:
    if word in words:
        return 1.0
    return _MEANT if word in meant else _NEAR if word in near else 0.0


def _quote(passage: Passage, found: Sequence[Sentence], first: int, last: int) -> str:
    """These sentences, with what stands before them (or after) where they are too short."""
    start, end = found[first].start, found[last].end
    before, after = first - 1, last + 1
    while len(letters(passage.text[start:end])) < FEWEST_LETTERS:
        if before >= 0:
            start = found[before].start
            before -= 1
        elif after < len(found):
            end = found[after].end
            after += 1
        else:
            break
    return passage.text[start:end]


MOST = 5
# Relevant enough beside a passage that reaches the threshold.
_NEAR_THE_BEST = 0.6
# The same where a figure is asked for: whether a passage has one is seen later.
_NEAR_WITH_FIGURE = 0.4


def relevance_for(passage: Passage, nth: int) -> float:
    """The probability that it answers the nth sub-question."""
    return passage.relevances[nth] if nth < len(passage.relevances) else passage.relevance


def supporting(view: View, nth: int, *, by_figure: bool = False) -> list[Passage]:
    """Most relevant first; none where no passage reaches the threshold."""
    ordered = sorted(view.passages, key=lambda passage: -relevance_for(passage, nth))
    if not ordered or relevance_for(ordered[0], nth) < view.relevance_threshold:
        return []
    near = _NEAR_WITH_FIGURE if by_figure else _NEAR_THE_BEST
    least = min(view.relevance_threshold, near * relevance_for(ordered[0], nth))
    return [passage for passage in ordered if relevance_for(passage, nth) >= least][:MOST]


LONGEST = 200
"""Letters of a clause with what is told beside it; a letter of Latin script counts half."""


_FEWEST_LINES = 2
# What a mail begins with, and what it quotes of another one.
_OF_A_MAIL = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Subject|差出人|宛先|日時|件名)\s?[:：]|[>＞]", re.I
)
_FIGURES = re.compile("[0-9]+")


def of_clauses(passage: Passage) -> bool:
    """Made of clauses, list items, short paragraphs or rows, and no running text."""
    named = passage.position.headings
    found = [
        each
        for each in sentences(passage.text)
        if not each.is_heading and each.text.lstrip("# ") not in named
    ]
    lines = sum("\n" in passage.text[a.end : b.start] for a, b in pairwise(found))
    return lines >= _FEWEST_LINES or any(each.is_row for each in found)


def with_clause(best: Chosen, beside: Sequence[Chosen], question: str) -> list[Chosen]:
    """The sentences around it, in their order; none where it stands in running text.

    A regulation says in one paragraph what is forbidden and in the next when it is allowed, a list
    says it in all its items. Running text of one paragraph is no clause: one sentence answers.
    """
    in_order = sorted(beside, key=lambda each: each.sentence.start)
    at = next((nth for nth, each in enumerate(in_order) if each.sentence == best.sentence), None)
    if at is None or best.sentence.is_row:
        return []
    own = _paragraph(in_order, at, best.passage)
    if own == (0, len(in_order)) or _letters(in_order, *own) > LONGEST:
        return []
    first, last = own
    place = best.passage
    while True:
        goes_on = last < len(in_order) and not _broken(in_order[last - 1], in_order[last], place)
        after = _paragraph(in_order, last, place)[1] if goes_on else last
        if after > last and _letters(in_order, first, after) <= LONGEST:
            last = after
            continue
        leads = first > 0 and not _broken(in_order[first - 1], in_order[first], place)
        before = _paragraph(in_order, first - 1, place)[0] if leads else first
        if before == first or _letters(in_order, before, last) > LONGEST:
            break
        first = before
    same = in_order[slice(*own)]
    return [
        each
        for each in in_order[first:last]
        if each.sentence != best.sentence
        and not each.only_names
        and not each.sentence.is_row
        and not (place.format == "eml" and _OF_A_MAIL.match(each.sentence.text))
        and not any(_is_other_record(each, mine, question) for mine in same)
    ]


def _is_other_record(chosen: Chosen, mine: Chosen, question: str) -> bool:
    """契約番号4322… below 契約番号4321…: the same but for the number that the question names."""
    one, other = narrow(mine.sentence.text), narrow(chosen.sentence.text)
    asked = frozenset(_FIGURES.findall(narrow(question)))
    named = asked.intersection(_FIGURES.findall(one))
    alike = _FIGURES.sub("0", one) == _FIGURES.sub("0", other)
    return alike and bool(named) and named.isdisjoint(_FIGURES.findall(other))


def _paragraph(in_order: Sequence[Chosen], at: int, passage: Passage) -> tuple[int, int]:
    """From and to: sentences between which no line ends."""
    first, last = at, at + 1
    while first > 0 and not _apart(in_order[first - 1], in_order[first], passage):
        first -= 1
    while last < len(in_order) and not _apart(in_order[last - 1], in_order[last], passage):
        last += 1
    return first, last


def _broken(one: Chosen, other: Chosen, passage: Passage) -> bool:
    """Something between them was left out: a question, whose answer is another thing."""
    return bool(passage.text[one.sentence.end : other.sentence.start].strip())


def _apart(one: Chosen, other: Chosen, passage: Passage) -> bool:
    return "\n" in passage.text[one.sentence.end : other.sentence.start]


def _letters(in_order: Sequence[Chosen], first: int, last: int) -> float:
    return sum(
        0.5 if letter.isascii() else 1.0
        for each in in_order[first:last]
        for letter in each.sentence.text
    )
