"""Calls a block: resolves and checks what it is given, checks and keeps what it makes."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel, JsonValue
from pydantic_core import PydanticSerializationError, to_json

from sanbo.blocks.block import EngineBlock, EngineContext, NewFile
from sanbo.blocks.contract.schema_failures import path_text
from sanbo.blocks.contract.schemas import check_inputs, check_outputs, typed_inputs
from sanbo.blocks.spec import Schema
from sanbo.kernel.problems import InvalidOutput, Problem, TimedOut
from sanbo.plans.executors.call import BlockCall
from sanbo.plans.running.masks import is_sensitive, masked_ports, protect_secrets
from sanbo.plans.running.outcomes import BlockFailed, Outputs, rough_size
from sanbo.plans.running.plan import PreparedBlock, PreparedNode
from sanbo.plans.running.surroundings import Surroundings
from sanbo.runs.model import FileRef, Path
from sanbo.runs.workflow import Waiting


def refuse_half_characters(made: Mapping[str, Any], node: str) -> None:
    try:
        to_json(made)
    except (PydanticSerializationError, ValueError):
        # What else JSON can't hold, the check against the block's contract tells.
        for port, value in made.items():
            if (path := _place(value)) is not None:
                place = path_text(_written(port), path)
                raise InvalidOutput("block_output_half_character", node=node, port=place) from None


def _place(value: object) -> tuple[str | int, ...] | None:
    match value:
        case str():
            return () if _written(value) != value else None
        case Mapping():
            pairs = list(cast("Mapping[object, object]", value).items())
        case list() | tuple():
            pairs = list(enumerate(cast("list[object]", value)))
        case _:
            return None
    for key, part in pairs:
        name = key if isinstance(key, int) else _written(str(key))
        if isinstance(key, str) and name != key:
            return (name,)
        if (path := _place(part)) is not None:
            return (name, *path)
    return None


def _written(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


MOST_DEPTH = 100
"""Of lists and objects inside each other."""
_SMALL = 32 * 1024
"""Outputs up to about this size are checked on the loop, larger ones in a thread."""


class CalledBlock:
    """One node's block with its inputs; called again after each answer that it waits for."""

    def __init__(
        self,
        here: Surroundings,
        node: PreparedNode,
        path: Path,
        plan_id: str,
        inputs: Mapping[str, JsonValue],
    ) -> None:
        assert node.block is not None
        self._here = here
        self._node = node
        self._path = path
        self._plan_id = plan_id
        self._inputs = inputs
        self._block: PreparedBlock = node.block
        self._warnings: tuple[Problem, ...] = ()
        protect_secrets(inputs, node.block.masks.inputs)

    async def call(self) -> Outputs | Waiting:
        block = self._block.block
        if issubclass(block, EngineBlock):
            made = await self._call_on_engine(block)
        else:
            made = await self._call_elsewhere()
        if isinstance(made, Waiting):
            return made
        made = await self._with_files(made)
        if rough_size(cast("dict[str, JsonValue]", made), _SMALL) < _SMALL:
            return self._checked(made)
        return await asyncio.to_thread(self._checked, made)

    async def _call_elsewhere(self) -> Mapping[str, Any]:
        here, name = self._here, "/".join(self._path)
        call = BlockCall(
            block=self._block.reference,
            inputs=self._inputs,
            node=name,
            idempotency_key=here.context.idempotency_key(*self._path),
            language=here.context.language,
            files=here.files,
            workspace=here.workspace,
        )
        performed = await here.executors.run(
            call, executor=here.executor, timeout_ms=self._node.policy.timeout_ms
        )
        if performed.problem is not None:
            raise BlockFailed(performed.problem)
        assert performed.outputs is not None
        self._warnings = performed.warnings
        return performed.outputs

    async def _call_on_engine(self, block: type[EngineBlock[Any]]) -> Mapping[str, Any] | Waiting:
        here = self._here
        spec = self._block.spec
        given = typed_inputs(block, spec, check_inputs(spec, self._inputs))
        context = EngineContext(
            run=here.context.at(*self._path),
            agents=here.agents,
            state_key=f"plan:{self._plan_id}::node:{'/'.join(self._path)}::v{spec.version}",
            spec=spec,
            connections=here.environment.connections,
            variable=here.environment.variable,
        )
        limit = self._node.policy.timeout_ms
        try:
            async with asyncio.timeout(None if limit is None else limit / 1000):
                made = await block().run(given, context)
        except TimeoutError:
            raise TimedOut(
                "plan_node_slow", node="/".join(self._path), seconds=(limit or 0) / 1000
            ) from None
        self._warnings = tuple(context.warnings)
        return made

    async def _with_files(self, made: Mapping[str, Any]) -> Mapping[str, Any]:
        """Files that the block has made are stored, and stand in its outputs as what they are."""
        if not any(_has_objects(value) for value in made.values()):
            return made
        at_node = self._here.context.at(*self._path)
        kept: dict[int, JsonValue] = {}
        for file in _new_files(dict(made)):
            if id(file) not in kept:
                # A name only labels it: what can't be written is replaced.
                name = file.name.encode("utf-8", "replace").decode()
                artifact = await at_node.keep(
                    name,
                    file.media_type,
                    file.data,
                    in_memory=at_node.place.settings.plans.persist == "none",
                )
                stored = FileRef(
                    file_id=artifact.artifact_id,
                    name=artifact.name,
                    size=artifact.size,
                    media_type=artifact.media_type,
                )
                kept[id(file)] = stored.model_dump(mode="json")
        return cast("Mapping[str, Any]", _replaced(dict(made), kept))

    def _checked(self, made: Mapping[str, Any]) -> Outputs:
        refuse_half_characters(made, "/".join(self._path))
        values = check_outputs(self._block.spec, made)
        schemas = self._sensitive()
        shown = values
        if schemas:
            protect_secrets(values, schemas)
            masked = masked_ports(values, schemas)
            shown = values if masked == values else masked
        return Outputs(values, shown, self._node.ports, self._warnings)

    def _sensitive(self) -> Mapping[str, Schema]:
        """Also what the inputs themselves tell: a form's password."""
        declared = self._block.masks.outputs
        if not self._block.has_outline:
            return declared
        closer = self._block.block.outline(self._inputs)
        return {
            **{name: schema for name, schema in closer.items() if is_sensitive(schema)},
            **declared,
        }


def _has_objects(value: object) -> bool:
    return any(isinstance(each, NewFile | BaseModel) for each in leaves(value))


def _new_files(value: object) -> Iterator[NewFile]:
    return (each for each in leaves(value) if isinstance(each, NewFile))


def leaves(value: object) -> Iterator[object]:
    waiting = [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        if depth > MOST_DEPTH:
            # Also a list that holds itself: what is below it would have no end.
            raise InvalidOutput("block_output_deep", limit=MOST_DEPTH)
        if isinstance(each, Mapping):
            inside = cast("Mapping[str, object]", each).values()
            waiting.extend((part, depth + 1) for part in inside)
        elif isinstance(each, list | tuple):
            waiting.extend((part, depth + 1) for part in cast("list[object]", each))
        elif not isinstance(each, str | int | float | None):
            yield each


def _replaced(value: object, kept: Mapping[int, JsonValue]) -> object:
    match value:
        case NewFile():
            return kept[id(value)]
        case BaseModel():
            return value.model_dump(mode="json")
        case Mapping():
            pairs = cast("Mapping[str, object]", value)
            return {name: _replaced(item, kept) for name, item in pairs.items()}
        case list() | tuple():
            return [_replaced(item, kept) for item in cast("list[object]", value)]
        case _:
            return value
