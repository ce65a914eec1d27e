"""Asks GRACE a question of a collection: through the workflow, or by the same functions alone."""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from grace_data import answered, in_other_words, search
from qa_data import COLLECTION, Asked

from sanbo.agents.grace.confidence import FITTED, Judged, Scorer
from sanbo.agents.grace.schemas import ExecutionResult, ThresholdsUsed
from sanbo.agents.grace.settings import GraceSettings
from sanbo.evidence.model import Passage
from sanbo.llm.settings import LlmSettings
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.library import Library
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import Database

AT_ONCE = 2
MOST_QUESTIONS_BACK = 5


class Told(NamedTuple):
    """A top answer with its score."""

    text: str
    score: float
    weighted: float
    by_subject: bool
    """What it speaks of was put before the sentence."""
    replans: int = 0
    asked_back: int = 0
    seconds: float = 0.0


Telling = Callable[[Path, Sequence[Asked]], list[Told]]


def through_workflow(workspace: Path, asked: Sequence[Asked]) -> list[Told]:
    settings = _settings(workspace)
    library = Library(Database.in_workspace(workspace, None), settings)
    collection = library.open(COLLECTION)
    with blocking_workbench(settings) as bench, ThreadPoolExecutor(AT_ONCE) as threads:
        told = list(threads.map(partial(_ask, bench, collection), asked))
    library.close()
    return told


def _ask(bench: BlockingWorkbench, collection: Collection, asked: Asked) -> Told:
    began = time.perf_counter()
    given: JsonObject = {"question": asked.question, "collection": COLLECTION}
    run = bench.call(bench.workbench.start(OPERATOR, "grace", given, language="ja"))
    run = bench.call(bench.workbench.wait(OPERATOR, run.run_id))
    asked_back = 0
    while run.status is Status.WAITING and asked_back < MOST_QUESTIONS_BACK:
        asked_back += 1
        run = _proceed(bench, run)
    seconds = time.perf_counter() - began
    if run.status is not Status.SUCCEEDED or run.result is None:
        sys.exit(f"a question ended {run.status.value}: {asked.question} {run.problem}")
    result = ExecutionResult.model_validate(run.result)
    sentences = result.sentences or result.nearest
    text = sentences[0].text if sentences else ""
    return Told(
        text=text,
        score=result.confidence,
        weighted=_weighted(asked, _searched_again(result, collection, asked), (text,)),
        by_subject=bool(sentences) and not _is_quoted(text, result, sentences[0].sources),
        replans=len(result.replans),
        asked_back=asked_back,
        seconds=seconds,
    )


def _proceed(bench: BlockingWorkbench, run: Run) -> Run:
    open_one = run.open_interactions[0].interaction_id
    bench.call(
        bench.workbench.answer(OPERATOR, run.run_id, {"action": "proceed"}, interaction_id=open_one)
    )
    return bench.call(bench.workbench.wait(OPERATOR, run.run_id))


def _is_quoted(text: str, result: ExecutionResult, numbers: Sequence[int]) -> bool:
    quotes = ["".join(each.quote.split()) for each in result.sources if each.id in numbers]
    return any("".join(text.split()) in quote for quote in quotes)


def _searched_again(
    result: ExecutionResult, collection: Collection, asked: Asked
) -> tuple[Passage, ...]:
    """What the run found: a result does not keep it, and searches are the same each time."""
    queries = dict.fromkeys(query.text for step in result.steps for query in step.searched)
    return search(collection, asked.question, tuple(queries))


def quickly(workspace: Path, asked: Sequence[Asked]) -> list[Told]:
    library = Library(Database.in_workspace(workspace, None), _settings(workspace))
    collection = library.open(COLLECTION)
    told = [_answer_quickly(collection, each) for each in asked]
    library.close()
    return told


def _answer_quickly(collection: Collection, asked: Asked) -> Told:
    """In other words where the first answer would make a person help."""
    scorer = _scorer("calibrated")
    for again in (False, True):
        queries = in_other_words(asked.question) if again else (asked.question,)
        passages = search(collection, asked.question, queries)
        answer = answered(asked.question, passages)
        if answer is None:
            continue
        score = scorer.answer(asked.question, passages, answer.judged).score
        if again or scorer.level(score) != "escalate":
            quoted = any(answer.text in "".join(each.text.split("\n")) for each in passages)
            weighted = _weighted(asked, passages, answer.judged.sentences)
            return Told(answer.text, score, weighted, not quoted, replans=int(again))
    return Told("", 0.0, 0.0, by_subject=False)


def _weighted(asked: Asked, passages: Sequence[Passage], sentences: tuple[str, ...]) -> float:
    """The fixed-weight score of the same answer."""
    judged = Judged(sentences=sentences, passages=())
    return _scorer("weighted").answer(asked.question, passages, judged).score


def _scorer(kind: str) -> Scorer:
    settings = GraceSettings.model_validate({"score": kind})
    thresholds = ThresholdsUsed(**settings.thresholds.model_dump())
    return Scorer(settings, thresholds, FITTED, "ja")


def _settings(workspace: Path) -> Settings:
    own: dict[str, object] = {"workspace": workspace, "llm": LlmSettings(provider="rules")}
    return load_settings(workspace, {}).model_copy(update=own)
