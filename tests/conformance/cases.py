"""What the suite must know of a workflow; a new workflow joins by adding its case."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sanbo.runs.model import JsonObject, Run
from sanbo.runs.workflow import Workflow
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.agents.analysis.conversation import ANALYSIS, SALES
from tests.workflows.approval import Approval
from tests.workflows.expenses import Expenses


@dataclass(frozen=True)
class Case:
    workflow: Workflow[Any, Any]
    given: JsonObject
    """Leads to success, of a workflow that asks over at least one question."""
    result: JsonObject
    """What comes out, always the same; it may have further parts."""
    replay_from: tuple[str, ...]
    """A step before the first question, and not the first of all."""
    slow: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Added to `given`: steps take a while, so that a run can be cancelled or raced for."""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Given with the input, by field."""
    slow_files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Instead of `files`: steps take a while."""
    answers: tuple[JsonObject, ...] = ()
    """To its questions, in order; none of a workflow that never waits within a run."""
    wrong_answer: JsonObject = field(default_factory=dict[str, Any])
    """Does not fit the first question."""
    failing: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Added to `given`: a step fails that is not the first."""

    @property
    def name(self) -> str:
        return self.workflow.name

    async def input(self, bench: Workbench, *, slow: bool = False) -> JsonObject:
        files = self.slow_files if slow else self.files
        uploads = {
            name: await bench.upload(LOCAL, data, f"{name}.csv", "text/csv")
            for name, data in files.items()
        }
        more: Mapping[str, Any] = self.slow if slow else {}
        given = {name: file.model_dump(mode="json") for name, file in uploads.items()}
        return {**self.given, **given, **more}

    def came_out(self, run: Run) -> bool:
        result = run.result or {}
        return {name: result.get(name) for name in self.result} == self.result


_head, _, _rows = SALES.partition(b"\n")

CASES = (
    Case(
        workflow=Expenses(),
        given={"title": "東京出張", "amounts": "12000, 34000"},
        answers=({"approved": True, "reason": "業務のため"},),
        wrong_answer={"approved": "はい", "account": "交際費"},
        result={
            "total": 46000,
            "approved": True,
            "report_md": "# 東京出張\n\n合計 46,000 円（旅費）\n",
        },
        failing={"fail_at": "add"},
        slow={"step_seconds": 0.8},
        replay_from=("add",),
    ),
    Case(
        workflow=Approval(),
        given={"topic": "備品購入"},
        answers=({"approved": False, "note": "短く"}, {"approved": True}),
        wrong_answer={"approve": True},
        result={
            "text": "備品購入につき、ご承認をお願い申し上げます。\n"
            "備品購入の承認をお願いします。（改訂1）",
            "rounds": 2,
            "log": [
                "plan",
                "formal",
                "short",
                "merge",
                "review:False",
                "revise",
                "review:True",
                "finish",
            ],
        },
        failing={"fail_at": "merge"},
        slow={"step_seconds": 0.8},
        replay_from=("merge",),
    ),
    Case(
        workflow=ANALYSIS,
        given={"question": "店舗別の売上合計を多い順に"},
        files={"file": SALES},
        result={"kind": "report", "assumptions": []},
        slow_files={"file": _head + b"\n" + _rows * 3000},
        replay_from=("act",),
    ),
)
ASKING = tuple(case for case in CASES if case.answers)
"""Those that put questions to a person within a run, and whose state is on disk."""


def case_named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
