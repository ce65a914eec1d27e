"""How a real model answers questions of office documents, by GRACE and by research.

    python benchmarks/live_office.py --base-url URL --model NAME --record FOLDER [--at-once 4]

As `live_model.py` does for tables: any server that speaks OpenAI's protocol, `{case}` in its
address stands for the task, every exchange is kept. Ten questions for each of the two, drawn from
the half of `office/` that nobody has looked at: six that have an answer, of which one follows
another, four that have none. Right is an answer with every fact of the question in one of its
accepted spellings, or a question without one that is declined; declined is one that has an answer
and is told not to be found: honest, but of no use. Ends with 1 when fewer than nine of ten are
right or declined. `office/replies.json` is what a reader in a model's place said to one draw.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from analysis.recording import Recorder, asking_of, model_of
from office_data import COLLECTION, LANGUAGES, OfficeQuestion, collection_of, has_all, questions

from sanbo.agents.grace.schemas import ExecutionResult
from sanbo.agents.research.model import ResearchResult
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings

LEAST = 9
KNOWN, FOLLOWING, UNKNOWN = 5, 1, 4
"""Of ten questions, in both languages alike."""
MOST_BACK = 5

Workflow = Literal["grace", "research"]


class Case(NamedTuple):
    workflow: Workflow
    language: Literal["ja", "en"]
    asked: OfficeQuestion

    @property
    def name(self) -> str:
        return f"{self.workflow[0]}{self.language}{self.asked.id}"


class Told(NamedTuple):
    case: Case
    outcome: str
    text: str
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asking_of(parser, "questions asked")
    parser.add_argument("--draw", type=int, default=1, help="which questions")
    given = parser.parse_args()
    told: list[Told] = []
    with Recorder(given.base_url, given.record, given.timeout) as recorder:
        for language in LANGUAGES:
            cases = [
                each
                for each in drawn(language, given.draw)
                if not given.only or each.name in given.only
            ]
            with (
                collection_of(language) as (workspace, _),
                ThreadPoolExecutor(given.at_once) as pool,
            ):
                ask = partial(_asked, workspace, recorder, given)
                for each in pool.map(ask, cases):
                    told.append(each)
                    _show(each, recorder)
    sys.exit(0 if _summary(told, recorder) else 1)


def drawn(language: Literal["ja", "en"], draw: int) -> list[Case]:
    """Half of each workflow's ten; none is asked of both."""
    chance = random.Random(f"{draw}{language}")
    unseen = questions(language, "held-out")
    chance.shuffle(unseen)
    known = [each for each in unseen if each.answers and not each.before]
    following = [each for each in unseen if each.answers and each.before]
    unknown = [each for each in unseen if not each.answers and not each.before]
    cases: list[Case] = []
    workflows: tuple[Workflow, ...] = ("grace", "research")
    for workflow in workflows:
        some = KNOWN // 2 + (language == "ja")
        chosen = [known.pop() for _ in range(some)]
        chosen += [unknown.pop() for _ in range(UNKNOWN // 2)]
        if language == "en":  # research has no follow-ups: one more of the others
            chosen.append(following.pop() if workflow == "grace" else known.pop())
        cases += [Case(workflow, language, each) for each in chosen]
    return cases


def _asked(workspace: Path, recorder: Recorder, given: argparse.Namespace, case: Case) -> Told:
    llm = model_of(given, recorder, case.name)
    settings = load_settings(workspace, {}).model_copy(update={"llm": llm})
    settings = settings.model_copy(
        update={
            "research": settings.research.model_copy(update={"answer_seconds": given.timeout}),
            "grace": settings.grace.model_copy(
                update={
                    "limits": settings.grace.limits.model_copy(
                        update={"step_seconds": given.timeout}
                    )
                }
            ),
        }
    )
    began = time.perf_counter()
    with blocking_workbench(settings) as bench:
        run = told_by(bench, case)
    seconds = time.perf_counter() - began
    if run.result is None:
        return Told(case, "failed", str(run.problem), seconds)
    answered, text = answer_of(case.workflow, run)
    return Told(case, outcome_of(case.asked, text, answered=answered), text, seconds)


def told_by(bench: BlockingWorkbench, case: Case) -> Run:
    """After what was asked before it."""
    conversation: str | None = None
    for before in case.asked.before:
        conversation = _run(bench, case, before, conversation).conversation_id
    return _run(bench, case, case.asked.question, conversation)


def _run(bench: BlockingWorkbench, case: Case, question: str, conversation: str | None) -> Run:
    workbench = bench.workbench
    start = workbench.start(
        OPERATOR,
        case.workflow,
        {"question": question, "collection": COLLECTION},
        language=case.language,
        conversation_id=conversation,
    )
    run = bench.call(workbench.wait(OPERATOR, bench.call(start).run_id))
    for _ in range(MOST_BACK):
        if run.status is not Status.WAITING:
            break
        interaction = run.open_interactions[0].interaction_id
        said: JsonObject = {"action": "proceed"}
        bench.call(workbench.answer(OPERATOR, run.run_id, said, interaction_id=interaction))
        run = bench.call(workbench.wait(OPERATOR, run.run_id))
    return run


def answer_of(workflow: Workflow, run: Run) -> tuple[bool, str]:
    if workflow == "grace":
        execution = ExecutionResult.model_validate(run.result)
        told = (*execution.sentences, *execution.contradictions)
        return execution.answered, " ".join(each.text for each in told)
    result = ResearchResult.model_validate(run.result)
    found = (each for finding in result.findings for each in finding.sentences)
    told = (*result.summary, *found, *result.disagreements)
    return result.answered, " ".join(each.text for each in told)


def outcome_of(asked: OfficeQuestion, text: str, *, answered: bool) -> str:
    if not asked.answers:
        return "wrong" if answered else "right"
    if not answered:
        return "declined"
    return "right" if has_all(text, asked.answers) else "wrong"


def _show(told: Told, recorder: Recorder) -> None:
    calls = recorder.calls[told.case.name]
    prompt = sum(call.prompt_tokens for call in calls)
    print(
        f"{told.outcome:8} {told.case.name:14} calls {len(calls)}  prompt {prompt:5}"
        f"  {told.seconds:6.1f} s  {told.case.asked.question[:60]}",
        flush=True,
    )
    if told.outcome == "wrong":
        print(f"         wanted {told.case.asked.answers or '(none)'}: {told.text[:300]}")


def _summary(every: Sequence[Told], recorder: Recorder) -> bool:
    is_good = True
    for workflow in ("grace", "research"):
        told = [each for each in every if each.case.workflow == workflow]
        if not told:
            continue  # none of them was asked for
        fine = sum(each.outcome in ("right", "declined") for each in told)
        right = sum(each.outcome == "right" for each in told)
        calls = [recorder.calls[each.case.name] for each in told]
        prompts = [sum(call.prompt_tokens for call in several) for several in calls]
        print(
            f"{workflow}: right {right}, declined {fine - right}, of {len(told)};"
            f" calls {statistics.mean(map(len, calls)):.1f} on average, {max(map(len, calls))}"
            f" at most; prompt tokens of a task {statistics.median(prompts):.0f} (median)"
        )
        is_good &= fine >= LEAST
    return is_good


if __name__ == "__main__":
    main()
