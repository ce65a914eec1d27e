"""What a report is made of, and how cells and untrusted words are shown in it."""

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeGuard

from pydantic import Field

from sanbo.agents.analysis.outcome import JsonCell, Made, Note, ResultTable, TableColumn, Vega
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.markdown import cell, plain, visible
from sanbo.kernel.messages import Language, tell

FileName = Annotated[str, Field(pattern=r"^[^/\\:\x00-\x1f.][^/\\:\x00-\x1f]*$", max_length=200)]
"""Never a path."""


class ReportTable(Made):
    name: FileName
    """Of its file: 表1_店舗別の売上.csv."""
    table: ResultTable


class ReportFigure(Made):
    name: FileName
    """Of its file: 図1_月別の売上.png."""
    title: str
    alt: str
    table: ResultTable
    """The numbers behind the picture."""
    vega: Vega | None = None
    """The chart itself, where it is small and may be kept; else its artifact has it."""


class ReportResult(Made):
    """A spec that was executed, and what came of it."""

    result_id: str
    spec: AnalysisSpec | PlotSpec
    tables: tuple[ReportTable, ...] = ()
    figures: tuple[ReportFigure, ...] = ()
    notes: tuple[Note, ...] = ()
    input_rows: int
    used_rows: int


class Version(Made):
    name: str
    version: str


class ReportContent(Made):
    language: Language
    question: str
    conclusion: str
    """Markdown of a few sentences, by rules or by a model."""
    results: tuple[ReportResult, ...]
    """In the order of their execution."""
    dataset: DatasetProfile
    assumptions: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    """Beside those of the results' notes."""
    suggestions: tuple[str, ...] = ()
    limit_reached: bool = False
    """The turn ended because no more acts were left."""
    most_acts: int = 8
    """That a turn has."""
    refused_numbers: tuple[str, ...] = ()
    """Stated by the model without grounds; its text was replaced."""
    engine: str
    """rules, or provider and model."""
    sandbox: str
    """The level in force, in words."""
    versions: tuple[Version, ...] = ()


LARGEST = 1e18
"""Beyond it digits say nothing any more."""


def shower(column: TableColumn, cells: Sequence[JsonCell]) -> Callable[[JsonCell], str]:
    """Shows cells of one column alike: with the digits that its largest number needs."""
    decimals = digits(column, cells)

    def show(cell: JsonCell) -> str:
        if isinstance(cell, bool):
            return tell("analysis_report.yes") if cell else tell("analysis_report.no")
        if isinstance(cell, str):
            return cell
        if not _is_number(cell):
            return ""
        is_share = column.kind == "share"
        return f"{_number(cell * 100, decimals)}%" if is_share else _number(cell, decimals)

    return show


def _is_number(cell: JsonCell) -> TypeGuard[int | float]:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)


def digits(column: TableColumn, cells: Sequence[JsonCell]) -> int:
    """Behind the point, of all numbers of a column alike."""
    numbers = [abs(cell) for cell in cells if _is_number(cell)]
    if column.kind == "share":
        return 1
    if column.kind == "integer" or all(number == int(number) for number in numbers):
        return 0
    for few in (1, 2):  # 0.5 and 168.75 as they are
        if all(math.isclose(number, round(number, few), rel_tol=1e-12) for number in numbers):
            return few
    largest = max(numbers)
    return 1 if largest >= 100 else 2 if largest >= 10 else 3


def _number(value: float, decimals: int) -> str:
    if isinstance(value, float) and abs(value) >= LARGEST:
        return f"{value:.3e}"
    text = f"{value:,.{decimals}f}"
    if text.strip("-0.,"):
        return text
    if value and decimals:  # a small p-value is not zero
        return f"{value:.2e}" if abs(value) < 1e-6 else _significant(value)
    return text.lstrip("-")


def _significant(value: float) -> str:
    return f"{value:.{2 - math.floor(math.log10(abs(value)))}f}"


def header(column: TableColumn) -> str:
    """売上（合計）（円）: the unit stands once, over the numbers."""
    if not column.unit or column.unit in column.label:
        return column.label
    return tell("analysis_report.with_unit", label=column.label, unit=column.unit)


def showers(table: ResultTable) -> list[Callable[[JsonCell], str]]:
    return [
        shower(column, [row[position] for row in table.rows])
        for position, column in enumerate(table.columns)
    ]


# What a model may use in its sentences: lists, emphasis, code, tables. No images, links, HTML,
# headings or fences, which could pass for a part of the report or fetch something.
_ACTIVE = re.compile(
    r"""
    \\[!-/:-@\[-`{-~]                # plain already; of \\[ the first two are such a pair
    | !(?=\\?\[) | [\[\]<] | &(?=\#?\w+;) | \$
    | ^[ \t>]*\#+ | ^[ \t>]*(?:`{3,}|~{3,}) | ^[ \t>]*(?:=+|-{2,}|\*{3,}|_{3,})[ \t]*$
    | (?<=https):(?=//) | (?<=http):(?=//) | (?<=\bwww)\.
    | (?<=\bftp):(?=//) | (?<=mailto):
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


def sentences(text: str) -> str:
    """A model's own Markdown, with all that acts or pretends to be another part made plain."""
    lines = [visible(line).rstrip() for line in re.split(r"\r\n|\r|\n", text)]
    return _ACTIVE.sub(_quiet, "\n".join(lines).strip("\n"))


def _quiet(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith("\\"):
        return text
    start = len(text) - len(text.lstrip(" \t>"))
    return f"{text[:start]}\\{text[start:]}"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> str:
    lines = [
        "| " + " | ".join(cell(header) or " " for header in headers) + " |",
        "| " + " | ".join("---:" if is_right else "---" for is_right in right) + " |",
    ]
    lines += ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows]
    return "\n".join(lines)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {plain(item)}" for item in items)


def fenced_json(value: object) -> str:
    """Sorted keys: the same spec is the same text."""
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
    text = re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}json\n{text}\n{fence}"


def code(text: str) -> str:
    """A hash or a version: short, without backticks."""
    return f"`{re.sub(r'[^0-9A-Za-z_.+:-]', '', text)}`"
