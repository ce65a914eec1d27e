"""Records of a document by a model: part by part, each value with the words that say it."""

import base64
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

from sanbo.blocks.ai import prompts
from sanbo.blocks.ai.checking import Sentence, checked, sentences_of, stated_at, unread_dates
from sanbo.blocks.ai.findings import (
    Conflict,
    Findings,
    Place,
    Record,
    joined_records,
    merged,
    place_of,
)
from sanbo.blocks.ai.material import Part, Picture, parts_of
from sanbo.blocks.ai.shapes import (
    NumberedQuote,
    Quote,
    Shape,
    Wanted,
    dumped,
    normal_record,
    reply_model,
)
from sanbo.documents.model import Document
from sanbo.kernel.messages import Language
from sanbo.llm.model import HumanMessage, Model, SystemMessage
from sanbo.llm.shown_data import as_data

PURPOSE = "process_llm"


@dataclass(frozen=True)
class Task:
    """What the plan wants of each file."""

    shape: Shape
    instruction: str
    system_prompt: str
    part_chars: int
    part_rows: int
    language: Language


class ModelExtraction:
    def __init__(self, model: Model, task: Task) -> None:
        self._model = model
        self._task = task
        self._reply = reply_model(task.shape)

    async def document(self, document: Document) -> Findings:
        task = self._task
        parts = parts_of(document, most_chars=task.part_chars, most_rows=task.part_rows)
        read: list[list[Record]] = []
        beside: list[Record] = []
        for part in parts:
            shown = as_data({"file": document.name, "text": part.text})
            reply = await self._ask(HumanMessage(self._said(part, shown)))
            read.append(self._records(reply, document, part))
            beside.append(self._beside(reply))
        return await self._together(read, beside, len(parts))

    async def image(self, shown: Picture) -> Findings:
        said = prompts.READ.format(
            task=self._instruction(),
            about=f"{self._how_many()} {prompts.IMAGE}",
            data=as_data({"file": shown.name}),
        )
        picture = {
            "type": "image",
            "base64": base64.b64encode(shown.data).decode("ascii"),
            "mime_type": shown.media_type,
        }
        content = cast("list[str | dict[Any, Any]]", [{"type": "text", "text": said}, picture])
        reply = await self._ask(HumanMessage(content=content))
        records = self._records(reply, None, None)
        found = await self._together([records], [self._beside(reply)], 1)
        return found.model_copy(update={"images": 1})

    async def _ask(self, message: HumanMessage) -> BaseModel:
        return await self._model.structured(
            [SystemMessage(self._system()), message], self._reply, purpose=PURPOSE
        )

    def _system(self) -> str:
        said = prompts.SYSTEM.format(language=prompts.LANGUAGES[self._task.language])
        return f"{said}\n{self._task.system_prompt}" if self._task.system_prompt else said

    def _instruction(self) -> str:
        task = self._task.instruction
        return prompts.TASK.format(task=task) if task else prompts.NO_TASK

    def _how_many(self) -> str:
        return prompts.MANY_RECORDS if self._task.shape.many else prompts.ONE_RECORD

    def _said(self, part: Part, data: str) -> str:
        about = self._how_many()
        if part.of > 1:
            about += " " + prompts.PART.format(number=part.number, of=part.of)
        return prompts.READ.format(task=self._instruction(), about=about, data=data)

    def _records(
        self, reply: BaseModel, document: Document | None, part: Part | None
    ) -> list[Record]:
        said: Any = reply
        quotes: list[Quote] = said.quotes
        made: list[Record] = []
        sentences = sentences_of(document.text[part.start : part.end]) if document and part else []
        for number, each in enumerate(cast("list[BaseModel]", said.records)):
            filled, asked = dumped(each), self._task.shape.asked
            values = normal_record(asked, filled)
            record = Record(
                values=values,
                sources=_sources(values, quotes, number, document, part),
                conflicts=tuple(unread_dates(asked, filled, values)),
            )
            if document is not None and part is not None:
                places = _put_right(asked, record, sentences, document, part)
                record = checked(asked, record.model_copy(update={"sources": places}), part.text)
            made.append(record)
        return made if self._task.shape.many else [merged(self._task.shape.asked, made)]

    def _beside(self, reply: BaseModel) -> Record:
        found: BaseModel | None = getattr(reply, "beside", None)
        return Record(values=normal_record(self._task.shape.beside, dumped(found) if found else {}))

    async def _together(
        self, read: Sequence[Sequence[Record]], beside: Sequence[Record], parts: int
    ) -> Findings:
        shape = self._task.shape
        around = merged(shape.beside, beside).values
        if shape.many:
            records = tuple(joined_records(read))
            return Findings(records=records, beside=around, parts=parts, calls=parts)
        each_part = [each for records in read for each in records]
        record = merged(shape.asked, each_part)
        calls = parts
        known = [conflict for each in each_part for conflict in each.conflicts]
        if len(record.conflicts) > len(known):
            record = await self._settled(record, each_part, record.conflicts[len(known) :])
            calls += 1
        return Findings(records=(record,), beside=around, parts=parts, calls=calls)

    async def _settled(
        self, record: Record, read: Sequence[Record], disagreeing: Sequence[Conflict]
    ) -> Record:
        """Parts that disagree are put to the model once more; what they said stays told."""
        said = prompts.MERGE.format(
            task=f"{self._instruction()}\n{prompts.ONE_RECORD}",
            data=as_data([each.values for each in read]),
        )
        [settled] = self._records(await self._ask(HumanMessage(said)), None, None)
        names = {each.field for each in disagreeing}
        chosen = {name: settled.values.get(name) for name in names}
        values = record.values | {name: each for name, each in chosen.items() if each is not None}
        conflicts = tuple(
            each.model_copy(update={"kept": values[each.field]}) if each.field in names else each
            for each in record.conflicts
        )
        return record.model_copy(update={"values": values, "conflicts": conflicts})


def _sources(
    values: dict[str, Any],
    quotes: Sequence[Quote],
    number: int,
    document: Document | None,
    part: Part | None,
) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for quote in quotes:
        is_other = isinstance(quote, NumberedQuote) and quote.record != number
        if is_other or values.get(quote.field) in (None, []) or not quote.quote:
            continue
        found.setdefault(quote.field, _place(quote.quote, document, part))
    return found


def _put_right(
    fields: Sequence[Wanted],
    record: Record,
    sentences: Sequence[Sentence],
    document: Document,
    part: Part,
) -> dict[str, Place]:
    """Quotes that do not say the value give way to the sentence that does."""
    places = dict(record.sources)
    for wanted in fields:
        quoted = places.get(wanted.name)
        said = quoted.text if quoted and quoted.position else ""
        if at := stated_at(wanted, record.values.get(wanted.name), said, sentences):
            places[wanted.name] = place_of(document, part.start + at.start, at.text)
    return places


def _place(quote: str, document: Document | None, part: Part | None) -> Place:
    """A quote that does not stand in the text keeps its words, without a position."""
    if document is None or part is None:
        return Place(text=quote)
    words = [re.escape(word) for word in quote.split()]
    text = document.text
    at = re.search(r"\s*".join(words), text[part.start : part.end]) if words else None
    if at is None:
        narrow = unicodedata.normalize("NFKC", text[part.start : part.end])
        if len(narrow) == part.end - part.start:  # places are the same in both
            wanted = [re.escape(word) for word in unicodedata.normalize("NFKC", quote).split()]
            at = re.search(r"\s*".join(wanted), narrow)
    if at is None:
        return Place(text=quote)
    start = part.start + at.start()
    return place_of(document, start, text[start : part.start + at.end()])
