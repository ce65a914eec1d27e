"""Answers with a password in them: in the memory of the process that took them, nowhere else."""

from collections.abc import Iterable
from dataclasses import dataclass

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.secrets import MASK, protect
from sanbo.runs.model import Interaction, JsonObject, Question


@dataclass(frozen=True)
class Given:
    """What was answered to one question, which is asked again for what a restart has lost of it."""

    answer: JsonObject
    written: JsonObject
    """The same as the journal has it."""
    lost: frozenset[str]
    """Fields that were typed into a process that is gone, and are masked in the journal."""


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

    def given(
        self, run_id: str, question: Question, answers: Iterable[tuple[str, JsonObject]]
    ) -> Given:
        """By interaction, as they are written, the first one first."""
        answer: JsonObject = {}
        written: JsonObject = {}
        lost: set[str] = set()
        for interaction_id, recorded in answers:
            kept = self._kept.get(run_id, {}).get(interaction_id)
            lost -= recorded.keys()
            if kept is None:
                lost |= _masked(question, recorded)
            answer |= kept or recorded
            written |= recorded
        return Given(answer, written, frozenset(lost))

    def forget(self, run_id: str) -> None:
        self._kept.pop(run_id, None)


def _masked(question: Question, recorded: JsonObject) -> set[str]:
    """Where a secret is: also fields without one, into which it was typed as well."""
    if not any(recorded.get(name) == MASK for name in secret_fields(question)):
        return set()
    typed = ((field.id, recorded.get(field.id)) for field in question.requirements)
    return {name for name, value in typed if isinstance(value, str) and MASK in value}


def secret_fields(question: Question) -> tuple[str, ...]:
    return tuple(field.id for field in question.requirements if field.secret)


def asked_again(question: Question, lost: frozenset[str], language: Language) -> Question:
    """Only for what is lost: what else was answered stands."""
    return question.model_copy(
        update={
            "mode": "collect",
            "message": tell("answer.again", language, message=question.message),
            "requirements": tuple(
                field.model_copy(update={"required": True})
                for field in question.requirements
                if field.id in lost
            ),
        }
    )
