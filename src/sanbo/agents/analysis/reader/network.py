"""The networks: what a question asks for as tokens, the likeliest first, with how likely each is.

Attention over the question's places and the table's columns, and a decoder that writes tokens or
points at a place or a column. Several that were taught alike are asked, and what is likely is what
they think on average: where they differ, none of them is sure. `benchmarks/fit_reader.py` made the
weights, and says how.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.analysis.reader.features import TIES, Features
from sanbo.agents.analysis.reader.grammar import Column, Grammar, Next, Place, Token
from sanbo.language.likeness import Floats

HEADS = 4
REACH = 6
"""How far apart places are told from each other."""
KINDS_OF_TIES = 2 * REACH + 1 + 2 * TIES + 2
_BEAMS = 4
LONGEST = 40
_FAR_BEHIND = 3.0
_NEVER = -1e9
_HOPELESS = 2e-9


class Read(NamedTuple):
    tokens: tuple[Token, ...]
    chance: float


class _Weights(NamedTuple):
    arrays: Mapping[str, Floats]
    words: list[str]
    """Of a reading."""
    places: list[dict[str, int]]
    columns: list[dict[str, int]]


@cache
def _weights() -> tuple[_Weights, ...]:
    """Of each network; their lists are the same."""
    folder = files("sanbo.agents.analysis.reader")
    kept = sorted(one.name for one in folder.iterdir() if one.name.endswith(".npz"))
    return tuple(_read(folder.joinpath(name)) for name in kept)


def _read(source: Traversable) -> _Weights:
    with as_file(source) as path, np.load(path) as kept:
        told = json.loads(kept["lists"].tobytes())
        arrays = {name: kept[name].astype(np.float32) for name in kept.files if name != "lists"}
    return _Weights(arrays, told["words"], told["places"], told["columns"])


def readings(features: Features, grammar: Grammar) -> list[Read]:
    """The likeliest first; none where the question has no words, or the table no columns."""
    if not features.places or not features.columns:
        return []
    networks = [_Network(weights, features) for weights in _weights()]
    begun: list[Read] = [Read((), 0.0)]
    ended: list[Read] = []
    while begun and len(begun[0].tokens) < LONGEST:
        longer = [more for one in begun for more in _longer(one, networks, grammar)]
        ended += [one for one in longer if one.tokens[-1] == "END"]
        ended = sorted(ended, key=lambda one: -one.chance)[:_BEAMS]
        least = ended[0].chance - _FAR_BEHIND if ended else -math.inf
        begun = [one for one in longer if one.tokens[-1] != "END" and one.chance > least]
        begun = sorted(begun, key=lambda one: -one.chance)[:_BEAMS]
    return [Read(one.tokens, math.exp(one.chance)) for one in ended]


def _longer(begun: Read, networks: Sequence["_Network"], grammar: Grammar) -> list[Read]:
    """By one token, whichever are likely."""
    may = grammar.after(begun.tokens)
    if may is None:
        return []
    allowed = networks[0].allowed(may)
    if not allowed.any():
        return []
    chances = np.mean([one.chances(begun.tokens, allowed) for one in networks], axis=0)
    return [
        Read((*begun.tokens, networks[0].token(int(at))), begun.chance + math.log(chances[at]))
        for at in np.argsort(-chances)[:_BEAMS]
        if allowed[at] and chances[at] > _HOPELESS
    ]


class _Network:
    def __init__(self, weights: _Weights, features: Features) -> None:
        self._weights = weights
        self._count = len(features.places)
        self._number = {word: at for at, word in enumerate(weights.words)}
        self._seen = self._encoded(features)
        self._keys = self._linear("pk", self._seen)

    def chances(self, tokens: Sequence[Token], allowed: np.ndarray) -> Floats:
        """Of each word, place and column to be the next; none of those that are not allowed."""
        odds = np.where(allowed, self._next(tokens), _NEVER)
        found = np.exp(odds - odds.max())
        return np.asarray(found / found.sum(), np.float32)

    # ---- tokens ----

    def token(self, at: int) -> Token:
        words = len(self._weights.words)
        if at < words:
            return self._weights.words[at]
        at -= words
        return Place(at) if at < self._count else Column(at - self._count)

    def allowed(self, may: Next) -> np.ndarray:
        words = len(self._weights.words)
        found = np.zeros(words + len(self._seen), bool)
        found[[self._number[word] for word in may.words if word in self._number]] = True
        found[[words + at for at in may.places]] = True
        found[[words + self._count + at for at in may.columns]] = True
        return found

    # ---- the question and its table ----

    def _encoded(self, features: Features) -> Floats:
        arrays, weights = self._weights.arrays, self._weights
        places = self._summed("pos", place_numbers(features, weights.places)) + self._linear(
            "vec", features.meanings
        )
        columns = (
            self._summed("col", column_numbers(features, weights.columns))
            + self._linear("colvec", features.names)
            + self._linear("colheld", features.held)
            + self._linear("colbits", features.flags)
        )
        seen = np.concatenate([places, columns])
        ties = ties_of(features)
        at = 0
        while f"enc.{at}.f1.weight" in arrays:
            name = f"enc.{at}"
            inner = self._norm(f"{name}.n1", seen)
            bias = arrays[f"{name}.a.bias.weight"].T[ties]
            seen = seen + self._attention(f"{name}.a", inner, inner, bias.transpose(2, 0, 1))
            seen = seen + self._forward(name, self._norm(f"{name}.n2", seen))
            at += 1
        return self._norm("en", seen)

    def _summed(self, name: str, numbers: Sequence[Sequence[int]]) -> Floats:
        arrays = self._weights.arrays
        parts = enumerate(zip(*numbers, strict=True))
        return np.asarray(sum(arrays[f"{name}.{at}.weight"][[*part]] for at, part in parts))

    # ---- the next token ----

    def _next(self, tokens: Sequence[Token]) -> Floats:
        arrays = self._weights.arrays
        words = len(self._weights.words)
        begin = arrays["op.weight"][words]
        told = np.stack([begin, *(self._embedded(token) for token in tokens)])
        told = told + arrays["place.weight"][: len(told)]
        later = np.triu(np.full((len(told), len(told)), _NEVER, np.float32), 1)
        at = 0
        while f"dec.{at}.f1.weight" in arrays:
            name = f"dec.{at}"
            inner = self._norm(f"{name}.n1", told)
            told = told + self._attention(f"{name}.s", inner, inner, later)
            told = told + self._attention(f"{name}.c", self._norm(f"{name}.n2", told), self._seen)
            told = told + self._forward(name, self._norm(f"{name}.n3", told))
            at += 1
        last = self._norm("dn", told[-1:])
        pointed = self._linear("pq", last) @ self._keys.T / math.sqrt(last.shape[-1])
        return np.concatenate([self._linear("out", last)[0], pointed[0]])

    def _embedded(self, token: Token) -> Floats:
        if isinstance(token, str):
            return self._weights.arrays["op.weight"][self._number[token]]
        at = token.at + (self._count if isinstance(token, Column) else 0)
        return self._linear("copy", self._seen[at : at + 1])[0]

    # ---- layers ----

    def _linear(self, name: str, given: Floats) -> Floats:
        arrays = self._weights.arrays
        return np.asarray(given @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"])

    def _norm(self, name: str, given: Floats) -> Floats:
        arrays = self._weights.arrays
        spread = np.sqrt(given.var(-1, keepdims=True) + 1e-5)
        even = (given - given.mean(-1, keepdims=True)) / spread
        return np.asarray(even * arrays[f"{name}.weight"] + arrays[f"{name}.bias"])

    def _forward(self, name: str, given: Floats) -> Floats:
        return self._linear(f"{name}.f2", np.maximum(self._linear(f"{name}.f1", given), 0))

    def _attention(
        self, name: str, given: Floats, over: Floats, bias: Floats | float = 0.0
    ) -> Floats:
        def heads(part: str, rows: Floats) -> Floats:
            made = self._linear(f"{name}.{part}", rows)
            return made.reshape(len(rows), HEADS, -1).transpose(1, 0, 2)

        asked, keys, values = heads("q", given), heads("k", over), heads("v", over)
        odds = asked @ keys.transpose(0, 2, 1) / math.sqrt(asked.shape[-1]) + bias
        share = np.exp(odds - odds.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        found = (share @ values).transpose(1, 0, 2).reshape(len(given), -1)
        return self._linear(f"{name}.o", found)


Lists = Sequence[Mapping[str, int]]
"""Of each thing that is told of a place or a column, the number of a word."""


def place_numbers(features: Features, lists: Lists) -> list[list[int]]:
    rows = zip(features.places, features.ties, strict=True)
    return [[*_looked_up(place, lists), _first(ties)] for place, ties in rows]


def column_numbers(features: Features, lists: Lists) -> list[list[int]]:
    rows = zip(features.columns, features.ties.T, strict=True)
    return [[*_looked_up(column, lists), _first(ties)] for column, ties in rows]


def ties_of(features: Features) -> NDArray[np.int64]:
    """Of each of the places and columns with each other."""
    count, columns = len(features.places), len(features.columns)
    between = 2 * REACH + 1
    found = np.zeros((count + columns, count + columns), np.int64)
    at = np.arange(count)
    found[:count, :count] = np.clip(at[None] - at[:, None], -REACH, REACH) + REACH
    found[:count, count:] = between + features.ties
    found[count:, :count] = between + TIES + features.ties.T
    found[count:, count:] = between + 2 * TIES + np.eye(columns, dtype=np.int64)
    return found


def _looked_up(told: Sequence[str], lists: Lists) -> list[int]:
    """1: not in the list."""
    return [known.get(word, 1) for word, known in zip(told, lists, strict=True)]


def _first(ties: np.ndarray) -> int:
    return int(min((tie for tie in ties if tie), default=0))
