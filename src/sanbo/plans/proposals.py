"""What was answered in a run, as another of its plan may propose it again."""

from collections.abc import Iterable

from sanbo.runs.model import Event, Interaction, InteractionAnswered, InteractionOpen, JsonObject


def answers_in(history: Iterable[Event]) -> dict[str, JsonObject]:
    """By the path of the form's node; neither decisions nor what the journal has only masked."""
    asked: dict[str, Interaction] = {}
    found: dict[str, JsonObject] = {}
    for event in history:
        match event.payload:
            case InteractionOpen(interaction=question):
                asked[question.interaction_id] = question
            case InteractionAnswered(interaction_id=name) as given if name in asked:
                question = asked[name]
                fields = {each.id for each in question.requirements if not each.secret}
                values = {
                    field: value
                    for field, value in given.answer.items()
                    if field in fields and field not in given.masked
                }
                if values:
                    found.setdefault("/".join(question.path[:-1]), {}).update(values)
            case _:
                pass
    return found
