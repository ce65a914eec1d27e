"""What differs between two plans: by meaning, never by lines."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.messages import LANGUAGES
from sanbo.plans.diff import changes_between, diff_parts, sentence
from sanbo.plans.model import PlanSource, PlanText
from sanbo.runs.parts import Changes, Graph
from sanbo.service.plan_views import diff_picture

PLAN = """\
# 月次の集計
id: monthly
version: 1.0.0
vars: {limit: 10}
policy: {on_error: halt}
graph:
  - id: ask
    block: ui.interactive_input
    in:
      message: 選んでください
      requirements:
        - {id: book, type: file, label: 明細}
        - {id: month, type: text, label: 月}
  - id: read
    block: file.read_csv
    in: {bytes: "${ask.collected_data.book}"}
  - id: keep
    block: transforms.filter
    when: {expr: "${vars.limit} > 0"}
    in:
      items: ${read.rows}
      conditions: [{field: 金額, operator: gt, value: "${vars.limit}"}]
  - id: each
    type: loop
    foreach: {input: "${keep.filtered}", itemVar: row}
    body:
      plan:
        graph:
          - {id: pick, block: transforms.pick, in: {source: "${row}", path: 金額}}
exports: [{from: keep.filtered, as: rows}]
"""
EXTRA = "  - {id: check, block: flow.assert, in: {checks: []}}\nexports:"

Case = tuple[Callable[[str], str], list[tuple[str, str, str]]]
CASES: dict[str, Case] = {
    "a comment, quotes, order": (
        lambda t: (
            "# 新しい説明\n" + t.replace("{limit: 10}", "\n  limit: 10").replace("月}", '"月"}')
        ),
        [],
    ),
    "a node more": (lambda t: t.replace("exports:", EXTRA), [("added", "check", "")]),
    "a node less": (
        lambda t: t[: t.index("  - id: each")] + t[t.index("exports:") :],
        [("removed", "each", "")],
    ),
    "another name, and who reads it": (
        lambda t: t.replace("id: read", "id: csv").replace("${read.", "${csv."),
        [("renamed", "csv", "")],
    ),
    "another wire": (
        lambda t: t.replace("items: ${read.rows}", "items: ${read.summary}"),
        [("rewired", "keep", "items")],
    ),
    "an input": (
        lambda t: t.replace("operator: gt", "operator: lt"),
        [("input", "keep", "conditions.0.operator")],
    ),
    "a form's fields": (
        lambda t: t.replace("id: month", "id: year"),
        [("form", "ask", "month"), ("form", "ask", "year")],
    ),
    "a condition": (lambda t: t.replace("} > 0", "} > 1"), [("condition", "keep", "")]),
    "the policy": (lambda t: t.replace("halt", "continue"), [("policy", "", "on_error")]),
    "a variable": (lambda t: t.replace("limit: 10", "limit: 20"), [("variable", "", "limit")]),
    "another block": (
        lambda t: t.replace("file.read_csv", "file.read_csv@1"),
        [("block", "read", "")],
    ),
    "inside a loop": (
        lambda t: t.replace("path: 金額", "path: 税"),
        [("input", "each/pick", "path")],
    ),
    "what goes out": (
        lambda t: t.replace("as: rows", "as: kept"),
        [
            ("exports", "", "rows"),
            ("exports", "", "kept"),
        ],
    ),
}


def source(text: str) -> PlanSource:
    return PlanSource(plan=PlanText(text=text))


@pytest.mark.parametrize("name", CASES)
def test_a_difference_is_told_by_what_it_means(name: str) -> None:
    change, expected = CASES[name]
    old, new = source(PLAN), source(change(PLAN))
    found = changes_between(old, new)
    assert [(each.kind, "/".join(each.node), each.name) for each in found] == expected
    for language in LANGUAGES:
        assert all(sentence(each, language) for each in found)
        changes, graph = diff_parts(old, new, found, language)
        assert isinstance(changes, Changes)
        assert changes.total_items == len(expected)
        assert isinstance(graph, Graph)
        told = {node.id: node.change for node in graph.nodes if node.change != "same"}
        touched = {each.node for each in found if each.node}
        assert {"/".join(each) for each in touched} <= told.keys()


@given(st.sets(st.sampled_from(sorted(set(CASES) - {"a node less", "inside a loop"}))))
def test_nothing_differs_from_itself_and_each_change_is_told(names: set[str]) -> None:
    text = PLAN
    for name in sorted(names):
        text = CASES[name][0](text)
    assert changes_between(source(text), source(text)) == ()
    told = {each.kind for each in changes_between(source(PLAN), source(text))}
    for name in names - {"another name, and who reads it", "another block", "another wire"}:
        assert {kind for kind, *_ in CASES[name][1]} <= told


def test_the_picture_has_both_plans_in_it() -> None:
    old, new = source(PLAN), source(CASES["a node more"][0](CASES["a node less"][0](PLAN)))
    drawn = diff_picture(old, new, kind="mermaid").decode()
    assert [sign in drawn for sign in ("＋ check", "－ each", "○ read")] == [True] * 3
    assert b"<svg" in diff_picture(old, new)


def test_a_called_plan_that_differs_is_told() -> None:
    text = "id: c\nversion: 1.0.0\ngraph: []\n"
    called = {"c": PlanText(text=text)}
    old = source(PLAN).model_copy(update={"called": called})
    written = {"c": PlanText(text=text + "# 説明\n")}
    assert changes_between(old, old.model_copy(update={"called": written})) == ()
    changed = {"c": PlanText(text=text.replace("1.0.0", "2.0.0"))}
    found = changes_between(old, old.model_copy(update={"called": changed}))
    assert [(each.kind, each.name, each.after) for each in found] == [("called", "c", "2.0.0")]
