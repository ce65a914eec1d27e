"""The layers of small networks, by NumPy alone: what PyTorch taught is computed here again.

Weights stand in an `.npz` beside what they belong to, with the lists of what the network knows.
"""

import json
import math
from collections.abc import Mapping
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from sanbo.language.likeness import Floats


class Layers:
    """Of one network, by the names of their weights."""

    def __init__(self, arrays: Mapping[str, Floats], heads: int) -> None:
        self.arrays = arrays
        self._heads_of_each = heads

    def named(self, name: str) -> list[str]:
        """Layers of one kind, in their order."""
        parts = [key.split(".") for key in self.arrays]
        return sorted({f"{name}.{part[1]}" for part in parts if part[0] == name})

    def linear(self, name: str, given: Floats) -> Floats:
        return np.asarray(
            given @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"], np.float32
        )

    def norm(self, name: str, given: Floats) -> Floats:
        even = given - given.mean(-1, keepdims=True)
        spread = np.sqrt(np.einsum("...i,...i->...", even, even) / given.shape[-1] + 1e-5)
        even /= spread[..., None]
        return np.asarray(even * self.arrays[f"{name}.weight"] + self.arrays[f"{name}.bias"])

    def forward(self, name: str, given: Floats) -> Floats:
        return self.linear(f"{name}.f2", np.maximum(self.linear(f"{name}.f1", given), 0))

    def looked_at(self, name: str, over: Floats) -> tuple[Floats, Floats]:
        """Keys and values."""
        return self._heads(f"{name}.k", over), self._heads(f"{name}.v", over)

    def attention(
        self, name: str, given: Floats, over: tuple[Floats, Floats], bias: Floats | float = 0.0
    ) -> Floats:
        asked, (keys, values) = self._heads(f"{name}.q", given), over
        odds = asked @ keys.swapaxes(-1, -2) / math.sqrt(asked.shape[-1]) + bias
        found = (share_of(odds) @ values).swapaxes(-2, -3).reshape(given.shape)
        return self.linear(f"{name}.o", found)

    def _heads(self, name: str, rows: Floats) -> Floats:
        made = self.linear(name, rows)
        return made.reshape(*made.shape[:-1], self._heads_of_each, -1).swapaxes(-2, -3)


def share_of(odds: Floats) -> Floats:
    """Of each in the last row of places, all together 1."""
    share = np.exp(odds - odds.max(-1, keepdims=True))
    return np.asarray(share / share.sum(-1, keepdims=True), np.float32)


def read_weights(source: Traversable) -> tuple[dict[str, Floats], Any]:
    """With the lists of what the network knows."""
    with as_file(source) as path, np.load(path) as kept:
        arrays = {name: kept[name].astype(np.float32) for name in kept.files if name != "lists"}
        return arrays, json.loads(kept["lists"].tobytes())
