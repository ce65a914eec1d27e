"""Thinking without a model: deterministic, offline, in both languages.

An answer is the best sentences over all passages, with the very words that answer where these are
sure, or earlier answers joined.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sanbo.agents.grace.rules.candidates import Candidate, candidates, title_of
from sanbo.agents.grace.rules.plans import plan, replan
from sanbo.agents.grace.rules.questions import calculation_of
from sanbo.agents.grace.schemas import AnswerSentence, StepResult
from sanbo.agents.grace.thinking import (
    Answer,
    AnswerRequest,
    DraftPlan,
    KnownCollection,
    PlanRequest,
    ReplanRequest,
    SearchTurn,
)
from sanbo.evidence.model import Part, Passage, Quoted, View
from sanbo.evidence.reader import reading as reader
from sanbo.evidence.rules.answers import asks_for_all, listed, listed_after, told
from sanbo.evidence.rules.choices import Chosen, of_clauses, ranked, wanted, with_clause
from sanbo.evidence.rules.disagreements import disagreements, leading
from sanbo.evidence.rules.queries import by_terms, different, expand, wordings
from sanbo.evidence.rules.sameness import is_repeated, is_the_same
from sanbo.evidence.rules.sentences import one_line
from sanbo.evidence.rules.terms import key_terms, synonyms
from sanbo.evidence.rules.values import Value, values
from sanbo.kernel.messages import Language, tell
from sanbo.language.figures import MONEY
from sanbo.language.numerals import narrow
from sanbo.language.questions import COUNTED
from sanbo.language.questions import wanted as wanted_value
from sanbo.sandbox.calls import apart

_HOW_MANY = re.compile(r"\bhow many ((?:business |working )?\w+)", re.IGNORECASE)
_CALENDAR = frozenset({"年", "月", "日", "時", "円"})
_DATES = frozenset({"date", "fiscal", "clock", "日", "営業日", "か月", "週"})
_BEFORE = re.compile(r"(?:翌々?月|毎月|当月|前月|毎年|翌年|約|最大)$")
_BOUND = re.compile(r"(?:以内|以上|以下|以降|未満|まで|前|後)*")


def span_in(question: str, sentence: str) -> tuple[int, int] | None:
    """None where it is not clear which words are meant."""
    form = narrow(sentence)
    if len(form) != len(sentence):
        return None  # places in the narrow form are not places in the text
    asked = narrow(question)
    known = {value.meaning for value in values(asked)}
    found = [
        value
        for value in values(form)
        if _is_asked_for(value, asked) and value.meaning not in known
    ]
    if len(found) != 1:
        return None
    before = _BEFORE.search(form[: found[0].start])
    after = _BOUND.match(form, found[0].end)
    return (
        before.start() if before else found[0].start,
        after.end() if after else found[0].end,
    )


def _is_asked_for(value: Value, question: str) -> bool:
    counted = COUNTED.search(question) or _HOW_MANY.search(question)
    asked = wanted_value(question)
    if counted is not None and (asked == "number" or counted[1] not in _CALENDAR):
        return _counts(value, counted[1])
    if asked == "money":
        return value.unit in MONEY
    if asked != "date":
        return False
    return value.unit in _DATES or (counted is not None and value.unit == "年間")


def _counts(value: Value, unit: str) -> bool:
    """人 is 名, days is 日."""
    return value.written.casefold().endswith(unit.casefold()) or (
        unit in {"人", "名"} and value.unit == "人"
    )


FINDINGS = 3
"""Where the question does not ask for all."""
LONGEST_LIST = 12
ECHOES = 2
"""Further places that are cited for a sentence because they say just the same."""
_MAY_ECHO = 16
# A further sentence is told where it is about as good: so much less in log odds.
_NEARLY_AS_GOOD = 1.5
# The same of another document, and of rows below a clause.
_AS_GOOD_ELSEWHERE = 4.0
_ROW_AS_GOOD = 1.0
ROWS = 4
# Letters between a clause and the table below it.
_BELOW = 3


@dataclass(frozen=True)
class Extract:
    parts: tuple[Part, ...]
    """Findings, the first of them the top answer; then disagreements."""
    span: tuple[int, int] | None
    """The very words of the first part's text that answer, where that is sure."""


def extract(question: str, passages: Sequence[Passage], language: Language) -> Extract:
    """There is a top answer wherever there is a passage, however unsure it is."""
    found = candidates(question, passages)
    if not found:
        return Extract((), None)
    # A passage that several questions found counts with its best relevance.
    plain = tuple(each.model_copy(update={"relevances": ()}) for each in passages)
    view = View(question=question, sub_questions=(question,), passages=plain)
    found = _ruling_first(found, leading(question, found[0].chosen, view, 0))
    findings = _findings(question, passages, found)
    parts = [_finding(chosen, found, language) for chosen in findings]
    own = findings[0].passage.document_id
    for nth, chosen in enumerate(findings):
        is_other = chosen.passage.document_id != own
        if is_other and _are_of_clauses(findings[0].passage, chosen.passage):
            parts[nth] = _named(parts[nth], title_of(chosen.passage), language)
    span = span_in(question, parts[0].text)
    if findings[0] is found[0].chosen:
        alone = parts[0].text
        parts[0] = _understood(found[0], parts[0], language)
        span = _moved(span, alone, parts[0].text)
    parts += disagreements(findings, [(0, question, found[0].chosen)], view, language)
    return Extract(tuple(parts), span)


def _ruling_first(found: Sequence[Candidate], lead: Chosen) -> Sequence[Candidate]:
    """What holds now before what held until then."""
    is_lead = (
        each.chosen.passage.id == lead.passage.id and each.chosen.sentence == lead.sentence
        for each in found
    )
    at = next((nth for nth, is_it in enumerate(is_lead) if is_it), 0)
    return [found[at], *found[:at], *found[at + 1 :]]


def _understood(best: Candidate, part: Part, language: Language) -> Part:
    """With what a sentence leaves out: この制度は… after the one that names it, or the title."""
    text, quotes = part.text, part.quotes
    if best.lead is not None:
        place = best.chosen.passage
        quote = place.text[best.lead.start : best.chosen.sentence.end]
        text = one_line(quote)
        quotes = (Quoted(passage=place.id, quote=quote), *quotes[1:])
    return _named(part.model_copy(update={"text": text, "quotes": quotes}), best.subject, language)


def _named(part: Part, subject: str, language: Language) -> Part:
    """旅費規程：… beside what it is about, where it does not say so itself."""
    if not subject or subject in part.text:
        return part
    told = {"subject": one_line(subject), "sentence": part.text}
    return part.model_copy(update={"text": tell("grace_confidence.named", language, **told)})


def _moved(span: tuple[int, int] | None, alone: str, text: str) -> tuple[int, int] | None:
    at = text.rfind(alone)
    return None if span is None or at < 0 else (span[0] + at, span[1] + at)


def _findings(
    question: str, passages: Sequence[Passage], found: Sequence[Candidate]
) -> list[Chosen]:
    best = found[0].chosen
    beside = ranked(best.passage, wanted(question, passages))
    whole = listed(beside) if asks_for_all(question) else []
    if any(each.sentence == best.sentence for each in whole):
        return whole[:LONGEST_LIST]
    findings = [best]
    for chosen in with_clause(best, beside, question):
        if len(findings) < LONGEST_LIST and not _is_said(chosen, findings):
            findings.append(chosen)
    for chosen in _rows_below(best, found):
        if len(findings) < LONGEST_LIST and not _is_said(chosen, findings):
            findings.append(chosen)
    most = max(FINDINGS, len(findings) + 1)
    for chosen in (*listed_after(best, beside), *_nearly_as_good(found)):
        if len(findings) < most and not _is_said(chosen, findings):
            findings.append(chosen)
    for chosen in _of_another_document(found):
        if not _is_said(chosen, findings):
            findings.append(chosen)
    return findings


def _rows_below(best: Chosen, found: Sequence[Candidate]) -> list[Chosen]:
    """Of the table that stands right below the clause: its rule is often 別表1のとおり."""
    rows = [
        each
        for each in found
        if each.chosen.sentence.is_row
        and not each.chosen.only_names
        and _is_below(each.chosen.passage, best.passage)
    ]
    if best.sentence.is_row or not rows:
        return []
    kept = [each.chosen for each in rows if each.fit >= rows[0].fit - _ROW_AS_GOOD]
    return sorted(kept[:ROWS], key=lambda each: each.sentence.start)


def _is_below(passage: Passage, other: Passage) -> bool:
    between = passage.position.start - other.position.end
    return passage.document_id == other.document_id and 0 <= between <= _BELOW


def _of_another_document(found: Sequence[Candidate]) -> Iterator[Chosen]:
    """What it says of the same: a rule beside a list of questions, an older edition."""
    best = found[0]
    for each in found[1:]:
        if each.fit < best.fit - _AS_GOOD_ELSEWHERE:
            return
        is_other = each.chosen.passage.document_id != best.chosen.passage.document_id
        is_other = is_other and _are_of_clauses(best.chosen.passage, each.chosen.passage)
        if is_other and not each.chosen.only_names:
            yield each.chosen
            return


def _are_of_clauses(*passages: Passage) -> bool:
    """One of them at least: in running text another passage tells another thing."""
    return any(map(of_clauses, passages))


def _nearly_as_good(found: Sequence[Candidate]) -> Iterator[Chosen]:
    best = found[0]
    for each in found[1:]:
        is_near = each.fit >= best.fit - _NEARLY_AS_GOOD
        holds_as_much = each.chosen.holds_kind or not best.chosen.holds_kind
        if is_near and holds_as_much and each.chosen.speaks_of_it and not each.chosen.only_names:
            yield each.chosen


def _is_said(chosen: Chosen, findings: Sequence[Chosen]) -> bool:
    return any(is_repeated(chosen.sentence.text, each.sentence.text) for each in findings)


def _finding(chosen: Chosen, found: Sequence[Candidate], language: Language) -> Part:
    echoes = [
        each.chosen
        for each in found[:_MAY_ECHO]
        if each.chosen.passage.id != chosen.passage.id
        and is_the_same(each.chosen.sentence.text, chosen.sentence.text)
    ]
    return Part(
        section="finding",
        text=told(chosen, language),
        quotes=tuple(
            Quoted(passage=each.passage.id, quote=each.quote) for each in (chosen, *echoes[:ECHOES])
        ),
    )


_SENTENCES = 2
"""Of each part."""


def joins(request: AnswerRequest) -> bool:
    return any(_has_something(result) for result in request.earlier)


def joined(request: AnswerRequest, language: Language) -> tuple[Part, ...]:
    """What was worked out first, then a sentence or two of each part, with their own quotes."""
    answers = [result for result in request.earlier if result.action == "reasoning"]
    worked_out = tuple(_worked_out(request, answers, language))
    most = 1 if worked_out else _SENTENCES  # the figures it comes from, and nothing beside them
    findings = tuple(_earlier_findings(answers, request.passages, most))
    if not worked_out and calculation_of(request.question):
        # Figures that could not be worked out together are no answer, only near to one.
        return tuple(each.model_copy(update={"section": "nearest"}) for each in findings)
    return (*worked_out, *findings, *_disagreements(answers, request.passages))


def _has_something(result: StepResult) -> bool:
    return result.action in {"reasoning", "compute"} and result.status == "success"


def _worked_out(
    request: AnswerRequest, answers: Sequence[StepResult], language: Language
) -> Iterator[Part]:
    """Rests on the first sentence of every figure's answer."""
    for result in request.earlier:
        if result.action == "compute" and result.status == "success":
            quotes = [
                quote
                for answer in answers
                for quote in _quotes(answer, answer.sentences[:1], request.passages)
            ]
            text = tell("grace_plan.worked_out", language, formula=result.output)
            yield Part(section="finding", text=text, quotes=tuple(quotes))


def _earlier_findings(
    answers: Sequence[StepResult], passages: Sequence[Passage], most: int
) -> Iterator[Part]:
    """No place in a source twice."""
    said: set[tuple[object, ...]] = set()
    some_answer = any(each.answered for each in answers)
    for nth, answer in enumerate(answers):
        if some_answer and not answer.answered:
            continue
        new = [each for each in answer.sentences if _place(answer, each) not in said]
        for sentence in new[:most]:
            said.add(_place(answer, sentence))
            yield Part(
                section="finding",
                sub_question=nth,
                text=sentence.text,
                quotes=tuple(_quotes(answer, (sentence,), passages)),
            )


def _place(answer: StepResult, sentence: AnswerSentence) -> tuple[object, ...]:
    return tuple(
        (source.collection, source.chunk_id, source.start, source.end)
        for source in answer.sources
        if source.id in sentence.sources
    )


def _disagreements(answers: Sequence[StepResult], passages: Sequence[Passage]) -> Iterator[Part]:
    for nth, answer in enumerate(answers):
        for sentence in answer.contradictions:
            yield Part(
                section="disagreement",
                sub_question=nth,
                text=sentence.text,
                quotes=tuple(_quotes(answer, (sentence,), passages)),
                is_settled=True,  # the part's own score has lost by it
            )


def _quotes(
    answer: StepResult, sentences: Sequence[AnswerSentence], passages: Sequence[Passage]
) -> Iterator[Quoted]:
    """The passages of this step have ids of their own; a place in a source is the same for all."""
    by_chunk = {passage.chunk_id: passage.id for passage in passages}
    wanted = [number for sentence in sentences for number in sentence.sources]
    for source in answer.sources:
        if source.id in wanted and source.chunk_id in by_chunk:
            yield Quoted(passage=by_chunk[source.chunk_id], quote=source.quote)


ANSWERS = 0.7
"""A passage of this relevance is taken to answer."""


def search_turn(question: str, searched: Sequence[str], passages: Sequence[Passage]) -> SearchTurn:
    if searched and any(passage.relevance >= ANSWERS for passage in passages):
        return SearchTurn()
    return SearchTurn(query="".join(different(_queries(question), searched, 1)))


def _queries(question: str) -> Iterator[str]:
    yield question
    yield by_terms(question)
    yield from wordings(question)
    yield from expand(question, 8).queries
    terms = key_terms(question)
    yield from (" ".join(pair) for pair in pairwise(terms))
    for term in sorted(terms, key=len, reverse=True):
        yield term
        yield from synonyms(term)


def warm_up() -> None:
    """Dictionaries and word lists, once: they take longer to load than most questions to read."""
    reader.warm_up()
    known = KnownCollection(name="規程", documents=1)
    plan(PlanRequest(question="出張の日当はいくらですか。", collections=(known,)), "ja")


def answer(request: AnswerRequest, language: Language) -> Answer:
    if joins(request) and (parts := joined(request, language)):
        return Answer(parts=parts)
    found = extract(request.question, request.passages, language)
    return Answer(parts=found.parts, span=found.span)


class RulesThinking:
    """`language` is what steps are told in; questions are read in either."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    async def plan(self, request: PlanRequest) -> DraftPlan:
        return await apart(plan, request, self._language)

    async def replan(self, request: ReplanRequest) -> DraftPlan:
        return await apart(replan, request, self._language)

    async def answer(self, request: AnswerRequest) -> Answer:
        return await apart(answer, request, self._language)

    async def search_turn(
        self, question: str, searched: Sequence[str], passages: Sequence[Passage]
    ) -> SearchTurn:
        return await apart(search_turn, question, searched, passages)
