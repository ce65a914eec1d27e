"""How the validator goes about it: quick, whole, and fair to plans that are right."""

import json

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.samples import sample_inputs
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating import validate
from tests.cpu_time import timed
from tests.unit.plans.corpus import SETTINGS, catalog, source_of_text

HEAD = "apiVersion: v1\nid: plan\nversion: 1.0.0\n"
READ = """\
  - id: read
    block: demo.rows
    in: {name: 売上}
"""


def codes(text: str, settings: PlanSettings = SETTINGS) -> list[str]:
    found = validate(source_of_text(HEAD + text), catalog(), settings)
    return [each.code for each in found]


def test_a_thousand_nodes_are_checked_in_a_moment() -> None:
    lines = [HEAD + "graph:", *READ.splitlines()]
    for number in range(1000):
        before = f"${{n{number - 1}.text}}" if number else "はじめ"
        lines += [
            f"  - id: n{number}",
            "    block: demo.total",
            "    in:",
            "      rows: ${read.rows}",
            f"      label: {before}",
            f"      options: {{rounding: up, digits: {number}}}",
        ]
    source = source_of_text("\n".join(lines))
    problems, seconds = timed(lambda: validate(source, catalog(), SETTINGS))
    assert problems == ()
    assert seconds < 2


@pytest.mark.parametrize(
    "reader",
    [
        'when: {expr: "${total.text} != null"}',
        'when: {expr: "${read.count} > 0"}',  # the same as that of what it reads
        "policy: {on_error: continue}",
    ],
)
def test_a_reader_that_is_prepared_for_nothing_is_not_warned_of(reader: str) -> None:
    text = f"""\
graph:
{READ}  - id: total
    block: demo.total
    when: {{expr: "${{read.count}} > 0"}}
    in: {{rows: "${{read.rows}}"}}
  - id: say
    block: demo.say
    {reader}
    in: {{text: "${{total.text}}"}}
"""
    assert codes(text) == []


def test_nothing_for_an_optional_input_is_the_same_as_not_giving_it() -> None:
    text = f"""\
graph:
{READ}  - id: say
    block: demo.say
    in: {{text: あ, number: null}}
  - id: label
    block: demo.total
    in: {{rows: "${{read.rows}}", label: "${{read.note}}"}}
"""
    assert codes(text) == []


def test_what_a_condition_asks_for_and_is_always_there_is_never_missing() -> None:
    text = f"""\
graph:
{READ}  - id: total
    block: demo.total
    when: {{expr: "${{read.rows}} != null"}}
    in: {{rows: "${{read.rows}}"}}
  - id: say
    block: demo.say
    in: {{text: "${{total.text}}"}}
"""
    assert codes(text) == []
    always = text.replace("    when", "    policy: {on_error: continue}\n    when")
    assert codes(always) == ["may_be_null"]


def test_a_form_whose_fields_are_not_known_yet_may_give_any() -> None:
    text = """\
vars: {fields: null}
graph:
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      requirements: ${vars.fields}
  - id: say
    block: demo.say
    in: {text: "${form.collected_data.whatever}"}
"""
    assert codes(text) == []
    known = text.replace("fields: null", "fields: [{id: name, type: text, label: 名前}]")
    assert codes(known) == ["unknown_field"]


def test_the_inputs_of_every_sample_of_a_shipped_block_are_accepted() -> None:
    for spec in Catalog.load(None).specs:
        for sample in spec.dry_run.samples:
            plan = {
                "apiVersion": "v1",
                "id": "plan",
                "version": "1.0.0",
                "graph": [
                    {
                        "id": "made",
                        "block": spec.reference,
                        "in": sample_inputs(spec, sample).values,
                    },
                    {
                        "id": "show",
                        "block": "ui.interactive_input",
                        "in": {
                            "mode": "confirm",
                            "context": {name: f"${{made.{name}}}" for name in spec.outputs},
                        },
                    },
                ],
            }
            found = validate(source_of_text(json.dumps(plan)), catalog(), SETTINGS)
            assert [each for each in found if each.code != "deprecated_block"] == [], spec.id


def test_an_environment_variable_must_be_on_the_list() -> None:
    text = """\
graph:
  - id: send
    block: demo.send
    in: {token: "Bearer ${env.OTHER}", text: あ}
"""
    assert codes(text) == ["env_not_allowed"]
    assert codes(text, PlanSettings(env=("OTHER",))) == []


def test_a_secret_is_not_repeated_in_what_is_found() -> None:
    text = """\
graph:
  - id: send
    block: demo.send
    in: {token: [abc-123-secret], text: あ}
"""
    found = validate(source_of_text(HEAD + text), catalog(), SETTINGS)
    assert {each.code for each in found} == {"secret_literal", "wrong_input"}
    assert all("abc-123-secret" not in each.message + each.hint for each in found)


def test_all_findings_come_at_once_by_line_with_those_of_called_plans_after() -> None:
    called = HEAD.replace("id: plan", "id: called") + "graph:\n  - {id: a, block: demo.sya}\n"
    text = (
        HEAD
        + """\
graph:
  - id: sub
    type: subflow
    call: {plan_id: called, inputs: {x: 1}}
  - id: say
    block: demo.say
    in: {txt: あ}
"""
    )
    source = PlanSource(
        plan=PlanText(text=text, file="main.yaml"),
        called={"called": PlanText(text=called, file="called.yaml")},
    )
    found = validate(source, catalog(), SETTINGS)
    assert [(each.file, each.line, each.code) for each in found] == [
        ("main.yaml", 7, "unknown_plan_input"),
        ("main.yaml", 10, "missing_input"),
        ("main.yaml", 10, "unknown_input"),
        ("called.yaml", 5, "unknown_block"),
    ]


def test_what_can_not_be_checked_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("sanbo.plans.validating.validator.open_plans", breaks)
    (found,) = validate(source_of_text(HEAD + "graph:\n" + READ), catalog(), SETTINGS)
    assert (found.code, found.severity) == ("check_failed", "error")
    assert "RuntimeError" in found.message
