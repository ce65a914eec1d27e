"""Layers of small networks compute what the same ones of PyTorch do."""

import numpy as np
import pytest

from sanbo.language.layers import Layers, share_of

ROWS = np.array([[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 0.0, 4.0]], np.float32)


def _layers() -> Layers:
    square = np.eye(4, dtype=np.float32)
    none = np.zeros(4, np.float32)
    arrays = {f"a.{part}.weight": square for part in "qkvo"}
    arrays |= {f"a.{part}.bias": none for part in "qkvo"}
    arrays |= {"n.weight": np.ones(4, np.float32), "n.bias": none}
    return Layers(arrays, heads=2)


def test_a_norm_has_no_mean_and_one_spread() -> None:
    found = _layers().norm("n", ROWS)
    assert found.mean(-1) == pytest.approx([0, 0], abs=1e-6)
    assert found.std(-1) == pytest.approx([1, 1], abs=1e-3)


def test_shares_add_up_to_one_and_what_is_never_gets_none() -> None:
    shares = share_of(np.array([[0.0, 1.0, -1e9]], np.float32))
    assert shares.sum() == pytest.approx(1)
    assert shares[0, 2] == 0
    assert shares[0, 1] == pytest.approx(np.e / (1 + np.e))


def test_attention_to_one_row_alone_gives_that_row() -> None:
    layers = _layers()
    only_first = np.array([[0.0, -1e9], [0.0, -1e9]], np.float32)
    found = layers.attention("a", ROWS, layers.looked_at("a", ROWS), only_first)
    assert found == pytest.approx(np.stack([ROWS[0], ROWS[0]]))


def test_layers_of_a_kind_come_in_their_order() -> None:
    arrays = {f"enc.{number}.f1.weight": ROWS for number in (1, 0)} | {"en.weight": ROWS}
    assert Layers(arrays, heads=2).named("enc") == ["enc.0", "enc.1"]
