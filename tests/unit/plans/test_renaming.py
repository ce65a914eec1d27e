"""Another id for a node: its references follow it, and nothing else in the text changes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.problems import Conflict, InvalidInput, NotFound
from sanbo.plans.dependencies import dependencies
from sanbo.plans.load import load
from sanbo.plans.model import PlanText
from sanbo.plans.node_edits import renamed
from tests.unit.plans.corpus import VALID

TEXT = """\
apiVersion: v1
id: p
version: 1.0.0
vars: { read: read }            # a variable of that name is another thing
policy: { concurrency: { per_node: { read: 2 } } }
ui: { layout: [read, ask] }
graph:
  # read is read here
  - { id: read, block: file.read_csv, in: { path: "${vars.read}" }, out: { rows: read } }
  - id: reads
    block: transforms.pick
    when: { expr: "${read.rows.length} > 0 and read.rows[0].read != 'read'" }
    after: [read]
    in:
      text: "$${read.rows} は ${ read.rows } と ${read['rows']}、${vars.read}"
      sum: "${= read.total * 2 + size('read ${read.n}') }"
      reading: '${reads_not.read}'
  - id: each
    type: loop
    foreach: { input: "${read.rows}", itemVar: row }
    body:
      plan:
        graph:
          - { id: inner, block: transforms.pick, in: { of: "${read.read}", row: "${row.read}" } }
        exports: [{ from: inner.value, as: read }]
    out: { collect: read }
  - id: own
    type: loop
    foreach: { input: "${read.rows}", itemVar: row }
    body:
      plan:
        graph:
          - { id: read_not, block: transforms.pick, in: { of: "${row}" } }
  - id: sub
    type: subflow
    call: { plan_id: read, inputs: { a: "${read.rows}" } }
    out: { exports: [{ from: read.rows, as: b }] }
exports:
  - { from: read.rows, as: read }
  - { from: "read['rows']", as: again }
"""
AFTER = {
    "per_node: { read: 2 }": "per_node: { load: 2 }",
    "layout: [read, ask]": "layout: [load, ask]",
    "{ id: read, block: file": "{ id: load, block: file",
    "${read.rows.length} > 0": "${load.rows.length} > 0",
    "and read.rows[0].read": "and load.rows[0].read",
    "after: [read]": "after: [load]",
    "は ${ read.rows } と ${read['rows']}": "は ${ load.rows } と ${load['rows']}",
    "${= read.total * 2 +": "${= load.total * 2 +",
    "'read ${read.n}'": "'read ${load.n}'",
    'input: "${read.rows}"': 'input: "${load.rows}"',
    'of: "${read.read}"': 'of: "${load.read}"',
    'a: "${read.rows}"': 'a: "${load.rows}"',
    "- { from: read.rows, as: read }": "- { from: load.rows, as: read }",
    "from: \"read['rows']\"": "from: \"load['rows']\"",
}


def test_whatever_names_the_node_follows_it_and_nothing_else_changes() -> None:
    expected = TEXT
    for before, after in AFTER.items():
        assert before in expected, before
        expected = expected.replace(before, after)
    assert renamed(TEXT, ["read"], "load") == expected
    assert renamed(expected, ["load"], "read") == TEXT
    windows = TEXT.replace("\n", "\r\n")
    assert renamed(windows, ["read"], "load") == expected.replace("\n", "\r\n")
    inside = renamed(TEXT, ["each", "inner"], "core")
    assert inside == TEXT.replace("id: inner", "id: core").replace("from: inner.", "from: core.")


def test_a_name_that_would_mean_another_thing_is_refused() -> None:
    for taken in ("each", "inner", "row"):
        with pytest.raises(Conflict):
            renamed(TEXT, ["read"], taken)
    for path in (["nowhere"], ["each", "nowhere"], ["read", "inner"]):
        with pytest.raises(NotFound):
            renamed(TEXT, path, "load")
    for bad in ("a.b", "vars", "a b", "1a", ""):
        with pytest.raises((Conflict, InvalidInput)):
            renamed(TEXT, ["read"], bad)


@given(st.data())
def test_a_plan_with_a_renamed_node_is_the_same_plan(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(VALID.glob("*.yaml"))))
    text = file.read_text("utf-8")
    plan = load(PlanText(text=text)).plan
    assert plan is not None
    node = data.draw(st.sampled_from([each.id for each in plan.graph]))
    made = renamed(text, [node], "another_name")
    after = load(PlanText(text=made)).plan
    assert after is not None
    new = {each: "another_name" if each == node else each for each in dependencies(plan)}
    needs = {new[k]: {new[each] for each in v} for k, v in dependencies(plan).items()}
    assert {k: set(v) for k, v in dependencies(after).items()} == needs
    assert renamed(made, ["another_name"], node) == text
    comments = re.compile(r"#[^\n]*")
    assert comments.findall(made) == comments.findall(text)
