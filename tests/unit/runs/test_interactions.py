from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.fields import file_refs
from sanbo.runs.interactions import answer_schema, check_answer
from sanbo.runs.model import Question, Requirement

FILE: dict[str, Any] = {"file_id": "a" * 64, "name": "請求書 4月.xlsx", "size": 10}


def question(mode: str = "collect", *fields: dict[str, Any]) -> Question:
    return Question.model_validate({"mode": mode, "message": "?", "requirements": list(fields)})


def field(kind: str, **more: Any) -> dict[str, Any]:
    return {"id": "f", "type": kind, "label": "項目", **more}


def refusal(asked: Question, answer: object) -> list[dict[str, Any]]:
    with pytest.raises(InvalidInput) as refused:
        check_answer(asked, answer)
    assert refused.value.problem.hint
    return cast("list[dict[str, Any]]", refused.value.problem.details["fields"])


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (field("text"), "こんにちは"),
        (field("chat"), "ありがとう"),
        (field("number"), 1.5),
        (field("number", validation={"integer": True, "min": 1, "max": 9}), 9),
        (field("boolean"), False),
        (field("select", options=["甲", "乙"]), "乙"),
        (field("select", options=[{"value": 1, "label": "一"}]), 1),
        (field("file", accept=".xlsx,.csv"), FILE),
        (field("files", validation={"max_files": 2}), [FILE, FILE]),
        (field("folder"), [FILE]),
        (field("text", validation={"pattern": r"\d{3}-\d{4}"}), "150-0001"),
    ],
)
def test_an_answer_that_fits_is_taken_as_it_is(asked: dict[str, Any], value: Any) -> None:
    assert check_answer(question("collect", asked), {"f": value}) == {"f": value}


@pytest.mark.parametrize(
    ("asked", "value", "reason"),
    [
        (field("text"), "", "入力してください"),
        (field("text"), 5, "文字"),
        (field("text", validation={"min_length": 3}), "ab", "3文字以上"),
        (field("text", validation={"max_length": 3}), "abcd", "3文字以内"),
        (field("text", validation={"pattern": r"\d{3}"}), "1234", "書式"),
        (field("number"), "百", "数値"),
        (field("number"), True, "数値"),
        (field("number", validation={"integer": True}), 1.5, "整数"),
        (field("number", validation={"min": 1}), 0, "は1以上"),
        (field("boolean"), "はい", "はい／いいえ"),
        (field("select", options=["甲", "乙"]), "丙", "甲、乙"),
        (field("file"), "a.xlsx", "アップロード"),
        (field("file"), {**FILE, "file_id": "../x"}, ""),
        (field("file", accept=".csv"), FILE, ".csv"),
        (field("file", validation={"max_size_mb": 0.000001}), FILE, "大きすぎます"),
        (field("files"), [], "入力してください"),
        (field("files", validation={"max_files": 1}), [FILE, FILE], "1件以内"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_says_why(
    asked: dict[str, Any], value: Any, reason: str
) -> None:
    failures = refusal(question("collect", asked), {"f": value})
    assert {failure["field"] for failure in failures} == {"f"}
    assert any(reason in failure["message"] for failure in failures)


def test_all_wrong_fields_are_named_at_once_in_the_persons_language() -> None:
    asked = question(
        "collect",
        {"id": "a", "type": "text", "label": "件名"},
        {"id": "b", "type": "number", "label": "金額"},
    )
    with use_language("en"):
        failures = refusal(asked, {"b": "x", "c": 1})
    assert {failure["field"] for failure in failures} == {"a", "b", "c"}
    assert any("“件名” is required." in failure["message"] for failure in failures)


def test_an_unknown_field_names_the_nearest_known_one() -> None:
    [failure] = refusal(question("confirm"), {"approved": True, "coment": "x"})
    assert "comment" in failure["message"]


def test_what_is_left_empty_gets_its_default() -> None:
    asked = question("collect", field("text", default="東京"))
    assert check_answer(asked, {}) == {"f": "東京"}
    assert check_answer(asked, {"f": None}) == {"f": "東京"}
    assert check_answer(asked, {"f": ""}) == {"f": "東京"}


def test_what_is_not_required_may_be_left_out() -> None:
    asked = question("collect", field("file", required=False), field("text") | {"id": "g"})
    assert check_answer(asked, {"g": "x"}) == {"g": "x"}


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        ("collect", {}),
        ("confirm", {"approved": False, "comment": "再確認"}),
        ("inquire", {"response": "三月末です"}),
        ("mixed", {}),
        ("mixed", {"approved": True, "response": "はい"}),
    ],
)
def test_each_mode_takes_its_own_answer(mode: str, answer: dict[str, Any]) -> None:
    assert check_answer(question(mode), answer) == answer


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        ("collect", {"approved": True}),
        ("confirm", {}),
        ("confirm", {"approved": "true"}),
        ("inquire", {}),
        ("inquire", {"response": ""}),
        ("mixed", {"approved": 1}),
    ],
)
def test_each_mode_refuses_what_is_not_an_answer_to_it(mode: str, answer: dict[str, Any]) -> None:
    assert refusal(question(mode), answer)


def test_a_pattern_made_to_backtrack_is_stopped() -> None:
    asked = question("collect", field("text", validation={"pattern": "(a+)+b"}))
    assert refusal(asked, {"f": "a" * 5000})


def test_field_ids_must_be_unique_and_not_reserved() -> None:
    with pytest.raises(ValidationError):
        question("collect", field("text"), field("number"))
    with pytest.raises(ValidationError):
        question("confirm", field("text") | {"id": "approved"})
    with pytest.raises(ValidationError):
        question("collect", field("select"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
KINDS = ["file", "files", "folder", "text", "select", "boolean", "number", "chat"]


@given(kind=st.sampled_from(KINDS), mode=st.sampled_from(["collect", "mixed"]), value=json_values)
def test_whatever_is_sent_is_either_taken_or_refused_with_a_problem(
    kind: str, mode: str, value: Any
) -> None:
    options = {"options": ["x"]} if kind == "select" else {}
    asked = question(mode, Requirement.model_validate(field(kind, **options)).model_dump())
    for answer in ({"f": value}, value):
        try:
            taken = check_answer(asked, answer)
        except InvalidInput:
            continue
        known = cast("dict[str, object]", answer_schema(asked)["properties"])
        assert taken.keys() <= known.keys()


def test_files_are_found_however_deep_they_stand() -> None:
    found = file_refs({"a": [{"b": FILE}], "c": FILE, "d": "x", "e": {"file_id": "bad"}})
    assert [ref.name for ref in found] == ["請求書 4月.xlsx"] * 2
