"""Answers with a password in them: in the memory of the process that took them, nowhere else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.secrets import MASK, protect, redact_value
from sanbo.runs.model import Interaction, InteractionAnswered, JsonObject, Question


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

    def keep(
        self,
        run_id: str,
        interaction: Interaction,
        answer: JsonObject,
        by: str,
        kept: Callable[[JsonObject], JsonObject] = dict,
    ) -> InteractionAnswered:
        """The answer as it may be written; the passwords in it are masked from now on.

        `kept` says what else of it may be.
        """
        secret = {name for name in secret_fields(interaction) if answer.get(name) is not None}
        for name in secret:
            protect(str(answer[name]))
        # Also where a field that is none was given a secret: one of another form, for example.
        written: JsonObject = {
            name: MASK if name in secret else redact_value(value)
            for name, value in kept(answer).items()
        }
        masked = tuple(name for name, value in answer.items() if written[name] != value)
        if masked:
            self._kept.setdefault(run_id, {})[interaction.interaction_id] = answer
        return InteractionAnswered(
            interaction_id=interaction.interaction_id, answer=written, masked=masked, by=by
        )

    def has(self, run_id: str) -> bool:
        return run_id in self._kept

    def kept(self, run_id: str, interaction_id: str) -> JsonObject | None:
        return self._kept.get(run_id, {}).get(interaction_id)

    def restore(self, run_id: str, interaction_id: str, before: JsonObject | None) -> None:
        """What was kept before an answer that was refused."""
        of_run = self._kept.get(run_id, {})
        of_run.pop(interaction_id, None)
        if before is not None:
            of_run[interaction_id] = before

    def given(
        self, run_id: str, question: Question, answers: Iterable[InteractionAnswered]
    ) -> Given:
        """As they are written, the first one first."""
        answer: JsonObject = {}
        written: JsonObject = {}
        lost: set[str] = set()
        for recorded in answers:
            kept = self.kept(run_id, recorded.interaction_id)
            lost -= recorded.answer.keys()
            if kept is None:
                lost |= _masked(question, recorded)
            answer |= kept or recorded.answer
            written |= recorded.answer
        return Given(answer, written, frozenset(lost))

    def forget(self, run_id: str) -> None:
        self._kept.pop(run_id, None)


def _masked(question: Question, recorded: InteractionAnswered) -> set[str]:
    """Fields that can be asked for again; older journals do not say which were masked."""
    fields = {field.id for field in question.requirements}
    older = {name for name in secret_fields(question) if recorded.answer.get(name) == MASK}
    return fields.intersection(recorded.masked) or older


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
