"""The contract of forms: what was typed stays, and what can't stay is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.runs.model import FieldType, Mode, Option, Question, Requirement
from sanbo.ui.session_state import (
    FormState,
    Notice,
    after_sending,
    answer_of,
    fitted,
    initial,
    restored,
    start_key,
    with_value,
    without_notices,
)

FILE: JsonValue = {"file_id": "a" * 64, "name": "a.csv", "size": 3, "media_type": "text/csv"}


def _field(name: str, kind: FieldType, label: str = "", **more: object) -> Requirement:
    if kind == "select":
        more.setdefault("options", (Option(value="x", label="X"), Option(value="y", label="Y")))
    return Requirement.model_validate(
        {"id": name, "type": kind, "label": label or name, "required": False, **more}
    )


def _form(*fields: Requirement, mode: Mode = "collect") -> Question:
    return Question(mode=mode, message="?", requirements=fields)


def _typed(question: Question, **values: JsonValue) -> FormState:
    state = initial(question)
    for name, value in values.items():
        state = with_value(state, name, value)
    return state


def _draft(state: FormState) -> dict[str, JsonValue]:
    return state.model_dump(mode="json")


def test_form_starts_with_defaults_and_blanks() -> None:
    form = _form(
        _field("a", "text", default="既定"),
        _field("b", "number"),
        _field("c", "files"),
        _field("d", "boolean"),
        mode="mixed",
    )
    assert initial(form).values == {
        "a": "既定",
        "b": None,
        "c": [],
        "d": False,
        "response": "",
        "comment": "",
    }


def test_start_form_has_a_key_of_the_same_shape() -> None:
    assert start_key("expenses") == "expenses:start::node:input::v1"


def test_draft_is_taken_up_as_it_was() -> None:
    form = _form(_field("a", "text"), _field("f", "file"), mode="confirm")
    state = _typed(form, a="書きかけ", f=FILE, comment="途中")
    assert restored(_draft(state), form) == state


def test_value_that_was_emptied_on_purpose_stays_empty() -> None:
    form = _form(_field("a", "text", default="既定"), _field("b", "boolean", default=True))
    state = _typed(form, a="", b=False)
    assert restored(_draft(state), form).values == {"a": "", "b": False}


def test_field_that_is_gone_is_dropped_with_a_notice() -> None:
    state = _typed(_form(_field("a", "text", "件名"), _field("b", "text")), a="x", b="y")
    merged = fitted(state, _form(_field("b", "text")))
    assert merged.values == {"b": "y"}
    assert merged.notices == (Notice(change="dropped", label="件名"),)


def test_field_that_is_gone_and_was_empty_is_not_worth_a_notice() -> None:
    merged = fitted(initial(_form(_field("a", "text"))), _form(_field("b", "text")))
    assert merged.notices == ()


@pytest.mark.parametrize(
    ("before", "value", "after", "kept", "change"),
    [
        ("text", "12,000", "number", 12000.0, "converted"),
        ("text", "五万円", "number", None, "retyped"),
        ("number", 3, "text", "3", "converted"),
        ("text", "x", "select", "x", "converted"),
        ("text", "z", "select", None, "retyped"),
        ("select", "z", "select", None, "option_gone"),
        ("select", "y", "select", "y", None),
        ("text", "やあ", "chat", "やあ", "converted"),
        ("file", FILE, "files", [FILE], "converted"),
        ("files", [FILE], "file", FILE, "converted"),
        ("files", [FILE, FILE], "file", None, "retyped"),
        ("files", [FILE], "folder", [FILE], "converted"),
        ("boolean", True, "text", "", "retyped"),
        ("file", FILE, "text", "", "retyped"),
    ],
)
def test_field_with_another_type_keeps_what_needs_no_guessing(
    before: FieldType, value: JsonValue, after: FieldType, kept: JsonValue, change: str | None
) -> None:
    state = _typed(_form(_field("a", before, "項目")), a=value)
    merged = fitted(state, _form(_field("a", after, "項目")))
    assert merged.values["a"] == kept
    assert [notice.change for notice in merged.notices] == ([change] if change else [])


def test_notices_stay_until_they_are_read() -> None:
    form = _form(_field("b", "text"))
    merged = fitted(_typed(_form(_field("a", "text")), a="x"), form)
    again = restored(_draft(merged), form)
    assert again.notices == merged.notices != ()
    assert without_notices(again).notices == ()


def test_draft_that_can_not_be_read_is_said_and_not_fatal() -> None:
    form = _form(_field("a", "text"))
    state = restored({"values": "?"}, form)
    assert state.values == {"a": ""}
    assert [notice.change for notice in state.notices] == ["unreadable"]


def test_true_is_not_taken_for_the_option_one() -> None:
    one = _field("a", "select", options=(Option(value=1, label="1"),))
    yes = _field("a", "select", options=(Option(value=True, label="yes"),))
    merged = fitted(_typed(_form(yes), a=True), _form(one))
    assert merged.values["a"] is None


def test_sent_words_are_gone_and_fields_stay() -> None:
    form = _form(_field("a", "text"), _field("talk", "chat"), mode="confirm")
    state = after_sending(_typed(form, a="残る", talk="言った", comment="言った"), form)
    assert state.values == {"a": "残る", "talk": "", "comment": ""}


def test_answer_holds_fields_decision_and_what_was_said() -> None:
    form = _form(_field("a", "text"), mode="mixed")
    state = _typed(form, a="x", comment="理由")
    assert answer_of(state, form, {"approved": True}) == {
        "a": "x",
        "comment": "理由",
        "approved": True,
    }


_KINDS: list[FieldType] = ["text", "number", "boolean", "select", "chat", "file", "files", "folder"]
_VALUES: st.SearchStrategy[JsonValue] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.just([FILE]), st.just(FILE)
)


@given(
    before=st.dictionaries(st.sampled_from("abc"), st.tuples(st.sampled_from(_KINDS), _VALUES)),
    after=st.dictionaries(st.sampled_from("abc"), st.sampled_from(_KINDS)),
)
def test_every_loss_is_said_and_merging_again_changes_nothing(
    before: dict[str, tuple[FieldType, JsonValue]], after: dict[str, FieldType]
) -> None:
    old = _form(*(_field(name, kind) for name, (kind, _) in before.items()))
    new = _form(*(_field(name, kind) for name, kind in after.items()))
    state = _typed(old, **{name: value for name, (_, value) in before.items()})
    merged = fitted(state, new)
    assert set(merged.values) == set(after)
    said = {notice.label for notice in merged.notices}
    for name, (_, value) in before.items():
        lost = name not in after or merged.values[name] != value
        assert not lost or name in said or value in (None, False, "", [])
    assert fitted(merged, new) == merged
