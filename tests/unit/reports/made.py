"""Reports made of parts, and how they are read back."""

from io import BytesIO
from typing import Any

from docx import Document
from docx.oxml.ns import qn
from openpyxl import load_workbook

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.results import table_of_changes
from sanbo.kernel.messages import Language
from sanbo.reports.content import Report, written
from sanbo.runs.parts import Part


def report(
    *parts: Part,
    title: str = "店舗別の売上",
    language: Language = "ja",
    pictures: dict[str, bytes] | None = None,
) -> Report:
    return Report(
        title=title,
        workflow="表の分析",
        parts=parts,
        language=language,
        byline=("表の分析・2026-04-01作成", "実行run_1"),
        pictures=pictures or {},
    )


def compared(result: ComparisonResult, language: Language = "ja", *, fold: bool = False) -> Report:
    return table_of_changes(result, language, fold_renumbered=fold)


def word(made: Report) -> Any:
    return Document(BytesIO(written(made, "docx")))


def excel(made: Report) -> Any:
    return load_workbook(BytesIO(written(made, "xlsx")), rich_text=True)


def word_rows(opened: Any, table: int = 0) -> list[tuple[str, ...]]:
    """By the XML: python-docx takes too long over the cells of a table."""
    return [
        tuple("\n".join(_letters(line) for line in cell.iter(qn("w:p"))) for cell in row.tc_lst)
        for row in opened.tables[table]._tbl.tr_lst
    ]


def _letters(paragraph: Any) -> str:
    return "".join(
        "\t" if part.tag == qn("w:tab") else part.text or ""
        for part in paragraph.iter(qn("w:t"), qn("w:tab"))
    )
