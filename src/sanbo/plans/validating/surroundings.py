"""What a plan is checked against beside itself: the blocks that there are, and the settings."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import jsonschema_rs
from pydantic import JsonValue, ValidationError

from sanbo.blocks.block import Block, NewFile, PureBlock, Transform, nowhere
from sanbo.blocks.contract.catalog import BlockClass, Catalog
from sanbo.blocks.contract.schemas import check_inputs, compiled, schema_by_example, typed_inputs
from sanbo.blocks.spec import BlockSpec, Port, Schema
from sanbo.kernel.problems import InvalidInput, Problem, SanboError
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating.written_values import extent, holds_reference, schema_of_value

_log = logging.getLogger(__name__)

MOST_TRIED = 5_000
"""Values of one node, long texts counted as several. More is tried by a run only."""
_MOST_ROWS = 50
"""Transformed to know what comes out."""
_TRYING_SECONDS = 5.0
"""Of computing, for all nodes together."""


@dataclass
class Surroundings:
    catalog: Catalog
    settings: PlanSettings
    people: frozenset[str] = frozenset()
    """Who can answer, as `user:NAME` and `role:NAME`; none: nothing is known of them."""
    _found: dict[str, BlockSpec | SanboError] = field(
        default_factory=dict[str, "BlockSpec | SanboError"]
    )
    _validators: dict[int, jsonschema_rs.Validator] = field(
        default_factory=dict[int, jsonschema_rs.Validator]
    )

    _trying_seconds: float = _TRYING_SECONDS

    @cached_property
    def config_schema(self) -> Schema:
        return schema_of_value(self.settings.config)

    def find_block(self, reference: str) -> BlockSpec | SanboError:
        if reference not in self._found:
            try:
                self._found[reference] = self.catalog.resolve(reference)
            except SanboError as error:
                self._found[reference] = error
        return self._found[reference]

    def unloadable(self, spec: BlockSpec) -> Problem | None:
        return self.catalog.unloadable(spec)

    def validator(self, port: Port) -> jsonschema_rs.Validator:
        if id(port) not in self._validators:  # ports live as long as the catalog does
            self._validators[id(port)] = compiled(port.schema_)
        return self._validators[id(port)]

    def spec(self, reference: str) -> BlockSpec | None:
        found = self.find_block(reference)
        return found if isinstance(found, BlockSpec) else None

    def computes(self, spec: BlockSpec | None) -> bool:
        """Whether its calls share the workers of this process."""
        try:
            return spec is not None and issubclass(self.catalog.block(spec), Block)
        except SanboError:
            return False

    def misplaced(self, spec: BlockSpec, written: Mapping[str, JsonValue]) -> Problem | None:
        """What may stand in the plan itself only, and comes from another step."""
        if self.unloadable(spec) is not None:  # told on its own
            return None
        try:
            block = self.catalog.block(spec)
        except SanboError:
            return None
        try:
            block.as_written(dict(written))
        except InvalidInput as error:
            return error.problem
        except Exception:  # noqa: BLE001 - the code of a workspace's block may do anything
            _log.debug("%s can't look at what is written", spec.reference, exc_info=True)
        return None

    def refusal(self, spec: BlockSpec, given: Mapping[str, JsonValue]) -> Problem | None:
        """What the block itself finds wrong with inputs that stand in the plan.

        Somebody waits for it: a plan that makes it slow is tried only in part.
        """
        if self._trying_seconds <= 0 or extent(given) > MOST_TRIED:
            return None
        try:
            block = self.catalog.block(spec)
        except SanboError:  # its code can't be loaded, which is told where blocks are listed
            return None
        begun = time.thread_time()
        try:
            _check_fit(block, spec, given)
            block.check_options(given)
            if issubclass(block, PureBlock) and block.is_tried_empty:
                self._try_empty(block, spec, given)
        except SanboError as error:
            return error.problem
        except Exception:  # noqa: BLE001 - the code of a workspace's block may do anything
            _log.debug("%s can't check its options", spec.reference, exc_info=True)
        finally:
            self._trying_seconds -= time.thread_time() - begun
        return None

    def _try_empty(
        self, block: type[PureBlock[Any]], spec: BlockSpec, given: Mapping[str, JsonValue]
    ) -> None:
        nothing: dict[str, JsonValue] = {name: [] for name in block.needed}
        defaults = {name: port.default for name, port in spec.inputs.items() if port.has_default}
        filled = {**defaults, **given, **nothing}
        if any(self._is_open(port, filled.get(name)) for name, port in spec.inputs.items()):
            return
        try:
            inputs = typed_inputs(block, spec, filled)
        except InvalidInput:  # its own model can't take a reference
            return
        block().run(inputs, nowhere())

    def _is_open(self, port: Port, value: JsonValue) -> bool:
        """Missing, or given by another step. A reference to a list is read as one entry of it."""
        if value is None:
            return port.required
        is_given = isinstance(value, str) and "${" in value
        if not is_given or "array" in port.schema_.get("type", ()):
            return False
        return not self.validator(port).is_valid(value)

    def outline(self, spec: BlockSpec, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        """What the block itself tells of its outputs; nothing where its code can't be asked."""
        try:
            block = self.catalog.block(spec)
            told = _computed(block, spec, given) or block.outline(given)
            return {str(name): cast("Schema", dict(schema)) for name, schema in told.items()}
        except Exception:  # noqa: BLE001 - the code of a workspace's block may do anything
            _log.debug("%s has no outline", spec.reference, exc_info=True)
            return {}

    def transformed(self, spec: BlockSpec, inputs: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """What a block that only reshapes makes of samples; of nothing kept, what it was given."""
        try:
            block = self.catalog.block(spec)
            if not issubclass(block, Transform):
                return {}
            given = {name: value for name, value in inputs.items() if name in spec.inputs}
            checked = check_inputs(spec, given)
            made = block().run(typed_inputs(block, spec, checked), nowhere())
        except Exception:  # noqa: BLE001 - samples may not fit: the declared outputs stand then
            return {}
        if any(isinstance(value, NewFile) for value in made.values()):
            return {}
        data = next((inputs.get(name) for name in block.needed), None)
        return {
            port: data if value == [] and isinstance(data, list) else value
            for port, value in made.items()
        }


def _check_fit(block: BlockClass, spec: BlockSpec, given: Mapping[str, JsonValue]) -> None:
    """Whether the block's own model takes them; what holds a reference, it may take later."""
    if block.Inputs is None:
        return
    try:
        block.Inputs.model_validate(given)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False):
            port = str(each["loc"][0]) if each["loc"] else ""
            if port in given and not holds_reference(given[port]):
                raise InvalidInput(
                    "block_input_unfit", block=spec.reference, port=port, ports=port
                ) from None


def _computed(
    block: BlockClass, spec: BlockSpec, given: Mapping[str, JsonValue]
) -> Mapping[str, Schema]:
    if not issubclass(block, Transform) or not all(_is_few(given.get(n)) for n in block.needed):
        return {}
    try:
        made = block().run(typed_inputs(block, spec, check_inputs(spec, given)), nowhere())
    except (SanboError, FileNotFoundError):  # the validator tells
        return {}
    return {
        # A port for values of any kind stays so: another step may give an option that changes it.
        port: schema_by_example(value)
        if "type" in spec.outputs[port].schema_
        else {"examples": [value]}
        for port, value in made.items()
        # What the summary holds, its port tells better.
        if port != "summary" and not isinstance(value, NewFile)
    }


def _is_few(data: JsonValue) -> bool:
    return 0 < len(data) <= _MOST_ROWS if isinstance(data, list) else data is not None


def asks_people(spec: BlockSpec) -> bool:
    return spec.id.startswith("ui.")
