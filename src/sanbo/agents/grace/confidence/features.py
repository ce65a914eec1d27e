"""What speaks for and against an answer, as numbers and in words. Pure functions."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import fmean, pvariance
from typing import Literal

from sanbo.agents.grace.confidence.model import OWN, Fitted, Judged, log_odds, probability
from sanbo.agents.grace.rules.candidates import Candidate, asks_for_name, asks_for_thing, candidates
from sanbo.agents.grace.schemas import Factor, SearchStatistics
from sanbo.agents.grace.settings import GraceWeights
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.choices import Wanted, of_clauses, wanted
from sanbo.evidence.rules.sameness import pairs
from sanbo.evidence.rules.sentences import sentences
from sanbo.evidence.rules.terms import asked_words, content_words, is_japanese
from sanbo.evidence.rules.values import holds_what, values
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import narrow

_FURTHEST = 6.0
"""No answer is further ahead of the others, or behind them."""
_IN_FULL = 0.95
_ENOUGH_WORDS = 4


@dataclass(frozen=True)
class Features:
    relevance: float
    """Log odds of the passage that holds the answer."""
    doubt: float
    """The same as far as it is below even odds: there it counts otherwise."""
    read: float
    """Log odds of the sentence, as the reader has it."""
    answers: float
    """The same that any sentence answers."""
    words: float
    """How well the sentence fits: the question's words, and the kind of thing asked for."""
    brief: float
    """How much shorter the question is than most: it says little to find an answer by."""
    ahead_here: float
    """Before the best other sentence of the same passage."""
    ahead_elsewhere: float
    """Before the best sentence of another passage."""
    kind_held: float
    """A date, an amount, a person … is asked for, and it has one."""
    kind_missing: float
    thing: float
    """A thing is asked for, and no date or amount."""
    thing_and_topic: float
    """The same, and the sentence speaks of something that the question does not name."""
    subject: float
    """What the passage is about is told beside it."""
    name: float
    """How something is called is asked, and it says so."""
    name_missing: float
    points_back: float
    """It speaks of what another sentence names."""
    led: float
    """The same, and that sentence is told before it."""
    elsewhere: float
    """What is asked for is only referred to: この分野, 同社."""
    leads_on: float
    """What it speaks of stands after it."""
    english: float
    clauses: float
    """Its passage is made of clauses, list items or rows, and no running text."""

    def by_name(self) -> dict[str, float]:
        return {name: round(float(value), 4) for name, value in asdict(self).items()}


FEATURES = tuple(field.name for field in fields(Features))


def features(question: str, passages: Sequence[Passage], judged: Judged) -> Features | None:
    """None where nothing was found that the answer could rest on."""
    found = candidates(question, passages)
    best = _judged_one(found, judged)
    if best is None:
        return None
    here = [each for each in found if _is_here(each, best) and each is not best]
    elsewhere = [each for each in found if not _is_here(each, best)]
    asks, thing = holds_what(question) is not None, asks_for_thing(question)
    name = asks_for_name(question)
    return Features(
        relevance=best.relevance,
        doubt=min(best.relevance, 0.0),
        read=best.read,
        answers=_any_of([each.read for each in found]),
        words=best.score,
        brief=max(0, _ENOUGH_WORDS - len(asked_words(question))),
        ahead_here=_ahead(best, here),
        ahead_elsewhere=_ahead(best, elsewhere),
        kind_held=float(asks and best.holds_kind),
        kind_missing=float(asks and not best.holds_kind),
        thing=float(thing),
        thing_and_topic=float(thing and best.own_topic),
        subject=float(bool(best.subject)),
        name=float(best.name),
        name_missing=float(name and not best.name),
        points_back=float(best.points_back),
        led=float(best.lead is not None),
        elsewhere=float(best.elsewhere),
        leads_on=float(best.leads_on),
        english=float(not is_japanese(question)),
        clauses=float(of_clauses(best.chosen.passage)),
    )


def _judged_one(found: Sequence[Candidate], judged: Judged) -> Candidate | None:
    """The sentence of a source that the answer tells, also in other words."""
    cited = [each for each in found if each.chosen.passage.id in judged.passages]
    if not cited or not judged.sentences:
        return None
    said = [pairs(sentence) for sentence in judged.sentences]
    # Of several sentences the one that answers best counts: a list begins with its lead.
    told = [max(cited, key=lambda each: (_alike(each, sentence), each.fit)) for sentence in said]
    return max(told, key=lambda each: each.fit)


def _alike(candidate: Candidate, said: frozenset[str]) -> float:
    """1 where it is said in full."""
    ours = pairs(candidate.chosen.sentence.text)
    shared = len(ours & said)
    return 1.0 if shared >= _IN_FULL * len(ours) > 0 else shared / (len(ours | said) or 1)


def _any_of(odds: Sequence[float]) -> float:
    """Each was set against that none answers."""
    return min(_FURTHEST, math.log(sum(map(math.exp, odds))))


def _is_here(candidate: Candidate, best: Candidate) -> bool:
    return candidate.chosen.passage.id == best.chosen.passage.id


def _ahead(best: Candidate, others: Sequence[Candidate]) -> float:
    ahead = best.fit - max((each.fit for each in others), default=-math.inf)
    return max(-_FURTHEST, min(_FURTHEST, ahead))


_STRONG, _FAIR = 0.75, 0.4


@dataclass(frozen=True)
class _Told:
    """Features that a person reads as one factor."""

    name: str
    features: tuple[str, ...]
    bar: Callable[[Mapping[str, float]], float]
    """What is shown, from 0 to 1."""


_TOLD = (
    _Told(
        "relevance",
        ("relevance", "doubt", "read", "answers"),
        lambda known: _share(known["relevance"], -4.0, 4.0),
    ),
    _Told(
        "ahead",
        ("ahead_here", "ahead_elsewhere"),
        lambda known: _share(min(known["ahead_here"], known["ahead_elsewhere"]), -0.5, 3.0),
    ),
    _Told("words", ("words", "brief"), lambda known: _share(known["words"], 0.2, 1.4)),
    _Told(
        "kind",
        ("kind_held", "kind_missing", "name", "name_missing", "thing", "thing_and_topic"),
        lambda known: _either(
            known["kind_held"] or known["name"], known["kind_missing"] or known["name_missing"]
        ),
    ),
    _Told(
        "whole",
        ("points_back", "led", "elsewhere", "leads_on", "subject"),
        lambda known: _either(
            1.0 - max(known["points_back"] - known["led"], known["elsewhere"]), known["leads_on"]
        ),
    ),
    _Told(OWN, (OWN,), lambda known: probability(known[OWN])),
)


def calibrated_factors(
    features: Mapping[str, float], fitted: Fitted, language: Language
) -> tuple[Factor, ...]:
    """The effect is how far each moves the log odds from those of a typical answer."""
    known = defaultdict[str, float](float, features)
    return tuple(
        _factor(
            told.name,
            told.bar(known),
            sum(_effect(name, known, fitted) for name in told.features),
            language,
        )
        for told in _TOLD
        if told.name != OWN or OWN in features
    )


def _either(speaks_for: float, speaks_against: float) -> float:
    if speaks_for:
        return 0.6 if speaks_against else 1.0
    return 0.0 if speaks_against else 0.5


def weighted_factors(
    values: Mapping[str, float], weights: GraceWeights, language: Language
) -> tuple[Factor, ...]:
    """Those that are known; the effect is their share of the score."""
    counted = {name: getattr(weights, name) for name in values}
    total = sum(counted.values())
    return tuple(
        _factor(name, value, counted[name] * value / total if total else 0.0, language)
        for name, value in values.items()
        if counted[name] > 0
    )


def part_factors(
    scores: Sequence[float], effects: Sequence[float], language: Language
) -> tuple[Factor, ...]:
    return tuple(
        _factor("part", score, effect, language, number=number)
        for number, (score, effect) in enumerate(zip(scores, effects, strict=True), 1)
    )


def _effect(name: str, features: Mapping[str, float], fitted: Fitted) -> float:
    weight = fitted.line_for(features).weights.get(name, 0.0)
    if fitted.model is not None and OWN in features:
        of_words = fitted.model.weights["words"]
        weight = fitted.model.weights[OWN] if name == OWN else of_words * weight
    return weight * (features.get(name, 0.0) - fitted.typical.get(name, 0.0))


def _share(value: float, low: float, high: float) -> float:
    return max(0.0, min(1.0, (value - low) / (high - low)))


def _factor(name: str, value: float, effect: float, language: Language, **params: object) -> Factor:
    told = tell(
        f"grace_confidence.factor.{name}.{strength(value)}",
        language,
        percent=round(100 * value),
        **params,
    )
    return Factor(name=name, value=value, effect=round(effect, 4), told=told)


def supports_itself(factor: Factor) -> bool:
    """Whether what is said of it and what it does to the score are of one sign."""
    said = strength(factor.value)
    return not ((said == "strong" and factor.effect < 0) or (said == "weak" and factor.effect > 0))


def strength(value: float) -> Literal["strong", "fair", "weak"]:
    if value >= _STRONG:
        return "strong"
    return "fair" if value >= _FAIR else "weak"


BEST = 3
"""So many passages are looked at for the question's words."""
_GOOD = 0.5
"""At least so probable beside the best: it may say something about the question."""


def statistics_of(question: str, passages: Sequence[Passage]) -> SearchStatistics:
    if not passages:
        return SearchStatistics()
    ordered = sorted(passages, key=lambda passage: -passage.relevance)
    chances = [passage.relevance for passage in ordered]
    want = wanted(question, passages)
    return SearchStatistics(
        hits=len(passages),
        best=chances[0],
        mean=fmean(chances),
        variance=pvariance(chances),
        margin=chances[0] - (chances[1] if len(chances) > 1 else 0.0),
        coverage=_coverage(want, ordered[:BEST]),
        agreement=_agreement(question, ordered),
    )


def searched(found: SearchStatistics) -> dict[str, float]:
    """What the chance that a search found the answer is told from."""
    return {
        "best": log_odds(found.best),
        "margin": found.margin,
        "coverage": found.coverage,
    }


def _coverage(want: Wanted, passages: Sequence[Passage]) -> float:
    """Words that few passages have weigh more."""
    texts = " ".join(f"{each.context}\n{each.text}" for each in passages)
    said = frozenset(content_words(texts))
    said |= frozenset[str]().union(*(word for word, other in want.otherwise if other <= said))
    total = sum(want.weights.values())
    if not total:
        return 0.0
    return sum(weight for word, weight in want.weights.items() if word in said) / total


def compares(passages: Sequence[Passage]) -> bool:
    """Whether another document may confirm what the best passage says."""
    return bool(passages and _good_others(sorted(passages, key=lambda each: -each.relevance)))


def _good_others(ordered: Sequence[Passage]) -> list[Passage]:
    best, *others = ordered
    return [
        each
        for each in others
        if each.document_id != best.document_id and each.relevance >= _GOOD * best.relevance
    ]


def _agreement(question: str, ordered: Sequence[Passage]) -> float:
    """Of the good passages of other documents, how many have a figure of the best one.

    Where no figure is asked for: how probable they are.
    """
    good = _good_others(ordered)
    if not good:
        return 0.0
    if holds_what(question) is None:
        return fmean(each.relevance for each in good)
    figures = _figures(ordered[0])
    return sum(not figures.isdisjoint(_figures(each)) for each in good) / len(good)


def _figures(passage: Passage) -> frozenset[tuple[str, str]]:
    return frozenset(
        (value.unit, value.meaning)
        for sentence in sentences(passage.text)
        for value in values(narrow(sentence.text))
    )
