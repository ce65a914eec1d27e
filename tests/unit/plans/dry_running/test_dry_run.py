"""What a dry run shows: samples through the whole plan, both ways of every branch, no effects."""

import json
from pathlib import Path

import pytest

from sanbo.kernel.secrets import MASK
from sanbo.plans.dry_running import Case, DryRunReport, NodeReport, dry_run
from tests.unit.plans.corpus import (
    SETTINGS,
    SHIPPED,
    VALID,
    catalog,
    plans,
    source_of,
    source_of_text,
)

HEAD = "apiVersion: v1\nid: plan\nversion: 1.0.0\n"
READ = """\
graph:
  - id: read
    block: demo.rows
    in: {name: 売上}
"""


def tried(text: str) -> DryRunReport:
    return dry_run(source_of_text(HEAD + text), catalog(), SETTINGS)


def node(report: DryRunReport, path: str) -> NodeReport:
    return next(each for each in report.nodes if each.node == path)


def case(report: DryRunReport, path: str, kind: str) -> Case:
    return next(each for each in node(report, path).cases if each.kind == kind)


def line_of(text: str, part: str) -> int:
    lines = (HEAD + text).splitlines()
    return next(number for number, line in enumerate(lines, 1) if part in line)


@pytest.mark.parametrize("file", [*plans(VALID), *plans(SHIPPED)], ids=lambda file: file.stem)
def test_a_good_plan_goes_through_with_samples_alone(file: Path) -> None:
    report = dry_run(source_of(file), catalog(), SETTINGS)
    assert report.valid
    assert report.findings == ()
    assert all(each.outputs for each in report.nodes)
    json.dumps(report.model_dump(mode="json"))


def test_inputs_come_from_the_samples_of_nodes_before() -> None:
    report = tried(
        "vars: {label: 合計}\n"
        + READ
        + """\
  - id: total
    block: demo.total
    in: {rows: "${read.rows}", label: "${vars.label}（${read.count}件）"}
"""
    )
    assert node(report, "read").inputs == {"name": "売上", "limit": 100}
    assert node(report, "total").inputs == {
        "rows": [{"name": "A商事", "amount": 1000}],
        "label": "合計（1件）",
    }
    assert node(report, "total").outputs["total"] == 1000


def test_a_form_gives_an_example_of_each_of_its_own_fields() -> None:
    report = tried(
        """\
graph:
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      requirements:
        - {id: book, type: file, label: ブック, accept: .xlsx}
        - {id: month, type: select, label: 月, options: [4月, 5月]}
  - id: copy
    block: demo.copy
    in: {file: "${form.collected_data.book}"}
"""
    )
    assert report.findings == ()
    collected = node(report, "form").outputs["collected_data"]
    assert isinstance(collected, dict)
    assert collected["month"] == "4月"
    assert node(report, "copy").inputs["file"] == collected["book"]
    copied = node(report, "copy").outputs["copied"]
    assert isinstance(copied, dict)
    assert copied["name"] == "請求書.txt"
    assert len(str(copied["file_id"])) == 64


def test_an_input_without_any_sample_fails_by_its_name() -> None:
    text = """\
graph:
  - id: bare
    block: demo.bare
    in: {text: あ}
  - id: say
    block: demo.say
    in:
      text: ${bare.made}
"""
    report = tried(text)
    (found,) = report.findings
    assert not report.valid
    assert (found.code, found.severity, found.node) == ("no_sample", "error", "say")
    assert found.line == line_of(text, "text: ${bare.made}")
    assert "text" in found.message
    assert "${bare.made}" in found.message


def test_a_variable_that_a_run_is_given_takes_what_the_input_declares() -> None:
    report = tried("vars: {name: null}\n" + READ.replace("売上", "${vars.name}"))
    assert report.findings == ()
    assert node(report, "read").inputs["name"] == "売上"
    without = tried(
        """\
vars: {text: null}
graph:
  - id: bare
    block: demo.bare
    in: {text: "${vars.text}"}
"""
    )
    assert [each.code for each in without.findings] == ["no_sample"]


def test_nothing_of_the_real_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_TOKEN", "xoxb-real")
    report = tried(
        """\
graph:
  - id: send
    block: demo.send
    in: {token: "${env.SLACK_TOKEN}", text: 終わり}
"""
    )
    assert report.valid
    assert "xoxb-real" not in report.model_dump_json()


def test_a_secret_that_stands_in_the_plan_is_not_shown() -> None:
    report = tried(
        """\
graph:
  - id: send
    block: demo.send
    in: {token: abc-123-secret, text: 終わり}
"""
    )
    assert [each.code for each in report.findings] == ["secret_literal"]
    assert "abc-123-secret" not in report.model_dump_json()
    assert node(report, "send").inputs["token"] == MASK


def test_samples_that_do_not_fit_are_told_with_their_line() -> None:
    text = (
        READ
        + """\
  - id: again
    block: demo.rows
    in:
      name: 仕入
      kind: ${read.rows.0.name}
  - id: third
    block: demo.say
    in:
      text: ${read.rows.2.name}
"""
    )
    report = tried(text)
    assert [(each.code, each.severity, each.line) for each in report.findings] == [
        ("sample_misfit", "warning", line_of(text, "kind:")),
        ("sample_too_short", "warning", line_of(text, "rows.2")),
    ]
    assert [each.code for each in node(report, "again").findings] == ["sample_misfit"]


def test_a_key_that_the_sample_lacks_is_told() -> None:
    text = (
        READ
        + """\
  - id: say
    block: demo.say
    in:
      text: ${read.rows.0.nmae}
"""
    )
    report = tried(text)
    assert [(each.code, each.severity, each.line) for each in report.findings] == [
        ("doubtful_field", "warning", line_of(text, "nmae")),
        ("sample_lacks", "warning", line_of(text, "nmae")),
    ]
    assert report.valid, "a run finds null there, and says so"


def test_a_condition_that_samples_can_not_decide_is_told() -> None:
    report = tried(
        READ
        + """\
  - id: say
    block: demo.say
    when: {expr: "${read.note} + '様' == '青葉様'"}
    in: {text: あ}
"""
    )
    assert [(each.code, each.severity) for each in report.findings] == [
        ("condition_undecided", "warning")
    ]
    assert {each.kind for each in node(report, "say").cases} == {"taken", "skipped"}


def test_both_ways_of_a_condition_are_shown_with_who_feels_it() -> None:
    text = (
        READ
        + """\
  - id: total
    block: demo.total
    when: {expr: "${read.count} > 0"}
    in: {rows: "${read.rows}"}
  - id: needs
    block: demo.say
    in: {text: "${total.text}"}
  - id: accepts
    block: demo.say
    in: {text: 合計, number: "${total.total}"}
  - id: guarded
    block: demo.say
    when: {expr: "${total.text} != null"}
    in: {text: "${total.text}"}
  - id: after_guarded
    block: demo.say
    in: {text: "${guarded.said}"}
"""
    )
    report = tried(text)
    assert case(report, "total", "taken").is_sampled
    skipped = case(report, "total", "skipped")
    assert not skipped.is_sampled
    assert {each.node: each.outcome for each in skipped.consequences} == {
        "needs": "skipped",
        "accepts": "accepts",
        "guarded": "skipped",
        "after_guarded": "skipped",
    }
    assert skipped.consequences[0].reads == ("${total.text}",)
    assert not report.findings, "whoever needs what was skipped is skipped, too"


def test_a_loop_goes_round_once_and_also_with_nothing_to_do() -> None:
    report = tried(
        READ
        + """\
  - id: each
    type: loop
    foreach: {input: "${read.rows}", itemVar: row, indexVar: number}
    body:
      plan:
        graph:
          - id: line
            block: demo.say
            in: {text: "${row.name}", number: "${number}"}
        exports:
          - {from: line.said, as: line}
    out:
      collect: line
  - id: first
    block: demo.say
    in: {text: "${each.line.0}", number: "${each.iterations}"}
"""
    )
    assert node(report, "each/line").inputs == {"text": "A商事", "number": 0}
    assert node(report, "each").outputs == {
        "results": [{"line": "合計です"}],
        "iterations": 1,
        "line": ["合計です"],
        "collect": ["合計です"],
    }
    empty = case(report, "each", "empty")
    assert [(each.node, each.outcome) for each in empty.consequences] == [("first", "fails")]
    assert [each.code for each in report.findings] == ["empty_breaks"]
    assert [each.node for each in report.nodes] == ["read", "each", "each/line", "first"]


def test_a_while_loop_that_is_not_entered_is_told_in_its_own_words() -> None:
    report = tried(
        READ
        + """\
  - id: ask
    type: loop
    while: {condition: "${read.rows.length} > 5", max_iterations: 3}
    body:
      graph:
        - {id: line, block: demo.say, in: {text: a}}
      exports:
        - {from: line.said, as: line}
  - id: last
    block: demo.say
    in: {text: "${ask.line}"}
"""
    )
    never = case(report, "ask", "not_entered")
    assert never.condition == "${read.rows.length} > 5"
    assert [(each.node, each.outcome) for each in never.consequences] == [("last", "fails")]
    assert "not_entered_breaks" in [each.code for each in report.findings]


def test_a_subflow_is_gone_through_with_what_it_is_given() -> None:
    report = tried(
        READ
        + """\
  - id: one
    type: subflow
    call:
      plan_id: common/one_row
      inputs: {row: "${read.rows.0}", label: "${read.rows.0.name}"}
  - id: say
    block: demo.say
    in: {text: "${one.said}"}
"""
    )
    assert report.findings == ()
    assert node(report, "one/say").inputs["text"] == "A商事 1000"
    assert node(report, "one").outputs == {"said": "合計です"}


def test_a_plan_that_is_not_valid_is_shown_as_far_as_it_goes() -> None:
    report = tried(
        READ
        + """\
  - id: total
    block: demo.total
    in: {rows: "${raed.rows}"}
"""
    )
    assert not report.valid
    assert [each.code for each in report.findings] == ["unknown_node"]
    assert [each.code for each in node(report, "total").findings] == ["unknown_node"]
    assert node(report, "read").outputs["count"] == 1


def test_long_values_are_shortened() -> None:
    report = tried(READ.replace("売上", "あ" * 1000))
    assert len(str(node(report, "read").inputs["name"])) == 200
