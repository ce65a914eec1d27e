"""A report as the page shows it: what it says first, the rest below."""

from typing import NamedTuple

from sanbo.kernel.messages import Language, tell


class ReportParts(NamedTuple):
    body: str
    """Without the title, which is the question: the page has it above."""
    tail: str
    """Sources and trail, which the page shows in its own way, too."""


def parts_of(report: str, language: Language) -> ReportParts:
    first, _, rest = report.partition("\n")
    body = rest.lstrip("\n") if first.startswith("# ") else report
    heading = f"## {tell('research_report.heading.sources', language)}\n"
    before, found, after = body.rpartition(f"\n{heading}")
    return ReportParts(before, heading + after) if found else ReportParts(body, "")
