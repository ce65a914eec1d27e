"""`web_search`: what pages of the web are said to be about; seen and agreed to by a person."""

import asyncio
import hashlib

from sanbo.agents.grace.answers.citations import judged_for, numbered, told_passage
from sanbo.agents.grace.schemas import StepResult
from sanbo.agents.grace.thinking import Surroundings
from sanbo.agents.grace.tools.search import queries_of
from sanbo.agents.grace.tools.searxng import LONGEST_QUERY
from sanbo.agents.grace.tools.task import Outcome, Task
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidSettings

MOST_QUERIES = 3


def web_queries(text: str) -> tuple[str, ...]:
    """What leaves for the web, word by word: a person who agrees has seen just this."""
    return tuple(one_line(query, LONGEST_QUERY) for query in queries_of(text)[:MOST_QUERIES])


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
