"""An Azure index that others keep: read through a mapping of Sanbo's names to its fields.

    retrieval:
      azure_fields: {text: content, document_name: source_file, page: page_number, title: heading}

`text` is required. `id` is the index's key unless given; `document_id` is what `id` says unless
given. `meaning` names a vector field that the configured embedding model filled.
"""

import zlib
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

from azure.search.documents.indexes.models import SearchField, SearchIndex

from sanbo.documents.file_formats import format_by_name, formats
from sanbo.documents.model import Format, Position
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidSettings
from sanbo.retrieval.engines.azure_schema import (
    VectorField,
    all_hold,
    any_is_one_of,
    one_of,
    plain_words,
    semantic_configuration,
    vector_fields,
)
from sanbo.retrieval.model import Filter, IndexedChunk

NAMES = (
    "text",
    "id",
    "document_id",
    "ordinal",
    "document_name",
    "title",
    "page",
    "sheet",
    "format",
    "folders",
    "meaning",
)
_STRINGS = ("Edm.String", "Collection(Edm.String)")


class OthersLayout:
    """Without `index`, where the key may search but not see the definition: the mapping alone."""

    search_fields: list[str] | None = None

    def __init__(self, name: str, fields: Mapping[str, str], index: SearchIndex | None) -> None:
        self._index_name = name
        self._fields = dict(fields)
        self._defined = {field.name: field for field in index.fields} if index else {}
        self._check()
        key = next((field.name for field in self._defined.values() if field.key), None)
        self._fields.setdefault("id", key or self._fields.get("document_id", ""))
        if not self._fields["id"]:
            raise InvalidSettings("azure_id_unknown", index=name)
        self.key = self._fields["id"]
        self.select = sorted({own for mine, own in self._fields.items() if mine != "meaning"})
        self.semantic = semantic_configuration(index) if index else None
        self.vector = self._vector(vector_fields(index) if index else [])

    def words(self, query: str) -> str:
        return plain_words(query)

    def condition(self, where: Filter) -> str | None:
        conditions: list[str] = []
        for mine, values in (
            ("document_id", where.documents),
            ("folders", where.folders),
            ("format", where.formats),
        ):
            if values:
                conditions.append(self._is_one_of(mine, values))
        # Metadata goes by the index's own names; only such names can stand in a condition.
        conditions += [self._holds(key, value) for key, value in where.metadata.items()]
        return all_hold(conditions)

    def chunk(self, found: Mapping[str, Any]) -> IndexedChunk:
        key = str(found.get(self.key) or "")
        document_id = self._text(found, "document_id") or key
        name = self._text(found, "document_name") or self._text(found, "title") or document_id
        text = self._text(found, "text")
        return IndexedChunk(
            document_id=document_id,
            version="",
            ordinal=self._ordinal(found, key, document_id),
            document_name=name,
            format=_format(self._text(found, "format"), name),
            folders=tuple(self._list(found, "folders")),
            text=text,
            context=self._text(found, "title"),
            position=Position(
                start=0,
                end=len(text),
                page=_number(self._value(found, "page")),
                sheet=self._text(found, "sheet") or None,
            ),
        )

    def _check(self) -> None:
        for mine, own in self._fields.items():
            if mine not in NAMES:
                (near,) = nearest(mine, NAMES, least=0)
                raise InvalidSettings("azure_field_unknown", field=mine, nearest=near)
            if self._defined and not self._is_readable(mine, own):
                raise InvalidSettings(
                    "azure_field_not_in_index",
                    index=self._index_name,
                    field=mine,
                    own=own,
                    present="、".join(sorted(self._defined)[:30]),
                )
        if not self._fields.get("text"):
            raise InvalidSettings("azure_text_unmapped", index=self._index_name)

    def _is_readable(self, mine: str, own: str) -> bool:
        field = self._defined.get(own)
        return field is not None and (mine == "meaning" or field.retrievable is not False)

    def _vector(self, fields: Sequence[VectorField]) -> VectorField | None:
        """A field that the service itself makes vectors for, or the one that the mapping names."""
        chosen = self._fields.get("meaning")
        if chosen:
            return next((field for field in fields if field.name == chosen), None)
        return next((field for field in fields if field.has_vectorizer), None)

    def _is_one_of(self, mine: str, values: Sequence[str]) -> str:
        own = self._fields.get(mine) or (self.key if mine == "document_id" else "")
        field = self._defined.get(own)
        if not own or (field is not None and not field.filterable):
            raise self._unsupported(mine)
        return any_is_one_of(own, values) if _is_list(field) else one_of(own, values)

    def _holds(self, own: str, value: str) -> str:
        field = self._defined.get(own)
        if field is None or not field.filterable or _kind(field) not in _STRINGS:
            raise self._unsupported(own)
        return any_is_one_of(own, [value]) if _is_list(field) else one_of(own, [value])

    def _unsupported(self, field: str) -> InvalidInput:
        return InvalidInput("azure_filter_unsupported", index=self._index_name, field=field)

    def _value(self, found: Mapping[str, Any], mine: str) -> object:
        own = self._fields.get(mine)
        return found.get(own) if own else None

    def _text(self, found: Mapping[str, Any], mine: str) -> str:
        return " / ".join(self._list(found, mine))

    def _list(self, found: Mapping[str, Any], mine: str) -> list[str]:
        value: Any = self._value(found, mine)
        values: list[Any] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
        return [str(each) for each in values if each is not None]

    def _ordinal(self, found: Mapping[str, Any], key: str, document_id: str) -> int:
        number = _number(self._value(found, "ordinal"))
        if number is not None or document_id == key:
            return number or 0
        return zlib.crc32(key.encode())  # tells the parts of one document apart, always alike


def _is_list(field: SearchField | None) -> bool:
    return field is not None and _kind(field).startswith("Collection(")


def _kind(field: SearchField) -> str:
    return field.type.value if isinstance(field.type, Enum) else field.type


def _number(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None


def _format(told: str, name: str) -> Format:
    suffix = (told or PurePosixPath(name.replace("\\", "/")).suffix).lower().lstrip(".")
    named = formats().get(suffix) or format_by_name(f"file.{suffix}")
    return "text" if named is None else named.name
