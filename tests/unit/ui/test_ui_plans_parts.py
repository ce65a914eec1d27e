"""Parts of the pages of plans: variables as fields, values on a line, lines with marks."""

from datetime import UTC, datetime

import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Event, JsonObject, NodeComplete
from sanbo.runs.parts import on_one_line
from sanbo.service.plans import Finding
from sanbo.ui.plans.exports_view import files_in
from sanbo.ui.plans.findings_view import MOST_LINES, lines_of, marked_text
from sanbo.ui.plans.node_list import Given, outputs_of
from sanbo.ui.plans.plan_list import name_of, text_of
from sanbo.ui.plans.start import changed_values, fields_of
from sanbo.ui.presentation import turn_in
from sanbo.ui.values import values_table

FILE: JsonObject = {"file_id": "0" * 64, "name": "結果/表.xlsx", "size": 9, "media_type": "x/y"}


def test_simple_variables_are_fields_of_their_type_and_others_are_yaml() -> None:
    variables: JsonObject = {
        "n": 3,
        "rate": 0.5,
        "on": True,
        "name": "甲",
        "rows": [1, 2],
        "empty": None,
    }
    fields = {field.id: field for field in fields_of(variables)}
    assert [field.type for field in fields.values()] == [
        "number",
        "number",
        "boolean",
        "text",
        "text",
        "text",
    ]
    assert fields["n"].validation.integer
    assert fields["rows"].default == "[1, 2]"
    assert fields_of({"with space": 1, "a/b": 2}) == ()


def test_a_run_is_given_only_what_was_changed() -> None:
    variables: JsonObject = {"n": 1, "on": True, "rows": [1, 2], "empty": None}
    same: JsonObject = {"n": 1, "on": True, "rows": "[1, 2]", "empty": "null"}
    assert changed_values(variables, same) == {}
    changed: JsonObject = {"n": 2, "on": False, "rows": "- 3\n- {a: b}", "empty": "x"}
    assert changed_values(variables, changed) == {
        "n": 2,
        "on": False,
        "rows": [3, {"a": "b"}],
        "empty": "x",
    }


def test_a_variable_that_is_no_yaml_is_told_at_its_field() -> None:
    with pytest.raises(InvalidInput) as refusal:
        changed_values({"rows": []}, {"rows": "[1, "})
    fields = refusal.value.problem.details["fields"]
    assert isinstance(fields, list)
    assert fields[0]["field"] == "rows"  # type: ignore[index,call-overload]


def test_values_stand_on_one_line_with_files_by_name_and_nothing_acting() -> None:
    assert on_one_line({"file": FILE}, 300) == '{"file": "結果/表.xlsx"}'
    assert on_one_line("一\n二", 300) == "一 二"
    assert len(on_one_line("あ" * 10_000, 300)) == 300
    assert on_one_line([], 300) == on_one_line(None, 300) == "–"
    assert "<b>" not in values_table({"<b>": "<b>"})


def test_files_of_an_export_are_found_and_lists_of_other_things_are_none() -> None:
    assert files_in(FILE) == [FILE]
    assert files_in([FILE, FILE]) == [FILE, FILE]
    assert files_in([FILE, 1]) == files_in([]) == files_in("x") == files_in(None) == []


def _finding(line: int, severity: str, file: str = "designs/a.yaml") -> Finding:
    return Finding.model_validate(
        {"code": "c", "severity": severity, "message": "m", "hint": "h", "line": line, "file": file}
    )


def test_a_line_is_marked_by_its_worst_finding_of_this_file() -> None:
    findings = [
        _finding(2, "warning"),
        _finding(2, "error"),
        _finding(2, "warning"),
        _finding(3, "error", "designs/b.yaml"),
        _finding(0, "error"),
    ]
    assert lines_of(findings, "designs/a.yaml") == {2: "error"}


def test_a_long_plan_is_shown_around_its_first_finding() -> None:
    with use_language("ja"):
        shown = marked_text("a: <b>\n" * (3 * MOST_LINES), {2 * MOST_LINES: "error"})
    assert shown.count('class="sanbo-line-number"') == MOST_LINES
    assert f'id="plan-line-{2 * MOST_LINES}"' in shown
    assert f"全{3 * MOST_LINES}行のうち" in shown
    assert "<b>" not in shown


def test_an_uploaded_plan_is_read_in_either_encoding() -> None:
    assert text_of("題名: 集計".encode("cp932"), "a.yaml") == "題名: 集計"
    assert text_of("題名: 集計".encode("utf-8-sig"), "a.yaml") == "題名: 集計"
    with pytest.raises(InvalidInput):
        text_of(b"\x81\x20", "a.yaml")
    assert name_of("../../月次.v2.yaml") == "月次.v2"


def _complete(seq: int, path: tuple[str, ...], outputs: object) -> Event:
    payload = NodeComplete.model_validate({"key": "k", "outputs": outputs})
    return Event(run_id="r", seq=seq, time=datetime.now(UTC), path=path, payload=payload)


def test_outputs_inside_a_loop_are_told_by_turn() -> None:
    events = [
        _complete(1, ("each", "#0", "add"), {"sum": 1}),
        _complete(2, ("each", "#1", "add"), {"sum": 2}),
        _complete(3, ("big",), {"x-stored": {"file_id": "0" * 64, "size": 9}}),
    ]
    found = outputs_of(events)
    first, second = found["each", "add"].items()
    assert first == (("each", "#0", "add"), Given({"sum": 1}, is_stored=False))
    assert turn_in(second[0]) == "2"
    assert turn_in(("a", "#1", "b", "#2", "c")) == "2-3"
    [big] = found["big",].values()
    assert big is not None
    assert big.is_stored
