"""What speaks for and against an answer, as numbers: what a fit learns from. Pure functions."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from sanbo.agents.grace.confidence.model import Judged
from sanbo.agents.grace.rules.askings import asks_for_name, asks_for_thing
from sanbo.agents.grace.rules.candidates import Candidate, candidates
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.asked import holds_what
from sanbo.evidence.rules.resemblance import pairs
from sanbo.evidence.rules.terms import asked_words

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


def _is_here(candidate: Candidate, best: Candidate) -> bool:
    return candidate.chosen.passage.id == best.chosen.passage.id


def _ahead(best: Candidate, others: Sequence[Candidate]) -> float:
    ahead = best.fit - max((each.fit for each in others), default=-math.inf)
    return max(-_FURTHEST, min(_FURTHEST, ahead))
