"""Asks the person, and knows afterwards who answered and when."""

import asyncio
from dataclasses import dataclass

from sanbo.blocks.block import EngineContext
from sanbo.runs.answerers import answerer_of
from sanbo.runs.model import JsonObject, Question


@dataclass(frozen=True)
class Answered:
    answer: JsonObject
    metadata: JsonObject


async def ask(question: Question, context: EngineContext) -> Answered | None:
    """None as long as there is no answer."""
    answer = await context.ask(question)
    if answer is None:
        return None
    run = context.run
    path = (*run.path, "answer")
    asked = next((name for name, asker in run.fold.askers.items() if asker[0] == path), "")
    answerer = await asyncio.to_thread(answerer_of, run.place.database, run.run_id, asked)
    return Answered(
        answer,
        {
            "mode": question.mode,
            "answered_at": answerer.at.isoformat() if answerer else None,
            "by": answerer.by if answerer else None,
        },
    )
