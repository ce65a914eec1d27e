from sanbo.plans.load import Loaded, load
from sanbo.plans.model import BlockNode, Comparison, Expression, LoopNode, PlanText, SubflowNode

HEAD = "apiVersion: v1\nid: test\nversion: 1.0.0\n"


def _load(body: str) -> Loaded:
    return load(PlanText(text=HEAD + body, file="test.yaml"))


def test_the_ways_of_plans_in_circulation_are_accepted() -> None:
    loaded = _load(
        """vars: null
policy: {on_error: stop, concurrency: null}
graph:
  - id: ask
    block: ui.interactive_input
    call: null
    policy: null
    when: {expr: ${vars.x}}
  - id: each
    type: loop
    when: {left: "${ask.n}", op: gt, right: 3}
    foreach: {input: "${ask.files}", itemVar: file}
    body:
      plan:
        apiVersion: v1
        id: inner
        version: 0.1.0
        graph:
          - {id: one, block: a.b, in: {f: "${file}"}}
    out: {collect: result}
  - id: sub
    call: {plan_id: common/check}
    when: ${ask.ok}
    out: {passed: is_valid}
exports: {result: "${each.result}"}
"""
    )
    assert loaded.findings == ()
    assert loaded.plan is not None
    ask, each, sub = loaded.plan.graph
    assert isinstance(ask, BlockNode)
    assert isinstance(each, LoopNode)
    assert isinstance(sub, SubflowNode)
    assert loaded.plan.policy is not None
    assert loaded.plan.policy.on_error == "halt"
    assert isinstance(each.when, Comparison)
    assert isinstance(sub.when, Expression)
    assert each.out.collect == ("result",)
    assert sub.out.exports[0].as_ == "is_valid"
    assert loaded.plan.exports[0].from_ == "each.result"
    assert each.body.plan is not None
    assert each.body.plan.id == "inner"


def test_a_misspelt_key_is_told_once_with_the_nearest() -> None:
    loaded = _load("graph:\n  - id: a\n    blok: x.y\n")
    (found,) = loaded.findings
    assert loaded.plan is None
    assert (found.code, found.line, found.column, found.node) == ("unknown_key_near", 6, 5, "a")
    assert "block" in found.hint


def test_all_findings_come_at_once_each_with_its_place() -> None:
    loaded = _load(
        """graph:
  - id: a b
    block: x.y
  - id: w
    while: {condition: "${x.y}"}
    body: {graph: [{id: c, block: x.y, when: {left: 1, op: like, right: 2}}]}
policy: {retries: 1000}
"""
    )
    found = {(each.code, each.line, each.node) for each in loaded.findings}
    assert found == {
        ("bad_name", 5, "a b"),
        ("wrong_value", 9, "w/c"),
        ("too_large", 10, ""),
    }


def test_a_file_that_is_no_plan_says_so() -> None:
    (found,) = load(PlanText(text="- 1\n")).findings
    assert found.code == "plan_not_mapping"
    (found,) = load(PlanText(text="a: [")).findings
    assert found.code == "yaml_unreadable"
