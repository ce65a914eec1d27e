"""The answer in words: as Markdown for the result of a run, and as people keep it, with how sure it
is, why, and where it stands. Words of documents and models are shown, never obeyed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sanbo.agents.grace.draft import ANSWERING, Draft
from sanbo.agents.grace.review import Ending
from sanbo.agents.grace.schemas import (
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    ExecutionResult,
    Intervention,
    Level,
    Replan,
    Source,
    StepResult,
)
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.state import Known
from sanbo.agents.grace.thinking import KnownCollection
from sanbo.evidence.model import Frozen, SearchedQuery
from sanbo.evidence.places import as_markdown, cited_place
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidSettings, MissingDependency, NotFound
from sanbo.kernel.text import matching_form
from sanbo.retrieval.library import Library
from sanbo.retrieval.model import CollectionInfo
from sanbo.runs.model import JsonObject

BAR_WIDTH = 20
LONGEST_KEPT_QUOTE = 300
"""Shown; the result has the whole."""
LONGEST_QUESTION = 300


@dataclass(frozen=True)
class ToldSource:
    number: int
    place: str
    quote: str
    check: str
    """Whether the quote was found in the source, in words."""
    verified: bool


@dataclass(frozen=True)
class ToldSentence:
    text: str
    marks: str
    """The numbers of its sources: `[1][3]`."""
    problem: str

    @property
    def whole(self) -> str:
        return f"{self.text}{self.marks} {self.problem}".rstrip()


@dataclass(frozen=True)
class Told:
    """All that stands beside an answer, in plain words of one language.

    That it is partial, or that it was stopped, the answer says itself.
    """

    notices: tuple[str, ...]
    level: str
    advice: str
    reasons: tuple[str, ...]
    sources: tuple[ToldSource, ...]
    replans: tuple[str, ...]
    interventions: tuple[str, ...]


class Matter(Frozen):
    """What a question to a person is about, as its context holds it: a plan, or an answer."""

    plan: ExecutionPlan | None = None
    sentences: tuple[AnswerSentence, ...] = ()
    nearest: tuple[AnswerSentence, ...] = ()
    contradictions: tuple[AnswerSentence, ...] = ()
    confidence: Confidence | None = None
    sources: tuple[Source, ...] = ()


def matter_of(context: JsonObject) -> Matter:
    return Matter.model_validate(context)


def told(result: ExecutionResult, language: Language) -> Told:
    return Told(
        notices=tuple(_notices(result, language)),
        level=level_words(result.decision, language),
        advice=_advice(result, language),
        reasons=result.explanation,
        sources=tuple(told_source(source, language) for source in result.sources),
        replans=tuple(told_replan(replan, language) for replan in result.replans),
        interventions=tuple(_intervention(each, language) for each in result.interventions),
    )


def filled_of(score: float, width: int) -> int:
    """How much of a bar is filled; all of it for 100% alone."""
    return min(int(score * width + 0.5), width if f"{score:.0%}" == "100%" else width - 1)


def level_words(level: Level, language: Language) -> str:
    return tell(f"grace.level.{level}", language)


def told_source(source: Source, language: Language) -> ToldSource:
    kind = source.kind if source.kind != "collection" else _checked(source)
    place = cited_place(source, language)
    return ToldSource(
        number=source.id,
        place=f"{place} {one_line(source.url, 200)}".strip(),
        quote=one_line(source.quote, LONGEST_KEPT_QUOTE),
        check=tell(f"grace_written.check.{kind}", language),
        verified=source.verified,
    )


def told_replan(replan: Replan, language: Language) -> str:
    strategy = tell(f"grace_written.strategy.{replan.strategy}", language)
    return tell(
        "grace_written.replan",
        language,
        number=replan.number,
        strategy=strategy,
        reason=replan.reason,
    )


def written(result: ExecutionResult, language: Language) -> str:
    """As Markdown: what documents and people have said is in it letter by letter."""
    beside = told(result, language)
    blocks = [
        f"# {as_markdown(one_line(result.question, LONGEST_QUESTION))}",
        *(f"> {as_markdown(notice)}" for notice in beside.notices),
        result.answer_md.strip(),
        _confidence(result, beside, language),
        _section("reasons", map(as_markdown, beside.reasons), language),
        _sources(beside.sources, language),
        _section("replans", map(as_markdown, beside.replans), language),
        _section("interventions", map(as_markdown, beside.interventions), language),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


# ---- the words ----


def _notices(result: ExecutionResult, language: Language) -> Iterator[str]:
    if result.plan.problem:
        yield tell("grace_written.template", language, problem=result.plan.problem)


def _advice(result: ExecutionResult, language: Language) -> str:
    last = next((each for each in reversed(result.interventions) if each.about == "answer"), None)
    if not result.answered:
        kind = "cancelled" if result.cancelled else "unanswered"
        return tell(f"grace_written.advice.{kind}", language)
    if last is not None and last.action == "proceed":
        return tell("grace_written.advice.confirmed", language)
    return tell(f"grace_written.advice.{result.decision}", language)


def _checked(source: Source) -> str:
    return "verified" if source.verified else "unverified"


def told_sentence(sentence: AnswerSentence) -> ToldSentence:
    marks = "".join(f"[{number}]" for number in sentence.sources)
    return ToldSentence(one_line(sentence.text), marks, one_line(sentence.problem))


def _intervention(each: Intervention, language: Language) -> str:
    action = each.action or "none"
    if each.level == "escalate" and action == "proceed":
        action = "not_found"
    words = tell(
        "grace_written.intervention",
        language,
        about=tell(f"grace_written.about.{each.about}", language),
        action=tell(f"grace_written.action.{action}", language),
    )
    return tell("grace_written.said", language, what=words, text=each.text) if each.text else words


# ---- as Markdown ----


def _confidence(result: ExecutionResult, beside: Told, language: Language) -> str:
    filled = filled_of(result.confidence, BAR_WIDTH)
    line = tell(
        "grace_written.confidence",
        language,
        bar="■" * filled + "□" * (BAR_WIDTH - filled),
        percent=f"{result.confidence:.0%}",
        level=beside.level,
    )
    return f"{line}  \n{beside.advice}"


def _section(name: str, set_lines: Iterable[str], language: Language) -> str:
    bullets = "\n".join(f"- {line}" for line in set_lines)
    heading = tell(f"grace_written.heading.{name}", language)
    return f"## {heading}\n\n{bullets}" if bullets else ""


def _sources(sources: Sequence[ToldSource], language: Language) -> str:
    if not sources:
        return ""
    entries = "\n".join(
        f"- [{source.number}] {_place(source, language)}\n  > {as_markdown(source.quote)}"
        for source in sources
    )
    return f"## {tell('grace_written.heading.sources', language)}\n\n{entries}"


def _place(source: ToldSource, language: Language) -> str:
    place = as_markdown(source.place)
    return tell("grace_written.place", language, place=place, check=source.check)


MOST_QUERIES = 10
MOST_HINTS = 6
LONGEST_QUOTE = 200
_INVISIBLE = "\N{ZERO WIDTH SPACE}"
"""Neither space nor punctuation to Markdown: `**30%**は` would not become bold."""


def sentence_line(sentence: AnswerSentence) -> str:
    marks = "".join(f"[{number}]" for number in sentence.sources)
    problem = f" *({as_markdown(sentence.problem)})*" if sentence.problem else ""
    return f"{_with_bold(sentence)}{marks}{problem}"


def answer_lines(draft: Draft, language: Language, note: str = "") -> Iterator[str]:
    """Piece by piece, as it is streamed; together it is the whole."""
    if note:
        yield f"> {as_markdown(note)}\n\n"
    for sentence in draft.contradictions:  # first: what follows is one side of it
        yield f"⚠ {sentence_line(sentence)}\n\n"
    several = len(draft.parts) > 1
    for part in draft.parts:
        if several:
            yield f"#### {as_markdown(part.question)}\n\n"
        for sentence in part.sentences:
            yield f"{sentence_line(sentence)}\n\n"
        if not part.sentences:
            yield f"{tell('grace.part_not_found', language)}\n\n"


def not_found_lines(
    draft: Draft, why: str, searched: Sequence[str], language: Language, note: str
) -> Iterator[str]:
    if note:
        yield f"> {as_markdown(note)}\n\n"
    yield f"{as_markdown(why)}\n\n"
    if searched:
        queries = as_markdown(listed(searched[:MOST_QUERIES], language))
        yield f"{tell('grace.searched', language, queries=queries)}\n\n"
    hints = (*draft.sentences, *draft.nearest)[:MOST_HINTS]
    if hints:
        yield f"{tell('grace.nearest', language)}\n\n"
        yield "".join(f"- {sentence_line(hint)}\n" for hint in hints) + "\n"


def source_lines(sources: Sequence[Source], language: Language) -> str:
    """The list of sources, for a question that has no list of its own."""
    lines = [
        f"- [{source.id}] {as_markdown(source_place(source, language))}"
        f" {tell('grace.quote', language, quote=as_markdown(source.quote[:LONGEST_QUOTE]))}"
        for source in sources
    ]
    return "\n".join(lines)


def source_place(source: Source, language: Language) -> str:
    if source.kind == "web":
        return tell("grace.web_place", language, title=source.document, url=source.url)
    return cited_place(source, language)


def searched_for(results: Sequence[StepResult]) -> tuple[str, ...]:
    """Every query once, in the order of searching."""
    queries: list[SearchedQuery] = [each for result in results for each in result.searched]
    return tuple({matching_form(each.text): each.text for each in reversed(queries)}.values())[::-1]


def _with_bold(sentence: AnswerSentence) -> str:
    if sentence.span is None:
        return as_markdown(sentence.text)
    start, end = sentence.span
    before, bold, after = sentence.text[:start], sentence.text[start:end], sentence.text[end:]
    if not bold.strip() or bold != bold.strip():
        return as_markdown(sentence.text)
    left = "" if bold[0].isalnum() else _INVISIBLE
    right = "" if bold[-1].isalnum() else _INVISIBLE
    return f"{_piece(before)}**{left}{as_markdown(bold)}{right}**{_piece(after)}"


def _piece(text: str) -> str:
    """Escaped, with the blanks at its ends."""
    if not text.strip():
        return " " if text else ""
    before = " " if text[0].isspace() else ""
    after = " " if text[-1].isspace() else ""
    return f"{before}{as_markdown(text)}{after}"


def listed(names: Sequence[str], language: Language) -> str:
    """Names or queries, each between its quotation marks."""
    return tell("evidence.and", language).join(
        tell("grace.name", language, name=name) for name in names
    )


NEAREST = 3
LISTED = 5


def allowed(
    library: Library, settings: GraceSettings, wanted: str | None, language: Language
) -> tuple[KnownCollection, ...]:
    """Blocking. The one asked for, else the default, else those of the settings, or all."""
    there = {info.name: info for info in library.collections()}
    for name in settings.collections:
        _in_settings(library, there, name, "grace.collections", language)
    if settings.default_collection is not None:
        _in_settings(
            library, there, settings.default_collection, "grace.default_collection", language
        )
    if wanted is not None:
        info = library.info(wanted)
        if settings.collections and info.name not in settings.collections:
            names = listed(settings.collections[:LISTED], language)
            raise InvalidInput("grace_collection_not_allowed", collection=wanted, allowed=names)
        return (_known(info),)
    if settings.default_collection is not None:
        return (_known(library.info(settings.default_collection)),)
    names = settings.collections or [name for name, info in there.items() if _may_hold(info)]
    if not names:
        raise MissingDependency("grace_no_collection")
    return tuple(_known(library.info(name)) for name in names)


def _in_settings(
    library: Library,
    there: dict[str, CollectionInfo],
    name: str,
    key: str,
    language: Language,
) -> None:
    try:
        library.info(name)
    except (NotFound, InvalidInput):
        near = nearest(name, there, NEAREST, least=0.3) or list(there)[:NEAREST]
        raise InvalidSettings(
            "grace_collection_unknown",
            key=key,
            collection=name,
            nearest=listed(near, language) or tell("none", language),
        ) from None


def _may_hold(info: CollectionInfo) -> bool:
    """An index that others keep does not tell how much is in it."""
    return bool(info.documents) or info.engine == "azure"


def _known(info: CollectionInfo) -> KnownCollection:
    return KnownCollection(name=info.name, documents=info.documents, chunks=info.chunks or None)


def result_of(known: Known, draft: Draft, ending: Ending, language: Language) -> ExecutionResult:
    answered = draft.answered and not ending.not_found and not ending.cancelled
    confidence = draft.confidence
    return ExecutionResult(
        question=known.asked,
        understood=known.question if known.question != known.asked else "",
        collections=tuple(each.name for each in known.collections),
        answer_md="".join(lines_of(known, draft, ending, language)).strip(),
        answered=answered,
        sentences=draft.sentences if answered else (),
        nearest=draft.nearest if answered else (*draft.sentences, *draft.nearest),
        contradictions=draft.contradictions if answered else (),
        confidence=confidence.score,
        decision=confidence.level,
        factors=confidence.factors,
        penalties=confidence.penalties,
        explanation=() if ending.cancelled else confidence.explanation,
        features=confidence.features,
        method=confidence.method,
        calibration=confidence.version,
        thresholds=known.thresholds,
        plan=known.plan,
        steps=tuple(known.results.values()),
        sources=draft.sources,
        replans=known.replans,
        interventions=known.interventions,
        partial=bool(ending.partial_reason),
        partial_reason=ending.partial_reason,
        cancelled=ending.cancelled,
    )


def lines_of(known: Known, draft: Draft, ending: Ending, language: Language) -> Iterator[str]:
    """The answer piece by piece."""
    if known.question != known.asked:
        read = tell("grace.understood", language, question=known.question)
        yield f"> {as_markdown(read)}\n\n"
    if ending.cancelled:
        yield tell("grace.cancelled", language)
    elif draft.answered and not ending.not_found:
        yield from answer_lines(draft, language, ending.partial_reason)
    else:
        yield from not_found_lines(
            draft,
            _why_nothing(known, draft, language),
            searched_for(list(known.results.values())),
            language,
            ending.partial_reason,
        )


def _why_nothing(known: Known, draft: Draft, language: Language) -> str:
    """That nobody could word an answer does not mean that the documents have none."""
    failed = [
        each.problem
        for each in known.results.values()
        if each.action in ANSWERING and each.status == "failed" and each.problem is not None
    ]
    if failed and not draft.steps:
        return tell("grace.not_worded", language, problem=failed[-1].message)
    names = listed([each.name for each in known.collections], language)
    return tell("grace.not_found", language, collections=names)
