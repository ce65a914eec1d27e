"""matching.similarity_cluster: records that are alike put together; likely duplicates named."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
from pydantic import AliasChoices, Field, JsonValue
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, PureBlock
from sanbo.blocks.matching.comparisons import (
    Comparison,
    Floats,
    Ints,
    Kind,
    Pairs,
    Respect,
    Tolerance,
    in_words,
    reasons_of,
)
from sanbo.blocks.matching.linkage_keys import (
    AUTO,
    column,
    comparison_of,
    is_kind,
    kind_of,
    kind_of_values,
    share,
)
from sanbo.blocks.matching.pairing import Found, find_pairs
from sanbo.blocks.transforms.options import Option, listed, read_as
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.rows import Row, Rows


class FeatureSpec(Option):
    field: str
    type: str = AUTO
    weight: float = Field(default=1.0, gt=0, le=1000)
    tolerance: float = Field(default=0, ge=0, validation_alias=AliasChoices("tolerance", "days"))
    percent: float = Field(default=0, ge=0, lt=90)
    threshold: float | None = Field(default=None, ge=0, le=100)


class SimilarityCluster(PureBlock[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        comparisons = _comparisons(given)
        found = find_pairs(comparisons, share(given.threshold), within=True)
        groups = clusters_of(
            found, len(given.items), comparisons, given.method, share(given.threshold)
        )
        kept = [group for group in groups if len(group) >= given.min_size]
        labels: list[JsonValue] = [None] * len(given.items)
        for number, group in enumerate(kept):
            for index in group:
                labels[index] = number
        return {
            "clusters": [list[JsonValue](group) for group in kept],
            "groups": _clusters(kept, found, given),
            "candidates": _candidates(given, found, comparisons, context),
            "labels": labels,
            "summary": {
                "items": len(given.items),
                "clusters": len(kept),
                "clustered": sum(len(group) for group in kept),
                "singletons": sum(len(group) == 1 for group in groups),
                "pairs": len(found),
                "threshold": share(given.threshold),
                "method": given.method,
                "compared": [
                    {"field": one.respect.name, "type": one.respect.kind} for one in comparisons
                ],
            },
        }


def _comparisons(given: Given) -> list[Comparison]:
    made: list[Comparison] = []
    for number, spec in enumerate(read_feature_spec(given.feature_spec)):
        values = column(given.items, spec.field, f"feature_spec.{number}")
        kind: Kind = kind_of_values(values, []) if spec.type == AUTO else kind_of(spec.type)
        least = 0.0 if spec.threshold is None else share(spec.threshold)
        respect = Respect(spec.field, kind, spec.field, spec.field, spec.weight, least)
        tolerance = Tolerance(spec.tolerance, spec.tolerance, spec.percent / 100)
        made.append(comparison_of(respect, values, values, tolerance))
    if not made:
        raise InvalidInput("matching_nothing_compared")
    return made


def read_feature_spec(written: JsonValue) -> list[FeatureSpec]:
    """`[取引先, 金額]`, `[{field, type, weight}]`, `{取引先: company}`, or these under `fields`.

    And by kind, with or without weights: `{text: [取引先], number: [金額], weights: {金額: 2}}`.
    """
    if isinstance(written, dict) and {"fields"} <= set(written) <= {"fields", "weights"}:
        written = _weighted(written["fields"], written.get("weights"))
    if isinstance(written, dict) and (by_kind := _by_kind(written)):
        entries: list[JsonValue] = by_kind
    elif isinstance(written, dict) and "field" not in written:
        entries = [
            {"field": field, **(one if isinstance(one, dict) else _short(one))}
            for field, one in written.items()
        ]
    else:
        entries = [{"field": one} if isinstance(one, str) else one for one in listed(written)]
    return [
        read_as(FeatureSpec, one, f"feature_spec.{number}") for number, one in enumerate(entries)
    ]


def _by_kind(given: dict[str, JsonValue]) -> list[JsonValue]:
    """Empty unless every key is a kind of comparison with a list of fields."""
    kinds = {word: word.removesuffix("_fields") for word in given if word != "weights"}
    if not all(is_kind(kind) and isinstance(given[word], list) for word, kind in kinds.items()):
        return []
    entries: list[JsonValue] = [
        {**_row(one), "type": kind} for word, kind in kinds.items() for one in listed(given[word])
    ]
    return listed(_weighted(entries, given.get("weights")))


def _weighted(fields: JsonValue, weights: JsonValue) -> JsonValue:
    """Weights by the field's name, put beside the field."""
    if not isinstance(weights, dict) or not isinstance(fields, list):
        return fields
    rows = [_row(one) for one in fields]
    return [
        {**row, "weight": weights[name]} if (name := str(row.get("field"))) in weights else row
        for row in rows
    ]


def _row(one: JsonValue) -> Row:
    return one if isinstance(one, dict) else {"field": one}


def _short(one: JsonValue) -> Row:
    is_weight = isinstance(one, int | float) and not isinstance(one, bool)
    return {"weight": one} if is_weight else {"type": one}


def _clusters(groups: Sequence[Sequence[int]], found: Found, given: Given) -> Rows:
    """The item that stands first represents it: which one is right, only a person knows."""
    scores = _mean_scores(groups, found, len(given.items))
    return [
        {
            "id": number,
            "size": len(group),
            "indices": list[JsonValue](group),
            "items": [given.items[index] for index in group],
            "representative": given.items[group[0]],
            "score": round(scores[number], 4),
        }
        for number, group in enumerate(groups)
    ]


def _mean_scores(groups: Sequence[Sequence[int]], found: Found, count: int) -> list[float]:
    """Of the alike pairs inside each group; 1 for one that has none."""
    number_of = np.full(count, -1, dtype=np.int64)
    for number, group in enumerate(groups):
        number_of[group] = number
    one, other = number_of[found.pairs.left], number_of[found.pairs.right]
    inside = (one == other) & (one >= 0)
    sums = np.bincount(one[inside], found.scores[inside], minlength=len(groups))
    counts = np.bincount(one[inside], minlength=len(groups))
    means: list[float] = np.where(counts > 0, sums / np.maximum(counts, 1), 1.0).tolist()
    return means


def _candidates(
    given: Given,
    found: Found,
    comparisons: Sequence[Comparison],
    context: BlockContext,
) -> Rows:
    """The most alike pairs, best first."""
    every_pair = np.lexsort((found.pairs.right, found.pairs.left, -found.scores))
    order = _best_of_each(every_pair, found, given.top_k)
    pairs = Pairs(found.pairs.left[order], found.pairs.right[order])
    every = reasons_of(pairs, given.items, given.items, comparisons, context.language)
    rows: Rows = []
    for number, reasons in enumerate(every):
        left, right = int(pairs.left[number]), int(pairs.right[number])
        rows.append(
            {
                "a": left,
                "b": right,
                "score": round(float(found.scores[order[number]]), 4),
                "left": given.items[left],
                "right": given.items[right],
                "reasons": list[JsonValue](reasons),
                "reason": in_words(reasons),
            }
        )
    return rows


def _best_of_each(order: Ints, found: Found, most: int) -> Ints:
    """Of each record the pairs that are most alike."""
    counts: dict[int, int] = {}
    kept: list[int] = []
    for place in order.tolist():
        left = int(found.pairs.left[place])
        counts[left] = counts.get(left, 0) + 1
        if counts[left] <= most:
            kept.append(place)
    return np.array(kept, dtype=np.int64)


_LARGEST = 3000
"""Records in one hierarchy: their distances are a table of some millions of cells."""
Linkage = Literal["average", "complete"]
_LINKAGE: Mapping[str, Linkage] = {
    "hierarchical": "average",
    "average": "average",
    "complete": "complete",
}


def clusters_of(
    found: Found, count: int, comparisons: Sequence[Comparison], method: str, threshold: float
) -> list[list[int]]:
    """Every record is in one group, alone or not; groups and members in the records' order."""
    groups = _connected(found, count)
    if method in _LINKAGE:
        groups = [
            part
            for group in groups
            for part in _divided(group, comparisons, _LINKAGE[method], threshold)
        ]
    lists: list[list[int]] = [group.tolist() for group in groups]
    return sorted(lists, key=lambda group: group[0])


def _connected(found: Found, count: int) -> list[Ints]:
    """Who is alike belongs together, and so does who is alike to one of them."""
    if not count:
        return []
    ones = np.ones(len(found))
    graph = coo_array((ones, (found.pairs.left, found.pairs.right)), shape=(count, count))
    labels = cast("Any", connected_components(graph, directed=False)[1])
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _divided(
    group: Ints, comparisons: Sequence[Comparison], method: Linkage, threshold: float
) -> list[Ints]:
    """Chains are cut where their ends are not alike: groups merge only on average, or entirely.

    Two groups that merge so have a pair above the threshold, so no group reaches beyond the
    connected ones.
    """
    if len(group) <= 2:
        return [group]
    if len(group) > _LARGEST:
        raise LimitExceeded("matching_cluster_too_large", count=len(group), limit=_LARGEST)
    distances = 1 - _scores(group, comparisons)
    tree = linkage(distances, method=method)
    labels = fcluster(tree, t=1 - threshold + 1e-9, criterion="distance")
    return [np.sort(group[labels == label]) for label in np.unique(labels)]


def _scores(group: Ints, comparisons: Sequence[Comparison]) -> Floats:
    """Of all pairs of the group, as scipy orders them; one that breaks a minimum scores 0."""
    one, other = np.triu_indices(len(group), 1)
    pairs = Pairs(group[one], group[other])
    total = np.zeros(len(pairs))
    fits = np.ones(len(pairs), bool)
    for comparison in comparisons:
        scores = comparison.scores(pairs)
        total += comparison.respect.weight * scores
        fits &= scores >= comparison.respect.minimum - 1e-9
    weights = sum(comparison.respect.weight for comparison in comparisons)
    return np.where(fits, np.clip(total / weights, 0.0, 1.0), 0.0)
