"""What the suite must know of a workflow; a new workflow joins by adding its case."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sanbo.agents.comparison.workflow import Comparison
from sanbo.agents.grace.workflow import Grace
from sanbo.agents.research.workflow import Research
from sanbo.plans.workflow import Plans
from sanbo.runs.model import JsonObject, Run
from sanbo.runs.workflow import Workflow
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.agents.analysis.conversation import ANALYSIS, SALES
from tests.unit.agents.research.researching import ALLOWANCE, COLLECTION, DOCUMENTS, QUESTION, put
from tests.workflows.approval import Approval
from tests.workflows.expenses import Expenses
from tests.workflows.planning import given as given_plan
from tests.workflows.planning import plan


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
    documents: Mapping[str, str] = field(default_factory=dict[str, str])
    """Put into a collection before, by their names."""
    answers: tuple[JsonObject, ...] = ()
    """To its questions, in order; none of a workflow that never waits within a run."""
    wrong_answer: JsonObject = field(default_factory=dict[str, Any])
    """Does not fit the first question."""
    failing: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Added to `given`: a step fails that is not the first."""
    kills: int | None = None
    """After so many of its events, evenly spread, a process is killed; None: after each."""

    @property
    def name(self) -> str:
        return self.workflow.name

    async def input(self, bench: Workbench, *, slow: bool = False) -> JsonObject:
        if self.documents:
            library = bench.collections.library
            await asyncio.to_thread(put, library, self.documents)
        files = self.slow_files if slow else self.files
        uploads = {
            name: await bench.upload(LOCAL, data, f"{name}.csv", "text/csv")
            for name, data in files.items()
        }
        more: Mapping[str, Any] = self.slow if slow else {}
        given = {name: file.model_dump(mode="json") for name, file in uploads.items()}
        return {**self.given, **given, **more}

    def traced(self, trace: str) -> JsonObject:
        """The input of a run whose steps note in this file that they worked."""
        if "vars" in self.given:
            variables = cast("JsonObject", self.given["vars"])
            return {**self.given, "vars": {**variables, "trace": trace}}
        return {**self.given, "trace": trace}

    def came_out(self, run: Run) -> bool:
        result = run.result or {}
        return {name: result.get(name) for name in self.result} == self.result


_head, _, _rows = SALES.partition(b"\n")
_OLD_TERMS = "第1条　利用料は月額1,000円とする。\n\n第2条　解約は1か月前までに申し出る。"
_NEW_TERMS = "第1条　利用料は月額1,200円とする。\n\n第2条　解約は1か月前までに申し出る。"
_TERMS_TABLE = """\
| 種類 | 旧 | 新 | 注意 | 説明 |
| --- | --- | --- | --- | --- |
| 変更 | 第1条 利用料は月額~~1,000円~~とする。 | 第1条 利用料は月額**1,200円**とする。 \
| 金額・数量 | 金額が「1,000円」から「1,200円」に変わりました。 |

変更のない段落1件は省略しました。"""

_PLAN = plan(
    """
  - id: a
    block: test.work
    in: {value: 12000, trace: "${vars.trace}", seconds: "${vars.seconds}"}
  - id: b
    block: test.work
    in:
      value: "${a.value}"
      trace: "${vars.trace}"
      seconds: "${vars.seconds}"
      fail: "${vars.fail}"
  - {id: side, block: test.work, in: {value: 1, trace: "${vars.trace}"}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: "${b.value}円を払いますか"}}
  - id: each
    type: loop
    foreach: {input: [甲, 乙], itemVar: name, max_concurrency: 2}
    body:
      plan:
        graph:
          - {id: note, block: test.work, in: {value: "${name}様", trace: "${vars.trace}"}}
          - id: part
            type: subflow
            call: {plan_id: part, inputs: {n: "${side.value}", trace: "${vars.trace}"}}
        exports: [{from: note.value, as: name}, {from: part.sum, as: sum}]
    out: {collect: [name, sum]}
    after: [ask]
  - id: reason
    block: ui.interactive_input
    in:
      mode: collect
      message: "${each.iterations}件の理由"
      requirements: [{id: why, type: text, label: 理由}]
    out: {collected_data: form}
  - {id: report, block: test.report, in: {title: "${reason.form.why}", lines: "${each.name}"}}
""",
    top="""
vars: {trace: "", seconds: 0, fail: false}
exports:
  - {from: each.sum, as: sums}
  - {from: ask.approved, as: approved}
  - {from: report.characters, as: characters}
""",
)
_PART = plan(
    """
  - {id: one, block: test.work, in: {value: "${vars.n}", trace: "${vars.trace}"}}
  - {id: two, block: test.add, in: {a: "${one.value}", b: 10}}
""",
    top="vars: {n: 0, trace: ''}\nexports: [{from: two.sum, as: sum}]",
    plan_id="part",
)

CASES = (
    Case(
        workflow=Plans(),
        given=given_plan(_PLAN, {"part": _PART}, vars={"seconds": 0}),
        answers=({"approved": True}, {"why": "急ぎ"}),
        wrong_answer={"approve": "はい"},
        result={"exports": {"sums": [11.0, 11.0], "approved": True, "characters": 10}},
        failing={"vars": {"fail": True}},
        slow={"vars": {"seconds": 0.8}},
        replay_from=("b",),
        kills=5,
    ),
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
    Case(
        workflow=Comparison(),
        given={"old_text": _OLD_TERMS, "new_text": _NEW_TERMS},
        result={"table_md": _TERMS_TABLE},
        slow={
            "old_text": "\n\n".join(f"{_OLD_TERMS}（{number}）" for number in range(400)),
            "new_text": "\n\n".join(f"{_NEW_TERMS}（{number * 3}）" for number in range(400)),
        },
        replay_from=("format_output",),
    ),
    Case(
        workflow=Research(),
        given={"question": QUESTION, "collection": COLLECTION},
        documents=DOCUMENTS,
        result={
            "answered": True,
            "cycles": 1,
            "stop_reason": "sufficient",
            "findings": [
                {
                    "sub_question": QUESTION,
                    "sentences": [{"text": ALLOWANCE, "citations": [1], "problem": ""}],
                }
            ],
            "partial": False,
        },
        slow={"question": (f"{QUESTION}。出張の日当と宿泊費の上限も教えてください。" * 60)[:2000]},
        replay_from=("decide",),
    ),
    Case(
        workflow=Grace(),
        given={"question": QUESTION, "collection": COLLECTION},
        documents=DOCUMENTS,
        result={
            "answered": True,
            "answer_md": ALLOWANCE.replace("4,000円", "**4,000円**") + "[1]",
            "decision": "silent",
            "replans": [],
            "interventions": [],
            "partial": False,
        },
        slow={"question": (f"{QUESTION}。出張の日当と宿泊費の上限も教えてください。" * 60)[:2000]},
        replay_from=("review",),
    ),
)
ASKING = tuple(case for case in CASES if case.answers)
"""Those that put questions to a person within a run, and whose state is on disk."""


def case_named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
