"""An index's definition, checked as the service checks it."""

import re
from collections.abc import Iterator
from typing import Any, cast

NAME = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{0,126}[a-z0-9]")
_FIELD = re.compile(r"(?!azureSearch)[A-Za-z][A-Za-z0-9_]{0,127}")
_ANALYZERS = (None, "ja.microsoft", "ja.lucene", "standard.lucene", "keyword")
VECTOR = "Collection(Edm.Single)"
TYPES: dict[str, type | tuple[type, ...]] = {
    "Edm.String": str,
    "Edm.Int32": int,
    "Edm.Double": (int, float),
    "Edm.Boolean": bool,
    "Collection(Edm.String)": list,
    VECTOR: list,
}
Field = dict[str, Any]


class Refused(Exception):
    """An answer with an error status, as the service words it."""

    def __init__(self, message: str, status: int = 400, code: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        details = [{"code": detail, "message": message}] if detail else []
        error = {"code": code, "message": message, "details": details}
        self.body: dict[str, Any] | None = {"error": error} if message else None


class Definition:
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.name: str = given["name"]
        self.fields: dict[str, Field] = {field["name"]: field for field in given["fields"]}
        profiles = _entries(given, "vectorSearch", "profiles")
        self.profiles = {profile["name"]: profile for profile in profiles}
        configurations = _entries(given, "semantic", "configurations")
        self.configurations: dict[str, Field] = {
            each["name"]: each["prioritizedFields"] for each in configurations
        }
        self._check()
        self.key = next(name for name, field in self.fields.items() if field.get("key"))
        self.searchable = [
            name
            for name, field in self.fields.items()
            if field.get("searchable") and field["type"] != VECTOR
        ]

    def field(self, name: str, attribute: str) -> Field:
        field = self.fields.get(name)
        if field is None:
            raise Refused(f"Could not find a property named '{name}'")
        if not field.get(attribute, attribute == "retrievable"):
            raise Refused(f"The field '{name}' is not {attribute}")
        return field

    def check_value(self, name: str, value: Any) -> None:
        field = self.fields.get(name)
        if field is None:
            raise Refused(f"The property '{name}' does not exist on type 'search.documentFields'.")
        kind: str = field["type"]
        if value is None and not kind.startswith("Collection("):
            return
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        if not isinstance(value, TYPES[kind]) or None in values:
            raise Refused(f"Cannot convert the value of '{name}' to '{kind}'.")
        if kind == VECTOR and len(values) != field["dimensions"]:
            raise Refused(f"The vector field '{name}' has another dimension.")

    def _check(self) -> None:
        if not NAME.fullmatch(self.name):
            raise Refused("Index name must only contain lowercase letters, digits or dashes")
        keys = [field for field in self.fields.values() if field.get("key")]
        if len(keys) != 1 or keys[0]["type"] != "Edm.String":
            raise Refused("Each index must have exactly one key field of type Edm.String")
        for told in self._faults():
            raise Refused(told)
        for prioritized in self.configurations.values():
            used = [prioritized["titleField"]] if prioritized.get("titleField") else []
            used += prioritized["prioritizedContentFields"]
            used += prioritized.get("prioritizedKeywordsFields") or []
            for name in [str(each["fieldName"]) for each in used]:
                self.field(name, "searchable")
                self.field(name, "retrievable")

    def _faults(self) -> Iterator[str]:
        for name, field in self.fields.items():
            if not _FIELD.fullmatch(name) or field["type"] not in TYPES:
                yield f"Field '{name}' is not valid"
            if field.get("sortable") and field["type"].startswith("Collection("):
                yield f"Field '{name}' can't be sortable"
            if field.get("analyzer") not in _ANALYZERS:
                yield f"Unknown analyzer '{field['analyzer']}'"
            if field.get("analyzer") and not field.get("searchable"):
                yield f"Field '{name}' has an analyzer but is not searchable"
            if field["type"] == VECTOR and field.get("vectorSearchProfile") not in self.profiles:
                yield f"Field '{name}' has no vector search profile"


def _entries(given: dict[str, Any], section: str, name: str) -> list[Field]:
    inner = cast("dict[str, Any]", given.get(section) or {})
    return inner.get(name) or []
