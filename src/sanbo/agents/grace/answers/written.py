"""An answer of GRACE as people keep it: the answer, how sure, why, and where it stands."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sanbo.agents.grace.schemas import (
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    ExecutionResult,
    Intervention,
    Level,
    Replan,
    Source,
)
from sanbo.evidence.model import Frozen
from sanbo.evidence.places import as_markdown, cited_place
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import JsonObject

BAR_WIDTH = 20
LONGEST_QUOTE = 300
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
        quote=one_line(source.quote, LONGEST_QUOTE),
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
