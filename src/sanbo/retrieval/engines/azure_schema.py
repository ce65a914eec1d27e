"""Sanbo's own index in Azure AI Search: fields, chunks as documents, conditions in OData."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
