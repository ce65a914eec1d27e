"""A workflow that asks one question of each mode, with a field of every type."""

from typing import ClassVar

from pydantic import BaseModel
from typing_extensions import override

from sanbo.runs.model import ChatLine, FileRef, JsonObject, Option, Question, Requirement, Validation
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow

FIELDS = (
    Requirement(id="invoice", type="file", label="請求書", accept=".txt,.csv"),
    Requirement(id="receipts", type="files", label="領収書", required=False),
    Requirement(id="archive", type="folder", label="資料のフォルダー"),
    Requirement(id="memo", type="text", label="メモ", validation=Validation(max_length=5)),
    Requirement(
        id="account",
        type="select",
        label="勘定科目",
        options=(Option(value="travel", label="旅費"), Option(value="meeting", label="会議費")),
        default="travel",
    ),
    Requirement(id="urgent", type="boolean", label="至急", default=False),
    Requirement(
        id="amount", type="number", label="金額", validation=Validation(min=1, integer=True)
    ),
    Requirement(id="talk", type="chat", label="相談", required=False),
)

QUESTIONS = (
    Question(mode="collect", message="資料を集めます。", requirements=FIELDS),
    Question(mode="inquire", message="目的は何ですか。", chat=(ChatLine(role="user", text="案"),)),
    Question(mode="mixed", message="ほかにありますか。", context={"残り": "1件"}),
    Question(mode="confirm", message="よろしいですか。"),
)


class EverythingInput(BaseModel):
    attachment: FileRef | None = None


class EverythingResult(BaseModel):
    answers: list[JsonObject]
    attachment: str
    size: int


class Everything(Workflow[EverythingInput, EverythingResult]):
    name = "everything"
    titles: ClassVar = {"ja": "なんでも", "en": "Everything"}
    descriptions: ClassVar = {"ja": "すべてを尋ねます。", "en": "Asks everything."}
    input_model = EverythingInput
    result_model = EverythingResult

    @override
    async def advance(
        self, context: RunContext[EverythingInput]
    ) -> Finished[EverythingResult] | Waiting:
        answers: list[JsonObject] = []
        for question in QUESTIONS:
            answer = await context.ask(question.mode, question)
            if answer is None:
                return Waiting()
            answers.append(answer)
        file = context.input.attachment
        content = await context.read(file) if file else b""
        return Finished(
            EverythingResult(
                answers=answers, attachment=file.name if file else "", size=len(content)
            )
        )
