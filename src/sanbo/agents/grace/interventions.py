"""Questions to a person about a plan, an answer or for a step, and what their answers do: go on,
change the plan, or end the run.
"""

import re
from collections.abc import Sequence
from typing import Literal, cast

from sanbo.agents.grace.answer_text import answer_lines, sentence_line, source_lines
from sanbo.agents.grace.draft import Draft
from sanbo.agents.grace.review import Cause, Ending, partial_reason
from sanbo.agents.grace.schemas import ExecutionPlan, Intervention, PlanStep
from sanbo.agents.grace.search_steps import web_queries
from sanbo.agents.grace.state import GraceState, Known, Said, answered, json_of
from sanbo.evidence.model import Frozen, plain
from sanbo.evidence.places import as_markdown
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import Choice, JsonObject, Option, Question, Requirement, Validation

LONGEST_TEXT = 2_000
_SENTENCES = re.compile(r"[。！!.\n]+")
_REQUEST = re.compile(
    r"(?:[てでを]|ご[一-鿿]{1,4})(?:ください|下さい)$|お願い(?:いた)?します$|(?:教え|調べ|探し|見)て$"
    r"|^(?:please|look|see|check|search)\b",
    re.IGNORECASE,
)
SHOWN_SOURCES = 5
SHOWN_HINTS = 3

HeardAction = Literal["proceed", "use", "modify", "inform", "cancel"]


class Pending(Frozen):
    """A question that waits for a person."""

    intervention: Intervention
    question: Question


class Heard(Frozen):
    action: HeardAction
    text: str = ""


def about_plan(
    plan: ExecutionPlan, number: int, language: Language, *, can_change: bool = True
) -> Pending:
    message = tell("grace.ask.plan", language)
    requirements = _confirming("plan", language)
    if not can_change:
        message = f"{message} {tell('grace.ask.no_more_plans', language)}"
        requirements = (_without_changes(requirements[0]),)
    return Pending(
        intervention=Intervention(
            number=number,
            level="confirm",
            about="plan",
            step_id=None,
            confidence=None,
            message=message,
        ),
        question=Question(
            mode="collect",
            message=message,
            requirements=requirements,
            context={"plan_md": plan_lines(plan, language), "plan": plan.model_dump(mode="json")},
        ),
    )


def about_answer(
    draft: Draft, number: int, language: Language, *, can_change: bool = True
) -> Pending:
    """Whether to give this answer (`confirm`), or what would help (`escalate`)."""
    level = "escalate" if draft.confidence.level == "escalate" else "confirm"
    message = tell(f"grace.ask.{level}", language, score=_percent(draft))
    requirements = (
        _escalating(language, can_use=draft.answered)
        if level == "escalate"
        else _confirming("answer", language)
    )
    if not can_change:
        message = f"{message} {tell('grace.ask.no_more_plans', language)}"
        requirements = (_without_changes(requirements[0]),)
    return Pending(
        intervention=Intervention(
            number=number,
            level=level,
            about="answer",
            step_id=draft.steps[-1] if draft.steps else None,
            confidence=draft.confidence.score,
            message=message,
        ),
        question=Question(
            mode="collect",
            message=message,
            requirements=requirements,
            context=_shown(draft, language),
        ),
    )


def for_step(step: PlanStep, number: int, language: Language) -> Pending:
    """An `ask_user` step: what only a person can tell."""
    message = one_line(step.query or step.description, LONGEST_TEXT)
    answer = Requirement(
        id="answer",
        type="text",
        label=tell("grace.field.answer", language),
        validation=Validation(max_length=LONGEST_TEXT),
    )
    return Pending(
        intervention=Intervention(
            number=number,
            level="escalate",
            about="question",
            step_id=step.step_id,
            confidence=None,
            message=message,
        ),
        question=Question(mode="collect", message=message, requirements=(answer,)),
    )


def read(pending: Pending, answer: JsonObject, language: Language) -> Heard | str:
    """What the person wants; or why that is not clear, in words."""
    about = pending.intervention.about
    if about == "question":
        text = _text(answer.get("answer"))
        return Heard(action="inform", text=text) if text else tell("grace.again.answer", language)
    action = cast("HeardAction", answer.get("action"))
    if action == "modify":
        text = _text(answer.get("instruction"))
        return Heard(action=action, text=text) if text else tell("grace.again.modify", language)
    if action == "inform":
        text = _text(answer.get("information"))
        return Heard(action=action, text=text) if text else tell("grace.again.inform", language)
    return Heard(action=action, text=_text(answer.get("instruction") or answer.get("information")))


def again(pending: Pending, why: str) -> Pending:
    """The same question, with why the answer could not be taken before it."""
    message = f"{why} {pending.intervention.message}"
    return pending.model_copy(
        update={"question": pending.question.model_copy(update={"message": message})}
    )


def plan_lines(plan: ExecutionPlan, language: Language) -> str:
    """With what would leave for the web, word by word."""
    return "\n".join(f"{step.step_id}. {_step_line(step, language)}" for step in plan.steps)


def _step_line(step: PlanStep, language: Language) -> str:
    line = as_markdown(step.description)
    if "web_search" in (step.action, step.fallback):
        words = as_markdown(" / ".join(web_queries(step.query)))
        kind = "now" if step.action == "web_search" else "instead"
        line += f" {tell(f'grace.web_words.{kind}', language, words=words)}"
    return line


def _text(value: object) -> str:
    return plain(value)[:LONGEST_TEXT] if isinstance(value, str) else ""


def _percent(draft: Draft) -> str:
    return f"{draft.confidence.score:.0%}"


def _confirming(about: Literal["plan", "answer"], language: Language) -> tuple[Requirement, ...]:
    return (
        _action(("proceed", "modify", "cancel"), about, language),
        Requirement(
            id="instruction",
            type="text",
            label=tell("grace.field.instruction", language),
            description=tell(f"grace.instruction.{about}", language),
            required=False,
            only_with=Choice(field="action", value="modify"),
            validation=Validation(max_length=LONGEST_TEXT),
        ),
    )


def _escalating(language: Language, *, can_use: bool) -> tuple[Requirement, ...]:
    """Who asks can rarely tell what would help; whether what was found helps them, they can."""
    use: tuple[HeardAction, ...] = ("use",) if can_use else ()
    action = _action(("inform", *use, "proceed", "cancel"), "unknown", language)
    return (
        action.model_copy(update={"default": "inform"}),
        Requirement(
            id="information",
            type="text",
            label=tell("grace.field.information", language),
            description=tell("grace.information", language),
            required=False,
            only_with=Choice(field="action", value="inform"),
            validation=Validation(max_length=LONGEST_TEXT),
        ),
    )


def _action(
    actions: Sequence[HeardAction], about: Literal["plan", "answer", "unknown"], language: Language
) -> Requirement:
    return Requirement(
        id="action",
        type="select",
        label=tell("grace.field.action", language),
        options=tuple(
            Option(value=each, label=tell(f"grace.action.{about}.{each}", language))
            for each in actions
        ),
    )


def _without_changes(action: Requirement) -> Requirement:
    kept = tuple(each for each in action.options if each.value in ("proceed", "use", "cancel"))
    return action.model_copy(update={"options": kept, "default": None})


def _shown(draft: Draft, language: Language) -> JsonObject:
    """What the person should see before deciding."""
    sources = draft.sources[:SHOWN_SOURCES]
    hints = () if draft.answered else draft.nearest[:SHOWN_HINTS]
    pieces = ["".join(answer_lines(draft, language)).strip()]
    if hints:
        pieces.append(tell("grace.nearest", language))
        pieces.append("\n".join(f"- {sentence_line(hint)}" for hint in hints))
    pieces.append(
        tell(
            "grace.how_sure",
            language,
            score=_percent(draft),
            why=as_markdown(" ".join(draft.confidence.explanation)),
        )
    )
    if sources:
        pieces.append(source_lines(sources, language))
    return {
        "proposal_md": "\n\n".join(pieces),
        "answered": draft.answered,
        "sentences": [each.model_dump(mode="json") for each in draft.sentences],
        "nearest": [each.model_dump(mode="json") for each in draft.nearest],
        "contradictions": [each.model_dump(mode="json") for each in draft.contradictions],
        "confidence": draft.confidence.model_dump(mode="json"),
        "explanation": list(draft.confidence.explanation),
        "sources": [each.model_dump(mode="json") for each in draft.sources],
    }


def heard(state: GraceState, language: Language) -> GraceState:
    assert "pending" in state
    assert "heard" in state
    pending = Pending.model_validate(state["pending"])
    meant = read(pending, state["heard"], language)
    about = pending.intervention.about
    if isinstance(meant, str):
        return {
            "pending": json_of(again(pending, meant)),
            "next": "confirm_plan" if about == "plan" else "ask",
        }
    update: GraceState = {"interventions": _answered(state, meant)}
    if meant.action == "cancel":
        # pyrefly: ignore[bad-return]
        return update | {"next": "finish", "ending": json_of(Ending(cancelled=True))}
    match about:
        case "question":
            return update | _of_step(state, pending.intervention, meant, language)
        case "plan":
            return update | _of_plan(state, meant, language)
        case "answer":
            return update | _of_answer(state, pending.intervention, meant, language)


def _answered(state: GraceState, meant: Heard) -> list[JsonObject]:
    *before, last = Known(state).interventions
    now = last.model_copy(update={"action": meant.action, "text": meant.text})
    return [json_of(each) for each in (*before, now)]


def _of_step(
    state: GraceState, about: Intervention, meant: Heard, language: Language
) -> GraceState:
    step = next(each for each in Known(state).plan.steps if each.step_id == about.step_id)
    outcome = answered(step, meant.text, language)
    number = str(step.step_id)
    return {
        "results": {number: json_of(outcome.result)},
        "passages": {number: [json_of(each) for each in outcome.passages]},
        "next": "schedule",
    }


def _of_plan(state: GraceState, meant: Heard, language: Language) -> GraceState:
    if meant.action == "modify":
        return _with_words(state, meant, "instruction", language, about_plan=True)
    agreed = [step.step_id for step in Known(state).plan.steps]
    return {"confirmed": [*state.get("confirmed", []), *agreed], "next": "schedule"}


def _of_answer(
    state: GraceState, about: Intervention, meant: Heard, language: Language
) -> GraceState:
    if meant.action == "modify":
        return _with_words(state, meant, "instruction", language)
    if meant.action == "inform":
        kind = "instruction" if _only_requests(meant.text) else "information"
        return _with_words(state, meant, kind, language)
    if about.level == "escalate" and meant.action != "use":
        return {"next": "finish", "ending": json_of(Ending(not_found=True))}
    reason = partial_reason(Known(state), language)  # taken as it is, and still not whole
    return {"next": "finish", "ending": json_of(Ending(partial_reason=reason))}


def _only_requests(text: str) -> bool:
    """旅費規程を見てください tells where to look, and nothing that could be cited."""
    said = [each.strip() for each in _SENTENCES.split(text) if each.strip()]
    return all(_REQUEST.search(each) for each in said)


def _with_words(
    state: GraceState,
    meant: Heard,
    kind: Literal["instruction", "information"],
    language: Language,
    *,
    about_plan: bool = False,
) -> GraceState:
    """What was answered before does not count any more: the person wants another answer."""
    said = Said(kind=kind, text=meant.text)
    draft = Known(state).draft
    cause = Cause(
        trigger="user_feedback",
        step_id=draft.steps[-1] if draft and draft.steps else None,
        reason=tell(f"grace.why.{kind}", language, text=meant.text),
        about_plan=about_plan,
    )
    return {
        "said": [*state.get("said", []), json_of(said)],
        "draft": {},
        "cause": json_of(cause),
        "next": "replan",
    }
