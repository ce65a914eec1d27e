"""transforms.pick: one value out of another, as it is or as text, number, file."""

import base64
import binascii
import json
import mimetypes
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import JsonValue, ValidationError
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, NewFile, Transform
from sanbo.blocks.transforms.options import read_as
from sanbo.documents.encodings import decode
from sanbo.documents.file_formats import UNKNOWN_TYPE, media_type_of
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef
from sanbo.tables.rows import MISSING, Missing, Path, step, strict_path
from sanbo.tables.values import as_boolean, as_number, text_of

Return = Literal["value", "text", "bytes", "number", "boolean", "json", "length", "keys", "list"]
_SAME: Mapping[str, Return] = {"object": "value", "string": "text"}
_DATA_URI = re.compile(r"data:(?P<type>[\w.+/-]*)[^,]{0,200};base64,", re.ASCII)
_FILE_KEYS = frozenset({"file_id", "name", "size"})


class Pick(Transform[Given]):
    needed = ("source",)
    is_tried_empty = False

    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        _path(given.get("path"))

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        asked: Return = given["return"]
        wanted = _SAME.get(asked, asked)
        found = _found(given, context)
        if found is None and wanted == "text":
            return {"value": ""}
        if found is None and wanted not in ("json", "boolean"):
            return {"value": None}
        return {"value": _returned(found, wanted, given, context)}


def _found(given: Given, context: BlockContext) -> JsonValue:
    """Null for what is not there, which is told."""
    path = _path(given.path)
    value = path.of(given.source) if path.keys else given.source
    if not isinstance(value, Missing):
        return value
    if "default" in given:
        return given.default
    if given.required:
        raise _not_there(given.source, path.text, path.keys)
    context.warn(_not_there(given.source, path.text, path.keys))
    return None


def _path(path: JsonValue) -> Path:
    if not isinstance(path, list):
        return strict_path(str(path or ""))
    keys = [str(key) for key in read_as(list[str | int], path, "path")]
    return Path(".".join(keys), tuple(keys))


def _not_there(source: JsonValue, text: str, keys: tuple[str, ...]) -> InvalidInput:
    """How far the path leads, and what is there instead."""
    value: JsonValue | Missing = source
    reached: list[str] = []
    for key in keys:
        below = step(value, key)
        if below is MISSING:
            break
        value = below
        reached.append(key)
    missing = keys[len(reached)] if len(reached) < len(keys) else keys[-1]
    known = list(value) if isinstance(value, dict) else []
    count = len(value) if isinstance(value, list) else 0
    return InvalidInput(
        "transform_path_missing",
        path=text,
        missing=missing,
        reached=".".join(reached) or "source",
        nearest=alternatives(missing, known) if known else (f"0–{count - 1}" if count else "-"),
        details={"path": text, "reached": reached, "fields": known[:100], "length": count},
    )


def _returned(found: JsonValue, wanted: Return, given: Given, context: BlockContext) -> Any:
    if wanted == "bytes":
        return _file(found, given)
    if wanted in ("value", "text") and (_as_file(found) or given.base64):
        return _content(found, wanted, given, context)
    return _converted(found, wanted)


def _converted(found: JsonValue, wanted: Return) -> JsonValue:
    value: JsonValue = found
    if wanted == "text":
        value = _text(found)
    elif wanted == "json":
        value = _text(found, indent=2)
    elif wanted == "number":
        value = as_number(found, codes=True)
    elif wanted == "boolean":
        value = False if found is None else as_boolean(found)
    elif wanted == "list":
        value = found if isinstance(found, list) else [found]
    elif wanted == "keys":
        value = list(found) if isinstance(found, dict) else None
    elif wanted == "length":
        value = len(found) if isinstance(found, str | list | dict) else None
    if value is None:
        raise InvalidInput("transform_pick_kind", wanted=wanted, found=text_of(found)[:80])
    return value


def _text(value: JsonValue, indent: int | None = None) -> str:
    if isinstance(value, str) and indent is None:
        return value
    if isinstance(value, dict | list | bool) or indent is not None:
        return json.dumps(value, ensure_ascii=False, indent=indent)
    return text_of(value)


def _as_file(value: JsonValue) -> FileRef | None:
    if not isinstance(value, dict) or not set(value) >= _FILE_KEYS:
        return None
    try:
        return FileRef.model_validate(value)
    except ValidationError:
        return None


def _content(found: JsonValue, wanted: Return, given: Given, context: BlockContext) -> JsonValue:
    """Of a file: itself, its text, or with `base64` its bytes so written. Of base64: its text."""
    file = _as_file(found)
    if file is not None:
        if wanted == "value" and not given.base64:
            return found
        data = context.files.read(file)
        return base64.b64encode(data).decode() if given.base64 else decode(data).text
    return decode(_decoded(text_of(found))[0]).text


def _file(found: JsonValue, given: Given) -> JsonValue | NewFile:
    if _as_file(found) is not None:
        return found
    text = _text(found)
    if given.base64:
        data, media_type = _decoded(text)
        name = given.name or f"picked{mimetypes.guess_extension(media_type) or '.bin'}"
        return NewFile(
            name, data, media_type if media_type != UNKNOWN_TYPE else media_type_of(name)
        )
    name = given.name or ("picked.txt" if isinstance(found, str) else "picked.json")
    return NewFile(name, text.encode(), media_type_of(name))


def _decoded(text: str) -> tuple[bytes, str]:
    media_type = UNKNOWN_TYPE
    if found := _DATA_URI.match(text):
        media_type = found["type"] or media_type
        text = text[found.end() :]
    try:
        return base64.b64decode("".join(text.split()), validate=True), media_type
    except (binascii.Error, ValueError):
        raise InvalidInput("transform_base64_unreadable", start=text[:20]) from None
