"""What the suite must know of a workflow; a new workflow joins by adding its case."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sanbo.runs.model import JsonObject
from sanbo.runs.workflow import Workflow
from tests.workflows.approval import Approval
from tests.workflows.expenses import Expenses


@dataclass(frozen=True)
class Case:
    workflow: Workflow[Any, Any]
    given: JsonObject
    """Leads over at least one question to success."""
    answers: tuple[JsonObject, ...]
    """To its questions, in order."""
    wrong_answer: JsonObject
    """Does not fit the first question."""
    result: JsonObject
    """What comes out, always the same."""
    failing: Mapping[str, Any]
    """Added to `given`: a step fails."""
    slow: Mapping[str, Any]
    """Added to `given`: steps take a while, so that a run can be cancelled or raced for."""
    replay_from: tuple[str, ...]
    """A step before the first question."""

    @property
    def name(self) -> str:
        return self.workflow.name


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
)


def case_named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
