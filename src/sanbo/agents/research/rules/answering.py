"""The answer without a model: sentences of the passages themselves, grouped by sub-question."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sanbo.agents.research.model import Part, Quoted, Section, View
from sanbo.agents.research.rules.choosing import Chosen, ranked, wanted
from sanbo.agents.research.rules.disagreements import disagreements
from sanbo.agents.research.rules.resemblance import is_repeated, is_the_same
from sanbo.agents.research.rules.sentences import one_line
from sanbo.agents.research.rules.supporting import supporting
from sanbo.agents.research.rules.table_rows import header_of, readable
from sanbo.kernel.messages import Language, tell

SENTENCES = 5
"""Of one sub-question."""
SUMMARY = 3
ECHOES = 2
"""Further places that are cited for one sentence because they say just the same."""
# A second sentence of the best passage must be half as good: the answer is among two in 95 of 100.
_NEXT_BEST = 0.5


@dataclass
class Finding:
    best: Chosen
    echoes: list[Chosen] = field(default_factory=list[Chosen])


def answer(view: View, language: Language) -> Iterator[Part]:
    """Summary, findings, disagreements, gaps."""
    questions = view.sub_questions or (view.question,)
    found = [_found(view, nth, question) for nth, question in enumerate(questions)]
    yield from _summary(found, language)
    for nth, findings in enumerate(found):
        for finding in findings:
            yield _part("finding", nth, finding, language)
    chosen = [finding.best for findings in found for finding in findings]
    yield from disagreements(chosen, view, language)
    for nth, (question, findings) in enumerate(zip(questions, found, strict=True)):
        if not findings:
            text = tell("research_rules.gap", language, question=question.rstrip("。.?？"))
            yield Part(section="gap", sub_question=nth, text=text)


def _found(view: View, nth: int, question: str) -> list[Finding]:
    """At most a handful of sentences, those of the most relevant passage first."""
    passages = supporting(view, nth)
    if not passages:
        return []
    want = wanted(question, view.passages)
    first, *others = (ranked(passage, want) for passage in passages)
    findings: list[Finding] = []
    for each in first[:2]:
        good = each.speaks_of_it and each.score >= _NEXT_BEST * first[0].score
        if good or each is first[0]:
            _add(findings, each)
    for sentences in others:
        if sentences and _answers_too(sentences[0], findings):
            _add(findings, sentences[0])
    return findings


def _answers_too(chosen: Chosen, findings: list[Finding]) -> bool:
    """Beside what the best passage says: no sentence without a date where that one has it."""
    if not findings:
        return True
    best = findings[0].best
    if best.holds_kind and not chosen.holds_kind:
        return False
    return chosen.score >= _NEXT_BEST * best.score


def _add(findings: list[Finding], chosen: Chosen) -> None:
    """What was said already is not said again, but cited where it is just the same."""
    text = chosen.sentence.text
    for finding in findings:
        if is_repeated(text, finding.best.sentence.text):
            if len(finding.echoes) < ECHOES and is_the_same(text, finding.best.sentence.text):
                finding.echoes.append(chosen)
            return
    if len(findings) < SENTENCES:
        findings.append(Finding(chosen))


def _summary(found: list[list[Finding]], language: Language) -> Iterator[Part]:
    """The best sentence of each sub-question."""
    said: list[str] = []
    for nth, findings in enumerate(found):
        text = findings[0].best.sentence.text if findings else ""
        if not findings or len(said) == SUMMARY:
            continue
        if not any(is_repeated(text, other) for other in said):
            said.append(text)
            yield _part("summary", nth, findings[0], language)


def _part(section: Section, nth: int, finding: Finding, language: Language) -> Part:
    return Part(
        section=section,
        sub_question=nth,
        text=told(finding.best, language),
        quotes=tuple(
            Quoted(passage=each.passage.id, quote=each.quote)
            for each in (finding.best, *finding.echoes)
        ),
    )


def told(chosen: Chosen, language: Language) -> str:
    if chosen.sentence.is_row:
        return one_line(readable(chosen.sentence, header_of(chosen.passage), language))
    return one_line(chosen.sentence.text)
