"""What the first cycle searches for."""

from typing import NamedTuple

from sanbo.agents.research.asking import NoAnswer, asked, distinct
from sanbo.agents.research.surroundings import Surroundings
from sanbo.kernel.messages import tell

MOST_SUB_QUESTIONS = 8


class Expanded(NamedTuple):
    sub_questions: tuple[str, ...]
    queries: tuple[str, ...]
    problem: str = ""
    """Why the question is searched for as it is."""


async def expand(question: str, around: Surroundings) -> Expanded:
    seconds, language = around.parameters.decide_seconds, around.language
    try:
        said = await asked(around.thinking.expand(question), seconds, language)
    except NoAnswer as error:
        problem = tell("research.not_expanded", language, reason=error.reason)
        return Expanded((question,), (question,), problem)
    return Expanded(
        distinct(said.sub_questions, MOST_SUB_QUESTIONS) or (question,),
        distinct(said.queries, around.parameters.queries_per_cycle) or (question,),
    )
