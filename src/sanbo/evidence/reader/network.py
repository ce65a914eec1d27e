"""The network: of each sentence how likely it answers a question, as log odds.

Attention over the words of the question and of a passage, which know what ties them. The passages
of a question stand against each other and against that none of them answers, which is 0.
`benchmarks/fit_passages.py` made the weights, and says how.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sanbo.evidence.reader.features import ABOVE, ASKED, KINDS, LEVELS, Lists, Pair, Pool, Text
from sanbo.language.layers import Layers, read_weights, share_of
from sanbo.language.likeness import Floats

HEADS = 4
_NEVER = -1e9


class _Network(NamedTuple):
    layers: Layers
    lists: Lists
    """Of words."""


@cache
def _network() -> _Network:
    arrays, words = read_weights(files("sanbo.evidence.reader").joinpath("weights.npz"))
    return _Network(Layers(arrays, HEADS), {word: at for at, word in enumerate(words, 2)})


def sentence_odds(question: str, texts: Sequence[Text], odds: Sequence[float]) -> list[Floats]:
    """Of each line of each passage; `odds`: how relevant each passage is by its words."""
    network = _network()
    pool = Pool(question, texts, odds)
    return [
        _odds(network.layers, pool.pair(at, network.lists))
        if text.lines
        else np.zeros(0, np.float32)
        for at, text in enumerate(texts)
    ]


def _odds(layers: Layers, pair: Pair) -> Floats:
    early = _embedded(layers, pair)
    seen = _encoded(layers, early, pair)
    gate = layers.linear("gate", seen)[:, 0]
    lines = np.arange(len(pair.signs))[:, None] == pair.places
    of_lines = share_of(np.where(lines, gate, _NEVER)) @ seen
    asked = share_of(np.where(pair.places == ASKED, gate, _NEVER)[None]) @ seen
    signs = np.concatenate([pair.signs, _covered(layers, early, pair, lines)], 1)
    both = np.concatenate([of_lines, np.repeat(asked, len(lines), 0), signs], 1)
    told = layers.linear("out", np.maximum(layers.linear("h", both), 0))
    return np.asarray((told + layers.linear("direct", signs))[:, 0], np.float32)


def _covered(layers: Layers, early: Floats, pair: Pair, lines: NDArray[np.bool_]) -> Floats:
    """How much of what is asked stands in each line, there or nearby, and in the passage at all."""
    arrays, count = layers.arrays, len(pair.levels)
    ours, theirs = early[:count], early[count:]
    alike = np.maximum(pair.meanings[:count] @ pair.meanings[count:].T, 0)
    learnt = (ours @ arrays["mq.weight"].T) @ (theirs @ arrays["mk.weight"].T).T
    met = np.asarray(arrays["lev"][pair.levels] + arrays["cos"] * alike + learnt, np.float32)
    here = np.stack([_best(met[:, line]) for line in lines[:, count:]])
    above = _best(met[:, pair.places[count:] == ABOVE])
    anywhere = np.maximum(here.max(0), above)
    worth = np.logaddexp(layers.linear("imp", ours)[:, 0], 0)
    worth = worth / (worth.sum() + 1e-6)
    near = arrays["nearby"]
    around = np.maximum(np.maximum(here, near[0] * above), near[1] * anywhere)
    every = np.broadcast_to(anywhere, here.shape)
    return np.stack([each @ worth for each in (here, around, every)], 1)


def _best(met: Floats) -> Floats:
    """Of each word that is asked, by whichever word says it best."""
    return np.maximum(met.max(1, initial=0), 0)


def _embedded(layers: Layers, pair: Pair) -> Floats:
    arrays, best = layers.arrays, pair.best
    return np.asarray(
        arrays["word.weight"][pair.numbers]
        + arrays["kind.weight"][pair.kinds]
        + arrays["level.weight"][best]
        + arrays["spread.weight"][pair.spreads]
        + arrays["side.weight"][best + LEVELS * (pair.kinds % KINDS == 0)]
        + layers.linear("vec", pair.meanings)
    )


def _encoded(layers: Layers, seen: Floats, pair: Pair) -> Floats:
    for name in layers.named("enc"):
        inner = layers.norm(f"{name}.n1", seen)
        bias = layers.arrays[f"{name}.a.bias.weight"].T[:, pair.ties]
        over = layers.looked_at(f"{name}.a", inner)
        seen = seen + layers.attention(f"{name}.a", inner, over, bias)
        seen = seen + layers.forward(name, layers.norm(f"{name}.n2", seen))
    return layers.norm("en", seen)
