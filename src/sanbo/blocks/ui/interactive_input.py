"""`ui.interactive_input`: asks a person, by a form, an approval, a question, or all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.blocks.spec import Schema, Text
from sanbo.blocks.ui.asking import ask
from sanbo.blocks.ui.form import approved, collected, labelled, question_of, said
from sanbo.blocks.ui.form_outline import collected_schema
from sanbo.runs.model import COMMENT, Mode
from sanbo.runs.workflow import Waiting


class InteractiveInputs(BlockInputs):
    mode: Mode = "collect"
    requirements: Sequence[dict[str, JsonValue]] = ()
    message: Text | None = None
    context: dict[str, JsonValue] | None = None
    context_labels: dict[str, Text] | None = None


class InteractiveInput(EngineBlock[InteractiveInputs]):
    Inputs = InteractiveInputs

    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        closer: dict[str, Schema] = {}
        fields = collected_schema(given.get("requirements"))
        if fields is not None:
            closer["collected_data"] = fields
        match given.get("mode"):
            case "confirm":
                closer["approved"] = {"type": "boolean", "examples": [True]}
            case "inquire" if not given.get("requirements"):
                closer["response"] = {"type": "string", "examples": ["OK"]}
            case _:
                pass
        return closer

    @override
    async def run(
        self, given: InteractiveInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        question = question_of(
            given.mode,
            given.message,
            given.requirements,
            labelled(given.context or {}, given.context_labels or {}, context.language),
            node="/".join(context.run.path),
            language=context.language,
        )
        answered = await ask(question, context)
        if answered is None:
            return Waiting()
        comment = answered.answer.get(COMMENT) if given.mode != "collect" else None
        return {
            "collected_data": collected(question, answered.answer),
            "approved": approved(question, answered.answer),
            "response": said(question, answered.answer),
            "metadata": {**answered.metadata, "comment": comment},
        }
