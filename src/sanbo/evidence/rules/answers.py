"""The answer without a model: sentences of the passages themselves, grouped by sub-question."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from sanbo.evidence.model import Part, Quoted, Section, View
from sanbo.evidence.rules.choices import Chosen, Wanted, ranked, relevance_for, supporting, wanted
from sanbo.evidence.rules.disagreements import disagreements, leading
from sanbo.evidence.rules.sameness import is_repeated, is_the_same
from sanbo.evidence.rules.sentences import header_of, one_line, readable
from sanbo.kernel.messages import Language, tell
from sanbo.language.questions import is_exact

LONGEST = 12
_ALL = re.compile(
    r"すべて|全て|全部|全員|一覧|列挙|もれなく|箇条書き|挙げて|どんな種類|どのような種類|何種類|手順(?:を|は|$)"
    r"|\b(?:list|all|every|which ones|what are the)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(r"(?:次|以下|下記)の|各号|\bas follows\b|\bthe following\b", re.IGNORECASE)
_ITEM = re.compile(
    r"^(?:[・●○◆■*•‣-]|[0-9０-９]{1,2}[.．)）、]|[①-⑳]|[（(][0-9０-９一-十ア-ンa-z]{1,2}[)）])"
)


def asks_for_all(question: str) -> bool:
    return _ALL.search(question) is not None


def listed(ranked: Sequence[Chosen]) -> list[Chosen]:
    """A list's items (or a table's rows) in their order after what leads to them; else nothing."""
    telling = [each for each in ranked if not each.only_names]
    rows = [each for each in telling if each.sentence.is_row]
    items = [each for each in telling if _ITEM.match(each.sentence.text)]
    found = max(rows, items, key=len)
    if len(found) < 2:
        return []
    found.sort(key=lambda each: each.sentence.start)
    start = found[0].sentence.start
    before = [each for each in telling if each.sentence.start < start and each.speaks_of_it]
    return [*before[:1], *found][:LONGEST]


def listed_after(lead: Chosen, ranked: Sequence[Chosen]) -> list[Chosen]:
    """What 次のとおり leads to, in its order: of figures only those that the question is about."""
    if not _LEADS.search(lead.sentence.text):
        return []
    after = sorted(
        (each for each in ranked if each.sentence.start > lead.sentence.start),
        key=lambda each: each.sentence.start,
    )
    items = list(takewhile(lambda each: _is_item(each.sentence.text), after))
    figures = [each for each in items if each.holds_kind]
    named = [each for each in figures if each.speaks_of_it]
    return named or figures or items


def is_list(chosen: Sequence[Chosen]) -> bool:
    return sum(bool(_ITEM.match(each.sentence.text)) for each in chosen) > 1


def _is_item(text: str) -> bool:
    return _ITEM.match(text) is not None or not text.endswith(("。", ".", "！", "？"))


SENTENCES = 5
"""Of one sub-question."""
SUMMARY = 3
NEAREST = 5
ECHOES = 2
"""Further places that are cited for one sentence because they say just the same."""
# A second sentence of the best passage must be half as good: the answer is among two in 95 of 100.
_NEXT_BEST = 0.5
# Rows of one table are alike: another one is another thing.
_NEXT_BEST_ROW = 0.85


@dataclass
class Finding:
    best: Chosen
    echoes: list[Chosen] = field(default_factory=list[Chosen])


def answer(view: View, language: Language) -> Iterator[Part]:
    """Summary, findings, disagreements, gaps."""
    questions = view.sub_questions or (view.question,)
    found = [_found(view, nth, question) for nth, question in enumerate(questions)]
    chosen = [finding.best for findings in found for finding in findings]
    answers = [(nth, each, found[nth][0].best) for nth, each in enumerate(questions) if found[nth]]
    differing = list(disagreements(chosen, answers, view, language))
    yield from _summary(found, differing, language)
    for nth, findings in enumerate(found):
        for finding in findings:
            yield _part("finding", nth, finding, language)
    yield from differing
    for nth, (question, findings) in enumerate(zip(questions, found, strict=True)):
        if not findings:
            text = tell("evidence.gap", language, question=question.rstrip("。.?？"))
            yield Part(section="gap", sub_question=nth, text=text)


def nearest(view: View, language: Language) -> Iterator[Part]:
    """Where nothing answers: the sentences that come nearest, each from another passage."""
    questions = view.sub_questions or (view.question,)
    said: list[str] = []
    for passage in sorted(view.passages, key=lambda each: -each.relevance)[:NEAREST]:
        nth = max(range(len(questions)), key=lambda at: relevance_for(passage, at))
        sentences = ranked(passage, wanted(questions[nth], view.passages))
        if not sentences or not sentences[0].speaks_of_it:
            continue  # no hint: only the search thought it near
        if any(is_repeated(sentences[0].sentence.text, each) for each in said):
            continue
        said.append(sentences[0].sentence.text)
        yield _part("nearest", 0, Finding(sentences[0]), language)


def _found(view: View, nth: int, question: str) -> list[Finding]:
    """At most a handful of sentences, those of the most relevant passage first."""
    passages = supporting(view, nth, by_figure=is_exact(question))
    if not passages:
        return []
    want = wanted(question, view.passages)
    first, *others = (ranked(passage, want) for passage in passages)
    whole = listed(first) if asks_for_all(question) else []
    if whole:
        return [Finding(each) for each in whole]
    findings: list[Finding] = []
    for each in first[:2]:
        if each is first[0] or _is_next_best(each, first[0]):
            _add_with_list(findings, each, first)
    for sentences in others:
        if sentences and _answers_too(sentences[0], findings):
            _add_with_list(findings, sentences[0], sentences)
    if is_exact(question) and not any(each.best.holds_kind for each in findings):
        _lead_with_figure(findings, view, want)
    findings = _figures_first(findings) if is_exact(question) else findings
    if not findings:
        return []
    return _ruling_first(findings, leading(question, findings[0].best, view, nth))


def _ruling_first(findings: list[Finding], lead: Chosen) -> list[Finding]:
    """What holds now before what held until then."""
    known = next((each for each in findings if each.best.quote == lead.quote), Finding(lead))
    return [known, *(each for each in findings if each is not known)][:SENTENCES]


def _figures_first(findings: list[Finding]) -> list[Finding]:
    """Asked for an amount, nobody wants to read first that there was talk of it."""
    first = next((each for each in findings if each.best.holds_kind), None)
    if first is None or is_list([each.best for each in findings]):
        return findings
    return [first, *(each for each in findings if each is not first)]


def _is_next_best(chosen: Chosen, best: Chosen) -> bool:
    least = _NEXT_BEST_ROW if chosen.sentence.is_row else _NEXT_BEST
    return chosen.speaks_of_it and not chosen.only_names and chosen.score >= least * best.score


def _lead_with_figure(findings: list[Finding], view: View, want: Wanted) -> None:
    """The same document may say elsewhere how much it is: a contract's title, and its clause."""
    document = findings[0].best.passage.document_id
    places = [passage for passage in view.passages if passage.document_id == document]
    firsts = [sentences[0] for passage in places if (sentences := ranked(passage, want))]
    good = [each for each in firsts if each.holds_kind and each.speaks_of_it]
    best = max(good, key=lambda each: each.score, default=None)
    if best is not None and best.score > findings[0].best.score:
        findings.insert(0, Finding(best))


def _answers_too(chosen: Chosen, findings: list[Finding]) -> bool:
    """Beside what the best passage says: no sentence without a date where that one has it."""
    if not findings:
        return True
    best = findings[0].best
    if best.holds_kind and not chosen.holds_kind:
        return False
    return chosen.score >= _NEXT_BEST * best.score


def _add_with_list(findings: list[Finding], chosen: Chosen, sentences: list[Chosen]) -> None:
    """次の金額を上限とします alone says nothing: what follows it does."""
    _add(findings, chosen)
    for each in listed_after(chosen, sentences):
        _add(findings, each)


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


def _summary(
    found: list[list[Finding]], differing: Sequence[Part], language: Language
) -> Iterator[Part]:
    """The best sentence of each sub-question; of a list that is the whole answer its beginning.

    With what another place says instead of it.
    """
    firsts = [(nth, finding) for nth, findings in enumerate(found) for finding in findings[:1]]
    if len(found) == 1 and is_list([finding.best for finding in found[0]]):
        firsts = [(0, finding) for finding in found[0]]
    said: list[str] = []
    for nth, finding in firsts:
        text = finding.best.sentence.text
        if len(said) < SUMMARY and not any(is_repeated(text, other) for other in said):
            said.append(text)
            part = _part("summary", nth, finding, language)
            yield part
            for other in differing:
                if part.quotes[0] in other.quotes:
                    yield other.model_copy(update={"section": "summary"})


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
