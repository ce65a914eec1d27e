"""`ask_user`: what a person answers, as something that later steps may cite."""

from sanbo.agents.grace.answers.found import numbered
from sanbo.agents.grace.schemas import PlanStep, StepResult
from sanbo.agents.grace.tools.task import Outcome, person_passage
from sanbo.kernel.messages import Language


def answered(step: PlanStep, text: str, language: Language) -> Outcome:
    result = StepResult(step_id=step.step_id, action="ask_user", status="success", output=text)
    passage = person_passage(text, f"answer-{step.step_id}", language)
    return Outcome(result, numbered((passage,), step.step_id))
