"""A report as the page shows it: what it says first, its sources as links, the rest below."""

import re
from collections.abc import Collection
from typing import NamedTuple

from sanbo.kernel.messages import Language, tell

# Not what was escaped because a document says it, nor what is a link already.
_MARK = re.compile(r"(?<![\\!])\[(\d{1,4})\](?![(:])")


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


def linked(report: str, numbers: Collection[int], anchor: str) -> str:
    """Markdown in which every mark of a known citation leads to `#{anchor}-{number}`."""

    def link(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"[\\[{number}\\]](#{anchor}-{number})" if number in numbers else found[0]

    return _MARK.sub(link, report)
