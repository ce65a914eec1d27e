"""The fields of a form: what each type takes, checks, and is called, in one record each."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.runs.rows import (
    MAX_ROWS,
    read_rows,
    row_faults,
    rows_example,
    rows_schema,
    typed_rows,
)

JsonObject = dict[str, JsonValue]
MAX_TEXT = 1_000_000

if TYPE_CHECKING:
    FieldType = str  # one of `FIELDS`

# Both languages at any time: people who read English screens type はい, and the other way round.
_YES = frozenset({"y", "yes", "true", "1", "はい", "承認", "承認する", "ok"})
_NO = frozenset({"n", "no", "false", "0", "いいえ", "否認", "承認しない"})
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_FILE: JsonObject = {
    "type": "object",
    "properties": {
        "file_id": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "name": {"type": "string"},
        "size": {"type": "integer", "minimum": 0},
        "media_type": {"type": "string"},
    },
    "required": ["file_id", "name", "size"],
    "additionalProperties": False,
}


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


class FileRef(_Frozen):
    """A file that a person gave: its bytes are in the blob store under `file_id` (SHA-256)."""

    file_id: str = Field(pattern=r"^[0-9a-f]{64}$")
    name: str
    size: int = Field(ge=0)
    media_type: str = "application/octet-stream"


class Option(_Frozen):
    value: str | int | float | bool
    label: str


class Validation(_Frozen):
    model_config = ConfigDict(frozen=True, extra="forbid")

    min: float | date | None = None
    max: float | date | None = None
    """Of a number, or of a date: then a day, also by an era."""
    integer: bool = False
    min_length: int | None = Field(default=None, ge=0)
    max_length: int | None = Field(default=None, ge=0)
    pattern: str | None = None
    """A regular expression that the whole text must match."""
    max_size_mb: float | None = Field(default=None, gt=0)
    max_files: int | None = Field(default=None, ge=1)
    min_rows: int | None = Field(default=None, ge=0, le=MAX_ROWS)
    max_rows: int | None = Field(default=None, ge=1, le=MAX_ROWS)

    @field_validator("min", "max", mode="before")
    @classmethod
    def _day(cls, limit: object) -> object:
        return (_date_in(limit) or limit) if isinstance(limit, str) else limit


class Help(_Frozen):
    """What helps to answer; it is shown when somebody asks for it."""

    text: str = ""
    picture: FileRef | str | None = None
    """By its name, as long as it stands in a plan alone."""


class Choice(_Frozen):
    """What was chosen in another field."""

    field: str
    value: str | int | float | bool


class Requirement(_Frozen):
    """One field of a form."""

    id: str = Field(pattern=r"^[^\s/]{1,100}$")
    type: "FieldType"
    label: str
    description: str = ""
    help: Help | None = None
    required: bool = True
    default: JsonValue = None
    options: tuple[Option, ...] = ()
    columns: "tuple[Requirement, ...]" = ()
    """Of a table: a field for each cell of a row."""
    accept: str = ""
    """File endings and media types as browsers write them: `.xlsx,.csv`."""
    secret: bool = False
    """A password: hidden while it is typed, and nowhere written."""
    only_with: Choice | None = None
    """Asked for where this was chosen, and needed then; nowhere else."""
    validation: Validation = Validation()

    @property
    def kind(self) -> "FieldKind":
        return FIELDS[self.type]

    @field_validator("options", mode="before")
    @classmethod
    def _plain_options(cls, options: object) -> object:
        if not isinstance(options, list | tuple):
            return options
        return [
            option if isinstance(option, dict | Option) else {"value": option, "label": str(option)}
            for option in options
        ]

    @model_validator(mode="after")
    def _is_whole(self) -> "Requirement":
        if self.kind.has_options and not self.options:
            raise ValueError(f"the field {self.id} is a selection without options")
        limits = [each for each in (self.validation.min, self.validation.max) if each is not None]
        if any(isinstance(each, date) != self.kind.has_days for each in limits):
            raise ValueError(f"the limits of {self.id} are of another type than its values")
        if self.kind.has_columns:
            ids = [column.id for column in self.columns]
            if not ids or len(set(ids)) < len(ids):
                raise ValueError(f"the table {self.id} has no columns, or one of them twice")
            if any(not column.kind.in_cells or column.secret for column in self.columns):
                raise ValueError(f"a column of {self.id} can't be filled in in a cell")
        return self


class Fault(NamedTuple):
    """What is wrong with a value; of a table, where: the row from 1, the column's id."""

    message: str
    row: int = 0
    column: str = ""


def _typed_as_it_is(_field: Requirement, typed: str) -> JsonValue:
    return typed


def _as_given(_field: Requirement, value: JsonValue) -> JsonValue:
    return value


def _no_faults(_field: Requirement, _value: JsonValue) -> Iterator[Fault]:
    return iter(())


@dataclass(frozen=True, kw_only=True)
class FieldKind:
    """A type of field. Front ends ask this record, and never for a type's name."""

    name: str
    words: Mapping[Language, str]
    """What is to be entered, in a word or two."""
    schema: Callable[[Requirement], JsonObject]
    """JSON Schema of a value."""
    example: Callable[[Requirement], JsonValue]
    value_types: frozenset[str] = frozenset()
    """JSON types of values; empty where a default can't be checked by them."""
    read: Callable[[Requirement, JsonValue], JsonValue] = _as_given
    """The value to record for one that was given in another form; itself where it can't be read."""
    faults: Callable[[Requirement, JsonValue], Iterator[Fault]] = _no_faults
    """What is wrong with a value that fits the schema."""
    typed: Callable[[Requirement, str], JsonValue] = _typed_as_it_is
    """The value that a person means who types this; else a problem says what was expected."""
    widget: Literal["files", "checkbox", "number", "choice", "line", "area", "grid"] = "area"
    """In a page that has none for this type alone."""
    files: Literal["one", "several", "folder"] | None = None
    """Its value stands for files that are uploaded."""
    has_options: bool = False
    has_days: bool = False
    """Its limits are days, as its values are."""
    has_columns: bool = False
    """Its values are rows."""
    in_cells: bool = False
    """Whether a column of a table may be of this type."""
    python_types: tuple[type, ...] = ()
    """An input model's field of such a type is asked for so."""


def any_text() -> JsonObject:
    return {"type": "string", "maxLength": MAX_TEXT}


def _text_schema(field: Requirement) -> JsonObject:
    limits, schema = field.validation, any_text()
    if field.required:
        schema["minLength"] = 1
    _limit(schema, minLength=limits.min_length, maxLength=limits.max_length)
    if limits.pattern is not None:
        schema["pattern"] = f"^(?:{limits.pattern})$"
    return schema


def _number_schema(field: Requirement) -> JsonObject:
    limits = field.validation
    schema: JsonObject = {"type": "integer" if limits.integer else "number"}
    least, most = _numbers(field)
    _limit(schema, minimum=least, maximum=most)
    return schema


def _numbers(field: Requirement) -> "tuple[float | None, float | None]":
    limits = field.validation
    return cast("tuple[float | None, float | None]", (limits.min, limits.max))


def _files_schema(field: Requirement) -> JsonObject:
    schema: JsonObject = {"type": "array", "items": dict(_FILE)}
    least = 1 if field.required else None
    _limit(schema, minItems=least, maxItems=field.validation.max_files)
    return schema


def _limit(schema: JsonObject, **limits: float | None) -> None:
    schema.update({name: value for name, value in limits.items() if value is not None})


def _number_example(field: Requirement) -> JsonValue:
    least, most = _numbers(field)
    return least if least is not None else most if most is not None else 1


def _file_example(field: Requirement) -> JsonValue:
    endings = (kind.strip()[1:].casefold() for kind in field.accept.split(",") if "." in kind)
    ending = next(endings, "dat")
    media_type = _MEDIA_TYPES.get(ending, "application/octet-stream")
    name = f"{field.id}.{ending}"
    return {"file_id": "0" * 64, "name": name, "size": 0, "media_type": media_type}


_MEDIA_TYPES = {
    "csv": "text/csv",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}


def _file_faults(field: Requirement, value: JsonValue) -> Iterator[Fault]:
    for file in file_refs(value):
        label, limit = field.label, field.validation.max_size_mb
        if limit is not None and file.size > limit * 1_000_000:
            yield Fault(tell("answer.size", label=label, name=file.name, limit=limit))
        if not _accepted(field.accept, file):
            yield Fault(tell("answer.accept", label=label, name=file.name, accept=field.accept))


def _accepted(accept: str, file: FileRef) -> bool:
    kinds = [kind.strip().casefold() for kind in accept.split(",") if kind.strip()]
    if not kinds:
        return True
    ending = PurePath(file.name).suffix.casefold()
    media_type = file.media_type.casefold()
    return any(
        kind in (ending, media_type, f"{media_type.split('/')[0]}/*", "*/*") for kind in kinds
    )


def _boolean(field: Requirement, typed: str) -> bool:
    word = matching_form(typed)
    if word in _YES or word in _NO:
        return word in _YES
    raise InvalidInput("entry_not_understood", reason=tell("answer.not_yes_no", label=field.label))


def _number(field: Requirement, typed: str) -> int | float:
    # Full-width digits and thousands separators are how amounts are typed in Japanese offices.
    plain = unicodedata.normalize("NFKC", typed)
    if _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        value = float(plain)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        raise InvalidInput(
            "entry_not_understood", reason=tell("answer.not_a_number", label=field.label)
        )
    return value


def _choice(field: Requirement, typed: str) -> JsonValue:
    """By its number in the list, its value or its label."""
    word = matching_form(typed)
    for option in field.options:
        if word in (matching_form(str(option.value)), matching_form(option.label)):
            return option.value
    if word.isdecimal() and 1 <= int(word) <= len(field.options):
        return field.options[int(word) - 1].value
    raise InvalidInput(
        "entry_not_understood",
        reason=tell("answer.not_a_choice", label=field.label, count=len(field.options)),
    )


def _day_example(field: Requirement) -> JsonValue:
    limit = field.validation.min or field.validation.max
    return limit.isoformat() if isinstance(limit, date) else "2026-10-31"


def _date_in(text: str) -> date | None:
    # Reading dates takes patterns that cost each command some 40 ms, and few forms have a date.
    from sanbo.language.cells import parse_day  # noqa: PLC0415

    return parse_day(text)


def _day(field: Requirement, typed: str) -> JsonValue:
    day = _date_in(typed)
    if day is None:
        reason = tell("answer.not_a_day", label=field.label)
        raise InvalidInput("entry_not_understood", reason=reason)
    return day.isoformat()


def _as_day(_field: Requirement, value: JsonValue) -> JsonValue:
    day = _date_in(value) if isinstance(value, str) else None
    return value if day is None else day.isoformat()


def _day_faults(field: Requirement, value: JsonValue) -> Iterator[Fault]:
    if not isinstance(value, str):
        return
    day = _date_in(value)
    if day is None:
        yield Fault(tell("answer.not_a_day", label=field.label))
        return
    least, most = cast("tuple[date | None, date | None]", _numbers(field))
    if least is not None and day < least:
        yield Fault(tell("answer.earliest", label=field.label, limit=least.isoformat()))
    if most is not None and day > most:
        yield Fault(tell("answer.latest", label=field.label, limit=most.isoformat()))


_STRING = frozenset({"string"})
FIELDS: Mapping[str, FieldKind] = {
    kind.name: kind
    for kind in (
        FieldKind(
            name="file",
            words={"ja": "ファイル", "en": "file"},
            schema=lambda _: dict(_FILE),
            example=_file_example,
            faults=_file_faults,
            widget="files",
            files="one",
            python_types=(FileRef,),
        ),
        FieldKind(
            name="files",
            words={"ja": "ファイル（複数可）", "en": "files"},
            schema=_files_schema,
            example=lambda field: [_file_example(field)],
            faults=_file_faults,
            widget="files",
            files="several",
        ),
        FieldKind(
            name="folder",
            words={"ja": "フォルダー", "en": "folder"},
            schema=_files_schema,
            example=lambda field: [_file_example(field)],
            faults=_file_faults,
            widget="files",
            files="folder",
        ),
        FieldKind(
            name="text",
            words={"ja": "文字", "en": "text"},
            schema=_text_schema,
            example=lambda field: field.label,
            value_types=_STRING,
            widget="line",
            in_cells=True,
        ),
        FieldKind(
            name="select",
            words={"ja": "選択", "en": "choice"},
            schema=lambda field: {"enum": [option.value for option in field.options]},
            example=lambda field: field.options[0].value,
            typed=_choice,
            widget="choice",
            has_options=True,
            in_cells=True,
        ),
        FieldKind(
            name="boolean",
            words={"ja": "はい y／いいえ n", "en": "yes y, no n"},
            schema=lambda _: {"type": "boolean"},
            example=lambda _: True,
            value_types=frozenset({"boolean"}),
            typed=_boolean,
            widget="checkbox",
            in_cells=True,
            python_types=(bool,),
        ),
        FieldKind(
            name="number",
            words={"ja": "数値", "en": "number"},
            schema=_number_schema,
            example=_number_example,
            value_types=frozenset({"number", "integer"}),
            typed=_number,
            widget="number",
            in_cells=True,
            python_types=(int, float),
        ),
        FieldKind(
            name="chat",
            words={"ja": "文章", "en": "message"},
            schema=_text_schema,
            example=lambda field: field.label,
            value_types=_STRING,
        ),
        FieldKind(
            name="date",
            words={"ja": "日付（和暦も可）", "en": "date"},
            schema=lambda _: {"type": "string", "format": "date"},
            example=_day_example,
            value_types=_STRING,
            read=_as_day,
            faults=_day_faults,
            typed=_day,
            widget="line",
            has_days=True,
            in_cells=True,
            python_types=(date,),
        ),
        FieldKind(
            name="table",
            words={"ja": "表（1行に1件）", "en": "table, a row a line"},
            schema=rows_schema,
            example=rows_example,
            value_types=frozenset({"array"}),
            read=read_rows,
            faults=row_faults,
            typed=typed_rows,
            widget="grid",
            has_columns=True,
        ),
    )
}
FILE_TYPES = frozenset(kind.name for kind in FIELDS.values() if kind.files)

if not TYPE_CHECKING:
    FieldType = Literal[tuple(FIELDS)]
Requirement.model_rebuild()


def holds_files(value: object) -> bool:
    if isinstance(value, Mapping):
        return "file_id" in value or any(map(holds_files, cast("Any", value).values()))
    if isinstance(value, list | tuple):
        return any(map(holds_files, cast("list[object]", value)))
    return False


def file_refs(value: object) -> list[FileRef]:
    """The files in one value of an answer or input, however deep."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        if {"file_id", "name", "size"} <= pairs.keys() and isinstance(pairs["file_id"], str):
            try:
                return [FileRef.model_validate(pairs)]
            except ValueError:
                return []
        return [ref for item in pairs.values() for ref in file_refs(item)]
    if isinstance(value, list):
        return [ref for item in cast("list[object]", value) for ref in file_refs(item)]
    return []
