"""What speaks for and against a passage, as numbers; from the texts alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from rapidfuzz.distance import LCSseq

from sanbo.language.likeness import likeness, mean_likeness
from sanbo.retrieval.model import Hit
from sanbo.retrieval.relevance.question import (
    COEFFICIENTS,
    Passage,
    Presence,
    Question,
    are_near,
    holds_counted,
    holds_kind,
    is_japanese,
    is_written,
    read_passage,
    read_question,
    verbatim,
)
from sanbo.retrieval.vectors import K1, B

# Few passages say little about how rare a word is.
_FEW = 10


@dataclass(frozen=True, slots=True)
class Match:
    """Which of the question's words and pieces stand where."""

    passage: Passage
    above: tuple[bool, ...]
    sentences: tuple[tuple[bool, ...], ...]
    anywhere: tuple[bool, ...]
    pieces: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """What the passages have in common."""

    evidence: tuple[float, ...]
    rarity: tuple[float, ...]
    rare_evidence: tuple[float, ...]
    for_it: tuple[float, ...]
    """What a word's presence says for a passage, as a logarithm of odds."""
    against_it: tuple[float, ...]
    piece_rarity: tuple[float, ...]
    absent: float
    named: frozenset[str]
    """Titles that the question names."""


def match(question: Question, passage: Passage) -> Match:
    words = [word.forms for word in question.words]
    above = tuple(is_written(word, passage.context.form, passage.context.latin) for word in words)
    inside = tuple(
        tuple(is_written(word, sentence.form, sentence.latin) for word in words)
        for sentence in passage.sentences
    )
    return Match(
        passage=passage,
        above=above,
        sentences=inside,
        anywhere=tuple(any(column) for column in zip(above, *inside, strict=True)),
        pieces=tuple(
            piece in passage.form or piece in passage.context.form for piece in question.pieces
        ),
    )


def pool_of(question: Question, matches: Sequence[Match]) -> Pool:
    many = max(len(matches), _FEW)
    having = [sum(column) for column in zip(*(match.anywhere for match in matches), strict=True)]
    spelling = [sum(column) for column in zip(*(match.pieces for match in matches), strict=True)]
    evidence = tuple(word.evidence for word in question.words)
    rarity = tuple(_rarity(count, many) for count in having)
    shares = [(count + 0.5) / (many + 1) for count in having]
    expected = [word.presence for word in question.words]
    titles = {title for match in matches for title in match.passage.titles}
    return Pool(
        evidence=evidence,
        rarity=rarity,
        rare_evidence=tuple(a * b for a, b in zip(evidence, rarity, strict=True)),
        for_it=tuple(math.log(e / s) for e, s in zip(expected, shares, strict=True)),
        against_it=tuple(
            math.log((1 - e) / (1 - s)) for e, s in zip(expected, shares, strict=True)
        ),
        piece_rarity=tuple(_rarity(count, many) for count in spelling),
        absent=sum(e for e, count in zip(evidence, having, strict=True) if not count),
        named=frozenset(title for title in titles if title in question.letters),
    )


def _rarity(having: int, many: int) -> float:
    return math.log(1 + (many - having + 0.5) / (having + 0.5))


_AVERAGE_LETTERS = 300.0
# Few passages say little about how far the best is ahead: another is thought of, half as good.
_LEAST_OTHER = 0.5
_SURE = 15.0


@dataclass(frozen=True, slots=True)
class Features:
    """Shares are of 1. `ahead` is how far the passage is before the best other one."""

    likelihood: float
    """How much more the words it has and lacks look like an answer than like the other passages."""
    covered: float
    """Share of the question's evidence that stands in it or above it."""
    in_sentence: float
    """The same in its best sentence."""
    rare_in_two: float
    """The same in two sentences, words that few passages have counting more."""
    absent: float
    """Evidence that no passage has at all."""
    rare_unspelt: float
    """Pairs of characters that it lacks, those that few passages have counting more."""
    spelt_in_sentence: float
    """Share of the pairs of characters in its best sentence."""
    characters: float
    """Share of the question's kanji that stand in one sentence."""
    verbatim: float
    """Share of its letters that stand there in runs as they are."""
    in_order: float
    """Share of its letters that stand in one sentence in the same order."""
    near: float
    """Share of its neighbouring words that are close to each other here, too."""
    score: float
    """BM25 within these passages, as a share of what is possible."""
    kind: float
    """Whether its best sentence has a date or a number, where one is asked for."""
    counted: float
    """Whether it has what 何人, 何条, 何派 ask for."""
    names_other: float
    """The question names another passage's title, and nothing of this one's."""
    passage_letters: float
    meant: float
    """Share of the evidence that stands in it or above it in words of about the same meaning.

    Of English questions alone: Japanese ones were told apart no better by it.
    """
    meant_in_sentence: float
    """The same in its best sentence, words that few passages have counting more."""
    in_sentence_ahead: float = 0.0
    spelt_in_sentence_ahead: float = 0.0
    characters_ahead: float = 0.0
    verbatim_ahead: float = 0.0
    in_order_ahead: float = 0.0
    near_ahead: float = 0.0
    score_ahead: float = 0.0
    meant_ahead: float = 0.0
    meant_in_sentence_ahead: float = 0.0

    def values(self) -> list[float]:
        return [getattr(self, name) for name in FEATURES]


FEATURES = tuple(field.name for field in fields(Features))
_COMPARED = tuple(name.removesuffix("_ahead") for name in FEATURES if name.endswith("_ahead"))


def features(
    question: str, hits: Sequence[Hit], presence: Presence = COEFFICIENTS.presence
) -> list[Features]:
    """Of each passage beside the others; in the order of the hits."""
    if not hits:
        return []
    asked = read_question(question, presence)
    matches = [match(asked, read_passage(hit.text, hit.context)) for hit in hits]
    pool = pool_of(asked, matches)
    alone = [_alone(asked, each, pool) for each in matches]
    return _compared(alone, [each.passage.letters for each in matches])


def _alone(question: Question, found: Match, pool: Pool) -> Features:
    passage = found.passage
    inside = [_either(row, found.above) for row in found.sentences]
    two = [
        _either(row, after) for row, after in zip(inside, [*inside[1:], inside[-1]], strict=True)
    ]
    rows = [_share(row, pool.rare_evidence) for row in inside]
    best = passage.sentences[rows.index(max(rows))]
    covered = _share(found.anywhere, pool.evidence)
    asked, told = _beyond_titles(question, passage)
    pairs = max(len(question.words) - 1, 0)
    near = _near(question, found)
    return Features(
        likelihood=_likelihood(found.anywhere, pool),
        covered=covered,
        in_sentence=max(_share(row, pool.evidence) for row in inside),
        rare_in_two=max(_share(row, pool.rare_evidence) for row in two),
        absent=pool.absent,
        rare_unspelt=sum(
            rarity for rarity, has in zip(pool.piece_rarity, found.pieces, strict=True) if not has
        ),
        spelt_in_sentence=_best_spelt(question, passage, pool),
        characters=_best_characters(question, passage, covered),
        verbatim=verbatim(asked, passage.letters) / len(asked) if asked else covered,
        in_order=_in_order(told, passage) if told else covered,
        near=near / pairs if pairs else covered,
        score=_score(question, found, pool),
        kind=holds_kind(question, best.form),
        counted=holds_counted(question, passage.form),
        names_other=float(_names_other(passage, pool)),
        passage_letters=math.log(len(passage.letters) + 10),
        **_meant(question, found, pool),
    )


def _meant(question: Question, found: Match, pool: Pool) -> dict[str, float]:
    """What is written counts in full, what is meant as far as it is alike."""
    if is_japanese(question.form):
        return {"meant": 0.0, "meant_in_sentence": 0.0}
    asked = tuple(word.normal for word in question.words)
    above = _at_least(found.above, likeness(asked, found.passage.context.words))
    inside = [
        [max(pair) for pair in zip(above, _at_least(row, likeness(asked, each.words)), strict=True)]
        for row, each in zip(found.sentences, found.passage.sentences, strict=True)
    ]
    anywhere = [max(column) for column in zip(*inside, strict=True)]
    return {
        "meant": mean_likeness(pool.evidence, anywhere),
        "meant_in_sentence": max(mean_likeness(pool.rare_evidence, row) for row in inside),
    }


def _at_least(written: Sequence[bool], alike: Sequence[float]) -> list[float]:
    return [max(float(there), value) for there, value in zip(written, alike, strict=True)]


def _either(row: Sequence[bool], other: Sequence[bool]) -> tuple[bool, ...]:
    return tuple(a or b for a, b in zip(row, other, strict=True))


def _share(has: Sequence[bool], weights: Sequence[float]) -> float:
    """1 where all that is asked for weighs nothing, 0 where nothing is asked for."""
    total = sum(weights)
    if not total:
        return float(bool(has))
    return sum(weight for weight, there in zip(weights, has, strict=True) if there) / total


def _likelihood(has: Sequence[bool], pool: Pool) -> float:
    odds = zip(has, pool.for_it, pool.against_it, strict=True)
    return max(
        -_SURE, min(_SURE, sum(for_it if there else against for there, for_it, against in odds))
    )


def _beyond_titles(question: Question, passage: Passage) -> tuple[str, str]:
    """The question's letters without this passage's titles, which its text need not repeat."""
    asked, told = question.letters, question.told
    for title in passage.titles:
        asked, told = asked.replace(title, ""), told.replace(title, "")
    return asked, told


def _best_spelt(question: Question, passage: Passage, pool: Pool) -> float:
    context = passage.context.form
    return max(
        _share(
            [piece in s.form or piece in context for piece in question.pieces], pool.piece_rarity
        )
        for s in passage.sentences
    )


def _best_characters(question: Question, passage: Passage, otherwise: float) -> float:
    if not question.characters:
        return otherwise
    context = passage.context.form
    return max(
        sum(character in s.form or character in context for character in question.characters)
        for s in passage.sentences
    ) / len(question.characters)


def _in_order(told: str, passage: Passage) -> float:
    best = max(LCSseq.similarity(told, sentence.letters) for sentence in passage.sentences)
    return best / len(told)


def _near(question: Question, found: Match) -> int:
    """A word that the title has is near to all."""
    count = 0
    for at in range(len(question.words) - 1):
        if not (found.anywhere[at] and found.anywhere[at + 1]):
            continue
        count += (
            found.above[at]
            or found.above[at + 1]
            or are_near(question.words[at].forms, question.words[at + 1].forms, found.passage.form)
        )
    return count


def _score(question: Question, found: Match, pool: Pool) -> float:
    length = K1 * (1 - B + B * len(found.passage.letters) / _AVERAGE_LETTERS)
    total = 0.0
    for word, above, rarity in zip(question.words, found.above, pool.rarity, strict=True):
        count = max(int(above), *(found.passage.form.count(form) for form in word.forms))
        total += rarity * count * (K1 + 1) / (count + length)
    possible = sum(pool.rarity) * (K1 + 1)
    return total / possible if possible else 0.0


def _names_other(passage: Passage, pool: Pool) -> bool:
    return bool(pool.named) and not any(
        title in passage.letters or title in passage.context.letters for title in pool.named
    )


def _compared(alone: Sequence[Features], texts: Sequence[str]) -> list[Features]:
    """With how far each is ahead of the best other; the same text twice is no other."""
    columns = {
        f"{name}_ahead": _ahead([getattr(each, name) for each in alone], texts)
        for name in _COMPARED
    }
    return [
        replace(each, **{name: column[at] for name, column in columns.items()})
        for at, each in enumerate(alone)
    ]


def _ahead(values: Sequence[float], texts: Sequence[str]) -> list[float]:
    by_text: dict[str, float] = {}
    for value, text in zip(values, texts, strict=True):
        by_text[text] = max(value, by_text.get(text, value))
    first, second = (*sorted(by_text.values(), reverse=True), -math.inf, -math.inf)[:2]
    return [
        value - max(second if by_text[text] == first else first, _LEAST_OTHER * value)
        for value, text in zip(values, texts, strict=True)
    ]
