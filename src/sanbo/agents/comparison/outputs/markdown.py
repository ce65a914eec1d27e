"""The changes as a Markdown table, and a whole report of summary and table."""

from collections.abc import Sequence

from sanbo.agents.comparison.model import Change, ComparedPair, ComparisonResult
from sanbo.agents.comparison.outputs.marked import new_spans, old_spans
from sanbo.agents.comparison.outputs.plain_markdown import marked_cell, table
from sanbo.agents.comparison.outputs.rows import is_worth_reading
from sanbo.agents.comparison.outputs.wording import (
    explanation,
    flag_words,
    from_to,
    kind_word,
    pair_name,
)
from sanbo.kernel.markdown import cell, plain
from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import Span, shortened

LONGEST_CELL = 280
_COLUMNS = ("kind", "old", "new", "attention", "explanation")


def table_md(changes: Sequence[Change], *, language: Language) -> str:
    """What differs, in the order given; unchanged rows are counted below."""
    worth = [change for change in changes if is_worth_reading(change)]
    unchanged = len(changes) - len(worth)
    parts: list[str] = []
    if worth:
        headers = [tell(f"comparison_outputs.column.{name}", language) for name in _COLUMNS]
        parts.append(table(headers, [_row(change, language) for change in worth]))
    if unchanged:
        left_out = tell("comparison_outputs.report.unchanged_left_out", language, count=unchanged)
        parts.append(left_out)
    return "\n\n".join(parts)


def tables_md(
    changes: Sequence[Change], pairs: Sequence[ComparedPair], *, language: Language
) -> str:
    """One table, or one under its heading for each pair of documents."""
    if len(pairs) == 1:
        return table_md(changes, language=language)
    parts: list[str] = []
    for place, pair in enumerate(pairs):
        own = [change for change in changes if change.pair == place]
        outcome = tell(f"comparison_outputs.outcome.{pair.outcome}", language)
        parts.append(f"### {place + 1}. {plain(pair_name(pair, language))}")
        if pair.outcome != "related":
            parts.append(outcome)
        parts.append(table_md(own, language=language))
    return "\n\n".join(part for part in parts if part)


def report_md(result: ComparisonResult, *, language: Language) -> str:
    parts = [
        f"# {tell('comparison_outputs.report.title', language)}",
        result.summary.text_md,
        f"## {tell('comparison_outputs.report.changes', language)}",
    ]
    if any(is_worth_reading(change) for change in result.changes):
        parts.append(tell("comparison_outputs.report.marks", language))
    parts.append(result.table_md)
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(change: Change, language: Language) -> list[str]:
    parts = (from_to(change, language), explanation(change, language))
    said = tell("comparison_outputs.part_separator", language).join(part for part in parts if part)
    return [
        kind_word(change.kind, language),
        _side(old_spans(change), "~~", language),
        _side(new_spans(change), "**", language),
        flag_words(change, language),
        cell(said),
    ]


def _side(spans: Sequence[Span], mark: str, language: Language) -> str:
    shown = marked_cell(shortened(spans, LONGEST_CELL), mark)
    return shown or tell("comparison_outputs.report.empty_side", language)
