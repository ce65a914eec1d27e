"""What differs between two values, as a person would point at it."""

import json
from pathlib import Path

from hypothesis import given as hypothesis_given
from hypothesis import settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.blocks.ui.diff_viewer import differences
from sanbo.runs.model import JsonObject, Status
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.unit.blocks.one_block import answer, begin, by_rules, on_bench, outputs, upload

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b\nc", "a\nc"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)


def _told(before: JsonValue, after: JsonValue) -> list[tuple[object, ...]]:
    return [(*each.place, *each[1:]) for each in differences(before, after)]


def test_rows_are_compared_by_the_column_that_names_them() -> None:
    before: JsonValue = [{"番号": 1, "額": 10}, {"番号": 2, "額": 20}, {"番号": 3, "額": 30}]
    after: JsonValue = [{"番号": 3, "額": 30}, {"番号": 1, "額": 11}, {"番号": 4, "額": 40}]
    assert _told(before, after) == [
        ("[0].額", "[番号=1].額", "changed", 10, 11),
        ("[1]", "[番号=2]", "removed", {"番号": 2, "額": 20}, None),
        ("[2]", "[番号=4]", "added", None, {"番号": 4, "額": 40}),
    ]


def test_texts_are_compared_line_by_line_and_objects_field_by_field() -> None:
    assert _told("甲\n乙\n丙", "甲\n丙\n丁") == [
        ("[1]", "[2]", "removed", "乙", None),
        ("[2]", "[3]", "added", None, "丁"),
    ]
    assert _told({"a": {"b": 1}, "c": 2}, {"a": {"b": "1"}}) == [
        ("a.b", "a.b", "type_change", 1, "1"),
        ("c", "c", "removed", 2, None),
    ]


def test_many_rows_take_no_quadratic_time() -> None:
    rows: list[JsonValue] = [{"v": number % 7} for number in range(20_000)]
    assert len(differences(rows, [*rows, {"v": 99}])) == 1


@settings(max_examples=examples(60))
@hypothesis_given(JSON, JSON)
def test_equal_values_do_not_differ_and_others_do(before: JsonValue, after: JsonValue) -> None:
    assert differences(before, before) == []
    if json.dumps(before, sort_keys=True) != json.dumps(after, sort_keys=True):
        found = differences(before, after)
        assert found or _lines(before) == _lines(after)


def _lines(value: JsonValue) -> str:
    """Line ends and the order of rows that a column names are no difference."""
    return "".join(sorted(json.dumps(value, sort_keys=True)))


def test_a_person_sees_the_differences_and_decides(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await begin(
            bench,
            "ui.diff_viewer",
            {"before": {"合計": 1000}, "after": {"合計": 1200}, "message": "書き込みますか"},
        )
        assert run.status is Status.WAITING
        [asked] = run.open_interactions
        assert asked.mode == "confirm"
        assert "1200" in str(asked.context)
        made = outputs(await answer(bench, run, {"approved": True}))
        assert made["diffs"] == [
            {"path": "合計", "type": "changed", "from": 1000, "to": 1200, "shown": "合計"}
        ]
        assert made["approved"] is True
        assert made["metadata"]["changed"] == 1

    on_bench(by_rules(tmp_path / "w"), work)


def test_files_are_compared_by_their_text(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        old = await upload(bench, tmp_path, "旧.txt", "支払は30日以内とする。\n変わらない行。\n")
        new = await upload(bench, tmp_path, "新.txt", "支払は60日以内とする。\n変わらない行。\n")
        given: JsonObject = {
            "before": old.model_dump(mode="json"),
            "after": new.model_dump(mode="json"),
        }
        run = await begin(bench, "ui.diff_viewer", given, [old, new])
        made = outputs(await answer(bench, run, {"approved": False, "comment": "30日のまま"}))
        assert [each["type"] for each in made["diffs"]] == ["changed"]
        assert made["approved"] is False
        assert made["metadata"]["comment"] == "30日のまま"

    on_bench(by_rules(tmp_path / "w"), work)


def test_an_empty_line_more_or_less_is_no_difference_of_a_text() -> None:
    assert differences("第1条\n第2条", "第1条\n\n第2条") == []
    assert _told("第1条\n\n第2条", "第1条\n\n第3条") == [
        ("[2]", "[3]", "changed", "第2条", "第3条")
    ]
