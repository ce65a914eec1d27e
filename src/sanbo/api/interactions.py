"""Interactions: the questions of a run to people, and their answers."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body
from pydantic import BaseModel, JsonValue, WithJsonSchema

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.api.language import run_in
from sanbo.kernel.messages import current_language
from sanbo.runs.model import (
    Interaction,
    InteractionAnswered,
    InteractionOpen,
    JsonObject,
    Run,
)

router = APIRouter(prefix="/runs/{run_id}", tags=["interactions"], route_class=StrictJsonRoute)

# Anything is let in here: what does not fit is explained by the question's own check.
Answer = Annotated[
    JsonValue,
    WithJsonSchema({"type": "object", "additionalProperties": True}),
    Body(examples=[{"approved": True, "comment": "確認しました"}]),
]


class Answered(BaseModel):
    interaction: Interaction
    answer: JsonObject
    by: str
    answered_at: datetime


class Interactions(BaseModel):
    open: list[Interaction]
    answered: list[Answered]


@router.get("/interactions")
async def list_interactions(run_id: str, bench: Bench, who: Who) -> Interactions:
    run = await bench.get(who, run_id)
    questions: dict[str, Interaction] = {}
    answered: list[Answered] = []
    for event in await bench.events(who, run_id):
        match event.payload:
            case InteractionOpen(interaction=question):
                questions[question.interaction_id] = question
            case InteractionAnswered(interaction_id=interaction_id, answer=answer, by=by):
                asked = questions[interaction_id]
                answered.append(
                    Answered(interaction=asked, answer=answer, by=by, answered_at=event.time)
                )
            case _:
                pass
    return Interactions(open=list(run.open_interactions), answered=answered)


# An interaction's id is its step's path, which may have slashes.
@router.post("/interactions/{interaction_id:path}/answer")
async def answer_interaction(
    run_id: str, interaction_id: str, answer: Answer, bench: Bench, who: Who
) -> Run:
    run = await bench.answer(who, run_id, answer, interaction_id)
    return run_in(run, current_language())


@router.post("/answer")
async def answer_run(run_id: str, answer: Answer, bench: Bench, who: Who) -> Run:
    return run_in(await bench.answer(who, run_id, answer), current_language())
