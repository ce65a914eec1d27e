"""Vectors of many texts at once, here and in a guarded process, and what is not believed of it."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.retrieval.tokens import grams, words
from sanbo.retrieval.vectors import (
    AVERAGE_GRAMS,
    AVERAGE_WORDS,
    SparseVector,
    document_vector,
    packed,
    unpacked,
    vectors_apart,
    vectors_of,
)
from sanbo.sandbox.calls import Calls

TEXTS = [
    "第一条　秘密情報を第三者に開示してはならない。",
    "Claims were donated to the プランA, I'm 32 years old.",
    "",
    "ｶﾞｽ料金 ＡＢＣ 2025年１月 foo_bar 𠮷野家 e-mail",
    "※！？\n\t",
    "a bc d",
]


def _weights(vector: SparseVector) -> dict[int, float]:
    values = np.array(vector.values, np.float32).tolist()
    return dict(zip(vector.indices, values, strict=True))


def _check(texts: list[str]) -> None:
    for text, vectors in zip(texts, vectors_of(texts), strict=True):
        expected = document_vector(grams(text), AVERAGE_GRAMS)
        assert _weights(vectors.grams) == _weights(expected), text
        expected = document_vector(words(text), AVERAGE_WORDS)
        assert _weights(vectors.words) == _weights(expected), text


def test_of_many_texts_they_are_what_each_has_alone() -> None:
    _check(TEXTS)
    assert vectors_of([]) == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=4))
def test_whatever_is_written(texts: list[str]) -> None:
    _check(texts)


def test_a_guarded_process_makes_the_same() -> None:
    with closing(Calls()) as calls:
        assert vectors_apart(TEXTS, calls) == vectors_of(TEXTS)
        assert vectors_apart([], calls) == []


@pytest.mark.parametrize("cut", [1, 4, 8, 40])
def test_what_was_cut_off_is_not_taken(cut: int) -> None:
    data = b"".join(packed(TEXTS))
    with pytest.raises(ValueError, match=r"half|end|alone|other"):
        unpacked(memoryview(data)[:-cut], len(TEXTS))


def test_vectors_of_other_texts_are_not_taken() -> None:
    with pytest.raises(ValueError, match="other texts"):
        unpacked(memoryview(b"".join(packed(TEXTS))), len(TEXTS) + 1)
