"""transforms.pick: one value out of another."""

import base64
from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput
from tests.unit.blocks.computing import compute

SOURCE = {
    "請求": {"明細": [{"品名": "紙", "金額": "1,000円"}, {"品名": "筆"}], "a.b": 7},
    "済": "はい",
}


def _pick(path: Any, source: Any = SOURCE, **given: Any) -> Any:
    return compute("transforms.pick", {"source": source, "path": path, **given})["value"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("請求.明細.0.品名", "紙"),
        ("請求.明細[1].品名", "筆"),
        ("請求['明細'][-1]['品名']", "筆"),
        ("$.請求.明細.length", 2),
        ("請求.明細[*].品名", ["紙", "筆"]),
        ("請求.明細.*.金額", ["1,000円"]),
        (["請求", "明細", 0, "品名"], "紙"),
        ("請求['a.b']", 7),
        ("", SOURCE),
    ],
)
def test_paths_lead_to_values(path: Any, value: Any) -> None:
    assert _pick(path) == value


@pytest.mark.parametrize(
    ("path", "kind", "value"),
    [
        ("請求.明細.0.金額", "number", 1000),
        ("済", "boolean", True),
        ("請求.明細", "length", 2),
        ("請求", "keys", ["明細", "a.b"]),
        ("済", "list", ["はい"]),
        ("請求.明細.1", "text", '{"品名": "筆"}'),
        ("請求.a", "value", None),
    ],
)
def test_values_are_given_as_what_is_asked_for(path: str, kind: str, value: Any) -> None:
    assert _pick(path, default=None, **{"return": kind}) == value


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(InvalidInput) as caught:
        _pick("請求.明細.5.金額", required=True)
    assert "「請求.明細」の中に「5」" in caught.value.problem.message
    with pytest.raises(InvalidInput) as caught:
        _pick("請求.明", required=True)
    assert "明細" in caught.value.problem.hint


def test_names_that_look_like_paths_are_names_first() -> None:
    rows = [{"No.": 1, "数量[個]": 2, "a.b": 3}]
    for name in rows[0]:
        asked = {"items": rows, "conditions": [{"field": name, "operator": "gte", "value": 1}]}
        assert compute("transforms.filter", asked)["filtered"] == rows
    with pytest.raises(InvalidInput) as caught:
        _pick("a[b")
    assert caught.value.problem.text_id == "transform_path_unreadable"


def test_files_give_themselves_their_text_or_their_bytes_as_base64() -> None:
    source = {
        "file": {"name": "控え.txt", "base64": base64.b64encode("控え".encode("cp932")).decode()}
    }
    assert _pick("file", source, **{"return": "text"}) == "控え"
    assert _pick("file", source, base64=True) == base64.b64encode("控え".encode("cp932")).decode()
    assert _pick("file", source, **{"return": "bytes"})["name"] == "控え.txt"


def test_text_and_base64_become_files() -> None:
    source = {
        "x": "data:application/pdf;base64," + base64.b64encode(b"%PDF-").decode(),
        "t": "本文",
    }
    made = compute(
        "transforms.pick", {"source": source, "path": "x", "return": "bytes", "base64": True}
    )
    assert made.bytes_of(made["value"]) == b"%PDF-"
    assert made["value"]["media_type"] == "application/pdf"
    made = compute("transforms.pick", {"source": source, "path": "t", "return": "bytes"})
    assert made.bytes_of(made["value"]).decode() == "本文"
    assert _pick("x", {"x": base64.b64encode("本文".encode()).decode()}, base64=True) == "本文"


@pytest.mark.parametrize(
    ("given", "text_id"),
    [
        ({"return": "bytes", "base64": True}, "transform_base64_unreadable"),
        ({"return": "number"}, "transform_pick_kind"),
        ({"return": "keys"}, "transform_pick_kind"),
    ],
)
def test_what_can_not_be_given_so_is_refused(given: dict[str, Any], text_id: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        _pick("済", **given)
    assert caught.value.problem.text_id == text_id
