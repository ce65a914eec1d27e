"""The sheet that counts: kinds, flags, documents."""

from collections import Counter
from collections.abc import Sequence

from openpyxl.worksheet.worksheet import Worksheet

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.outputs.excel_cells import (
    CENTRED,
    HEADER,
    WRAPPED,
    put,
    set_print,
)
from sanbo.agents.comparison.outputs.wording import document_name, flag_word, kind_word
from sanbo.kernel.messages import Language, tell


def put_summary(sheet: Worksheet, result: ComparisonResult, language: Language) -> None:
    title = tell("comparison_outputs.table.summary_sheet", language)
    put(sheet, 1, 1, title, language, bold=True, size=14)
    count = tell("comparison_outputs.table.count", language)
    counts = result.summary.counts
    rows: list[Sequence[str | int]] = [
        (tell("comparison_outputs.table.kinds", language), count),
        *((kind_word(kind, language), number) for kind, number in counts.items()),
        (
            tell("comparison_outputs.table.differences", language),
            sum(number for kind, number in counts.items() if kind != "unchanged"),
        ),
    ]
    at = _put_counts(sheet, 3, rows, language)
    rows = [
        (tell("comparison_outputs.table.flags", language), count),
        *((flag_word(flag, language), number) for flag, number in result.summary.flags.items()),
        (tell("comparison_outputs.table.attention", language), result.summary.attention),
    ]
    at = _put_counts(sheet, at + 1, rows, language)
    _put_documents(sheet, at + 1, result, language)
    for column, width in zip("ABCDE", (38, 12, 42, 42, 20), strict=True):
        sheet.column_dimensions[column].width = width
    set_print(sheet)


def _put_counts(
    sheet: Worksheet, at: int, rows: Sequence[Sequence[str | int]], language: Language
) -> int:
    """The first is the header, the last the sum."""
    for place, row in enumerate(rows):
        for column, value in enumerate(row, start=1):
            is_end = place in (0, len(rows) - 1)
            alignment = WRAPPED if column == 1 else CENTRED
            cell = put(
                sheet,
                at + place,
                column,
                value,
                language,
                bold=is_end,
                alignment=alignment,
                lined=True,
            )
            if place == 0:
                cell.fill = HEADER
    return at + len(rows)


def _put_documents(sheet: Worksheet, at: int, result: ComparisonResult, language: Language) -> None:
    headers = (
        tell("comparison_outputs.table.documents", language),
        tell("comparison_outputs.table.count", language),
        tell("comparison_outputs.column.new", language),
        tell("comparison_outputs.column.old", language),
        tell("comparison_outputs.table.similarity", language),
    )
    for column, header in enumerate(headers, start=1):
        cell = put(sheet, at, column, header, language, bold=True, alignment=WRAPPED, lined=True)
        cell.fill = HEADER
    differing = Counter(change.pair for change in result.changes if change.kind != "unchanged")
    for place, pair in enumerate(result.pairs):
        values = (
            tell(f"comparison_outputs.outcome.{pair.outcome}", language),
            differing[place],
            document_name(pair.new, language),
            document_name(pair.old, language),
            round(pair.similarity, 3),
        )
        for column, value in enumerate(values, start=1):
            alignment = CENTRED if column in (2, 5) else WRAPPED
            cell = put(
                sheet, at + place + 1, column, value, language, alignment=alignment, lined=True
            )
            if column == 5:
                cell.number_format = "0%"
