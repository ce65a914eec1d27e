"""The words in which plans write operations: several for one thing, and none that is unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from sanbo.blocks.transforms.options import Option
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput

# What is said of any operation. A description is for whoever reads the plan.
_COMMON = {
    "sheet": ("sheet", "sheet_name", "worksheet"),
    "condition": ("condition", "if", "when"),
    "_": ("type", "op", "operation", "kind", "description", "comment", "title"),
}
_RANGES = ("ranges", "range", "targets", "target", "area", "areas")
_WHERE = {
    "after": ("after",),
    "before": ("before",),
    "position": ("position",),
    "index": ("index",),
}
_ROWS = ("rows", "data", "items", "values", "records")
_LOOK = {
    "fill": ("fill", "fill_color", "background", "background_color", "bg_color"),
    "font": ("font",),
    "bold": ("bold",),
    "italic": ("italic",),
    "underline": ("underline",),
    "font_size": ("font_size", "size"),
    "font_color": ("font_color", "color"),
    "number_format": ("number_format", "format"),
    "alignment": ("alignment",),
    "horizontal": ("horizontal", "align"),
    "vertical": ("vertical", "valign"),
    "wrap": ("wrap", "wrap_text"),
    "border": ("border",),
}
_APPENDED = {
    "rows": _ROWS,
    "columns": ("columns", "fields", "mapping"),
    "table": ("table", "table_name"),
    "first_column": ("first_column", "start_column"),
    "fill_formulas": ("fill_formulas",),
}

KEYS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "add_sheet": {"sheet": ("sheet", "sheet_name", "name", "target", "new_name"), **_WHERE},
    "copy_sheet": {
        "sheet": ("sheet", "sheet_name", "source", "from", "template"),
        "name": ("name", "target", "new_name", "to", "new_sheet_name"),
        **_WHERE,
    },
    "move_sheet": dict(_WHERE),
    "update_cells": {
        "cells": ("cells", "updates"),
        "target": ("target", "cell", "address", "range"),
        "value": ("value", "data", "values"),
    },
    "append_table": {
        **_APPENDED,
        "target": ("target", "start_cell", "cell", "start", "range"),
        "header": ("header", "write_header", "headers", "include_header"),
        "clear_existing": ("clear_existing", "replace"),
    },
    "append_rows_bottom": {**_APPENDED, "scan_columns": ("scan_columns", "scan_column")},
    "insert_rows": {
        "row": ("row", "start_row", "at", "index", "before_row"),
        "count": ("count", "amount", "number"),
        "rows": _ROWS,
        "columns": ("columns",),
        "first_column": ("first_column",),
    },
    "update_formula": {
        "cells": ("cells", "formulas"),
        "ranges": (*_RANGES, "cell", "address"),
        "formula": ("formula", "template", "value", "data"),
    },
    "update_rows_by_match": {
        "items": ("items", "rows", "data", "values", "records", "updates"),
        "key_value": ("key_value", "match_value"),
        "key": ("key", "keys", "match_header", "key_header", "match"),
        "key_column": ("key_column", "key_columns", "match_column"),
        "key_field": ("key_field", "key_fields", "match_field"),
        "columns": ("update_columns", "columns", "set"),
        "fields": ("update_fields", "fields"),
        "header_row": ("header_row",),
        "start_row": ("start_row",),
        "fill_columns": ("fill_range_columns", "fill_columns"),
        "fill_color": ("fill_color", "fill"),
        "missing": ("missing", "on_missing"),
        "every": ("every", "all_rows"),
    },
    "format_cells": {"ranges": (*_RANGES, "cells"), **_LOOK},
    "update_cells_if": {
        "cells": ("cells", "updates"),
        "ranges": _RANGES,
        "value": ("value", "data", "values"),
    },
    "update_formula_range": {
        "ranges": _RANGES,
        "formula": ("formula", "template"),
        "fill_down": ("fill_down",),
    },
    "replace_in_formulas": {
        "ranges": _RANGES,
        "find": ("find", "search", "from", "old", "pattern"),
        "replace": ("replace", "replacement", "to", "new", "with"),
        "regex": ("regex", "use_regex"),
        "match_case": ("match_case", "case_sensitive"),
    },
    "clear_cells": {"ranges": (*_RANGES, "cells"), "keep_formulas": ("keep_formulas",)},
    "clear_cells_if": {"ranges": (*_RANGES, "cells"), "keep_formulas": ("keep_formulas",)},
    # What `excel.write` takes, in the same words.
    "cell_updates": {
        "cells": ("cells", "updates"),
        "target": ("target", "cell", "address", "range"),
        "value": ("value", "data", "values", "formula"),
    },
    "column_updates": {
        "columns": ("columns", "fields", "mapping"),
        "column": ("column", "letter", "header"),
        "rows": ("values", "rows", "data", "items", "records"),
        "header_row": ("header_row",),
        "start_row": ("start_row", "first_row"),
        "first_column": ("first_column", "start_column"),
        "by_header": ("by_header", "under_headers"),
        "append": ("append",),
        "write_header": ("write_header", "header_written"),
        "clear_existing": ("clear_existing",),
    },
}
_TYPES = ("type", "op", "operation", "kind")


@dataclass(frozen=True)
class Operation:
    """One thing to do, its keys in the words of `KEYS`."""

    kind: str
    place: str
    """For messages: `operations[2]`."""
    given: Mapping[str, JsonValue]

    def __contains__(self, key: str) -> bool:
        return self.given.get(key) is not None

    def get(self, key: str) -> JsonValue:
        return self.given.get(key)

    def text(self, key: str) -> str:
        """ "" where nothing is given; a number is a text too: sheet 2025."""
        found = self.given.get(key)
        if found is None:
            return ""
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            raise self.wrong(key)
        return str(found)

    def number(self, key: str, default: int) -> int:
        found = self.given.get(key)
        if found is None:
            return default
        if isinstance(found, str) and found.strip().isdecimal():
            return int(found)
        if isinstance(found, bool) or not isinstance(found, int | float) or found != int(found):
            raise self.wrong(key)
        return int(found)

    def flag(self, key: str, *, default: bool) -> bool:
        found = self.given.get(key)
        return default if found is None else truth(found)

    def needs(self, *keys: str) -> None:
        for key in keys:
            if key not in self:
                raise InvalidInput(
                    "excel_operation_key_missing", place=self.place, operation=self.kind, key=key
                )

    def wrong(self, key: str) -> InvalidInput:
        shown = str(self.given.get(key))[:60]
        return InvalidInput("excel_operation_value", place=self.place, key=key, found=shown)


def operation_of(given: JsonValue, place: str, kind: str = "") -> Operation:
    """Its keys brought to one spelling; what is unknown is refused with what was probably meant."""
    if not isinstance(given, dict):
        raise InvalidInput("excel_operation_not_object", place=place)
    kind = kind or _kind_of(given, place)
    words_of = {**_COMMON, **KEYS[kind]}
    spelled = {word: key for key, words in words_of.items() for word in words}
    found: dict[str, JsonValue] = {}
    for word, value in given.items():
        key = spelled.get(word.strip())
        if key is None:
            raise InvalidInput(
                "excel_operation_key_unknown",
                place=place,
                operation=kind,
                key=word,
                nearest=alternatives(
                    word, [name for name, known in spelled.items() if known != "_"]
                ),
            )
        if key == "_" or value is None:
            continue
        if key in found:
            raise InvalidInput(
                "excel_operation_key_twice", place=place, key=word, words=", ".join(words_of[key])
            )
        found[key] = value
    return Operation(kind, place, found)


def _kind_of(given: Mapping[str, JsonValue], place: str) -> str:
    word = next((word for word in _TYPES if given.get(word)), "type")
    written = given.get(word)
    kinds = [kind for kind in KEYS if kind not in ("cell_updates", "column_updates")]
    if not isinstance(written, str):
        raise InvalidInput("excel_operation_untyped", place=place, known=", ".join(kinds))
    kind = written.strip()
    if kind not in kinds:
        raise InvalidInput(
            "excel_operation_unknown",
            place=place,
            key=word,
            operation=kind,
            nearest=alternatives(kind, kinds),
        )
    return kind


def truth(value: JsonValue) -> bool:
    """Of a condition: texts as forms and models write them, too."""
    if isinstance(value, str):
        return value.strip().casefold() not in ("", "false", "no", "0", "いいえ", "null", "none")
    return bool(value)


Config = TypeVar("Config", bound=Option)


def config_of(
    kind: type[Config], given: Mapping[str, JsonValue], port: str, unknown: str
) -> Config:
    """`unknown`: the problem of a key that there is not."""
    known = list(kind.model_fields)
    for key in given:
        if key not in known:
            near = alternatives(key, known)
            raise InvalidInput(unknown, place=port, key=key, nearest=near)
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        key = str(error.errors()[0]["loc"][0])
        raise InvalidInput(
            "excel_operation_value", place=port, key=key, found=str(given[key])[:60]
        ) from None
