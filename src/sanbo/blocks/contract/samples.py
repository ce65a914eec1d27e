"""Declared samples: with their files in place, to be run, and as YAML, to be read."""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml
from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import NewFile
from sanbo.blocks.spec import FILE, BlockSpec, Port, Sample
from sanbo.documents.file_formats import media_type_of
from sanbo.runs.model import FileRef


@dataclass(frozen=True)
class SampleFiles:
    """The bytes of a sample's files, by id; a block's `context.files`."""

    data: Mapping[str, bytes]

    def read(self, file: FileRef) -> bytes:
        return self.data[file.file_id]


@dataclass(frozen=True)
class Filled:
    values: dict[str, JsonValue]
    files: SampleFiles


def filled(ports: Mapping[str, Port], values: Mapping[str, JsonValue]) -> Filled:
    """What stands for a file, as a file: `{name, base64}` anywhere, `{name, text}` in its place."""
    data: dict[str, bytes] = {}
    made = {
        name: _filled(value, ports[name].schema_ if name in ports else {}, data)
        for name, value in values.items()
    }
    return Filled(made, SampleFiles(data))


def sample_inputs(spec: BlockSpec, sample: Sample) -> Filled:
    return filled(spec.inputs, sample.inputs)


def sample_outputs(spec: BlockSpec, sample: Sample) -> Filled:
    return filled(spec.outputs, sample.outputs)


def file_of(new: NewFile) -> FileRef:
    """As the engine would record it."""
    return FileRef(
        file_id=hashlib.sha256(new.data).hexdigest(),
        name=new.name,
        size=len(new.data),
        media_type=new.media_type,
    )


def stored(value: Any, data: dict[str, bytes]) -> Any:
    """Outputs with every new file put into `data`, and its reference in its place, as JSON."""
    if isinstance(value, FileRef):
        return value.model_dump(mode="json")
    if isinstance(value, NewFile):
        file = file_of(value)
        data[file.file_id] = value.data
        return stored(file, data)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value)
        return {key: stored(part, data) for key, part in pairs.items()}
    if isinstance(value, list):
        return [stored(part, data) for part in cast("list[Any]", value)]
    return value


def _filled(value: JsonValue, schema: Any, data: dict[str, bytes]) -> JsonValue:
    if isinstance(value, list):
        inner = _below(schema, "items")
        return [_filled(part, inner, data) if _has_parts(part) else part for part in value]
    if not isinstance(value, dict):
        return value
    if "name" in value and (new := _declared_file(value, is_file=_is_file(schema))) is not None:
        return stored(new, data)
    return {
        key: _filled(part, _below(schema, "properties", key), data) if _has_parts(part) else part
        for key, part in value.items()
    }


def _has_parts(value: JsonValue) -> bool:
    return isinstance(value, dict | list)


def _below(schema: Any, *keys: str) -> dict[str, Any]:
    """The schema of a part, as far as one is told; of choices, all that tell one."""
    told: list[Mapping[str, Any]] = []
    for each in _choices(schema):
        part: Any = each
        for key in keys:
            part = cast("Mapping[str, Any]", part).get(key) if isinstance(part, Mapping) else None
        if isinstance(part, Mapping):
            told.append(cast("Mapping[str, Any]", part))
    return {"anyOf": told} if told else {}


def _is_file(schema: Any) -> bool:
    return any(FILE in each for each in _choices(schema))


def _choices(schema: Any) -> list[Mapping[str, Any]]:
    if not isinstance(schema, Mapping):
        return []
    told = cast("Mapping[str, Any]", schema)
    parts = [part for key in ("anyOf", "oneOf") for part in told.get(key) or ()]
    return [told, *(each for part in parts for each in _choices(part))]


def _declared_file(value: Mapping[str, JsonValue], *, is_file: bool) -> NewFile | None:
    name = value.get("name")
    keys = set(value) - {"name", "media_type"}
    if not isinstance(name, str) or not (keys == {"base64"} or (is_file and keys == {"text"})):
        return None
    content = value.get("text", value.get("base64"))
    if not isinstance(content, str):
        return None
    try:
        data = content.encode() if "text" in keys else base64.b64decode(content, validate=True)
    except binascii.Error:
        return None
    kind = value.get("media_type") or media_type_of(name)
    return NewFile(name, data, str(kind))


# ---- as people read them -------------------------------------------------------------------------


_LONGEST = 300
_SHOWN = 60


def sample_text(sample: Sample) -> str:
    shown = {"in": _short(dict(sample.inputs)), "out": _short(dict(sample.outputs))}
    return yaml.dump(shown, Dumper=_Plain, allow_unicode=True, sort_keys=False, width=100).rstrip()


class _Plain(yaml.SafeDumper):
    @override
    def ignore_aliases(self, data: object) -> bool:
        """What stands twice is written twice."""
        _ = data
        return True

    def represent_text(self, text: str) -> Any:
        style = "|" if "\n" in text and "\t" not in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Plain.add_representer(str, _Plain.represent_text)


def _short(value: JsonValue) -> JsonValue:
    """Without the bytes of files, which say nothing to a reader."""
    if isinstance(value, str) and len(value) > _LONGEST and "\n" not in value:
        return f"{value[:_SHOWN]}…"
    if isinstance(value, list):
        return [_short(part) for part in value]
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items()}
    return value
