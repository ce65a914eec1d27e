"""A value as the plan writes it against the schema of what takes it; values that may be missing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import cast

import jsonschema_rs
from pydantic import JsonValue

from sanbo.blocks.contract.schema_failures import explain, has_secret
from sanbo.blocks.contract.schemas import fits
from sanbo.blocks.spec import Schema
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.plans.dependencies import references_of_condition
from sanbo.plans.model import LoopNode, Node
from sanbo.plans.references import (
    Computed,
    Key,
    Reference,
    Unreachable,
    ValuePath,
    references_in,
    walk,
    whole_part,
)
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.schemas import (
    ANY,
    TEXT,
    Reached,
    kinds_of,
    properties_of,
    reach,
    without_null,
)
from sanbo.plans.validating.scope import Found, Scope, Site
from sanbo.plans.validating.written_values import open_places


def check_nulls(
    reference: Reference, found: Found, site: Site, *below: Key, takes_null: bool
) -> None:
    """Whether what needs a value may get none."""
    if takes_null or site.node is None or found.origin == "env":
        return
    if not isinstance(found.value, Reached):
        return
    absent = found.absent or ("empty" if found.value.nullable else None)
    if absent == "skipped":  # then the reader is skipped with it
        return
    if absent is None or _is_prepared(found, site):
        return
    site.warn(
        "may_be_null",
        *below,
        reference=reference.text,
        name=found.name,
        reason=tell(f"plan_findings.null_because.{absent}", name=found.name),
    )


def _is_prepared(found: Found, site: Site) -> bool:
    """Whether the reader does nothing either then, or may fail without harm."""
    assert site.node is not None
    if site.scope.on_error(site.node) == "continue" or _asks_first(found, site.node):
        return True
    around = _loops_around(site.scope)
    return any(_asks_first(found, loop) or _goes_over(found, loop) for loop in around)


def _loops_around(scope: Scope) -> Iterator[Node]:
    while scope.outer is not None:
        yield scope.outer.nodes[scope.within[-1]]
        scope = scope.outer


def _asks_first(found: Found, node: Node) -> bool:
    if node.when is None or node is found.node:
        return False
    if found.node is not None and found.node.when == node.when:
        return True
    return any(_names(found, each) for each in references_of_condition(node.when))


def _goes_over(found: Found, loop: Node) -> bool:
    """What is inside a loop over what a node gives is not reached when there is nothing."""
    over = loop.foreach.input if isinstance(loop, LoopNode) and loop.foreach else None
    return any(_names(found, each) for each, _ in references_in(over))


def _names(found: Found, reference: Reference) -> bool:
    if found.origin == "vars":
        return reference.root == "vars" and reference.keys[:1] == (found.name,)
    return reference.root == found.name


Kind = jsonschema_rs.ValidationErrorKind
_MOST_FAILURES = 20


@dataclass(frozen=True)
class Target:
    """What takes a value."""

    name: str
    schema: Schema
    validator: jsonschema_rs.Validator
    takes_null: bool
    """As a whole: nothing for an optional input is the same as not giving it."""


def check_value(value: JsonValue, target: Target, site: Site, *below: Key) -> bool:
    """Literals by the schema itself; references by what is known of what they stand for.

    Gives back whether the literals fit.
    """
    open_at = dict(open_places(value))
    for path, text in open_at.items():
        _check_text(text, path, target, site, below)
    sample = _with_placeholders(value, open_at, target.schema, ())
    if target.validator.is_valid(sample):
        return True
    return not _tell_failures(sample, open_at, target, site, below)


# ---- references ----------------------------------------------------------------------------


def _check_text(
    text: str, path: ValuePath, target: Target, site: Site, below: tuple[Key, ...]
) -> None:
    wanted = _schema_at(target.schema, path)
    whole = whole_part(text)
    reference = whole if isinstance(whole, Reference) else None
    found = site.find(reference) if reference else None
    given = site.scope.type_of(text) if isinstance(whole, Computed) else TEXT
    if reference is not None:
        if not isinstance(found, Found) or not isinstance(found.value, Reached):
            return  # told where references are checked
        given = found.value.schema
    if misfit := fits(without_null(given), without_null(wanted)):
        site.error(
            "type_mismatch",
            *below,
            *path,
            name=_named(target.name, path),
            reference="${…}" if has_secret(target.schema) else text,
            misfit=misfit.text,
        )
    elif reference is not None and isinstance(found, Found):
        takes_null = target.takes_null if not path else "null" in kinds_of(wanted)
        check_nulls(reference, found, site, *below, *path, takes_null=takes_null)


def _schema_at(schema: Schema, path: ValuePath) -> Schema:
    reached = reach(schema, path) if path else Reached(schema)
    return reached.schema if isinstance(reached, Reached) else ANY


def _named(name: str, path: ValuePath) -> str:
    return ".".join((name, *(str(step) for step in path)))


# ---- literals ------------------------------------------------------------------------------


def _with_placeholders(
    value: JsonValue, open_at: dict[ValuePath, str], schema: Schema, path: ValuePath
) -> JsonValue:
    match value:
        case str() if path in open_at:
            return _placeholder(_schema_at(schema, path)) if whole_part(value) else "…"
        case list():
            return [
                _with_placeholders(item, open_at, schema, (*path, index))
                for index, item in enumerate(value)
            ]
        case dict():
            return {
                key: _with_placeholders(item, open_at, schema, (*path, key))
                for key, item in value.items()
            }
        case _:
            return value


_PLACEHOLDERS: dict[str, JsonValue] = {
    "string": "…",
    "object": {},
    "array": [],
    "number": 1,
    "integer": 1,
    "boolean": True,
    "null": None,
}


def _placeholder(schema: Schema) -> JsonValue:
    kinds = kinds_of(schema)
    return next((value for kind, value in _PLACEHOLDERS.items() if kind in kinds), None)


def _tell_failures(
    sample: JsonValue,
    open_at: dict[ValuePath, str],
    target: Target,
    site: Site,
    below: tuple[Key, ...],
) -> bool:
    """Whether there is something to tell."""
    places = frozenset(open_at)
    errors = list(islice(_certain(target.validator.iter_errors(sample), places), _MOST_FAILURES))
    for failure in explain(iter(errors), target.schema, "")[:_MOST_FAILURES]:
        path = _path_of(failure.path, sample)
        site.error(
            "wrong_input",
            *below,
            *path,
            name=_named(target.name, path),
            reason=failure.text,
            suggestion=_meant(path, sample, target.schema),
        )
    return bool(errors)


def _meant(path: ValuePath, sample: JsonValue, schema: Schema) -> str:
    """For a key that is not known where it stands, or a choice that is none: the nearest one."""
    if path and isinstance(path[-1], str):
        holder = reach(schema, path[:-1])
        known = properties_of(holder.schema) if isinstance(holder, Reached) else {}
        if known and path[-1] not in known:
            return suggestion(path[-1], known)
    choices = _schema_at(schema, path).get("enum")
    if not isinstance(choices, list):
        return ""
    try:
        given = walk(sample, path)
    except Unreachable:
        return ""
    texts = [each for each in cast("list[object]", choices) if isinstance(each, str)]
    near = nearest(given, texts) if isinstance(given, str) else []
    return suggestion(near[0], near) if near else ""


def _certain(
    errors: Iterable[jsonschema_rs.ValidationError], places: frozenset[ValuePath]
) -> Iterator[jsonschema_rs.ValidationError]:
    """Errors that are there whatever the references stand for."""
    for error in errors:
        path = tuple(error.instance_path)
        if any(path[: len(place)] == place for place in places):
            continue
        if not any(place[: len(path)] == path for place in places):
            yield error
            continue
        match error.kind:
            case Kind.AnyOf(context) | Kind.OneOfNotValid(context):
                yield from _certain_branch(error, context, places)
            case Kind.OneOfMultipleValid() | Kind.Not() | Kind.Contains() | Kind.UniqueItems():
                continue
            case _:
                yield error


def _certain_branch(
    error: jsonschema_rs.ValidationError,
    branches: list[list[jsonschema_rs.ValidationError]],
    places: frozenset[ValuePath],
) -> Iterator[jsonschema_rs.ValidationError]:
    certain = [list(_certain(branch, places)) for branch in branches]
    if not all(certain):
        return
    depth = len(error.instance_path)
    meant = [
        branch
        for branch in certain
        if not any(
            len(each.instance_path) == depth and isinstance(each.kind, Kind.Type | Kind.Constant)
            for each in branch
        )
    ]
    if len(meant) == 1:
        yield from meant[0]
    else:
        yield error


def _path_of(text: str, sample: JsonValue) -> ValuePath:
    """`items[2].type` as steps; what is not there any more is the last step."""
    path: list[Key] = []
    part = sample
    rest = text
    while rest:
        if isinstance(part, list) and rest.startswith("["):
            index, _, rest = rest[1:].partition("]")
            path.append(int(index))
            part = part[int(index)] if int(index) < len(part) else None
            continue
        rest = rest.removeprefix(".")
        keys = [
            key
            for key in (part if isinstance(part, dict) else {})
            if rest == key or rest.startswith((f"{key}.", f"{key}["))
        ]
        if not keys:
            return (*path, rest)
        key = max(keys, key=len)
        path.append(key)
        part = cast("dict[str, JsonValue]", part)[key]
        rest = rest[len(key) :]
    return tuple(path)
