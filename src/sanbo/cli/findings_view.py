"""Findings on the screen: where, what, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from sanbo.cli.screen import mark, show_line, words
from sanbo.kernel.messages import tell

if TYPE_CHECKING:
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
