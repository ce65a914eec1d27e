"""A step with what it works with, and what comes out of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sanbo.agents.grace.answers.citations import (
    FoundPassage,
    numbered,
    of_steps,
    said_once,
    told_passage,
)
from sanbo.agents.grace.confidence import Scorer
from sanbo.agents.grace.schemas import PlanStep, StepResult
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import Language, tell


class Said(Frozen):
    kind: Literal["instruction", "information"]
    """What to do differently, or a fact that may be cited."""
    text: str


PERSON_STEP = 0
"""No step's number: what people said belongs to all steps."""


@dataclass(frozen=True)
class Task:
    step: PlanStep
    question: str
    """Of the run."""
    collections: Sequence[str]
    """Those that a step without one of its own looks into."""
    results: Mapping[int, StepResult]
    """Of the steps that it depends on."""
    steps: Mapping[int, PlanStep]
    """The same steps themselves."""
    passages: Mapping[int, Sequence[FoundPassage]]
    """That the same steps found or cited."""
    said: Sequence[Said]
    scorer: Scorer

    @property
    def asks(self) -> str:
        """What this step is about."""
        return self.step.query.strip() or self.question

    @property
    def earlier(self) -> tuple[StepResult, ...]:
        depends_on = self.step.depends_on
        return tuple(self.results[each] for each in depends_on if each in self.results)

    @property
    def parts(self) -> tuple[StepResult, ...]:
        """Answers that this one is made of; not those that others of them are made of already."""
        answers = [
            each
            for each in self.earlier
            if each.action in ("reasoning", "compute") and each.confidence is not None
        ]
        used = {
            number
            for each in answers
            if (step := self.steps.get(each.step_id)) is not None
            for number in step.depends_on
        }
        return tuple(each for each in answers if each.step_id not in used)

    @property
    def rests_on_people(self) -> bool:
        """Whether an answer that this one is made of has taken a person's word, or the web's."""
        return any(source.kind != "collection" for each in self.parts for source in each.sources)

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.said)

    def found(self, language: Language) -> tuple[FoundPassage, ...]:
        """All that it may cite: of earlier steps, and of what people know."""
        information = [each.text for each in self.said if each.kind == "information"]
        of_people = (
            person_passage(text, f"information-{place}", language)
            for place, text in enumerate(information, 1)
        )
        found = of_steps(self.step.depends_on, self.passages)
        # What parts have cited stays, also where another part has cited the same words.
        kept = found if self.parts else said_once(found)
        return (*kept, *numbered(of_people, PERSON_STEP))


class Outcome(NamedTuple):
    result: StepResult
    passages: tuple[FoundPassage, ...] = ()
    """What later steps may cite."""


def person_passage(text: str, document_id: str, language: Language) -> FoundPassage:
    return told_passage(
        document=tell("grace.person_document", language),
        document_id=document_id,
        text=text,
        kind="person",
    )


def answered(step: PlanStep, text: str, language: Language) -> Outcome:
    result = StepResult(step_id=step.step_id, action="ask_user", status="success", output=text)
    passage = person_passage(text, f"answer-{step.step_id}", language)
    return Outcome(result, numbered((passage,), step.step_id))
