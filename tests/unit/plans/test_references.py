import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.kernel.secrets import MASK, protect, redact
from sanbo.plans.references import (
    BadReference,
    Computed,
    Reference,
    Unreachable,
    parse,
    reference_of,
    references_in,
    resolve,
    walk,
)

FILE: dict[str, JsonValue] = {"file_id": "0" * 64, "name": "請求書.pdf", "size": 1}
VALUES: dict[str, JsonValue] = {
    "node": {"rows": [{"金額": 100}, {"金額": 250.0}], "file": FILE, "none": None},
    "vars": {"月 次": "5月"},
}


def _lookup(reference: Reference) -> JsonValue:
    return walk(VALUES[reference.root], reference.keys)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${node.rows}", [{"金額": 100}, {"金額": 250.0}]),
        ("${node.rows.1.金額}", 250.0),
        ("${node.rows[0].金額}", 100),
        ("${ node.rows.length }", 2),
        ('${vars["月 次"]}', "5月"),
        ("${vars['月 次'].length}", 2),
        ("${node.file.bytes}", FILE),
        ("${node.file.name}", "請求書.pdf"),
        ("${node.none.anything.below}", None),
        ("合計 ${node.rows.1.金額} 円、${node.none}", "合計 250 円、"),
        ("${node.rows.0}", {"金額": 100}),
        ("行：${node.rows.0}", '行：{"金額": 100}'),
        ("$${node.rows} は文字", "${node.rows} は文字"),
        ("100$", "100$"),
        ("${= node.rows[1].金額 * 1.1 }", 275),
        ("$${= 1 } ${= '}' + \"{\" }", "${= 1 } }{"),
        ({"a": ["${node.rows.length}", 3]}, {"a": [2, 3]}),
    ],
)
def test_references_stand_for_their_values(written: JsonValue, value: JsonValue) -> None:
    assert resolve(written, _lookup) == value


def test_what_is_made_of_a_secret_is_one() -> None:
    protect("correct horse")
    (computed,) = parse("${= upper(form.password) }")
    assert isinstance(computed, Computed)
    assert computed.value(lambda _reference: "correct horse") == "CORRECT HORSE"
    assert redact("CORRECT HORSE") == MASK


@pytest.mark.parametrize(
    "text", ["${", "${}", "${a", "${a.}", "${a..b}", "${a[}", "${a[x]}", "${.a}", "${a b}"]
)
def test_what_can_not_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadReference):
        parse(text)


def test_a_missing_key_names_those_that_are_there() -> None:
    with pytest.raises(Unreachable) as missing:
        walk(VALUES["node"], ("row",))
    assert "rows" in missing.value.known


@pytest.mark.parametrize("keys", [(5,), ("x",), ("0", "金額", "x")])
def test_a_step_that_does_not_exist_is_unreachable(keys: tuple[str | int, ...]) -> None:
    with pytest.raises(Unreachable):
        walk([{"金額": 1}], keys)


def test_every_reference_is_found_with_its_place() -> None:
    value: JsonValue = {"a": ["x ${p.q}", {"b": "${r}"}], "c": 1}
    assert {(found.path, place) for found, place in references_in(value)} == {
        ("p.q", ("a", 0)),
        ("r", ("a", 1, "b")),
    }


def test_exports_may_leave_the_brackets_out() -> None:
    assert reference_of("node.rows") == reference_of("${node.rows}")
    with pytest.raises(BadReference):
        reference_of("${a} ${b}")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parts = parse(text)
    except BadReference:
        assert "${" in text
        return
    written = "".join(part if isinstance(part, str) else part.text for part in parts)
    assert written == text.replace("$${", "${")
