"""Asks with all eight types of fields, then once in each of the other modes."""

from typing import ClassVar

from pydantic import BaseModel, Field
from typing_extensions import override

from sanbo.runs.model import ChatLine, JsonObject, Option, Question, Requirement, Validation
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow


class IntakeInput(BaseModel):
    title: str = Field(
        default="備品の購入", json_schema_extra={"label": {"ja": "案件名", "en": "Case"}}
    )


class IntakeResult(BaseModel):
    answers: dict[str, JsonObject]


_TITLES = {
    "form": "内容を集める",
    "confirm": "申請の確認を得る",
    "inquire": "納期を尋ねる",
    "mixed": "支払方法を決める",
}


def _fields() -> tuple[Requirement, ...]:
    return (
        Requirement(id="quote", type="file", label="見積書", accept=".csv,.txt"),
        Requirement(id="extras", type="files", label="添付資料", required=False),
        Requirement(id="folder", type="folder", label="資料フォルダー", required=False),
        Requirement(
            id="reason",
            type="text",
            label="購入の理由",
            description="何のために、なぜ今必要かを書いてください。",
            validation=Validation(min_length=5),
        ),
        Requirement(
            id="kind",
            type="select",
            label="区分",
            options=(Option(value="new", label="新規"), Option(value="renewal", label="更新")),
        ),
        Requirement(id="urgent", type="boolean", label="至急", required=False),
        Requirement(
            id="count", type="number", label="数量", validation=Validation(min=1, integer=True)
        ),
        Requirement(id="request", type="chat", label="担当者への連絡", required=False),
    )


def _questions(title: str) -> dict[str, Question]:
    return {
        "form": Question(
            mode="collect",
            message=f"「{title}」の内容を入力してください。",
            requirements=_fields(),
            chat=(ChatLine(role="assistant", text="ご不明な点は、連絡の欄に書いてください。"),),
        ),
        "confirm": Question(
            mode="confirm",
            message="この内容で申請してよろしいですか。",
            context={
                "申請額": 128_000,
                "明細": [
                    {"品名": "ノートPC", "数量": 1, "金額": 120_000},
                    {"品名": "マウス", "数量": 2, "金額": 8_000},
                ],
            },
        ),
        "inquire": Question(
            mode="inquire",
            message="納期に希望はありますか。",
            chat=(
                ChatLine(role="user", text="来月の研修で使います。"),
                ChatLine(role="assistant", text="研修の日付を教えてください。"),
            ),
        ),
        "mixed": Question(
            mode="mixed",
            message="支払方法を選び、必要なら補足してください。",
            requirements=(
                Requirement(
                    id="payment",
                    type="select",
                    label="支払方法",
                    options=("振込", "カード"),
                ),
            ),
        ),
    }


class Intake(Workflow[IntakeInput, IntakeResult]):
    name = "intake"
    titles: ClassVar = {"ja": "購入の申請", "en": "Purchase request"}
    descriptions: ClassVar = {
        "ja": "必要な資料と情報を集め、確認を取ります。",
        "en": "Collects documents and details, and has them confirmed.",
    }
    input_model = IntakeInput
    result_model = IntakeResult

    @override
    async def advance(self, context: RunContext[IntakeInput]) -> Finished[IntakeResult] | Waiting:
        answers: dict[str, JsonObject] = {}
        for name, question in _questions(context.input.title).items():
            answer = await context.ask(name, question, title=_TITLES[name])
            if answer is None:
                return Waiting()
            answers[name] = answer
        return Finished(IntakeResult(answers=answers))
