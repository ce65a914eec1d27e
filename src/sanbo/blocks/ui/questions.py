"""Blocks that ask a person: by a form, an approval, a question, or all of them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given, NewFile
from sanbo.blocks.spec import Schema, text_of
from sanbo.blocks.ui.form import (
    Proposals,
    approved,
    collected,
    collected_schema,
    deadline,
    help_in,
    labelled,
    names,
    question_of,
    said,
    turn_of,
    with_pictures,
    with_proposals,
)
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.interactions import answerer_of
from sanbo.runs.model import APPROVED, COMMENT, FileRef, JsonObject, Option, Question, Requirement
from sanbo.runs.workflow import Waiting


@dataclass(frozen=True)
class Answered:
    answer: JsonObject
    metadata: JsonObject


async def ask(question: Question, context: EngineContext, turn: int = 1) -> Answered | None:
    """None as long as there is no answer. `turn`: of one who is asked after others."""
    run = context.run
    proposed: Proposals = getattr(run.input, "proposed", {})  # with a plan's input
    answer = await context.ask(with_proposals(question, proposed, run.path), turn)
    if answer is None:
        return None
    path = (*run.path, context.name_of(turn))
    asked = next((name for name, asker in run.fold.askers.items() if asker[0] == path), "")
    answerer = await asyncio.to_thread(answerer_of, run.place.database, run.run_id, asked)
    return Answered(
        answer,
        {
            "mode": question.mode,
            "answered_at": answerer.at.isoformat() if answerer else None,
            "by": answerer.by if answerer else None,
        },
    )


class InteractiveInput(EngineBlock[Given]):
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
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        node = "/".join(context.run.path)
        people = {"assignees": names(given.assignee), "roles": names(given.role)}
        # A plan's own pictures come with its input.
        pictures: Mapping[str, FileRef] = getattr(context.run.input, "pictures", {})
        helped = with_pictures(help_in(given.help, context.language), pictures)
        question = question_of(
            given.mode,
            given.message,
            given.requirements,
            labelled(given.context or {}, given.context_labels or {}, context.language),
            node=node,
            language=context.language,
            **deadline(given.due, given.reminder, node=node)._asdict(),
            **people,
            help=helped if given.help else None,
            pictures=pictures,
        )
        for picture in question.pictures:
            await _check_shown(picture, context)
        if given.approvers and given.mode == "confirm":
            return await _in_turn(question, given.approvers, context)
        answered = await ask(question, context)
        if answered is None:
            return Waiting()
        comment = answered.answer.get(COMMENT) if given.mode != "collect" else None
        return {
            "collected_data": await _entered(question, answered.answer, context),
            "approved": approved(question, answered.answer),
            "response": said(question, answered.answer),
            "metadata": {**answered.metadata, "comment": comment},
        }


async def _entered(
    question: Question, answer: JsonObject, context: EngineContext
) -> dict[str, Any]:
    """By field; a folder is one ZIP of its files."""
    given: dict[str, Any] = collected(question, answer)
    for field in question.requirements:
        if field.kind.files == "folder" and field.id in given:
            files = [FileRef.model_validate(each) for each in given[field.id]]
            given[field.id] = await _archive(field.label, files, context)
    return given


async def _archive(
    label: str, files: Sequence[FileRef], context: EngineContext
) -> JsonObject | NewFile:
    if len(files) == 1 and files[0].name.lower().endswith(".zip"):  # the folder, packed already
        return files[0].model_dump(mode="json")
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for file in files:
            # Always at the same time: the same files are the same ZIP.
            archive.writestr(ZipInfo(file.name), await context.read(file), ZIP_DEFLATED)
    return NewFile(f"{label}.zip", packed.getvalue(), "application/zip")


async def _check_shown(picture: FileRef, context: EngineContext) -> None:
    """Only what is the run's own: a plan may name any file."""
    run = context.run
    if not await asyncio.to_thread(run.place.files.belongs, run.run_id, picture.file_id):
        raise NotFound("file_not_found", name=picture.name)


async def _in_turn(
    question: Question, approvers: Sequence[JsonValue], context: EngineContext
) -> Mapping[str, Any] | Waiting:
    """Each approver when the one before has approved; whoever refuses ends it."""
    approvals: list[dict[str, Any]] = []
    entered: dict[str, Any] = {}
    for turn, approver in enumerate(approvers, start=1):
        asked = turn_of(question, approver, approvals, turn, context.language)
        answered = await ask(asked, context, turn)
        if answered is None:
            return Waiting()
        entered |= await _entered(asked, answered.answer, context)
        approvals.append(
            {
                "approver": "、".join((*asked.assignees, *asked.roles)),
                "by": answered.metadata["by"],
                "answered_at": answered.metadata["answered_at"],
                "approved": approved(asked, answered.answer),
                "comment": answered.answer.get(COMMENT),
            }
        )
        if not approvals[-1]["approved"]:
            break
    last = approvals[-1]
    return {
        "collected_data": entered,
        "approved": last["approved"],
        "response": last["comment"] or None,
        "metadata": {
            "mode": question.mode,
            **{name: last[name] for name in ("answered_at", "by", "comment")},
            "approvals": approvals,
        },
    }


CHOICE = "choice"


class Confirmation(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
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


class Placeholder(EngineBlock[Given]):
    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        """Whatever it is given; what another step gives is not known here."""
        return {"value": {"examples": [given.get("value") or given.get("message") or "…"]}}

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        if given.message:
            context.run.say(f"{text_of(given.message, context.language)}\n")
        told = text_of(given.message or {}, context.language) or None
        return {
            "value": told if given.value is None else given.value,
            "output_method": given.output_method,
        }
