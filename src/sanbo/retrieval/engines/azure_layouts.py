"""Fields of an index in Azure AI Search, and conditions on them in OData: Sanbo's own layout, or
that of an index that others keep, read through a mapping of Sanbo's names to its fields.

    retrieval:
      azure_fields: {text: content, document_name: source_file, page: page_number, title: heading}

`text` is required. `id` is the index's key unless given; `document_id` is what `id` says unless
given. `meaning` names a vector field that the configured embedding model filled.
"""

import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import Any, Protocol

from azure.search.documents.indexes.models import (
    HnswAlgorithmConfiguration,
    SearchField,
    SearchIndex,
    SemanticConfiguration,
    SemanticField,
    SemanticPrioritizedFields,
    SemanticSearch,
    VectorSearch,
    VectorSearchProfile,
)

from sanbo.documents.file_formats import format_by_name, formats
from sanbo.documents.model import Format, Position
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidSettings
from sanbo.kernel.text import matching_form
from sanbo.retrieval.embedding import Embedder
from sanbo.retrieval.engines.engine import fact, facts, point_id, searched_text
from sanbo.retrieval.model import Filter, IndexedChunk
from sanbo.retrieval.tokens import speakable

# One of these separates the values of a list: the first that stands in none of them.
_SEPARATORS = "|;,~^\u001e\u001f\ue000\ue001\ue002"
# What the query syntax reads as an operator; a dash only where it does not join two words.
_OPERATORS = re.compile(r"""[+|"()'*~\\&!{}\[\]^?<>=;]|(?<!\w)-|-(?!\w)""")
_WORD = re.compile(r"[^\W_]")
# A query may have some 1,000 terms.
_LONGEST_QUERY = 1_000


def equals(field: str, value: str) -> str:
    return f"{field} eq {_literal(value)}"


def one_of(field: str, values: Sequence[str]) -> str:
    """`search.in` takes thousands of values, `or` some hundred."""
    separator = next((char for char in _SEPARATORS if not any(char in v for v in values)), None)
    if len(values) == 1 or separator is None or "" in values:
        return " or ".join(equals(field, value) for value in values)
    return f"search.in({field}, {_literal(separator.join(values))}, {_literal(separator)})"


def any_is_one_of(collection: str, values: Sequence[str]) -> str:
    return f"{collection}/any(x: {one_of('x', values)})"


def all_hold(conditions: Iterable[str]) -> str | None:
    return " and ".join(f"({condition})" for condition in conditions) or None


def plain_words(query: str) -> str:
    """The query without operators, or "" where it has no word."""
    words = " ".join(_OPERATORS.sub(" ", speakable(query)[:_LONGEST_QUERY]).split())
    return words if _WORD.search(words) else ""


def folded_words(query: str) -> str:
    # Folded first: ＋ becomes an operator only then.
    return plain_words(matching_form(speakable(query)[:_LONGEST_QUERY]))


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


ANALYZER = "ja.microsoft"
SEMANTIC = "sanbo"
KEY = "id"
MEANING = "meaning"
_MADE_WITH = "embedding_model="
_STRING, _STRINGS, _NUMBER = "Edm.String", "Collection(Edm.String)", "Edm.Int32"
_READ = (
    "document_id",
    "version",
    "ordinal",
    "document_name",
    "format",
    "folders",
    "text",
    "context",
    "position",
    "metadata",
)
# Not `position` and `metadata`: another application's index may have fields of these names.
_OURS = frozenset({KEY, "document_id", "version", "ordinal", "searched", "facts"})


@dataclass(frozen=True)
class VectorField:
    name: str
    dimensions: int | None
    has_vectorizer: bool
    """The service makes the query's vector itself."""


class Layout(Protocol):
    """How an index is searched, and what its documents are as chunks."""

    @property
    def key(self) -> str: ...

    @property
    def select(self) -> list[str]: ...

    @property
    def search_fields(self) -> list[str] | None:
        """None: all that can be searched."""
        ...

    @property
    def semantic(self) -> str | None:
        """The semantic configuration, if there is one."""
        ...

    @property
    def vector(self) -> VectorField | None: ...

    def words(self, query: str) -> str: ...

    def condition(self, where: Filter) -> str | None: ...

    def chunk(self, found: Mapping[str, Any]) -> IndexedChunk: ...


class OwnLayout:
    """An index that Sanbo made."""

    key = KEY

    def __init__(self, index: SearchIndex) -> None:
        self.select: list[str] = list(_READ)
        self.search_fields: list[str] | None = ["searched"]
        self.semantic = semantic_configuration(index)
        self.vector = next((field for field in vector_fields(index) if field.name == MEANING), None)
        told = index.description or ""
        self.made_with = told.removeprefix(_MADE_WITH) if told.startswith(_MADE_WITH) else None

    def words(self, query: str) -> str:
        return folded_words(query)

    def condition(self, where: Filter) -> str | None:
        conditions: list[str] = []
        if where.documents:
            conditions.append(one_of("document_id", where.documents))
        if where.folders:
            conditions.append(any_is_one_of("folders", where.folders))
        if where.formats:
            conditions.append(one_of("format", where.formats))
        for key, value in where.metadata.items():
            conditions.append(any_is_one_of("facts", [fact(key, value)]))
        return all_hold(conditions)

    def chunk(self, found: Mapping[str, Any]) -> IndexedChunk:
        values = {name: found.get(name) for name in _READ}
        for name in ("position", "metadata"):
            values[name] = json.loads(str(values[name]))
        return IndexedChunk.model_validate(values)


def is_own(index: SearchIndex) -> bool:
    return {field.name for field in index.fields} >= _OURS


def own_index(name: str, embedder: Embedder | None) -> SearchIndex:
    fields = [
        _field(KEY, key=True, filterable=True, sortable=True),
        _field("document_id", filterable=True),
        _field("version", filterable=True),
        _field("ordinal", _NUMBER),
        _field("document_name", analyzer=ANALYZER),
        _field("format", filterable=True),
        _field("folders", _STRINGS, filterable=True),
        _field("text", analyzer=ANALYZER),
        _field("context", analyzer=ANALYZER),
        _field("searched", analyzer=ANALYZER, retrievable=False),
        # For people who look into the index; Sanbo itself reads `position`.
        _field("page", _NUMBER, filterable=True),
        _field("sheet", filterable=True),
        _field("position"),
        _field("facts", _STRINGS, filterable=True),
        _field("metadata"),
    ]
    index = SearchIndex(name=name, fields=fields, semantic_search=_semantic_search())
    if embedder is not None:
        index.fields.append(
            SearchField(
                name=MEANING,
                type="Collection(Edm.Single)",
                searchable=True,
                retrievable=False,
                stored=False,
                vector_search_dimensions=embedder.size,
                vector_search_profile_name=MEANING,
            )
        )
        index.vector_search = VectorSearch(
            algorithms=[HnswAlgorithmConfiguration(name="nearest")],
            profiles=[VectorSearchProfile(name=MEANING, algorithm_configuration_name="nearest")],
        )
        index.description = _MADE_WITH + embedder.model
    return index


def to_document(chunk: IndexedChunk, meaning: Sequence[float] | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        KEY: point_id(chunk),
        "document_id": chunk.document_id,
        "version": chunk.version,
        "ordinal": chunk.ordinal,
        "document_name": chunk.document_name,
        "format": chunk.format,
        "folders": list(chunk.folders),
        "text": chunk.text,
        "context": chunk.context,
        "searched": matching_form(searched_text(chunk)),
        "page": chunk.position.page,
        "sheet": chunk.position.sheet,
        "position": chunk.position.model_dump_json(),
        "facts": facts(chunk.metadata),
        "metadata": json.dumps(chunk.metadata, ensure_ascii=False),
    }
    return document if meaning is None else {**document, MEANING: list(meaning)}


def of_version(document_id: str, version: str) -> str:
    return f"{equals('document_id', document_id)} and {equals('version', version)}"


def semantic_configuration(index: SearchIndex) -> str | None:
    found = index.semantic_search
    if found is None or not found.configurations:
        return None
    return found.default_configuration_name or found.configurations[0].name


def vector_fields(index: SearchIndex) -> list[VectorField]:
    profiles = (index.vector_search.profiles if index.vector_search else None) or []
    vectorizing = {profile.name for profile in profiles if profile.vectorizer_name}
    return [
        VectorField(
            field.name,
            field.vector_search_dimensions,
            field.vector_search_profile_name in vectorizing,
        )
        for field in index.fields
        if field.vector_search_profile_name
    ]


def _field(
    name: str,
    kind: str = _STRING,
    *,
    key: bool = False,
    filterable: bool = False,
    sortable: bool = False,
    retrievable: bool = True,
    analyzer: str | None = None,
) -> SearchField:
    """All said: what is left out, the service switches on, and each of them takes space."""
    return SearchField(
        name=name,
        type=kind,
        key=key,
        searchable=analyzer is not None,
        filterable=filterable,
        sortable=sortable,
        facetable=False,
        retrievable=retrievable,
        analyzer_name=analyzer,
    )


def _semantic_search() -> SemanticSearch:
    prioritized = SemanticPrioritizedFields(
        title_field=SemanticField(field_name="document_name"),
        content_fields=[SemanticField(field_name="text")],
        keywords_fields=[SemanticField(field_name="context")],
    )
    configuration = SemanticConfiguration(name=SEMANTIC, prioritized_fields=prioritized)
    return SemanticSearch(default_configuration_name=SEMANTIC, configurations=[configuration])


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
_TEXT_KINDS = ("Edm.String", "Collection(Edm.String)")


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
        if field is None or not field.filterable or _kind(field) not in _TEXT_KINDS:
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
        values: list[Any] = value if isinstance(value, list) else [value]
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
