"""What a plan is checked against beside itself: the blocks that there are, and the settings."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import jsonschema_rs
from pydantic import JsonValue

from sanbo.blocks.catalog import Catalog
from sanbo.blocks.schema_validators import compiled
from sanbo.blocks.spec import BlockSpec, Port, Schema
from sanbo.kernel.problems import SanboError
from sanbo.kernel.settings import PlanSettings
from sanbo.plans.validating.written_values import schema_of_value

_log = logging.getLogger(__name__)


@dataclass
class Surroundings:
    catalog: Catalog
    settings: PlanSettings
    _found: dict[str, BlockSpec | SanboError] = field(
        default_factory=dict[str, "BlockSpec | SanboError"]
    )
    _validators: dict[int, jsonschema_rs.Validator] = field(
        default_factory=dict[int, jsonschema_rs.Validator]
    )

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

    def validator(self, port: Port) -> jsonschema_rs.Validator:
        if id(port) not in self._validators:  # ports live as long as the catalog does
            self._validators[id(port)] = compiled(port.schema_)
        return self._validators[id(port)]

    def spec(self, reference: str) -> BlockSpec | None:
        found = self.find_block(reference)
        return found if isinstance(found, BlockSpec) else None

    def outline(self, spec: BlockSpec, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        """What the block itself tells of its outputs; nothing where its code can't be asked."""
        try:
            told = self.catalog.block(spec).outline(given)
            return {str(name): cast("Schema", dict(schema)) for name, schema in told.items()}
        except Exception:  # noqa: BLE001 - the code of a workspace's block may do anything
            _log.debug("%s has no outline", spec.reference, exc_info=True)
            return {}


def asks_people(spec: BlockSpec) -> bool:
    return spec.id.startswith("ui.")
