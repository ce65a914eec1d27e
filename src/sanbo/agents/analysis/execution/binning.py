"""Numbers into classes: 1: 0以上10未満, 2: 10以上20以下."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.values import Value
from sanbo.agents.analysis.spec.expressions import Bin
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput

_LARGEST_SHOWN = 1e15


def binned(part: Bin, of: Value) -> tuple[Value, int]:
    """The class of each number, and how many lie outside of all classes.

    A class holds its lower edge, and the last one its upper edge too; of parts of equal size a
    class holds its upper edge, and the first one its lower edge too, as is usual for quantiles.
    """
    numbers = of.numbers()
    present = numbers[np.isfinite(numbers)]
    if present.size == 0:
        return Value(pd.Series(None, index=of.data.index, dtype="str"), "text", "bin"), 0
    edges = _edges(part, present)
    if part.labels and len(part.labels) != len(edges) - 1:
        raise InvalidInput(
            "analysis_result.bins_collapsed", parts=len(edges) - 1, labels=len(part.labels)
        )
    if part.quantiles and not part.edges:
        places = np.searchsorted(edges, numbers, side="left") - 1
        places = np.where(numbers == edges[0], 0, places)
    else:
        places = np.searchsorted(edges, numbers, side="right") - 1
        places = np.where(numbers == edges[-1], len(edges) - 2, places)
    inside = np.isfinite(numbers) & (places >= 0) & (places <= len(edges) - 2)
    names = np.array([*_names(part, edges), None], dtype=object)
    made = pd.Series(
        names[np.where(inside, places, len(edges) - 1)], index=of.data.index, dtype="str"
    )
    return Value(made, "text", "bin"), int((np.isfinite(numbers) & ~inside).sum())


def _edges(part: Bin, present: NDArray[np.float64]) -> NDArray[np.float64]:
    if part.edges:
        return np.array(part.edges)
    low, high = float(present.min()), float(present.max())
    if part.quantiles:
        edges = np.unique(np.quantile(present, np.linspace(0, 1, part.count + 1)))
        return edges if len(edges) > 1 else np.array([low, low])
    return np.linspace(low, high, part.count + 1) if high > low else np.array([low, high])


def _names(part: Bin, edges: NDArray[np.float64]) -> list[str]:
    """Numbered, so that they sort as the numbers do."""
    if part.labels:
        return list(part.labels)
    count = len(edges) - 1
    by_size = part.quantiles and not part.edges
    names: list[str] = []
    shown = edge_texts(edges, is_given=bool(part.edges))
    for place in range(count):
        is_closed = place == 0 if by_size else place == count - 1
        shape = "closed" if is_closed else "upper" if by_size else "lower"
        text = tell(
            f"analysis_result.bin.{shape}",
            low=shown[place],
            high=shown[place + 1],
        )
        names.append(f"{place + 1:0{len(str(count))}}: {text}")
    return names


def edge_texts(edges: NDArray[np.float64], *, is_given: bool) -> list[str]:
    """1,000,000, never 1e+06; given ones exactly, others so that they can be told apart."""
    if (np.abs(edges) >= _LARGEST_SHOWN).any():
        return [f"{edge:.6g}" for edge in edges]
    width = float(np.diff(edges).min())
    finest = 12 if is_given or width <= 0 else min(12, max(0, 2 - math.floor(math.log10(width))))
    rounded = [f"{edge:,.{finest}f}" for edge in edges]
    return [text.rstrip("0").rstrip(".") if "." in text else text for text in rounded]
