"""Blocks of earlier plans that ask for one thing each; `ui.interactive_input` asks for several."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.blocks.spec import Schema, text_of
from sanbo.blocks.ui.form import collected, collected_schema, question_of
from sanbo.blocks.ui.questions import ask
from sanbo.kernel.messages import LANGUAGES, tell
from sanbo.runs.workflow import Waiting


class FormerField(NamedTuple):
    port: str
    """Its one output, and the id of the field."""
    type: str
    accept: str = ""

    def requirement(self, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """As a form writes the same field."""
        name = f"blocks_ui.former.{self.port}"
        field: dict[str, JsonValue] = {
            "id": self.port,
            "type": self.type,
            "label": given.get("label") or {each: tell(name, each) for each in LANGUAGES},
        }
        if accept := given.get("accept") or self.accept:
            field["accept"] = accept
        if given.get("required") is False:
            field["required"] = False
        if given.get("default") is not None:
            field["default"] = given["default"]
        return field


FORMER_FIELDS = {
    "ui.file_uploader.excel": FormerField("workbook", "file", ".xlsx,.xlsm"),
    "ui.file_uploader.evidence_zip": FormerField("evidence_zip", "file", ".zip"),
    "ui.file_uploader.csv": FormerField("csv", "file", ".csv"),
    "ui.text_input.single": FormerField("text", "text"),
    "ui.text_input.number": FormerField("number", "number"),
}


class _OneField(EngineBlock[Given]):
    field: ClassVar[FormerField]

    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        schema = collected_schema([cls.field.requirement(given)]) or {}
        return {cls.field.port: schema["properties"][cls.field.port]}

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        node = "/".join(context.run.path)
        label = text_of(given.label or {}, context.language)
        question = question_of(
            "collect",
            given.message,
            [self.field.requirement({**dict(given), "label": label})],
            {},
            node=node,
            language=context.language,
        )
        answered = await ask(question, context)
        if answered is None:
            return Waiting()
        return {self.field.port: collected(question, answered.answer).get(self.field.port)}


class ExcelUpload(_OneField):
    field = FORMER_FIELDS["ui.file_uploader.excel"]


class ZipUpload(_OneField):
    field = FORMER_FIELDS["ui.file_uploader.evidence_zip"]


class CsvUpload(_OneField):
    field = FORMER_FIELDS["ui.file_uploader.csv"]


class TextInput(_OneField):
    field = FORMER_FIELDS["ui.text_input.single"]


class NumberInput(_OneField):
    field = FORMER_FIELDS["ui.text_input.number"]
