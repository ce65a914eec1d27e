"""Every sentence that might answer a question, by how well it does beside all the others."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.agents.grace.rules.askings import (
    asks_for_name,
    asks_for_thing,
    gives_name,
    has_own_topic,
    lacks_calendar,
    leads_on,
    points_back,
    refers_elsewhere,
)
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.choosing import Chosen, Wanted, focus, ranked, wanted
from sanbo.evidence.rules.sentences import Sentence
from sanbo.evidence.rules.terms import content_words
from sanbo.retrieval.tokens import letters

PASSAGES = 8
"""So many of the most relevant ones are looked at."""
_SUREST = 6.0
_MOST_NEW = 8
# What counts how much, in log odds: from a conditional logistic regression, rounded.
_RELEVANCE, _OWN, _FOCUS, _NAME, _NEW = 0.7, 3.8, 0.95, 1.0, 1.1
_ENOUGH_NEW = 2
# Letters of a sentence with the one before it, and between them.
_LONGEST, _CLOSE = 300, 2
# これを…という speaks of what the sentence before says: it answers nearly as well.
_CARRIED = 0.95
# A day where a year is asked for is no answer.
_KIND_MISSING = 0.5


@dataclass(frozen=True)
class Candidate:
    """A sentence with what speaks for it."""

    chosen: Chosen
    score: float
    """Of the sentence alone: the question's words, and the kind of thing that is asked for."""
    relevance: float
    """Log odds of its passage."""
    focus: float
    """Share of the words next to what is asked."""
    name: bool
    """It says how something is called, where that is asked."""
    points_back: bool
    """It speaks of what the sentence before names."""
    new: int
    """Words that the question does not have: one of them must be the answer."""
    own_topic: bool
    """What it speaks of is not just what the question says."""
    holds_kind: bool
    """It has a date where one is asked for, an amount, a person."""
    elsewhere: bool
    """What is asked for is only referred to: この分野, 同社."""
    leads_on: bool
    """What it speaks of stands after it."""
    subject: str
    """What the passage is about, where a thing is asked for that the sentence does not name."""
    lead: Sentence | None
    """The sentence before, where this one speaks of what that one names: この制度は…."""

    @property
    def fit(self) -> float:
        """Of passage and sentence together, like log odds."""
        return (
            _RELEVANCE * self.relevance
            + _OWN * self.score
            + _FOCUS * self.focus
            + _NAME * self.name * (1 + self.points_back)
            + _NEW * min(self.new, _ENOUGH_NEW)
        )


def candidates(question: str, passages: Sequence[Passage]) -> list[Candidate]:
    """The best first; none only where no passage has a sentence."""
    want = wanted(question, passages)
    near = [word for word in focus(question) if word in want.weights]
    found = [
        candidate
        for passage in most_relevant(passages)
        for candidate in _of_passage(question, passage, want, near)
    ]
    return sorted(found, key=lambda each: -each.fit)


def most_relevant(passages: Sequence[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: -passage.relevance)[:PASSAGES]


def relevance_odds(passage: Passage) -> float:
    """The log odds of its relevance, never quite sure."""
    chance = min(max(passage.relevance, 1e-9), 1 - 1e-9)
    return max(-_SUREST, min(_SUREST, math.log(chance / (1 - chance))))


def _of_passage(
    question: str, passage: Passage, want: Wanted, near: Sequence[str]
) -> Iterator[Candidate]:
    odds = relevance_odds(passage)
    asked = frozenset(content_words(question))
    subject = _unnamed_subject(question, passage)
    before, before_focus = 0.0, 0.0
    last: Sentence | None = None
    for chosen in sorted(ranked(passage, want), key=lambda each: each.sentence.start):
        text = chosen.sentence.text
        words = frozenset(content_words(text))
        said = words.union(content_words(chosen.asked))
        back = points_back(text)
        name = asks_for_name(question) and gives_name(text)
        own = has_own_topic(text, asked)
        shown = subject and not chosen.sentence.is_row and subject not in text
        short = chosen.holds_kind and lacks_calendar(question, text)
        focused = _share(near or list(want.weights), said)
        carried = _CARRIED if back and name else 0.0
        yield Candidate(
            chosen=chosen,
            score=max(chosen.score - _KIND_MISSING * short, carried * before),
            relevance=odds,
            focus=max(focused, carried * before_focus),
            name=name,
            points_back=back,
            new=min(len(words - asked), _MOST_NEW),
            own_topic=own,
            holds_kind=chosen.holds_kind and not short,
            elsewhere=refers_elsewhere(question, text),
            leads_on=leads_on(text),
            subject=subject if shown else "",
            lead=_lead(chosen, last) if back else None,
        )
        last = chosen.sentence
        before, before_focus = chosen.score, focused


def _lead(chosen: Chosen, last: Sentence | None) -> Sentence | None:
    """Only what stands close before, and is not long."""
    if last is None or last.is_row or last.is_heading or chosen.sentence.is_row:
        return None
    is_close = chosen.sentence.start - last.end <= _CLOSE
    return last if is_close and chosen.sentence.end - last.start <= _LONGEST else None


def _unnamed_subject(question: str, passage: Passage) -> str:
    """What the passage is about, where that may be what is asked for."""
    subject = subject_of(passage)
    if not subject or not asks_for_thing(question) or letters(subject) in letters(question):
        return ""
    return subject


def subject_of(passage: Passage) -> str:
    """The nearest heading, or the document's title; empty where neither is known."""
    if passage.position.headings:
        return passage.position.headings[-1].strip()
    lines = [line.strip() for line in passage.context.splitlines() if line.strip()]
    return lines[0] if lines else ""


def _share(wanted: Sequence[str], words: frozenset[str]) -> float:
    return sum(word in words for word in wanted) / len(wanted) if wanted else 0.0
