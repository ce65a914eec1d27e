"""How a real model answers questions about tables: right, calls and tokens of each question.

    python benchmarks/live_model.py QUESTIONS.yaml --base-url URL --model NAME --record FOLDER

Any server that speaks OpenAI's protocol will do; `{case}` in its address is replaced by the
question's id. The key is read from the environment variable that `--key-from` names. Questions
are written as `analysis/judging.py` says. Every request goes out as in daily use; it is kept with
its reply in the folder, one file a call; `ID.task.json` has the question, its outcome and the
replies, which tests play again. Ends with 1 when less than 90 % are right, the median of calls is
above 1, one turn took more than 2, or the median prompt has more than 2,000 tokens.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from analysis.asking import Conversation, Product
from analysis.judging import Question, judge, read_file
from analysis.recording import Recorder

from sanbo.llm.settings import LlmSettings
from sanbo.service.bootstrap import blocking_workbench
from sanbo.settings import load_settings

LEAST_RIGHT, MEDIAN_CALLS, MOST_CALLS, MOST_PROMPT = 0.90, 1, 2, 2000
NO_KEY = "none"


class Task(NamedTuple):
    id: str
    outcome: str
    """right, wrong, asked, refused, failed."""
    reason: str
    turns: int
    calls: int
    prompt_tokens: int
    """Of the longest prompt."""
    completion_tokens: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path)
    parser.add_argument("--data", type=Path, help="the folder of public tables")
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--record", type=Path, required=True, help="a folder for transcripts")
    parser.add_argument("--key-from", default="", help="the variable that holds the key")
    parser.add_argument("--only", default="", help="the ids that begin so")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one call")
    parser.add_argument("--at-once", type=int, default=1, help="questions asked side by side")
    parser.add_argument("--wording", action="store_true", help="the model words conclusions too")
    given = parser.parse_args()
    questions = [one for one in read_file(given.questions, given.data) if one.table]
    questions = [one for one in questions if one.id.startswith(given.only)]
    if not questions:
        sys.exit(f"no question's id begins with {given.only!r}")
    tasks: list[Task] = []
    with (
        Recorder(given.base_url, given.record, given.timeout) as recorder,
        ProcessPoolExecutor(given.at_once, get_context("spawn")) as pool,
    ):
        addresses = [recorder.address(_case(question)) for question in questions]
        judged = pool.map(partial(_judged, given), addresses, questions)
        for question, (outcome, reason, seconds) in zip(questions, judged, strict=True):
            calls = recorder.calls[_case(question)]
            longest = max((call.prompt_tokens for call in calls), default=0)
            written = sum(call.completion_tokens for call in calls)
            turns = len(question.before) + 1
            task = Task(question.id, outcome, reason, turns, len(calls), longest, written, seconds)
            tasks.append(task)
            _keep(given, question, task, [call.reply for call in calls])
            _show(task)
    sys.exit(0 if _summary(tasks) else 1)


def _keep(given: argparse.Namespace, question: Question, task: Task, replies: list[str]) -> None:
    """What a test needs to play the task again without the model."""
    table = os.path.relpath(_table(given.questions, question))
    asked = question.model_copy(update={"table": table}).model_dump(mode="json")
    told = {"question": asked, "task": task._asdict(), "replies": replies}
    path = given.record / f"{_case(question)}.task.json"
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1), "utf-8")


def _table(path: Path, question: Question) -> Path:
    beside = path.parent / question.table
    return beside if beside.exists() else Path(question.table)


def _case(question: Question) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", question.id)


def _judged(given: argparse.Namespace, address: str, question: Question) -> tuple[str, str, float]:
    """In a process and a workspace of its own: its calls are told apart from the others'."""
    settings = load_settings()
    llm = LlmSettings.model_validate(
        {
            "provider": "openai",
            "model": given.model,
            "base_url": address,
            "openai_api_key": os.environ[given.key_from] if given.key_from else NO_KEY,
            "timeout_seconds": given.timeout,
            "idle_seconds": given.timeout,
        }
    )
    analysis = settings.analysis.model_copy(update={"model_wording": given.wording})
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        own = {"workspace": Path(folder), "llm": llm, "analysis": analysis}
        with blocking_workbench(settings.model_copy(update=own)) as bench:
            outcome, reason = _asked(Product(bench), given.questions, question)
    return outcome, reason, round(time.perf_counter() - began, 1)


def _asked(product: Product, path: Path, question: Question) -> tuple[str, str]:
    conversation = Conversation(question.language)
    table = _table(path, question)
    for earlier in question.before:
        product.result(table, earlier, conversation)
    result = product.result(table, question.ask, conversation)
    if isinstance(result, str):
        return "failed", result
    return judge(question, result)


def _show(task: Task) -> None:
    print(
        f"{task.outcome:8} {task.id:20} calls {task.calls}  prompt {task.prompt_tokens:5}  "
        f"reply {task.completion_tokens:4}  {task.seconds:6.1f} s  {task.reason}",
        flush=True,
    )


def _summary(tasks: Sequence[Task]) -> bool:
    right = sum(task.outcome == "right" for task in tasks) / len(tasks)
    calls = [task.calls for task in tasks]
    prompts = [task.prompt_tokens for task in tasks]
    median_calls, median_prompt = statistics.median(calls), statistics.median(prompts)
    print(f"\n{len(tasks)} questions: right {right:.1%}")
    print(f"  calls:         median {median_calls:g}, most {max(calls)}")
    print(f"  prompt tokens: median {median_prompt:g}, most {max(prompts)}")
    print(f"  reply tokens:  median {statistics.median(t.completion_tokens for t in tasks):g}")
    return (
        right >= LEAST_RIGHT
        and median_calls <= MEDIAN_CALLS
        and all(task.calls <= MOST_CALLS * task.turns for task in tasks)
        and median_prompt <= MOST_PROMPT
    )


if __name__ == "__main__":
    main()
