"""Vectors of texts as plans carry them: dense lists of numbers, or sparse `{indices, values}`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import JsonValue
from scipy.sparse import csr_array

from sanbo.blocks.matching.comparisons import Floats
from sanbo.kernel.problems import InvalidInput

Metric = Literal["cosine", "dot", "euclid"]
_LARGEST_INDEX = 2**32


@dataclass(frozen=True)
class Dense:
    values: Floats


@dataclass(frozen=True)
class Sparse:
    indices: tuple[int, ...]
    values: Floats


Vector = Dense | Sparse


def read_vector(value: JsonValue, port: str) -> Vector | None:
    """None where there is none; a problem where there is something else."""
    if value is None or value in ([], {}):
        return None
    if isinstance(value, list):
        return Dense(_numbers(value, port))
    if isinstance(value, dict):
        indices, values = value.get("indices"), value.get("values")
        if isinstance(indices, list) and isinstance(values, list) and len(indices) == len(values):
            if not indices:
                return None
            return Sparse(tuple(_index(one, port) for one in indices), _numbers(values, port))
        inner = value.get("vector", value.get("embedding"))
        if inner is not None and not isinstance(inner, str):
            return read_vector(inner, port)
    raise InvalidInput("matching_vector_unreadable", port=port)


def _numbers(values: Sequence[JsonValue], port: str) -> Floats:
    numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) != len(values):
        raise InvalidInput("matching_vector_unreadable", port=port)
    return np.array(numbers, dtype=np.float64)


def _index(value: JsonValue, port: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LARGEST_INDEX:
        raise InvalidInput("matching_vector_unreadable", port=port)
    return value


def similarities(query: Vector, items: Sequence[tuple[int, Vector]], metric: Metric) -> Floats:
    """Of each item; larger is closer (a distance d counts as 1 / (1 + d))."""
    if isinstance(query, Dense):
        dots, sizes = _dense(query, items)
        size = float(np.linalg.norm(query.values))
    else:
        dots, sizes = _sparse(query, items)
        size = float(np.linalg.norm(query.values))
    if metric == "dot":
        return dots
    if metric == "cosine":
        scale = sizes * size
        return np.divide(dots, scale, out=np.zeros(len(dots)), where=scale > 0)
    squares = np.maximum(sizes**2 + size**2 - 2 * dots, 0.0)
    return 1 / (1 + np.sqrt(squares))


def _dense(query: Dense, items: Sequence[tuple[int, Vector]]) -> tuple[Floats, Floats]:
    rows: list[Floats] = []
    for number, vector in items:
        if not isinstance(vector, Dense) or len(vector.values) != len(query.values):
            raise _unlike(query, vector, number)
        rows.append(vector.values)
    table = np.vstack(rows)
    return table @ query.values, np.linalg.norm(table, axis=1)


def _sparse(query: Sparse, items: Sequence[tuple[int, Vector]]) -> tuple[Floats, Floats]:
    columns = {index: place for place, index in enumerate(dict.fromkeys(query.indices))}
    weights = np.zeros(len(columns))
    for index, value in zip(query.indices, query.values, strict=True):
        weights[columns[index]] += value
    rows: list[int] = []
    places: list[int] = []
    values: list[float] = []
    sizes = np.zeros(len(items))
    for row, (number, vector) in enumerate(items):
        if not isinstance(vector, Sparse):
            raise _unlike(query, vector, number)
        sizes[row] = float(np.linalg.norm(vector.values))
        for index, value in zip(vector.indices, vector.values, strict=True):
            if index in columns:
                rows.append(row)
                places.append(columns[index])
                values.append(float(value))
    table = csr_array((values, (rows, places)), shape=(len(items), len(columns)))
    return np.asarray(table @ weights).ravel(), sizes


def _unlike(query: Vector, item: Vector, number: int) -> InvalidInput:
    return InvalidInput(
        "matching_vectors_unlike", item=number, query=_described(query), found=_described(item)
    )


def _described(vector: Vector) -> str:
    return f"dense {len(vector.values)}" if isinstance(vector, Dense) else "sparse"
