"""Findings and dry runs on the screen: where, what, what to do; what a node would get and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue
from rich.console import Console

from sanbo.cli.screen import Mark, mark, show_line, words
from sanbo.kernel.messages import tell
from sanbo.runs.parts import on_one_line

if TYPE_CHECKING:
    from sanbo.service.dry_runs import DryRunCase, DryRunReport, NodeReport
    from sanbo.service.plans import Finding


def show_findings(console: Console, findings: Sequence[Finding]) -> None:
    """Errors before warnings, each group from top to bottom of its file."""
    for finding in sorted(
        findings, key=lambda each: (each.severity != "error", each.file, each.line, each.column)
    ):
        line = mark(console, "broken" if finding.severity == "error" else "warning").append(" ")
        line.append_text(words(place_of(finding), "bold")).append("  ")
        line.append_text(words(finding.code, "cyan")).append("  ")
        console.print(line.append_text(words(finding.message, "default")), soft_wrap=True)
        hint = f"    {tell('cli.plan.advice', hint=finding.hint)}"
        console.print(words(hint, "dim"), soft_wrap=True)


def show_verdict(console: Console, findings: Sequence[Finding]) -> None:
    errors = sum(each.severity == "error" for each in findings)
    warnings = len(findings) - errors
    if not findings:
        show_line(console, "ok", tell("cli.plan.valid"))
        return
    kind = "broken" if errors else "warning"
    text = "cli.plan.counts" if errors else "cli.plan.counts_valid"
    show_line(console, kind, tell(text, errors=errors, warnings=warnings))


def place_of(finding: Finding) -> str:
    """`file:line:column`, as editors take it."""
    place = f":{finding.line}:{finding.column}" if finding.line else ""
    return f"{finding.file or '–'}{place}"


LONGEST = 1000
"""Of a value; a narrower screen cuts it sooner."""


def show_dry_run(console: Console, report: DryRunReport) -> None:
    for node in report.nodes:
        _show_node(console, node)


def _show_node(console: Console, node: NodeReport) -> None:
    broken = any(each.severity == "error" for each in node.findings)
    kind: Mark = "broken" if broken else "warning" if node.findings else "ok"
    line = mark(console, kind).append(" ").append_text(words(node.node, "bold"))
    about = node.block or tell(f"cli.plan.kind.{node.type}")
    console.print(line.append_text(words(f"  {about}", "dim")), soft_wrap=True)
    _show_values(console, tell("cli.plan.inputs"), node.inputs)
    _show_values(console, tell("cli.plan.outputs"), node.outputs)
    for case in node.cases:
        _show_case(console, case)


def _show_values(console: Console, heading: str, values: Mapping[str, JsonValue]) -> None:
    for name, value in values.items():
        line = words(f"    {heading} ", "dim").append_text(words(name, "cyan"))
        line.append(": ").append_text(words(on_one_line(value, LONGEST)))
        console.print(line, overflow="ellipsis", no_wrap=True)


def _show_case(console: Console, case: DryRunCase) -> None:
    text = tell(f"cli.plan.case.{case.kind}", condition=case.condition)
    sampled = tell("cli.plan.case_sampled") if case.is_sampled else ""
    console.print(words(f"    {text}{sampled}", "dim"), soft_wrap=True)
    for each in case.consequences:
        kind: Mark = "broken" if each.outcome == "fails" else "ok"
        told = tell(f"cli.plan.outcome.{each.outcome}", node=each.node)
        line = words("      ").append_text(mark(console, kind)).append(" ")
        reason = f"  {each.reason}" if each.reason else ""
        console.print(line.append_text(words(f"{told}{reason}", "dim")), soft_wrap=True)
