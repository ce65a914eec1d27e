"""Reads JSON and JSON Lines: lines of `path: value`, and tables where objects are alike."""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.encodings import decode
from sanbo.documents.file_formats import FileFormat
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import InvalidInput, LimitExceeded, UnsupportedFormat

MAX_DEPTH = 100
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|([\[{])|([\]}])', re.DOTALL)

FORMAT = FileFormat(
    name="json",
    titles={"ja": "JSON", "en": "JSON"},
    rank=100,
    endings={
        ".json": "application/json",
        ".jsonl": "application/jsonl",
        ".ndjson": "application/x-ndjson",
    },
    reader="sanbo.documents.formats.json:read",
    is_text=True,
    looks_so=lambda text: text[:1] in ("{", "[") and text[-1:] in ("}", "]"),
    lines="apart",
)


class NumberText(str):
    """A number, as its digits: 20-digit ids and 0.10 stay what they are."""

    __slots__ = ()


class Members(list[tuple[str, "JsonText"]]):
    """An object's names and values; a list, since names may repeat."""

    def repeated(self) -> int:
        return len(self) - len({name for name, _ in self})


JsonText: TypeAlias = "str | bool | list[JsonText] | Members | None"


def parse_json(text: str, *, name: str) -> JsonText:
    _refuse_depth(text, name)
    try:
        return _decode(text)
    except json.JSONDecodeError as error:
        raise _invalid(name, error, error.lineno) from error


def parse_lines(text: str, *, name: str) -> list[JsonText]:
    """JSON Lines: a value a line."""
    values: list[JsonText] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        _refuse_depth(line, name)
        try:
            values.append(_decode(line))
        except json.JSONDecodeError as error:
            raise _invalid(name, error, number) from error
    return values


def is_lines(text: str) -> bool:
    """More than one line, and the first of them is a whole object or array."""
    lines = (line for line in text.split("\n") if line.strip())
    first, second = next(lines, ""), next(lines, None)
    if second is None or first.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _decode(text: str) -> JsonText:
    return cast("JsonText", _DECODER.decode(text))


def _refuse_depth(text: str, name: str) -> None:
    """Before parsing: the parser recurses, and a file of brackets would end it."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKETS.finditer(text):
        if match[1]:
            depth += 1
            if depth > MAX_DEPTH:
                raise LimitExceeded("json_too_deep", name=name, limit=MAX_DEPTH)
        elif match[2]:
            depth -= 1


def _invalid(name: str, error: json.JSONDecodeError, line: int) -> InvalidInput:
    return InvalidInput(
        "json_invalid",
        name=name,
        line=line,
        column=error.colno,
        details={"reason": error.msg},
    )


def _members(pairs: list[tuple[str, Any]]) -> Members:
    return Members(pairs)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_int=NumberText,
    parse_float=NumberText,
    parse_constant=NumberText,
)


def walk(value: JsonText) -> Iterator[Members]:
    """Every object in a value, without recursion."""
    todo: list[JsonText] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Members):
            yield item
            todo.extend(inner for _, inner in item)
        elif isinstance(item, list):
            todo.extend(item)


MAX_CHARACTERS = 200_000_000
_LINES_NAMES = (".jsonl", ".ndjson")
_MAX_COLUMNS = 200
# A table may be this much larger than the values in it; sparser objects are read one by one.
_SPARSEST = 4
_LONGEST_PATH = 200
_SHORT = 40


def read(source: Source) -> Document:
    decoded = decode(source.data)
    builder = DocumentBuilder(source.name, "json")
    if decoded.replaced:
        builder.warn(UnsupportedFormat("text_bytes_replaced", count=decoded.replaced))
    value = _parse(decoded.text, source.name)
    repeated = sum(members.repeated() for members in walk(value))
    if repeated:
        builder.warn(InvalidInput("json_names_repeated", count=repeated))
    if value not in ([], None):
        _Writer(builder).write(value, "")
    if not builder.length:
        raise UnsupportedFormat("document_without_text", name=source.name)
    return builder.build()


def _parse(text: str, name: str) -> JsonText:
    if name.lower().endswith(_LINES_NAMES) and not text.lstrip().startswith("["):
        return parse_lines(text, name=name)
    try:
        return parse_json(text, name=name)
    except InvalidInput:
        if not is_lines(text):
            raise
    return parse_lines(text, name=name)


class _Writer:
    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._lines: list[str] = []

    def write(self, value: JsonText, path: str) -> None:
        self._add(value, path)
        self._flush()

    def _add(self, value: JsonText, path: str) -> None:
        if isinstance(value, list) and value:
            if isinstance(value, Members):
                self._add_object(value, path)
            else:
                self._add_array(value, path)
            return
        shown = path if len(path) <= _LONGEST_PATH else f"…{path[-_LONGEST_PATH:]}"
        self._lines.append(f"{shown}: {_shown(value)}" if shown else _shown(value))

    def _add_object(self, members: Members, path: str) -> None:
        """Values of one object stand together; what it contains comes in its own place."""
        for name, value in members:
            inner = f"{path}.{name}" if path else name
            stands_alone = _is_container(value) and not _is_short_array(value)
            if stands_alone:
                self._flush()
            self._add(value, inner)
            if stands_alone:
                self._flush()

    def _add_array(self, items: list[JsonText], path: str) -> None:
        if (columns := _columns(items)) is not None:
            self._flush()
            self._builder.table(
                [_row(item, columns) for item in items if isinstance(item, Members)],
                columns=columns,
                title=path or None,
            )
            return
        if all(_is_short(item) for item in items):
            self._add(", ".join(_shown(item) for item in items), path)
            return
        for number, item in enumerate(items):
            self._add(item, f"{path}[{number}]")
            if _is_container(item):
                self._flush()

    def _flush(self) -> None:
        self._builder.paragraph("\n".join(self._lines))
        self._lines.clear()
        if self._builder.length > MAX_CHARACTERS:
            raise LimitExceeded("json_too_long", name=self._builder.name, limit=MAX_CHARACTERS)


def _columns(items: list[JsonText]) -> list[str] | None:
    """Names in the order they first come, if these are objects of plain values."""
    columns: dict[str, None] = {}
    values = 0
    for item in items:
        if not isinstance(item, Members) or not item or item.repeated():
            return None
        for name, value in item:
            if _is_container(value) and not _is_short_array(value):
                return None
            columns[name] = None
        values += len(item)
        if len(columns) > _MAX_COLUMNS:
            return None
    if len(items) * len(columns) > _SPARSEST * values:
        return None
    return list(columns)


def _row(members: Members, columns: list[str]) -> list[str]:
    values = dict(members)
    return ["" if values.get(name) is None else _shown(values[name]) for name in columns]


def _shown(value: JsonText) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Members):
        return "{}"
    return ", ".join(_shown(item) for item in value) if value else "[]"


def _is_container(value: JsonText) -> bool:
    return isinstance(value, list) and bool(value)


def _is_short(value: JsonText) -> bool:
    if isinstance(value, str):
        return isinstance(value, NumberText) or (len(value) <= _SHORT and "\n" not in value)
    return not isinstance(value, list)


def _is_short_array(value: JsonText) -> bool:
    return (
        isinstance(value, list)
        and not isinstance(value, Members)
        and all(_is_short(item) for item in value)
    )
