"""What a person's answer does: it goes on, changes the plan, or ends the run."""

from typing import Literal

from sanbo.agents.grace.intervention.questions import Heard, Pending, again, read
from sanbo.agents.grace.schemas import Intervention
from sanbo.agents.grace.state import GraceState, Known, json_of
from sanbo.agents.grace.steps.review import Cause, Ending, partial_reason
from sanbo.agents.grace.tools import task
from sanbo.agents.grace.tools.task import Said
from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import JsonObject


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
    outcome = task.answered(step, meant.text, language)
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
        return _with_words(state, meant, "information", language)
    if about.level == "escalate" and meant.action != "use":
        return {"next": "finish", "ending": json_of(Ending(not_found=True))}
    reason = partial_reason(Known(state), language)  # taken as it is, and still not whole
    return {"next": "finish", "ending": json_of(Ending(partial_reason=reason))}


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
