"""`ui.confirmation` (old): asks for approval, by a choice where the plan names one."""

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.blocks.spec import Text, text_of
from sanbo.blocks.ui.asking import ask
from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import APPROVED, COMMENT, Option, Question, Requirement
from sanbo.runs.workflow import Waiting

CHOICE = "choice"


class ConfirmationInputs(BlockInputs):
    message: Text | None = None
    options: Sequence[str] | None = None


class Confirmation(EngineBlock[ConfirmationInputs]):
    Inputs = ConfirmationInputs

    @override
    async def run(
        self, given: ConfirmationInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        options = tuple(dict.fromkeys(given.options or ()))
        answered = await ask(
            _question(text_of(given.message or {}, context.language), options, context.language),
            context,
        )
        if answered is None:
            return Waiting()
        answer = answered.answer
        choice = answer.get(CHOICE)
        return {
            "approved": choice == options[0] if options else answer.get(APPROVED) is True,
            "comment": answer.get(COMMENT),
            "choice": choice,
        }


def _question(message: str, options: Sequence[str], language: Language) -> Question:
    said = message or tell("blocks_ui.message.confirm", language)
    if not options:
        return Question(mode="confirm", message=said)
    return Question(
        mode="collect",
        message=said,
        requirements=(
            Requirement(
                id=CHOICE,
                type="select",
                label=tell("blocks_ui.choice", language),
                options=tuple(Option(value=option, label=option) for option in options),
            ),
            Requirement(
                id=COMMENT,
                type="text",
                label=tell("answer.comment", language),
                required=False,
            ),
        ),
    )
