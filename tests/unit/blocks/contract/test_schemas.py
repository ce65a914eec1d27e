"""Inputs and outputs against a contract: what is filled in, and how failures are told."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.schemas import (
    Example,
    check_inputs,
    check_outputs,
    example_of,
    failures,
)
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput, InvalidOutput, Problem
from tests.examples import examples
from tests.unit.blocks.contract.workspaces import Workspace

FILE: dict[str, JsonValue] = {
    "file_id": "0" * 64,
    "name": "a.csv",
    "size": 3,
    "media_type": "text/csv",
}

CONTRACT = """\
id: my.form
version: 1.0.0
entrypoint: my/double.py:Double
inputs:
  title: {type: string, required: true, minLength: 2, maxLength: 5}
  mode: {type: string, enum: [collect, confirm], default: collect}
  rows:
    type: array
    items:
      type: object
      properties:
        type: {type: string, enum: [file, text], required: true}
        count: {type: integer, minimum: 1}
      additionalProperties: false
  file: {type: bytes}
  note: {type: string, nullable: true}
  either: {anyOf: [{type: string}, {type: array, items: {type: string}}]}
  token: {type: string, pattern: "^[a-z]+$", x-secret: true}
  anything: {}
outputs:
  total: {type: integer}
  note: {type: string, nullable: true}
"""


@pytest.fixture
def spec(tmp_path: Path) -> BlockSpec:
    workspace = Workspace(tmp_path)
    workspace.write("my.yaml", CONTRACT)
    catalog = Catalog.load(tmp_path)
    assert [problem.message for problem in catalog.problems] == []
    return catalog.resolve("my.form")


def _told(spec: BlockSpec, **values: Any) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused:
        check_inputs(spec, {"title": "題名", **values})
    fields: Any = refused.value.problem.details["fields"]
    return {field["path"]: field["message"] for field in fields}


def test_defaults_are_filled_in_and_nothing_else(spec: BlockSpec) -> None:
    assert check_inputs(spec, {"title": "題名"}) == {"title": "題名", "mode": "collect"}


def test_null_for_an_optional_port_counts_as_not_given(spec: BlockSpec) -> None:
    given = {"title": "題名", "mode": None, "rows": None, "note": None, "anything": None}
    checked = check_inputs(spec, given)
    assert checked == {"title": "題名", "mode": "collect", "note": None, "anything": None}


def test_all_failures_are_told_at_once_each_with_its_place(spec: BlockSpec) -> None:
    told = _told(
        spec,
        title="長すぎる題名です",
        mode="ask",
        rows=[{"type": "file"}, {"count": 0}, {"type": "pdf", "kind": 1}],
        file="報告.pdf",
        either=5,
        tilte="x",
    )
    assert told == {
        "tilte": "この名前の入出力はありません。title の誤りではありませんか。",
        "title": "5文字以下にしてください（文字列「長すぎる題名です」）。",
        "mode": "collect・confirm のどれかが必要ですが、文字列「ask」が指定されています。",
        "rows[1].type": "必須の項目がありません。",
        "rows[1].count": "1以上にしてください（整数「0」）。",
        "rows[2].type": "file・text のどれかが必要ですが、文字列「pdf」が指定されています。",
        "rows[2].kind": "この名前の項目はありません（使える項目：type・count）。",
        "file": "ファイルが必要ですが、文字列「報告.pdf」が指定されています。",
        "either": "文字列・一覧（配列）が必要ですが、整数「5」が指定されています。",
    }


def test_the_message_has_the_first_failure_and_how_many_there_are(spec: BlockSpec) -> None:
    with use_language("en"), pytest.raises(InvalidInput) as refused:
        check_inputs(spec, {"mode": "ask"})
    problem = refused.value.problem
    assert problem.text_id == "block_input_invalid"
    assert "title: this input is required" in problem.message
    assert "(and 1 more)" in problem.message
    assert "sanbo blocks show my.form" in problem.hint


def test_what_is_wrong_inside_a_branch_is_told_of_the_branch_that_was_meant(
    spec: BlockSpec,
) -> None:
    told = _told(spec, either=["a", 2])
    assert told == {"either[1]": "文字列が必要ですが、整数「2」が指定されています。"}


def test_a_file_is_told_by_what_it_is_and_not_by_its_parts(spec: BlockSpec) -> None:
    assert check_inputs(spec, {"title": "題名", "file": FILE})["file"] == FILE
    assert list(_told(spec, file={"name": "a.csv"})) == ["file"]
    assert list(_told(spec, file={**FILE, "file_id": "../../etc/passwd"})) == ["file"]


def test_secret_values_are_not_told(spec: BlockSpec) -> None:
    assert "HUNTER2" not in str(_told(spec, token="HUNTER2"))


def test_what_json_can_not_hold_is_told(spec: BlockSpec) -> None:
    assert _told(spec, anything=[1, 10**5000]).keys() == {"anything[1]"}
    assert _told(spec, anything={"a": [1, float("nan")]}) == {
        "anything.a[1]": "JSONで表せない値です（float）。"
    }
    with pytest.raises(InvalidOutput) as refused:
        check_outputs(spec, {"total": 1, "note": {1, 2}})
    assert "set" in refused.value.problem.message


def test_outputs_are_complete_and_nothing_more(spec: BlockSpec) -> None:
    assert check_outputs(spec, {"total": 1}) == {"total": 1, "note": None}
    for made in ({"total": "1"}, {}, {"total": 1, "sum": 2}, {"total": None}):
        with pytest.raises(InvalidOutput) as refused:
            check_outputs(spec, made)
        assert refused.value.problem.text_id == "block_output_invalid"


def test_literals_of_a_plan_are_checked_the_same_way() -> None:
    schema = {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}}
    assert failures(schema, [1, 2], "amounts") == ()
    (failure,) = failures(schema, [1, 0], "amounts")
    assert failure.path == "amounts[1]"
    assert failure.text == "0より大きくしてください（整数「0」）。"


@pytest.mark.parametrize(
    ("schema", "example"),
    [
        ({"examples": [3, 4]}, Example(3)),
        ({"enum": ["a", "b"]}, Example("a")),
        ({"default": None}, Example(None)),
        ({"const": 1}, Example(1)),
        ({"type": "string"}, None),
    ],
)
def test_an_example_is_only_what_is_declared(schema: Any, example: Example | None) -> None:
    assert example_of(schema) == example


_json: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def _problem_of(spec: BlockSpec, values: dict[str, JsonValue]) -> Problem | None:
    try:
        check_inputs(spec, values)
    except InvalidInput as error:
        return error.problem
    return None


def test_any_value_is_taken_or_told_in_the_readers_language(spec: BlockSpec) -> None:
    @settings(max_examples=examples(40))
    @given(st.dictionaries(st.sampled_from([*spec.inputs, "other"]), _json, max_size=4))
    def check(values: dict[str, JsonValue]) -> None:
        problem = _problem_of(spec, values)
        assert problem is None or "is not" not in problem.message

    check()
