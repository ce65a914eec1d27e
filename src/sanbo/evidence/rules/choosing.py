"""Which sentences of a passage answer a question best."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sanbo.evidence.model import Passage
from sanbo.evidence.rules.asked import holds_what
from sanbo.evidence.rules.lexicon import other_words
from sanbo.evidence.rules.ranges import asked_figures, falls_into
from sanbo.evidence.rules.sentences import Sentence, sentences
from sanbo.evidence.rules.table_rows import header_of, is_header, readable, with_units
from sanbo.evidence.rules.terms import asked_words, content_words
from sanbo.language.questions import INTERROGATIVE, is_exact
from sanbo.retrieval.tokens import letters

# How much a word counts that only stands near the sentence: in its heading, header or neighbour.
_NEAR = 0.5
_MEANT = 0.8
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
    said = sum(weight * _said(word, words, meant, near) for word, weight in want.weights.items())
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
