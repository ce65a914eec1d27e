"""The networks: what a question asks for as tokens, the likeliest first, with how likely each is.

Attention over the question's places and the table's columns, and a decoder that writes tokens or
points at a place or a column. Several that were taught alike are asked, and what is likely is what
they think on average: where they differ, none of them is sure. `benchmarks/fit_reader.py` made the
weights, and says how.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.analysis.reader.features import TEXT, TIES, Features, text_of
from sanbo.agents.analysis.reader.grammar import Column, Grammar, Next, Place, Token
from sanbo.language.layers import Layers, read_weights
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
    arrays, told = read_weights(source)
    return _Weights(arrays, told["words"], told["places"], told["columns"])


def has_met(said: str) -> bool:
    """Whether questions that the networks were taught with had this word."""
    return text_of(said) in _weights()[0].places[TEXT]


def readings(features: Features, grammar: Grammar) -> list[Read]:
    """The likeliest first; none where the question has no words, or the table no columns."""
    if not features.places or not features.columns:
        return []
    networks = [_Network(weights, features) for weights in _weights()]
    begun: list[Read] = [Read((), 0.0)]
    ended: list[Read] = []
    while begun and len(begun[0].tokens) < LONGEST:
        longer = _longer(begun, networks, grammar)
        ended += [one for one in longer if one.tokens[-1] == "END"]
        ended = sorted(ended, key=lambda one: -one.chance)[:_BEAMS]
        least = ended[0].chance - _FAR_BEHIND if ended else -math.inf
        begun = [one for one in longer if one.tokens[-1] != "END" and one.chance > least]
        begun = sorted(begun, key=lambda one: -one.chance)[:_BEAMS]
    return [Read(one.tokens, math.exp(one.chance)) for one in ended]


def _longer(begun: Sequence[Read], networks: Sequence["_Network"], grammar: Grammar) -> list[Read]:
    """Each by one token, whichever are likely."""
    nexts = [(one, grammar.after(one.tokens)) for one in begun]
    told = [(one, networks[0].allowed(may)) for one, may in nexts if may is not None]
    told = [(one, allowed) for one, allowed in told if allowed.any()]
    if not told:
        return []
    tokens, allowed = [one.tokens for one, _ in told], np.stack([each for _, each in told])
    chances = np.mean([one.chances(tokens, allowed) for one in networks], axis=0)
    return [
        Read((*one.tokens, networks[0].token(int(at))), one.chance + math.log(likely[at]))
        for (one, may), likely in zip(told, chances, strict=True)
        for at in np.argsort(-likely)[:_BEAMS]
        if may[at] and likely[at] > _HOPELESS
    ]


class _Network:
    def __init__(self, weights: _Weights, features: Features) -> None:
        self._weights = weights
        self._layers = Layers(weights.arrays, HEADS)
        self._count = len(features.places)
        self._number = {word: at for at, word in enumerate(weights.words)}
        self._seen = self._encoded(features)
        self._keys = self._layers.linear("pk", self._seen)
        decoding = self._layers.named("dec")
        self._decoding = [
            (name, self._layers.looked_at(f"{name}.c", self._seen)) for name in decoding
        ]
        """With what each sees of the question."""

    def chances(self, begun: Sequence[Sequence[Token]], allowed: np.ndarray) -> Floats:
        """Of each word, place and column to be the next; none of those that are not allowed.

        `begun`: readings of one length.
        """
        odds = np.where(allowed, self._next(begun), _NEVER)
        found = np.exp(odds - odds.max(-1, keepdims=True))
        return np.asarray(found / found.sum(-1, keepdims=True), np.float32)

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
        places = self._summed("pos", place_numbers(features, weights.places)) + self._layers.linear(
            "vec", features.meanings
        )
        columns = (
            self._summed("col", column_numbers(features, weights.columns))
            + self._layers.linear("colvec", features.names)
            + self._layers.linear("colheld", features.held)
            + self._layers.linear("colbits", features.flags)
        )
        seen = np.concatenate([places, columns])
        ties = ties_of(features)
        for name in self._layers.named("enc"):
            inner = self._layers.norm(f"{name}.n1", seen)
            bias = arrays[f"{name}.a.bias.weight"].T[ties].transpose(2, 0, 1)
            over = self._layers.looked_at(f"{name}.a", inner)
            seen = seen + self._layers.attention(f"{name}.a", inner, over, bias)
            seen = seen + self._layers.forward(name, self._layers.norm(f"{name}.n2", seen))
        return self._layers.norm("en", seen)

    def _summed(self, name: str, numbers: Sequence[Sequence[int]]) -> Floats:
        arrays = self._weights.arrays
        parts = enumerate(zip(*numbers, strict=True))
        return np.asarray(sum(arrays[f"{name}.{at}.weight"][[*part]] for at, part in parts))

    # ---- the next token ----

    def _next(self, begun: Sequence[Sequence[Token]]) -> Floats:
        arrays = self._weights.arrays
        first = arrays["op.weight"][len(self._weights.words)]
        told = np.stack([[first, *(self._embedded(one) for one in tokens)] for tokens in begun])
        length = told.shape[1]
        told = told + arrays["place.weight"][:length]
        later = np.triu(np.full((length, length), _NEVER, np.float32), 1)
        for name, over in self._decoding:
            inner = self._layers.norm(f"{name}.n1", told)
            own = self._layers.looked_at(f"{name}.s", inner)
            told = told + self._layers.attention(f"{name}.s", inner, own, later)
            told = told + self._layers.attention(
                f"{name}.c", self._layers.norm(f"{name}.n2", told), over
            )
            told = told + self._layers.forward(name, self._layers.norm(f"{name}.n3", told))
        last = self._layers.norm("dn", told[:, -1])
        pointed = self._layers.linear("pq", last) @ self._keys.T / math.sqrt(last.shape[-1])
        return np.concatenate([self._layers.linear("out", last), pointed], -1)

    def _embedded(self, token: Token) -> Floats:
        if isinstance(token, str):
            return self._weights.arrays["op.weight"][self._number[token]]
        at = token.at + (self._count if isinstance(token, Column) else 0)
        return self._layers.linear("copy", self._seen[at : at + 1])[0]


Lists = Sequence[Mapping[str, int]]
"""Of each thing that is told of a place or a column, the number of a word."""


def place_numbers(features: Features, lists: Lists) -> list[list[int]]:
    rows = zip(features.places, features.ties, strict=True)
    return [[*_looked_up(place, lists), _first(ties)] for place, ties in rows]


def column_numbers(features: Features, lists: Lists) -> list[list[int]]:
    rows = zip(features.columns, features.ties[: features.said].T, strict=True)
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
