"""The steps that search: `rag_search` in collections, `web_search` as a person has agreed to, and
`run_legacy_agent`, which searches, looks at what came, searches again, then answers.
"""

import asyncio
import hashlib
from collections.abc import Sequence

from sanbo.agents.grace.answer_steps import checked, unanswered
from sanbo.agents.grace.citations import FoundPassage, each_once, judged_for, numbered, told_passage
from sanbo.agents.grace.schemas import StepResult
from sanbo.agents.grace.searxng import LONGEST_QUERY
from sanbo.agents.grace.state import Outcome, Task
from sanbo.agents.grace.thinking import AnswerRequest, Surroundings
from sanbo.evidence.finding import Found
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidSettings
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


MOST_WEB_QUERIES = 3


def web_queries(text: str) -> tuple[str, ...]:
    """What leaves for the web, word by word: a person who agrees has seen just this."""
    return tuple(one_line(query, LONGEST_QUERY) for query in queries_of(text)[:MOST_WEB_QUERIES])


async def search_web(task: Task, around: Surroundings) -> Outcome:
    if around.web is None:  # configured when the run was planned, and not any more
        raise InvalidSettings("grace_web_off", key="grace.web_search_url")
    queries = web_queries(task.asks)
    listed = await asyncio.gather(*(around.web.search(query) for query in queries))
    pages = {page.url: page for each in listed for page in each}
    found = [
        told_passage(
            document=page.title,
            document_id=hashlib.sha256(page.url.encode()).hexdigest()[:20],
            text=page.text,
            kind="web",
            url=page.url,
        )
        for page in pages.values()
    ]
    judged = await asyncio.to_thread(judged_for, queries[0], found)
    judged = numbered(sorted(judged, key=lambda each: -each.passage.relevance), task.step.step_id)
    passages = [each.passage for each in judged]
    statistics, confidence = await asyncio.to_thread(task.scorer.search, queries[0], passages)
    told = "found_pages" if judged else "found_no_pages"
    result = StepResult(
        step_id=task.step.step_id,
        action=task.step.action,
        status="success",
        output=tell(f"grace.{told}", around.language, count=len(judged)),
        confidence=confidence,
        statistics=statistics,
        searched=tuple(
            SearchedQuery(text=query, cycle=1, hits=len(each), new=len(each))
            for query, each in zip(queries, listed, strict=True)
        ),
    )
    return Outcome(result, judged)


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
