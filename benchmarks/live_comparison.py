"""How a real model compares two editions: which clauses it says correspond, calls and tokens.

    python benchmarks/live_comparison.py --base-url URL --model NAME --record FOLDER [--at-once 4]
        [--set reworded_second]

As `live_office.py`: any server that speaks OpenAI's protocol, `{case}` in its address stands for
the pair, every exchange is kept. The ten pairs of a set in `comparison/`, whose authors had not
seen the aligner; counted by pairs of clauses, beside what the rules say without a model. A pair is
right when at most one of its clauses is told wrongly without a mark that a person should look. Ends
with 1 when fewer than nine of ten are.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from analysis.recording import Recorder, asking_of, model_of
from comparison.baselines import sanbo
from comparison.reworded import (
    Case,
    Count,
    Pairs,
    cases_of,
    clauses_marked,
    pairs_of,
    pairs_told,
    scored,
    total,
)

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import blocking_workbench
from sanbo.settings import load_settings

SETS = Path(__file__).with_name("comparison")
LEAST, MOST_WRONG = 9, 1


class Told(NamedTuple):
    case: Case
    by_rules: Pairs
    by_model: Pairs
    marked: frozenset[str]
    seconds: float

    @property
    def wrong(self) -> int:
        """Clauses that are told wrongly, as if that were sure."""
        differing = self.by_model ^ self.case.truth
        return sum(not self.marked & {f"A{one}", f"B{other}"} for one, other in differing)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asking_of(parser, "pairs compared")
    parser.add_argument("--set", default="reworded_second")
    given = parser.parse_args()
    with (
        Recorder(given.base_url, given.record, given.timeout) as recorder,
        ThreadPoolExecutor(given.at_once) as pool,
    ):
        told: list[Told] = []
        cases = cases_of(SETS / given.set)
        chosen = [each for each in cases if not given.only or each.name in given.only]
        for each in pool.map(partial(_compared, recorder, given), chosen):
            told.append(each)
            _show(each, recorder)
    for name, language in (("Japanese", "ja"), ("English", "en")):
        some = [each for each in told if each.case.language == language]
        print(f"{name}: by rules {_sum((e.by_rules, e.case) for e in some)}")
        print(f"{name}: a model  {_sum((e.by_model, e.case) for e in some)}")
    right = sum(each.wrong <= MOST_WRONG for each in told)
    calls = [len(recorder.calls[each.case.name]) for each in told]
    print(f"right {right} of {len(told)}; calls {sum(calls) / len(calls):.1f} a pair")
    sys.exit(0 if right >= LEAST else 1)


def _compared(recorder: Recorder, given: argparse.Namespace, case: Case) -> Told:
    llm = model_of(given, recorder, case.name)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        settings = load_settings(Path(place), {}).model_copy(update={"llm": llm})
        with blocking_workbench(settings) as bench:
            files: JsonObject = {}
            for side in ("old", "new"):
                path = SETS / given.set / case.name / f"{side}.md"
                uploaded = bench.call(bench.workbench.upload(OPERATOR, path, path.name))
                files[side] = [uploaded.model_dump(mode="json")]
            start = bench.workbench.start(OPERATOR, "comparison", files, language=case.language)
            run = bench.call(bench.workbench.wait(OPERATOR, bench.call(start).run_id))
    if run.status is not Status.SUCCEEDED:
        raise RuntimeError(f"{case.name}: {run.problem}")
    changes = ComparisonResult.model_validate(run.result).changes
    return Told(
        case,
        pairs_of(case, sanbo(case.old.side, case.new.side)),
        pairs_told(case, changes),
        clauses_marked(case, changes),
        time.perf_counter() - began,
    )


def _show(told: Told, recorder: Recorder) -> None:
    calls = recorder.calls[told.case.name]
    print(
        f"{told.case.name} {told.case.language}  rules {scored(told.by_rules, told.case.truth)}"
        f"  model {scored(told.by_model, told.case.truth)}  wrong {told.wrong}"
        f"  calls {len(calls)}  prompt {sum(call.prompt_tokens for call in calls)}",
        flush=True,
    )


def _sum(pairs: Iterable[tuple[Pairs, Case]]) -> Count:
    return total(scored(said, case.truth) for said, case in pairs)


if __name__ == "__main__":
    main()
