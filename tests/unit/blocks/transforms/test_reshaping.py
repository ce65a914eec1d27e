"""Renaming, replacing, flattening, selecting, attaching, and evidence by folder."""

from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput, LimitExceeded
from tests.unit.blocks.computing import compute

ROWS = [{"a": 1, "b": "未", "c": ""}, {"a": 2, "b": "済"}]


def _rename(**given: Any) -> Any:
    return compute("transforms.rename_fields", {"items": ROWS, **given})


def test_fields_are_renamed_in_place() -> None:
    made = _rename(rename={"a": "番号", "x": "y"}, drop="c")
    assert list(made["rows"][0].items()) == [("番号", 1), ("b", "未")]
    assert made["summary"]["missing"] == ["x"]
    assert made["summary"]["dropped"] == ["c"]


def test_names_may_come_as_a_table_and_be_swapped() -> None:
    table = [{"変更前": "a", "変更後": "b"}, ["b", "a"]]
    assert _rename(rename_rows=table)["rows"][1] == {"b": 2, "a": "済"}


def test_fields_that_are_kept_stand_in_the_order_in_which_they_are_named() -> None:
    made = _rename(rename={"b": "b", "a": "first"}, mode="only")["rows"][1]
    assert list(made.items()) == [("b", "済"), ("first", 2)]


def test_only_renamed_fields_or_copies() -> None:
    assert _rename(rename={"a": "n"}, mode="only")["rows"] == [{"n": 1}, {"n": 2}]
    assert _rename(rename={"a": "n"}, mode="drop_others")["rows"] == [{"n": 1}, {"n": 2}]
    assert _rename(rename={"a": "n"}, mode="copy")["rows"][1] == {"a": 2, "n": 2, "b": "済"}


def test_no_value_is_lost_by_renaming() -> None:
    for given in ({"rename": {"a": "b"}}, {"rename": {"a": "z", "b": "z"}}, {"rename": {"a": "c"}}):
        with pytest.raises(InvalidInput):
            _rename(**given, mode="strict")
    assert _rename(rename={"a": "b"}, drop=["b"])["rows"][0] == {"b": 1, "c": ""}
    with pytest.raises(InvalidInput):
        _rename(rename={"x": "y"}, mode="strict")
    with pytest.raises(InvalidInput):
        _rename(rename_rows=[{"from": 1}])


def _replace(rules: Any, items: Any = ROWS) -> Any:
    return compute("transforms.replace_values", {"items": items, "rules": rules})


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ({"field": "b", "map": {"未": "未払", "済": "支払済"}}, ["未払", "支払済"]),
        ({"field": "b", "from": "未", "to": None}, [None, "済"]),
        ({"field": "b", "from": ["未", "済"], "to": "不明"}, ["不明", "不明"]),
        ({"field": "b", "map": {"未": "x"}, "otherwise": "他"}, ["x", "他"]),
        ({"fields": ["b"], "from": "(.)", "to": r"\1払", "match": "regex"}, ["未払", "済払"]),
        ({"field": "*", "from": "済", "to": "OK", "match": "contains"}, ["未", "OK"]),
        ({"field": "b", "from": "未", "to": "不", "match": "starts_with"}, ["不", "済"]),
        ({"field": "b", "pattern": "^未$", "replacement": "x"}, ["x", "済"]),
        ({"field": "b", "mapping": {"済": "y"}}, ["未", "y"]),
    ],
)
def test_values_are_replaced(rule: dict[str, Any], values: list[Any]) -> None:
    assert [row["b"] for row in _replace([rule])["rows"]] == values


def test_spelling_does_not_matter_unless_it_is_asked_for() -> None:
    items = [{"x": "１"}, {"x": 1}, {"x": "㈱青葉"}, {"x": " "}]
    rules = [{"field": "x", "from": "1", "to": "one"}]
    assert _replace(rules, items)["summary"]["replaced"] == 2
    assert _replace([{**rules[0], "match": "exact"}], items)["summary"]["replaced"] == 0
    assert _replace({"x": {"1": "one"}}, items)["rows"][1] == {"x": "one"}
    company = [{"field": "x", "from": "青葉株式会社", "to": "A", "match": "company"}]
    assert _replace(company, items)["rows"][2] == {"x": "A"}
    assert _replace([{"field": "x", "to": "-", "match": "empty"}], items)["rows"][3] == {"x": "-"}


def test_a_rule_that_can_not_be_used_is_refused() -> None:
    for rule in ({"field": "b", "to": 1}, {"field": "b", "from": "(", "to": "", "match": "regex"}):
        with pytest.raises(InvalidInput):
            _replace([rule])
    with pytest.raises(InvalidInput):
        _replace([{"field": "b", "from": "(未)", "to": r"\7", "match": "regex"}])


def _flatten(results: Any, **given: Any) -> list[Any]:
    return compute("transforms.flatten_items", {"results_list": results, **given})["items"]


def test_what_a_loop_collected_becomes_one_list() -> None:
    assert _flatten([[{"n": 1}, [{"n": 2}]], None, 3]) == [{"n": 1}, {"n": 2}]
    assert _flatten([{"results": {"items": [{"n": 1}]}}, {"a_results": [{"n": 2}]}, {"n": 3}]) == [
        {"n": 1},
        {"n": 2},
        {"n": 3},
    ]
    # An item's own lists stay: only a result's list is opened.
    assert _flatten([{"items": [{"rows": [1]}]}]) == [{"rows": [1]}]
    assert _flatten([{"x": {"y": [{"n": 1}]}}], key="x.y") == [{"n": 1}]
    assert _flatten([{"f": "a.pdf", "items": [{"n": 1}]}], keep="f", index_as="i") == [
        {"i": 0, "f": "a.pdf", "n": 1}
    ]


def test_lists_without_end_are_refused() -> None:
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    with pytest.raises(InvalidInput):
        _flatten([deep])


def _select(indices: Any, **given: Any) -> list[Any]:
    asked = {"items": list("abcde"), "indices": indices, **given}
    return [row["value"] for row in compute("transforms.select_by_indices", asked)["rows"]]


def test_rows_are_selected_by_their_places() -> None:
    assert _select([2, 0, -1]) == ["c", "a", "e"]
    assert _select("0, 2-3") == ["a", "c", "d"]
    assert _select("1、3", start=1) == ["a", "c"]
    assert _select([{"index": 1, "score": 0.5}]) == ["b"]
    assert _select([0], exclude=True) == ["b", "c", "d", "e"]
    assert _select([9, 1], on_missing="skip") == ["b"]


def test_places_that_are_none_are_refused() -> None:
    for indices in ([9], ["x"], [True], "1-"):
        with pytest.raises(InvalidInput):
            _select(indices, on_missing="fail")
    with pytest.raises(LimitExceeded):
        _select("0-999999999", on_missing="skip")


def _attach(items: Any, context: Any, **given: Any) -> list[Any]:
    return compute("transforms.attach_context", {"items": items, "context": context, **given})[
        "items"
    ]


def test_context_stands_beside_every_item() -> None:
    assert _attach([{"a": 1}, "x"], {"y": 2}, **{"as": "context"}) == [
        {"a": 1, "context": {"y": 2}},
        {"value": "x", "context": {"y": 2}},
    ]
    assert _attach([{"a": 1}], {"y": 2}, **{"as": ""}) == [{"a": 1, "y": 2}]
    assert _attach([{"a": 1}], 5, **{"as": "a", "overwrite": True}) == [{"a": 5}]
    assert _attach([{"a": 1}], {"a": 5, "b": 2}) == [{"a": 1, "b": 2}]
    with pytest.raises(InvalidInput):
        _attach([{"a": 1}], 5, **{"as": ""})


EVIDENCE = {
    "files": [
        {"path": "2024/青葉/請求書.pdf", "name": "請求書.pdf", "size": 10},
        {"path": "2024\\若葉\\請求書.pdf", "name": "請求書.pdf", "size": 20},
        {"path": "表紙.txt", "name": "表紙.txt", "size": 1},
    ],
    "problems": [{"path": "2024/青葉/請求書.pdf", "code": "X", "message": "m", "hint": "h"}],
}


@pytest.mark.parametrize(
    ("level", "keys"),
    [
        ("top_dir", ["", "2024"]),
        ("second_dir", ["", "若葉", "青葉"]),
        ("dir", ["", "2024/若葉", "2024/青葉"]),
        ("file", ["2024/若葉/請求書.pdf", "2024/青葉/請求書.pdf", "表紙.txt"]),
    ],
)
def test_evidence_is_split_by_folder(level: str, keys: list[str]) -> None:
    made = compute(
        "transforms.group_evidence", {"evidence": EVIDENCE, "level": level, "instruction": "確認"}
    )
    assert [group["key"] for group in made["groups"]] == keys
    assert sum(group["evidence"]["total_files"] for group in made["groups"]) == 3
    assert sum(group["evidence"]["raw_size"] for group in made["groups"]) == 31
    assert sum(len(group["evidence"]["problems"]) for group in made["groups"]) == 1
    assert {group["evidence"]["instruction"] for group in made["groups"]} == {"確認"}


def test_files_of_evidence_stay_files() -> None:
    held = {"path": "控え.txt", "name": "控え.txt", "file": {"name": "控え.txt", "base64": "5a6f"}}
    made = compute("transforms.group_evidence", {"evidence": {"files": [held]}})
    (file,) = made["groups"][0]["evidence"]["files"]
    assert made.bytes_of(file["file"]) == "実".encode()


def test_evidence_without_files_is_refused() -> None:
    with pytest.raises(InvalidInput):
        compute("transforms.group_evidence", {"evidence": {"total_files": 0}})
