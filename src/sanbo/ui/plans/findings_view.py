"""What is wrong with a plan: findings and its text; and what a dry run shows."""

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.plans import (
    DesignDetail,
    DryRunCase,
    DryRunReport,
    Finding,
    NodeReport,
    PlanSource,
    dry_run_of,
)
from sanbo.ui import connection
from sanbo.ui.values import values_table

MOST_LINES = 3000
AROUND = 200
"""Of a plan that is too long to show whole: lines before and after the first finding."""
_ANCHOR = "plan-line-"
_SIGNS = {"error": "✕", "warning": "！"}


def draw_check(design: DesignDetail) -> None:
    if not design.findings:
        st.success(literal(tell("ui.plans.check.clean")), icon=":material/check_circle:")
        return
    told = tell("ui.plans.check.counts", errors=design.errors, warnings=design.warnings)
    if design.valid:
        st.warning(
            literal(f"{told} {tell('ui.plans.check.runs_anyway')}"), icon=":material/warning:"
        )
    else:
        st.error(literal(told), icon=":material/error:")
    draw_findings(design.findings, own_file=design.file)
    st.subheader(tell("ui.plans.check.text"), anchor=False)
    st.html(marked_text(design.text, lines_of(design.findings, design.file)))


def draw_findings(findings: Sequence[Finding], own_file: str = "") -> None:
    st.html(findings_table(findings, own_file))


def lines_of(findings: Sequence[Finding], file: str) -> dict[int, str]:
    """By line, the severity of the worst finding; of this file alone."""
    marks: dict[int, str] = {}
    for each in findings:
        if each.line and each.file == file and marks.get(each.line) != "error":
            marks[each.line] = each.severity
    return marks


def findings_table(findings: Sequence[Finding], own_file: str) -> str:
    """HTML; `own_file` is what the lines of the text below belong to."""
    heads = "".join(
        f"<th>{escape(tell(f'ui.plans.check.column.{name}'))}</th>"
        for name in ("line", "code", "matter")
    )
    rows = "".join(_row(each, own_file) for each in findings)
    return (
        f'<div class="sanbo-outcomes sanbo-findings"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(each: Finding, own_file: str) -> str:
    word = tell(f"ui.plans.check.severity.{each.severity}")
    where = [f"{_SIGNS[each.severity]} {escape(word)}", _place(each, own_file)]
    node = f'<p class="sanbo-hint">{escape(each.node)}</p>' if each.node else ""
    hint = f'<p class="sanbo-hint">→ {escape(each.hint)}</p>' if each.hint else ""
    kind = "failed" if each.severity == "error" else "warned"
    return (
        f'<tr class="sanbo-{kind}"><td>{"<br>".join(part for part in where if part)}</td>'
        f"<td><code>{escape(each.code)}</code>{node}</td>"
        f"<td><p>{escape(each.message)}</p>{hint}</td></tr>"
    )


def _place(each: Finding, own_file: str) -> str:
    if not each.line:
        return ""
    told = escape(tell("ui.plans.check.line", line=each.line, column=each.column))
    if each.file != own_file:
        return f"{escape(each.file)}<br>{told}"
    return f'<a href="#{_ANCHOR}{each.line}">{told}</a>'


def marked_text(text: str, marks: dict[int, str]) -> str:
    """HTML: numbered lines; those with a finding have a mark, a colour and an address."""
    lines = text.splitlines()
    first, last = _window(len(lines), min(marks, default=1))
    shown = "".join(
        _line(number, lines[number - 1], marks.get(number)) for number in range(first, last + 1)
    )
    cut = last - first + 1 < len(lines)
    note = tell("ui.plans.check.cut", first=first, last=last, total=len(lines)) if cut else ""
    told = f'<p class="sanbo-hint">{escape(note)}</p>' if note else ""
    return f'<div class="sanbo-yaml" tabindex="0">{shown}</div>{told}'


def _line(number: int, text: str, severity: str | None) -> str:
    marked = f' class="sanbo-marked-{severity}" id="{_ANCHOR}{number}"' if severity else ""
    sign = _SIGNS[severity] if severity else ""
    return (
        f'<div{marked}><span class="sanbo-line-number">{sign} {number}</span>'
        f"<span>{escape(text)}</span></div>"
    )


def _window(total: int, wanted: int) -> tuple[int, int]:
    if total <= MOST_LINES:
        return 1, total
    first = max(1, min(wanted - AROUND, total - MOST_LINES + 1))
    return first, first + MOST_LINES - 1


_STATE_SIGNS = {"success": "✓", "between": "！", "failed": "✕"}


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
        f'<li class="sanbo-{state}"><span class="sanbo-mark">{_STATE_SIGNS[state]}</span>'
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
