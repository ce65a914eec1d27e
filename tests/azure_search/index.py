"""One index: its definition, its documents, and searching them."""

import math
import re
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from tests.azure_search.definition import Definition, Refused
from tests.azure_search.odata import BadFilter, Parser

Document = dict[str, Any]
Vectorize = Callable[[str], list[float]]

_KEY = re.compile(r"[A-Za-z0-9=-][A-Za-z0-9_=-]*")
_TERM = re.compile(r"([a-z0-9]+)|((?:(?![a-z0-9])[^\W_])+)")
_PAGE = 1000
_RERANKED = 50


def terms(text: str) -> list[str]:
    """Words of Latin letters, and single characters and pairs of all others; widths not folded."""
    found: list[str] = []
    for word, run in _TERM.findall(text.lower()):
        found += [word] if word else [*run, *(run[n : n + 2] for n in range(len(run) - 1))]
    return found


class Index:
    def __init__(self, given: dict[str, Any]) -> None:
        self.definition = Definition(given)
        self.key = self.definition.key
        self._documents: dict[str, Document] = {}
        self._counts: dict[str, dict[str, Counter[str]]] = {}
        self._holders: dict[str, defaultdict[str, set[str]]] = {
            name: defaultdict(set) for name in self.definition.searchable
        }
        self._coming: list[tuple[float, str, Document | None]] = []

    def change(self, actions: list[dict[str, Any]], visible_after: float) -> list[dict[str, Any]]:
        if len(actions) > 1000:
            raise Refused("The request is invalid: at most 1000 actions.")
        return [self._change(dict(action), visible_after) for action in actions]

    def lookup(self, key: str) -> Document:
        self._arrive()
        if key not in self._documents:
            raise Refused("", 404)
        return self._shown(self._documents[key], None)

    def search(
        self, body: Mapping[str, Any], vectorize: Vectorize | None, has_ranker: bool
    ) -> dict[str, Any]:
        self._arrive()
        allowed = self._allowed(body)
        scores = self._scores(body, allowed, vectorize)
        order = sorted(scores, key=lambda key: (-scores[key], key))
        if orders := _names(body.get("orderby")):
            order = self._ordered(order, orders)
        reranked = self._reranked(body, order, has_ranker)
        if reranked:
            order.sort(key=lambda key: (-reranked.get(key, -1.0), -scores[key], key))
        skip, top = int(body.get("skip") or 0), int(body.get("top") or 50)
        page = order[skip : skip + min(top, _PAGE)]
        select = _names(body.get("select"))
        for name in select:
            self.definition.field(name, "retrievable")
        rows = [
            {
                "@search.score": scores[key],
                **({"@search.rerankerScore": reranked[key]} if key in reranked else {}),
                **self._shown(self._documents[key], select),
            }
            for key in page
        ]
        answer: dict[str, Any] = {"value": rows}
        if top > _PAGE and len(order) > skip + _PAGE:
            following = {**body, "skip": skip + _PAGE, "top": top - _PAGE}
            answer["@search.nextPageParameters"] = following
            answer["@odata.nextLink"] = "http://unused/"
        return answer

    def _change(self, action: dict[str, Any], visible_after: float) -> dict[str, Any]:
        kind = action.pop("@search.action", "upload")
        key = action.get(self.key)
        if not isinstance(key, str) or not _KEY.fullmatch(key) or len(key) > 1024:
            raise Refused(f"Invalid document key: '{key}'.")
        moment = time.monotonic() + visible_after
        if kind == "delete":
            self._coming.append((moment, key, None))
            return _result(key)
        if kind == "mergeOrUpload":
            action = {**self._documents.get(key, {}), **action}
        elif kind != "upload":
            raise Refused(f"Unknown action '{kind}'")
        for name, value in action.items():
            self.definition.check_value(name, value)
        for name, field in self.definition.fields.items():
            value = action.get(name)
            if field.get("filterable") and any(_too_long(each) for each in _list(value)):
                told = f"Field '{name}' contains a term that is too large to process."
                return _result(key, 400, told)
        self._coming.append((moment, key, action))
        return _result(key, 200 if key in self._documents else 201)

    def _arrive(self) -> None:
        now = time.monotonic()
        while self._coming and self._coming[0][0] <= now:
            _, key, document = self._coming.pop(0)
            self._take_out(key)
            if document is not None:
                self._put_in(key, document)

    def _put_in(self, key: str, document: Document) -> None:
        self._documents[key] = document
        self._counts[key] = {}
        for name in self.definition.searchable:
            text = " ".join(str(each) for each in _list(document.get(name)))
            self._counts[key][name] = Counter(terms(text))
            for term in self._counts[key][name]:
                self._holders[name][term].add(key)

    def _take_out(self, key: str) -> None:
        if self._documents.pop(key, None) is not None:
            for name, counts in self._counts.pop(key).items():
                for term in counts:
                    self._holders[name][term].discard(key)

    def _allowed(self, body: Mapping[str, Any]) -> set[str]:
        if not body.get("filter"):
            return set(self._documents)
        try:
            condition = Parser(body["filter"], self.definition.fields).condition()
        except BadFilter as error:
            raise Refused(f"Invalid expression: {error}\r\nParameter name: $filter") from None
        return {key for key, document in self._documents.items() if condition(document)}

    def _scores(
        self, body: Mapping[str, Any], allowed: set[str], vectorize: Vectorize | None
    ) -> dict[str, float]:
        text: str = body.get("search") or "*"
        names = _names(body.get("searchFields")) or self.definition.searchable
        for name in names:
            self.definition.field(name, "searchable")
        by_words = dict.fromkeys(allowed, 1.0) if text == "*" else self._bm25(text, names, allowed)
        queries: list[dict[str, Any]] = body.get("vectorQueries") or []
        rankings = [by_words, *(self._nearest(each, allowed, vectorize) for each in queries)]
        return by_words if len(rankings) == 1 else _fused(rankings)

    def _bm25(self, text: str, names: Iterable[str], allowed: set[str]) -> dict[str, float]:
        scores: defaultdict[str, float] = defaultdict(float)
        for word in text.split():
            if word.startswith("-") and len(word) > 1:  # NOT: all that lack it match
                holders = {k for n in names for t in terms(word) for k in self._holders[n][t]}
                for key in allowed - holders:
                    scores[key] += 1.0
                continue
            for name in names:
                for term in terms(word):
                    self._count(name, term, allowed, scores)
        return dict(scores)

    def _count(
        self, name: str, term: str, allowed: set[str], scores: defaultdict[str, float]
    ) -> None:
        holders = self._holders[name][term]
        rarity = math.log(1 + (len(self._documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for key in holders & allowed:
            count = self._counts[key][name][term]
            norm = 1.2 * (0.25 + 0.75 * self._counts[key][name].total() / 100)
            scores[key] += rarity * count * 2.2 / (count + norm)

    def _nearest(
        self, query: Mapping[str, Any], allowed: set[str], vectorize: Vectorize | None
    ) -> dict[str, float]:
        name = str(query["fields"])
        field = self.definition.field(name, "searchable")
        if query["kind"] == "text":
            profile = self.definition.profiles[field["vectorSearchProfile"]]
            if not profile.get("vectorizer") or vectorize is None:
                raise Refused(f"Field '{name}' does not have a vectorizer defined.")
            vector = vectorize(query["text"])
        else:
            vector = query["vector"]
        if len(vector) != field["dimensions"]:
            raise Refused(f"The vector query has another dimension than '{name}'.")
        found = {
            key: _cosine(vector, document[name])
            for key, document in self._documents.items()
            if key in allowed and document.get(name)
        }
        best = sorted(found, key=lambda key: -found[key])[: query.get("k") or 50]
        return {key: found[key] for key in best}

    def _reranked(
        self, body: Mapping[str, Any], order: list[str], has_ranker: bool
    ) -> dict[str, float]:
        if body.get("queryType") != "semantic":
            return {}
        if not has_ranker:
            raise Refused(
                "Semantic search is not enabled for this service.\r\nParameter name: queryType",
                code="FeatureNotSupportedInService",
                detail="SemanticQueriesNotAvailable",
            )
        name = body.get("semanticConfiguration")
        prioritized = self.definition.configurations.get(name or "")
        if prioritized is None:
            raise Refused(
                f"Unknown semantic configuration '{name}'.",
                code="InvalidRequestParameter",
                detail="UnknownSemanticConfiguration",
            )
        contents = prioritized["prioritizedContentFields"]
        wanted = _understood(body.get("semanticQuery") or body["search"])
        scores: dict[str, float] = {}
        for key in order[:_RERANKED]:
            text = " ".join(str(self._documents[key].get(c["fieldName"])) for c in contents)
            scores[key] = 4.0 * len(wanted & _understood(text)) / max(1, len(wanted))
        return scores

    def _ordered(self, keys: list[str], orders: list[str]) -> list[str]:
        for order in reversed(orders):
            name, _, direction = order.partition(" ")
            self.definition.field(name, "sortable")
            keys = sorted(
                keys, key=lambda key: self._documents[key][name], reverse=direction == "desc"
            )
        return keys

    def _shown(self, document: Document, select: list[str] | None) -> Document:
        return {
            name: document.get(name)
            for name, field in self.definition.fields.items()
            if field.get("retrievable", True) and (not select or name in select)
        }


def _names(value: Any) -> list[str]:
    """The client sends lists of names as one string with commas."""
    return [name for name in value.split(",") if name] if value else []


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _understood(text: str) -> set[str]:
    """A language model reads ﾌﾟﾘﾝﾀｰ and プリンター alike; the analyzer is not known to."""
    return set(terms(unicodedata.normalize("NFKC", text)))


def _result(key: str, status: int = 200, message: str | None = None) -> dict[str, Any]:
    return {"key": key, "status": status < 300, "errorMessage": message, "statusCode": status}


def _too_long(value: Any) -> bool:
    return isinstance(value, str) and len(value.encode()) > 32_766


def _cosine(one: list[float], other: list[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / ((math.hypot(*one) * math.hypot(*other)) or 1.0)


def _fused(rankings: list[dict[str, float]]) -> dict[str, float]:
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, key in enumerate(sorted(ranking, key=lambda k: (-ranking[k], k)), 1):
            scores[key] += 1 / (60 + rank)
    return dict(scores)
