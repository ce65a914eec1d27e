"""Answers with a password in them: in the memory of the process that took them, nowhere else."""

from sanbo.kernel.secrets import MASK, protect
from sanbo.runs.model import Interaction, JsonObject, Question


class SecretAnswers:
    def __init__(self) -> None:
        self._kept: dict[str, dict[str, JsonObject]] = {}

    def keep(self, run_id: str, interaction: Interaction, answer: JsonObject) -> JsonObject:
        """The answer as it may be written; the passwords in it are masked from now on."""
        secret = {name for name in secret_fields(interaction) if answer.get(name) is not None}
        if not secret:
            return answer
        for name in secret:
            protect(str(answer[name]))
        self._kept.setdefault(run_id, {})[interaction.interaction_id] = answer
        return {name: MASK if name in secret else value for name, value in answer.items()}

    def get(self, run_id: str, interaction_id: str) -> JsonObject | None:
        """None where another process took it, or this one before it was started again."""
        return self._kept.get(run_id, {}).get(interaction_id)

    def forget(self, run_id: str) -> None:
        self._kept.pop(run_id, None)


def secret_fields(question: Question) -> tuple[str, ...]:
    return tuple(field.id for field in question.requirements if field.secret)
