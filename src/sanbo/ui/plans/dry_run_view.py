"""A dry run: of every node what it would get and give, and what becomes of the other cases."""

from collections.abc import Mapping
from html import escape

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.plans import DryRunCase, DryRunReport, NodeReport, PlanSource, dry_run_of
from sanbo.ui import connection
from sanbo.ui.one_line import values_table
from sanbo.ui.plans.findings_view import draw_findings

_SIGNS = {"success": "✓", "between": "！", "failed": "✕"}


def draw_dry_run(source: PlanSource, titles: Mapping[str, str]) -> None:
    """`titles` by path of node ids, `/` between them."""
    st.caption(literal(tell("ui.plans.trial.purpose")))
    report = dry_run_of(connection.bench().workbench.settings, source)
    if report.valid:
        st.success(literal(tell("ui.plans.trial.valid")), icon=":material/check_circle:")
    else:
        st.error(literal(tell("ui.plans.trial.invalid")), icon=":material/error:")
    if report.findings:
        draw_findings(report.findings, own_file=source.plan.file)
    if report.nodes:
        st.html(report_list(report, titles))


def report_list(report: DryRunReport, titles: Mapping[str, str]) -> str:
    """HTML: each node opens by itself, those that fail are open."""
    nodes = "".join(_node(node, titles) for node in report.nodes)
    return f'<ol class="sanbo-plan sanbo-trial">{nodes}</ol>'


def _node(node: NodeReport, titles: Mapping[str, str]) -> str:
    broken = any(each.severity == "error" for each in node.findings)
    state = "failed" if broken else "between" if node.findings else "success"
    about = node.block or tell(f"cli.plan.kind.{node.type}")
    head = (
        f'<span class="sanbo-name">{escape(titles.get(node.node, node.node))}</span> '
        f'<span class="sanbo-score">{escape(node.node)} · {escape(about)}</span>'
    )
    inside = "".join(
        (
            _values("inputs", node),
            _values("outputs", node),
            *(_case(case, titles) for case in node.cases),
            *(f'<p class="sanbo-wrong">{escape(each.message)}</p>' for each in node.findings),
        )
    )
    return (
        f'<li class="sanbo-{state}"><span class="sanbo-mark">{_SIGNS[state]}</span>'
        f'<div class="sanbo-step-body"><details{" open" if broken else ""}>'
        f"<summary>{head}</summary>{inside}</details></div></li>"
    )


def _values(kind: str, node: NodeReport) -> str:
    values = node.inputs if kind == "inputs" else node.outputs
    if not values:
        return ""
    return (
        f'<p class="sanbo-values-head">{escape(tell(f"ui.plans.trial.{kind}"))}</p>'
        f"{values_table(values)}"
    )


def _case(case: DryRunCase, titles: Mapping[str, str]) -> str:
    told = tell(f"cli.plan.case.{case.kind}", condition=case.condition)
    sampled = tell("cli.plan.case_sampled") if case.is_sampled else ""
    lines = [
        tell(f"cli.plan.outcome.{each.outcome}", node=titles.get(each.node, each.node))
        + (f" {each.reason}" if each.reason else "")
        for each in case.consequences
    ]
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<p class="sanbo-case">{escape(told)}{escape(sampled)}</p>' + (
        f'<ul class="sanbo-case-list">{listed}</ul>' if listed else ""
    )
