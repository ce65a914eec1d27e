"""Why a value does not fit a schema, in the reader's language, with the place in the value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import jsonschema_rs

from sanbo.blocks.spec import FILE, PERSONAL, SECRET, TEXT, Schema
from sanbo.kernel.messages import has_text, tell

_QUOTED = 40
_TYPES: tuple[tuple[type, str], ...] = (  # bool before int, which it is too
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
)
Kind = jsonschema_rs.ValidationErrorKind


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong."""

    path: str
    """Such as `requirements[2].type`."""
    text: str


def path_text(start: str, steps: Sequence[str | int]) -> str:
    """`requirements`, `2`, `type` as `requirements[2].type`."""
    path = start
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
    return path


def explain(
    errors: Iterator[jsonschema_rs.ValidationError], schema: Mapping[str, Any], start: str
) -> tuple[Failure, ...]:
    """All failures, each place once. Values of secret parts are not told."""
    quotes = not has_secret(schema)
    found: dict[tuple[str, str], Failure] = {}
    for error in errors:
        for failure in _failures(error, schema, start, quotes):
            found.setdefault((failure.path, failure.text), failure)
    return tuple(found.values())


def has_secret(schema: object) -> bool:
    if isinstance(schema, Mapping):
        parts = cast("Mapping[str, object]", schema)
        is_secret = bool(parts.get(SECRET) or parts.get(PERSONAL))
        return is_secret or any(has_secret(part) for part in parts.values())
    return isinstance(schema, list) and any(map(has_secret, cast("list[object]", schema)))


def type_words(schema: Mapping[str, Any]) -> str:
    """What a schema wants, in a word: `文字列`, `file`, `number or null`."""
    if FILE in schema or TEXT in schema:
        kinds = ["file" if FILE in schema else "string"]
        if "null" in _listed(schema.get("type")):
            kinds.append("null")
    else:
        kinds = _listed(schema.get("type"))
    if not kinds:
        branches = [*_listed(schema.get("anyOf")), *_listed(schema.get("oneOf"))]
        words = [type_words(cast("Schema", each)) for each in branches if isinstance(each, Mapping)]
        return _or(list(dict.fromkeys(words))) or tell("block_type.any")
    return _or([tell(f"block_type.{kind}") for kind in kinds])


def value_words(value: object, *, quotes: bool = True) -> str:
    """What was given, in a few words: `文字列「1,000円」`."""
    kind = tell(f"block_type.{_type_of(value)}")
    if not quotes or isinstance(value, dict | list) or value is None:
        return kind
    text = str(value) if not isinstance(value, bool) else str(value).lower()
    short = text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
    return tell("block_failure.given", kind=kind, value=short)


def _failures(
    error: jsonschema_rs.ValidationError, schema: Mapping[str, Any], start: str, quotes: bool
) -> Iterator[Failure]:
    steps = list(error.instance_path)
    if (depth := _file_depth(schema, error.schema_path)) is not None:
        # Whatever is wrong inside of it: what was given is no file.
        is_other = len(steps) == depth and not isinstance(error.instance, dict)
        kind = "type" if is_other else "not_a_file"
        given = value_words(error.instance, quotes=quotes)
        text = tell(f"block_failure.{kind}", wanted=tell("block_type.file"), given=given)
        yield Failure(path_text(start, steps[:depth]), text)
        return
    match error.kind:
        case Kind.AnyOf(context) | Kind.OneOfNotValid(context):
            yield from _of_branches(context, error, schema, start, quotes)
        case Kind.Required(name):
            yield Failure(path_text(start, [*steps, name]), tell("block_failure.missing"))
        case Kind.AdditionalProperties(names) | Kind.UnevaluatedProperties(names):
            known = list(_at(schema, error.schema_path).get("properties", {}))
            for name in names:
                text = tell("block_failure.unknown_field", known=_or(known) or "—")
                yield Failure(path_text(start, [*steps, name]), text)
        case kind:
            at = _at(schema, error.schema_path)
            yield Failure(path_text(start, steps), _told(kind, error.instance, at, quotes))


def _told(kind: Kind, value: object, schema: Mapping[str, Any], quotes: bool) -> str:
    params: dict[str, Any] = {"given": value_words(value, quotes=quotes)}
    name = kind.name
    match kind:
        case Kind.Type():
            params["wanted"] = type_words(schema)
        case Kind.Enum(options):
            params["options"] = _or([_literal(each) for each in options[:20] if each is not None])
        case Kind.Constant(expected):
            name, params["options"] = "enum", _literal(expected)
        case Kind.Pattern(pattern):
            params["pattern"] = pattern
        case Kind.Format(format_):
            params["format"] = format_
        case _:
            params["limit"] = kind.value
    if not has_text(f"block_failure.{name}"):
        name, params["rule"] = "other", kind.name
    return tell(f"block_failure.{name}", **params)


def _of_branches(
    branches: list[list[jsonschema_rs.ValidationError]],
    error: jsonschema_rs.ValidationError,
    schema: Mapping[str, Any],
    start: str,
    quotes: bool,
) -> Iterator[Failure]:
    """The branch that was meant, if one has the right type; else what all of them want."""
    depth = len(error.instance_path)
    meant = [
        branch for branch in branches if not any(_is_other_kind(each, depth) for each in branch)
    ]
    if len(meant) == 1 and meant[0]:
        for each in meant[0]:
            yield from _failures(each, schema, start, quotes)
        return
    path = path_text(start, error.instance_path)
    wanted = type_words(_at(schema, error.schema_path))
    given = value_words(error.instance, quotes=quotes)
    yield Failure(path, tell("block_failure.type", wanted=wanted, given=given))


def _is_other_kind(error: jsonschema_rs.ValidationError, depth: int) -> bool:
    return len(error.instance_path) == depth and isinstance(error.kind, Kind.Type | Kind.Constant)


def _at(schema: Mapping[str, Any], path: Sequence[str | int]) -> Mapping[str, Any]:
    """The schema around the keyword that this path ends with."""
    found: Any = schema
    for step in path[:-1]:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _file_depth(schema: Mapping[str, Any], path: Sequence[str | int]) -> int | None:
    """How deep in the value the file stands that this path of the schema leads into."""
    depth = 0
    before: str | int = ""
    for end, step in enumerate(path):
        if FILE in _at(schema, path[: end + 1]):
            return depth
        if step == "items" or before in ("properties", "patternProperties", "prefixItems"):
            depth += 1
        before = step if before not in ("properties", "patternProperties") else ""
    return None


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "object")


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: object) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [] if value is None else [value]


def _or(words: Sequence[str]) -> str:
    return tell("block_type.or").join(words)
