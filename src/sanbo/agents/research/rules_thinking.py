"""Thinking without a model: deterministic, offline, in both languages."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, zip_longest

from rapidfuzz.fuzz import ratio

from sanbo.agents.research.model import Decision, percent
from sanbo.evidence.model import Expansion, Frozen, Part, Passage, View
from sanbo.evidence.rules import answer, expand
from sanbo.evidence.rules.choices import relevance_for
from sanbo.evidence.rules.queries import QUERIES, by_terms, different, plainly
from sanbo.evidence.rules.terms import content_words, key_terms, reworded, synonyms, words_of
from sanbo.kernel.messages import Language, tell
from sanbo.retrieval.tokens import letters
from sanbo.sandbox.calls import apart

# Share of a question's terms that its relevant passages must speak of.
COVERED = 0.5
_NAMED = 3
# Of a question in other words, before anything else is tried.
_WORDINGS = 2
# Passages whose words are looked up in the dictionary; the others' letters are enough.
_READ = 8
_SPELT = re.compile("[ァ-ヶー]{4,}|[A-Za-z]{5,}")
_SPELT_ALIKE = 85


@dataclass(frozen=True)
class _State:
    questions: tuple[str, ...]
    unanswered: tuple[str, ...]
    """Sub-questions without a passage that reaches the threshold."""
    uncovered: tuple[str, ...]
    """Terms of which no relevant passage speaks."""
    found: int
    wanted: int

    @property
    def enough(self) -> bool:
        return not self.unanswered and not self.uncovered and self.found >= self.wanted


def decide(view: View, language: Language, most: int = QUERIES) -> Decision:
    state = _state(view)
    if state.enough:
        return Decision(enough=True, reason=_why_enough(state, view, language), decided_by="rules")
    return Decision(
        enough=False,
        reason=_what_is_missing(state, view, language),
        missing=state.unanswered or state.uncovered,
        next_queries=different(
            _next_queries(state, view), (query.text for query in view.queries), most
        ),
        decided_by="rules",
    )


def _state(view: View) -> _State:
    questions = view.sub_questions or (view.question,)
    unanswered: list[str] = []
    uncovered: list[str] = []
    for nth, question in enumerate(questions):
        relevant = [
            passage
            for passage in view.passages
            if relevance_for(passage, nth) >= view.relevance_threshold
        ]
        relevant.sort(key=lambda passage: -relevance_for(passage, nth))
        if not relevant:
            unanswered.append(question)
        else:
            uncovered += _uncovered(question, relevant)
    chunks = view.collection_chunks
    wanted = view.min_docs_count if chunks is None else min(view.min_docs_count, chunks)
    return _State(
        questions=questions,
        unanswered=tuple(unanswered),
        uncovered=tuple(dict.fromkeys(uncovered)),
        found=len(view.passages),
        wanted=wanted,
    )


class Standing(Frozen):
    """How far what was found reaches the limits of sufficiency: relevant passages alone count."""

    relevant: int
    wanted: int
    is_reached: bool


def standing(view: View) -> Standing:
    state = _state(view)
    relevant = sum(each.relevance >= view.relevance_threshold for each in view.passages)
    served = not state.unanswered and not state.uncovered
    return Standing(
        relevant=relevant, wanted=state.wanted, is_reached=served and relevant >= state.wanted
    )


def _uncovered(question: str, relevant: Sequence[Passage]) -> list[str]:
    """Nothing where enough of the question's terms are spoken of, in whatever words."""
    terms = key_terms(plainly(question))
    missing = not_spoken_of(terms, relevant)
    return missing if terms and len(missing) / len(terms) > 1 - COVERED else []


def not_spoken_of(terms: Sequence[str], passages: Sequence[Passage]) -> list[str]:
    """Terms that are neither written there nor put in other words."""
    texts = [f"{passage.context}\n{passage.text}" for passage in passages]
    together = "\n".join(letters(text) for text in texts)
    left = [
        term
        for term in terms
        if not any(letters(each) in together for each in (term, *synonyms(term)))
    ]
    if not left:
        return []
    words = words_of(texts[:_READ])
    return [
        term
        for term in left
        if not any(words.issuperset(content_words(each)) for each in (term, *synonyms(term)))
        and not _is_misspelt(term, texts)
    ]


def _is_misspelt(term: str, texts: Sequence[str]) -> bool:
    """パスワド is spoken of where パスワード is."""
    if not _SPELT.fullmatch(term):
        return False
    written = dict.fromkeys(word for text in texts[:_READ] for word in _SPELT.findall(text))
    return any(ratio(term.casefold(), word.casefold()) >= _SPELT_ALIKE for word in written)


# ---- what to search for next ---------------------------------------------------------------


def _next_queries(state: _State, view: View) -> Iterator[str]:
    open_questions = state.unanswered or state.questions
    yield from open_questions
    yield from _in_turn([_put_otherwise(question, view) for question in open_questions])
    for term in state.uncovered:
        yield term
        yield from synonyms(term)
    yield from _with_headings(open_questions, view)
    for question in open_questions:
        terms = key_terms(question)
        yield from (" ".join(pair) for pair in pairwise(terms))
        yield from sorted(terms, key=len, reverse=True)
        yield from reworded(question)


def _put_otherwise(question: str, view: View) -> Iterator[str]:
    terms = key_terms(question)
    yield from not_spoken_of(terms, view.passages)
    yield by_terms(question)
    yield from islice(reworded(by_terms(question)), _WORDINGS)


def _in_turn(queries: Sequence[Iterator[str]]) -> Iterator[str]:
    """One of each in turn, so that no question waits for the next cycle."""
    for group in zip_longest(*queries):
        yield from (query for query in group if query)


def _with_headings(questions: Sequence[str], view: View) -> Iterator[str]:
    """Where the best passages stand is where an answer may stand: their headings with a term."""
    best = sorted(view.passages, key=lambda passage: -passage.relevance)[:3]
    for passage in best:
        for heading in passage.position.headings[-1:]:
            for question in questions:
                yield " ".join((heading[:40], *key_terms(question)[:2]))


# ---- why -----------------------------------------------------------------------------------


def _why_enough(state: _State, view: View, language: Language) -> str:
    best = max((passage.relevance for passage in view.passages), default=0.0)
    kind = "enough_one" if len(state.questions) == 1 else "enough_many"
    return tell(
        f"research_rules.decision.{kind}",
        language,
        found=state.found,
        questions=len(state.questions),
        best=percent(best),
    )


def _what_is_missing(state: _State, view: View, language: Language) -> str:
    if not view.passages:
        return tell("research_rules.decision.nothing", language)
    if state.unanswered:
        best = max(
            relevance_for(passage, state.questions.index(question))
            for question in state.unanswered
            for passage in view.passages
        )
        return tell(
            "research_rules.decision.unanswered",
            language,
            found=state.found,
            missing=_listed(state.unanswered, language),
            best=percent(best),
            threshold=percent(view.relevance_threshold),
        )
    if state.uncovered:
        return tell(
            "research_rules.decision.uncovered",
            language,
            found=state.found,
            missing=_listed(state.uncovered, language),
        )
    return tell("research_rules.decision.few", language, found=state.found, wanted=state.wanted)


def _listed(texts: Sequence[str], language: Language) -> str:
    """At most three by name."""
    named = [tell("research_rules.quoted", language, text=text) for text in texts[:_NAMED]]
    listed = tell("research_rules.between", language).join(named)
    if len(texts) > _NAMED:
        more = len(texts) - _NAMED
        listed += tell("research_rules.and_more", language, count=more)
    return listed


def warm_up() -> None:
    """Dictionaries and word lists, once: they take longer to load than most questions to read."""
    expand("出張の日当はいくらですか。")


def answers(view: View, language: Language) -> list[Part]:
    return list(answer(view, language))


class RulesThinking:
    """`language` is what reasons and gaps are told in; questions are read in either."""

    def __init__(self, language: Language, queries_per_cycle: int = QUERIES) -> None:
        self._language: Language = language
        self._queries = queries_per_cycle

    async def expand(self, question: str) -> Expansion:
        return await apart(expand, question, self._queries)

    async def decide(self, view: View) -> Decision:
        return await apart(decide, view, self._language, self._queries)

    async def answer(self, view: View) -> AsyncGenerator[Part]:
        parts = await apart(answers, view, self._language)
        for part in parts:
            yield part
