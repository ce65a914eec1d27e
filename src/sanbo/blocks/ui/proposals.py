"""What a form shows in its fields at first: what was answered before, or what a preset has."""

from collections.abc import Mapping

from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput
from sanbo.runs.interactions import check_answer
from sanbo.runs.model import JsonObject, Path, Question, Requirement, without_iterations

Proposals = Mapping[str, JsonObject]
"""Values by field, by the path of the form's node, `/` between names; in a loop, of one turn of it
or of all."""


def with_proposals(question: Question, proposals: Proposals, path: Path) -> Question:
    """Only what fits: a plan may have been changed since."""
    of_all = proposals.get("/".join(without_iterations(path)), {})
    values = {**of_all, **proposals.get("/".join(path), {})}
    if not values:
        return question
    fields = tuple(
        field.model_copy(update={"default": values[field.id]})
        if field.id in values and fits(field, values[field.id])
        else field
        for field in question.requirements
    )
    return question.model_copy(update={"requirements": fields})


def fits(field: Requirement, value: JsonValue) -> bool:
    """Never what must not be written."""
    if field.secret or value is None:
        return False
    try:
        asked = field.model_copy(update={"only_with": None})
        check_answer(Question(mode="collect", message="", requirements=(asked,)), {field.id: value})
    except InvalidInput:
        return False
    return True
