"""`run_legacy_agent`: searches, looks at what came, searches again, then answers; one step."""

import asyncio

from sanbo.agents.grace.answers.citations import FoundPassage, each_once, judged_for, numbered
from sanbo.agents.grace.thinking import AnswerRequest, Surroundings
from sanbo.agents.grace.tools.reasoning import checked, unanswered
from sanbo.agents.grace.tools.search import look, queries_of
from sanbo.agents.grace.tools.task import Outcome, Task
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.text import matching_form


async def run_search_agent(task: Task, around: Surroundings) -> Outcome:
    names = (task.step.collection,) if task.step.collection else tuple(task.collections)
    question = queries_of(task.asks)[0]
    searched: list[SearchedQuery] = []
    found: tuple[FoundPassage, ...] = ()
    for turn in range(around.settings.limits.agent_turns):
        made = [each.text for each in searched]
        query = question  # what else could be searched for first
        if turn:
            read = [each.passage for each in found]
            query = (await around.thinking.search_turn(question, made, read)).query
        if not query.strip() or matching_form(query) in map(matching_form, made):
            break
        queries, new = await look(queries_of(query)[:1], question, names, around)
        searched += queries
        found = numbered(each_once((*found, *new)), task.step.step_id)
    outcome = await _answered(task, question, found, around)
    result = outcome.result.model_copy(update={"searched": tuple(searched)})
    return Outcome(result, found)  # all of it: a later step may see more in it


async def _answered(
    task: Task, question: str, found: tuple[FoundPassage, ...], around: Surroundings
) -> Outcome:
    readable = (*found, *task.found(around.language))
    if not readable:
        return Outcome(unanswered(task, around))
    readable = await asyncio.to_thread(judged_for, question, readable)
    answer = await around.thinking.answer(
        AnswerRequest(
            question=question,
            passages=tuple(each.passage for each in readable),
            earlier=task.earlier,
            information=task.told,
            passage_tokens=around.settings.limits.passage_tokens,
        )
    )
    return await asyncio.to_thread(checked, answer, readable, task, around)
