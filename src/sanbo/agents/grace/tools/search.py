"""`rag_search`: all queries in all wanted collections at once."""

import asyncio
from collections.abc import Sequence

from sanbo.agents.grace.answers.citations import FoundPassage, each_once, judged_for, numbered
from sanbo.agents.grace.schemas import StepResult
from sanbo.agents.grace.thinking import Surroundings
from sanbo.agents.grace.tools.task import Outcome, Task
from sanbo.evidence.finding import Found
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.messages import tell
from sanbo.kernel.text import matching_form

MOST_QUERIES = 8


async def search(task: Task, around: Surroundings) -> Outcome:
    names = (task.step.collection,) if task.step.collection else tuple(task.collections)
    queries = queries_of(task.asks)
    searched, found = await look(queries, queries[0], names, around)
    found = numbered(found, task.step.step_id)
    passages = [each.passage for each in found]
    statistics, confidence = await asyncio.to_thread(task.scorer.search, queries[0], passages)
    result = StepResult(
        step_id=task.step.step_id,
        action=task.step.action,
        status="success",
        output=_told(found, around),
        confidence=confidence,
        statistics=statistics,
        searched=searched,
    )
    return Outcome(result, found)


async def look(
    queries: Sequence[str], question: str, collections: Sequence[str], around: Surroundings
) -> tuple[tuple[SearchedQuery, ...], tuple[FoundPassage, ...]]:
    """Passages, the most relevant first, without ids of their own yet."""
    limit = around.settings.limits.hits_per_search
    outcomes = await asyncio.gather(
        *(
            around.finder(name).find(queries, (question,), (), cycle=1, limit=limit)
            for name in collections
        )
    )
    found = [
        FoundPassage(passage=passage, collection=name)
        for name, outcome in zip(collections, outcomes, strict=True)
        for passage in outcome.passages
    ]
    if len(collections) > 1:  # each was judged beside those of its own collection alone
        found = list(await asyncio.to_thread(judged_for, question, each_once(found)))
    found.sort(key=lambda each: -each.passage.relevance)
    return _added_up(queries, outcomes), tuple(found)


def queries_of(text: str) -> tuple[str, ...]:
    """One a line, each once however it is written."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    different = {matching_form(line): line for line in reversed(lines) if line}
    return tuple(reversed(different.values()))[:MOST_QUERIES] or (text,)


def _added_up(queries: Sequence[str], outcomes: Sequence[Found]) -> tuple[SearchedQuery, ...]:
    """Of all collections together."""
    return tuple(
        SearchedQuery(
            text=query,
            cycle=1,
            hits=sum(outcome.queries[place].hits for outcome in outcomes),
            new=sum(outcome.queries[place].new for outcome in outcomes),
            cached=all(outcome.queries[place].cached for outcome in outcomes),
        )
        for place, query in enumerate(queries)
    )


def _told(found: Sequence[FoundPassage], around: Surroundings) -> str:
    documents = list(dict.fromkeys(each.passage.document for each in found))
    if not found:
        return tell("grace.found_nothing", around.language)
    return tell(
        "grace.found",
        around.language,
        passages=len(found),
        documents=tell("evidence.and", around.language).join(documents[:3]),
        count=len(documents),
    )
