"""How well texts answer a question, by the words and letters they share with it."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sanbo.blocks.matching.comparisons import Floats
from sanbo.retrieval.ranking import K1, B
from sanbo.retrieval.tokens import grams, query_words, words


def word_scores(query: str, texts: Sequence[str]) -> Floats:
    """0 to 1: letters and content words, weighed as the retriever weighs them, half and half."""
    return (_ranked(grams(query), texts, grams) + _ranked(query_words(query), texts, words)) / 2


def _ranked(
    asked: Sequence[str], texts: Sequence[str], tokens: Callable[[str], list[str]]
) -> Floats:
    """BM25 as a share of what a text that has every word, each as often as is useful, would get."""
    wanted = dict.fromkeys(asked)
    counts = [Counter(tokens(text)) for text in texts]
    lengths = [count.total() for count in counts]
    average = max(sum(lengths) / len(lengths), 1.0) if lengths else 1.0
    rarity = _rarity(wanted, counts)
    best = sum(rarity.values()) * (K1 + 1)
    scores = np.zeros(len(texts))
    if best <= 0:
        return scores
    for number, count in enumerate(counts):
        norm = K1 * (1 - B + B * lengths[number] / average)
        scores[number] = sum(
            rarity[token] * count[token] * (K1 + 1) / (count[token] + norm)
            for token in wanted
            if count[token]
        )
    return scores / best


def _rarity(wanted: Mapping[str, None], counts: Sequence[Counter[str]]) -> dict[str, float]:
    total = len(counts)
    found = {token: sum(1 for count in counts if token in count) for token in wanted}
    return {
        token: math.log(1 + (total - seen + 0.5) / (seen + 0.5)) for token, seen in found.items()
    }
