"""`ai.process_llm`: reads every file into records, by a model or by rules.

Several files are read at a time; each one's findings are remembered.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.ai.findings import (
    Findings,
    Outcome,
    Record,
    merged,
    outline_of,
    records_of,
    results_of,
    summary_of,
    unfilled,
)
from sanbo.blocks.ai.material import (
    Entry,
    Read,
    entries_of,
    group_of,
    has_group,
    parts_of,
    read,
    read_pages,
)
from sanbo.blocks.ai.model_extraction import ModelExtraction, Task
from sanbo.blocks.ai.rule_extraction import extract_fields, extract_records
from sanbo.blocks.ai.shapes import Shape, shape_of
from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.blocks.spec import Schema
from sanbo.documents.model import Document
from sanbo.kernel.problems import InvalidInput, SanboError
from sanbo.llm.failures import refuses_pictures
from sanbo.runs.workflow import Waiting

AT_ONCE = 4
AT_ONCE_BY_OWN_SERVER = 2
"""A server of one's own often answers one after the other; waiting there counts as its time."""
Rules = Callable[[Document, Task], Findings]


class _NotBegun(Exception):
    """Another file has failed already."""


class Extracting:
    """One block's work over its entries."""

    def __init__(
        self,
        task: Task,
        context: EngineContext,
        *,
        model: ModelExtraction | None,
        most_images: int,
        rules: Rules,
    ) -> None:
        self._task = task
        self._context = context
        self._model = model
        self._most_images = most_images if model is not None else 0
        self._spare_images = self._most_images
        """For pages of documents without text, beside what are images themselves."""
        self._drawing = asyncio.Lock()
        self._rules = rules
        is_own = context.run.engine.openai_compatible
        self._bound = asyncio.Semaphore(AT_ONCE_BY_OWN_SERVER if is_own else AT_ONCE)
        self._has_failed = False

    async def all(self, entries: Sequence[Entry], group_key: str) -> list[Outcome]:
        pictures = [each for each in entries if each.image_type is not None]
        seen = frozenset(id(each) for each in pictures[: self._most_images])
        self._spare_images = self._most_images - len(seen)
        groups: dict[str, list[Entry]] = {}
        is_name = bool(group_key) and not any(has_group(entry, group_key) for entry in entries)
        for entry in entries:
            name = group_key if is_name else group_of(entry, group_key)
            groups.setdefault(name, []).append(entry)
        if not group_key:
            work = [
                self._outcome(number, entry.name, [entry], None, seen)
                for number, entry in enumerate(entries)
            ]
        else:
            work = [
                self._outcome(number, name, members, name, seen)
                for number, (name, members) in enumerate(groups.items())
            ]
        # What is under way ends and is remembered; what waits for its turn is not begun.
        ended = await asyncio.gather(*work, return_exceptions=True)
        for each in ended:
            if isinstance(each, BaseException) and not isinstance(each, _NotBegun):
                raise each
        return [each for each in ended if isinstance(each, Outcome)]

    async def _outcome(
        self,
        number: int,
        name: str,
        entries: Sequence[Entry],
        group: str | None,
        seen: frozenset[int],
    ) -> Outcome:
        async with self._bound:
            if self._has_failed:
                raise _NotBegun
            readings = [await self._read(entry, seen) for entry in entries]
            unseen = tuple(
                entry.name
                for entry, each in zip(entries, readings, strict=True)
                if not each.is_seen
            )
            try:
                findings = await self._context.run.step(
                    f"file-{number}",
                    lambda: self._findings(readings),
                    returns=Findings.model_validate,
                    title=name,
                )
            except BaseException:
                self._has_failed = True
                raise
        return Outcome(
            name=name,
            files=tuple(entry.name for entry in entries),
            findings=findings,
            group=group,
            problems=tuple(
                (entry.name, each.problem)
                for entry, each in zip(entries, readings, strict=True)
                if each.problem is not None
            ),
            unseen=(*unseen, *findings.unseen),
            cut=tuple(entry.name for entry in entries if entry.is_cut),
        )

    async def _read(self, entry: Entry, seen: frozenset[int]) -> Read:
        """With the pictures that the model is shown."""
        found = await read(entry, self._context)
        if found.pictures and id(entry) not in seen:
            return Read(is_seen=False)
        if found.problem is None:
            return found
        async with self._drawing:  # one after the other: each takes of what the others left
            pages = await read_pages(entry, found.problem, self._spare_images, self._context)
            self._spare_images -= len(pages.pictures)
        return pages

    async def _findings(self, readings: Sequence[Read]) -> Findings:
        """Of one entry, or of a group's entries together."""
        found: list[Findings] = []
        for each in readings:
            if each.document is not None:
                found.append(await self._document(each.document))
            for picture in each.pictures:
                assert self._model is not None  # nobody else is shown one
                try:
                    found.append(await self._model.image(picture))
                except SanboError as error:
                    if not refuses_pictures(error.problem):
                        raise
                    found.append(Findings(records=(), parts=0, calls=1, unseen=(picture.name,)))
        return together(self._task.shape, found)

    async def _document(self, document: Document) -> Findings:
        if self._model is not None:
            return await self._model.document(document)
        return await asyncio.to_thread(self._rules, document, self._task)


def by_rules(document: Document, task: Task) -> Findings:
    """The whole document at once; parts are counted as a model would have read them."""
    shape = task.shape
    parts = parts_of(document, most_chars=task.part_chars, most_rows=task.part_rows)
    return Findings(
        records=tuple(extract_records(document, shape)),
        beside=extract_fields(document, shape.beside).values if shape.beside else {},
        parts=len(parts),
    )


def together(shape: Shape, found: Sequence[Findings]) -> Findings:
    """What several files say as one; a file that could not be read has a record of nothing."""
    records = [record for each in found for record in each.records]
    if not shape.many:
        records = [merged(shape.asked, records)]
    elif all(each.unseen for each in found):
        records = [Record(values={each.name: None for each in shape.asked})]
    beside = merged(shape.beside, [Record(values=each.beside) for each in found])
    return Findings(
        records=tuple(records),
        beside=beside.values,
        parts=sum(each.parts for each in found),
        images=sum(each.images for each in found),
        calls=sum(each.calls for each in found),
        unseen=tuple(name for each in found for name in each.unseen),
    )


class ProcessLlm(EngineBlock[Given]):
    by_rules: Rules = staticmethod(by_rules)
    method_without_model = "rules"

    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        schema = given.get("output_schema")
        if not isinstance(schema, dict):
            return {}
        try:
            shape = shape_of(schema)
        except InvalidInput:
            return {}
        return {"results": outline_of(shape)}

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        node = "/".join(context.run.path)
        shape = shape_of(given.output_schema)
        entries = entries_of(given.evidence_data, node=node)
        task = Task(
            shape=shape,
            instruction=given.prompt or given.instruction or "",
            system_prompt=given.system_prompt or "",
            part_chars=given.per_file_chars,
            part_rows=given.per_table_rows,
            language=context.language,
        )
        engine = context.run.engine
        is_rules = engine.provider == "rules"
        model = None if is_rules else ModelExtraction(await context.run.model(), task)
        # Servers that only speak the protocol may serve a model without eyes.
        looks = not engine.openai_compatible if given.allow_images == "auto" else given.allow_images
        extracting = Extracting(
            task,
            context,
            model=model,
            most_images=given.max_images if looks else 0,
            rules=self.by_rules,
        )
        outcomes = await extracting.all(entries, given.group_key or "")
        for warning in unfilled(shape, outcomes, node=node, by_rules=is_rules):
            context.warn(warning)
        method = self.method_without_model if is_rules else "model"
        told = summary_of(shape, outcomes, method=method, model=engine.model)
        return {
            "results": results_of(shape, outcomes),
            "records": records_of(shape, outcomes),
            "summary": {
                **told,
                "files": sum(entry.rows is None for entry in entries),
                "tables": sum(entry.rows is not None for entry in entries),
                "temperature": None if is_rules else 0,
                "group_key": given.group_key,
            },
        }
