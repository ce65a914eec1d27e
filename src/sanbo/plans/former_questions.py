"""Questions of earlier plans: where a form has what each gave, and which become one form."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from sanbo.blocks.ui.former_fields import FORMER_FIELDS
from sanbo.kernel.messages import LANGUAGES, tell
from sanbo.plans.dependencies import dependencies
from sanbo.plans.model import BlockNode, Graph
from sanbo.plans.references import Key, Reference, parse
from sanbo.plans.yaml_page import shown

CONFIRMATION, PLACEHOLDER = "ui.confirmation", "ui.placeholder"


@dataclass(frozen=True)
class FormerQuestion:
    """A question of an earlier plan, as the model has it and where it stands."""

    node: BlockNode
    place: Any

    @property
    def block(self) -> str:
        return self.node.block.partition("@")[0]

    @property
    def given(self) -> Mapping[str, JsonValue]:
        return self.node.in_

    @property
    def options(self) -> list[str] | None:
        """None where they are not written in the plan."""
        written = self.given.get("options") or []
        if not isinstance(written, list):
            return None
        texts = [each for each in written if isinstance(each, str) and "${" not in each]
        return texts if len(texts) == len(written) else None

    def port(self, name: str) -> str:
        """Of an output, by its alias."""
        aliases = {alias: port for port, alias in self.node.out.items()}
        return aliases.get(name, name)


@dataclass(frozen=True)
class ValuePlace:
    """A value is read from here; or it is computed, or stands in the plan itself."""

    keys: tuple[Key, ...] = ()
    computed: str = ""
    value: JsonValue = None


def place_in_form(  # noqa: PLR0911 - one for each output
    old: FormerQuestion, name: str, form: str, ids: Mapping[str, str]
) -> ValuePlace | None:
    """Where a form has what this output was; None for what no form has."""
    port = old.port(name)
    if old.block in FORMER_FIELDS:
        known = FORMER_FIELDS[old.block].port
        return (
            ValuePlace(("collected_data", ids.get(old.node.id, known))) if port == known else None
        )
    if old.block == PLACEHOLDER:
        if port == "output_method":
            return ValuePlace(value=old.given.get("output_method"))
        value = old.given.get("value")
        told = old.given.get("message") if value is None else value
        if port != "value" or (value is None and isinstance(told, dict)):
            return None
        return _reference_path(told) or ValuePlace(value=told)
    choice = ids.get(old.node.id, "choice")
    match port, bool(old.options):
        case "approved", False:
            return ValuePlace(("approved",))
        case "comment", False:
            return ValuePlace(("metadata", "comment"))
        case "approved", True:
            first = json.dumps((old.options or [""])[0], ensure_ascii=False)
            return ValuePlace(computed=f"${{= {form}.collected_data.{choice} == {first} }}")
        case "choice", True:
            return ValuePlace(("collected_data", choice))
        case "comment", True:
            return ValuePlace(("collected_data", f"{choice}_comment"))
        case _:
            return None


def _reference_path(value: JsonValue) -> ValuePlace | None:
    """What is handed on as it is can be read where it comes from."""
    parts = parts_of(value) if isinstance(value, str) else ()
    if len(parts) == 1 and isinstance(parts[0], Reference):
        return ValuePlace((parts[0].root, *parts[0].keys))
    return None


def parts_of(value: str) -> tuple[object, ...]:
    try:
        return parse(shown(value))
    except ValueError:
        return ()


def questions_together(
    olds: Sequence[FormerQuestion], graph: Graph, order: list[str]
) -> list[list[FormerQuestion]]:
    needs = dependencies(graph)
    groups: list[list[FormerQuestion]] = []
    for old in olds:
        last = groups[-1] if groups else []
        beside = last and order.index(old.node.id) == order.index(last[-1].node.id) + 1
        if beside and all(_fit(each, old, needs) for each in last) and _is_one(last, old):
            last.append(old)
        else:
            groups.append([old])
    return groups


def _fit(one: FormerQuestion, other: FormerQuestion, needs: Mapping[str, frozenset[str]]) -> bool:
    """Neither waits for the other, however far apart, and they are asked under the same terms."""
    terms = [(each.node.when, each.node.policy, each.node.after) for each in (one, other)]
    waits = _needed(one.node.id, needs) | _needed(other.node.id, needs)
    return terms[0] == terms[1] and not {one.node.id, other.node.id} & waits


def _needed(node: str, needs: Mapping[str, frozenset[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [node]
    while waiting:
        for each in needs[waiting.pop()] - found:
            found.add(each)
            waiting.append(each)
    return found


def _is_one(group: Sequence[FormerQuestion], old: FormerQuestion) -> bool:
    """A form approves one thing, and speaks in one way."""
    every = [*group, old]
    approvals = [each for each in every if each.block == CONFIRMATION and not each.options]
    messages = [each.given.get("message") for each in every]
    plain = all(message is None or isinstance(message, str) for message in messages)
    has_reader = any(each.block == PLACEHOLDER for each in every)
    return len(approvals) < 2 and plain and not has_reader


def form_id(group: Sequence[FormerQuestion]) -> str:
    return group[0].node.id


def field_ids(group: Sequence[FormerQuestion]) -> dict[str, str]:
    """By old node: the id of its field; where two would be called alike, with the node's name."""
    ports = {each.node.id: _field_port(each) for each in group}
    several = [port for port in ports.values() if list(ports.values()).count(port) > 1]
    return {node: f"{node}_{port}" if port in several else port for node, port in ports.items()}


def _field_port(old: FormerQuestion) -> str:
    return FORMER_FIELDS[old.block].port if old.block in FORMER_FIELDS else "choice"


def requirements_of(old: FormerQuestion, ids: Mapping[str, str]) -> Iterator[dict[str, JsonValue]]:
    name = ids[old.node.id]
    if old.block in FORMER_FIELDS:
        yield {**FORMER_FIELDS[old.block].requirement(old.given), "id": name}
    elif old.block == CONFIRMATION and old.options:
        labels = [
            {language: tell(f"blocks_ui.former.{each}", language) for language in LANGUAGES}
            for each in ("choice", "comment")
        ]
        options = cast("JsonValue", old.options)
        # pyrefly: ignore[bad-assignment]
        yield {"id": name, "type": "select", "label": dict(labels[0]), "options": options}
        comment = f"{name}_comment"
        # pyrefly: ignore[bad-assignment]
        yield {"id": comment, "type": "text", "label": dict(labels[1]), "required": False}
