"""The language of an answer: what the caller accepts, or else the workbench's own."""

from sanbo.kernel.messages import LANGUAGES, Language
from sanbo.runs.model import Event, NodeComplete, NodeError, Run, RunComplete


def accepted_language(header: str | None, default: Language) -> Language:
    """The best of `ja` and `en` in an Accept-Language header."""
    best, best_weight = default, 0.0
    for part in (header or "").split(","):
        tag, _, parameters = part.partition(";")
        primary = tag.strip().casefold().split("-")[0]
        weight = _weight(parameters)
        if primary in LANGUAGES and weight > best_weight:
            best, best_weight = primary, weight
    return best


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def run_in(run: Run, language: Language) -> Run:
    """A run with its recorded problems in this language."""
    steps = tuple(
        step.model_copy(
            update={
                "problem": step.problem and step.problem.in_language(language),
                "warnings": tuple(each.in_language(language) for each in step.warnings),
            }
        )
        if step.problem or step.warnings
        else step
        for step in run.steps
    )
    problem = run.problem.in_language(language) if run.problem else None
    return run.model_copy(update={"steps": steps, "problem": problem})


def event_in(event: Event, language: Language) -> Event:
    """An event with its recorded problem, if any, in this language."""
    match event.payload:
        case NodeError(error=problem) as payload:
            changed = payload.model_copy(update={"error": problem.in_language(language)})
        case NodeComplete(warnings=warnings) as payload if warnings:
            told = tuple(each.in_language(language) for each in warnings)
            changed = payload.model_copy(update={"warnings": told})
        case RunComplete(problem=problem) as payload if problem is not None:
            changed = payload.model_copy(update={"problem": problem.in_language(language)})
        case _:
            return event
    return event.model_copy(update={"payload": changed})
