"""Plain: adds up an expense report, asks for approval when it is high, writes a report."""

import asyncio
from typing import ClassVar, Literal

from pydantic import BaseModel, Field
from typing_extensions import override

from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef, Question, Requirement
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow
from tests.workflows.trace import note


class ExpensesInput(BaseModel):
    title: str = Field(min_length=1, json_schema_extra={"label": {"ja": "件名", "en": "Title"}})
    amounts: str = Field(
        default="12000, 34000",
        json_schema_extra={
            "label": {"ja": "金額（カンマ区切り）", "en": "Amounts, separated by commas"}
        },
    )
    limit: int = Field(
        default=10_000,
        ge=0,
        json_schema_extra={"label": {"ja": "承認が必要な金額", "en": "Approval from"}},
    )
    category: Literal["旅費", "会議費", "消耗品費"] = Field(
        default="旅費", json_schema_extra={"label": {"ja": "費目", "en": "Category"}}
    )
    attachment: FileRef | None = Field(
        default=None, json_schema_extra={"label": {"ja": "添付", "en": "Attachment"}}
    )
    step_seconds: float = 0.0
    fail_at: str = ""
    trace: str = ""


class ExpensesResult(BaseModel):
    total: int
    approved: bool
    report_md: str


class Expenses(Workflow[ExpensesInput, ExpensesResult]):
    name = "expenses"
    titles: ClassVar = {"ja": "経費の集計", "en": "Expenses"}
    descriptions: ClassVar = {
        "ja": "金額を合計し、上限を超えたら承認を求めます。",
        "en": "Adds amounts up and asks for approval above a limit.",
    }
    input_model = ExpensesInput
    result_model = ExpensesResult

    @override
    async def advance(
        self, context: RunContext[ExpensesInput]
    ) -> Finished[ExpensesResult] | Waiting:
        given = context.input

        async def work(step: str) -> None:
            note(given.trace, step, step)
            if given.step_seconds:
                await asyncio.sleep(given.step_seconds)
            if given.fail_at == step:
                raise InvalidInput("input_invalid", workflow=self.name, reasons=f"{step}.")

        async def parse() -> list[int]:
            await work("parse")
            return [int(part) for part in given.amounts.split(",")]

        async def add() -> int:
            await work("add")
            return sum(amounts)

        async def report() -> str:
            await work("report")
            text = f"# {given.title}\n\n合計 {total:,} 円（{given.category}）\n"
            for piece in text.splitlines(keepends=True):
                context.say(piece, "report")
            await context.keep("report.md", "text/markdown", text.encode(), at=("report",))
            return text

        amounts = await context.step("parse", parse, title="金額を読み取る")
        total = await context.step("add", add, title="合計する")
        approved = True
        if total > given.limit:
            answer = await context.ask("approve", self._question(total), title="承認を得る")
            if answer is None:
                return Waiting()
            approved = bool(answer["approved"])
        text = await context.step("report", report, title="報告書を作る")
        return Finished(ExpensesResult(total=total, approved=approved, report_md=text))

    def _question(self, total: int) -> Question:
        return Question(
            mode="confirm",
            message=f"合計は {total:,} 円です。承認しますか。",
            requirements=(
                Requirement(id="reason", type="text", label="理由", required=False),
                Requirement(
                    id="account",
                    type="select",
                    label="勘定科目",
                    options=("旅費交通費", "会議費"),
                    default="旅費交通費",
                ),
            ),
        )
