"""The report in Markdown: conclusion, evidence, how to reproduce it, assumptions, cautions."""

from sanbo.agents.analysis.outcome import ResultTable
from sanbo.agents.analysis.report import content as markdown
from sanbo.agents.analysis.report.content import (
    ReportContent,
    ReportFigure,
    ReportResult,
    ReportTable,
    Version,
    bullets,
    code,
    fenced_json,
    header,
    sentences,
    showers,
)
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import tell, use_language
from sanbo.reports.names import target

__all__ = [
    "ReportContent",
    "ReportFigure",
    "ReportResult",
    "ReportTable",
    "Version",
    "cautions",
    "compose",
    "recipe",
    "table_markdown",
]

ROWS_IN_REPORT = 20
"""More of them are in the table's file."""
COLUMNS_IN_REPORT = 20


def compose(content: ReportContent) -> str:
    """The same content gives the same text."""
    with use_language(content.language):
        parts = [
            f"# {tell('analysis_report.title')}",
            f"> {plain(content.question)}" if content.question.strip() else "",
            f"## {tell('analysis_report.conclusion')}",
            sentences(content.conclusion),
            *_evidence(content),
            f"## {tell('analysis_report.reproduction')}",
            recipe(content),
            *_list("analysis_report.preparations", _preparations(content)),
            *_list("analysis_report.assumptions", content.assumptions),
            *_list("analysis_report.cautions", cautions(content)),
            *_list("analysis_report.suggestions", content.suggestions),
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _list(heading: str, items: tuple[str, ...]) -> list[str]:
    return [f"## {tell(heading)}", bullets(items)] if items else []


def _evidence(content: ReportContent) -> list[str]:
    parts = [f"## {tell('analysis_report.evidence')}"]
    tables = figures = 0
    for result in content.results:
        for table in result.tables:
            tables += 1
            title = tell("analysis_report.table", number=tables, title=plain(table.table.title))
            parts += [f"### {title}", table_markdown(table.table), _link(table.name)]
        for figure in result.figures:
            figures += 1
            title = tell("analysis_report.figure", number=figures, title=plain(figure.title))
            alt = plain(figure.alt or figure.title)
            parts += [f"### {title}", f"![{alt}]({target(figure.name)})"]
    return parts if tables or figures else [*parts, tell("analysis_report.no_evidence")]


def _link(name: str) -> str:
    return f"[{plain(name)}]({target(name)})"


def table_markdown(table: ResultTable, most_rows: int = ROWS_IN_REPORT) -> str:
    """Its first rows; how many more there are is said below it."""
    columns = table.columns[:COLUMNS_IN_REPORT]
    show = showers(table)[:COLUMNS_IN_REPORT]
    shown = table.rows[:most_rows]
    parts = [
        markdown.table(
            [header(column) for column in columns],
            ([one(cell) for one, cell in zip(show, row, strict=False)] for row in shown),
            [column.kind in ("integer", "number", "share") for column in columns],
        )
    ]
    if table.row_count > len(shown):
        parts.append(tell("analysis_report.more_rows", count=f"{table.row_count - len(shown):,}"))
    if len(table.columns) > len(columns):
        count = len(table.columns) - len(columns)
        parts.append(tell("analysis_report.more_columns", count=count))
    return "\n\n".join(parts)


def recipe(content: ReportContent) -> str:
    """What it takes to come to the same numbers again."""
    data = content.dataset
    name = plain(data.name)
    if data.sheet:
        name = tell("analysis_report.with_sheet", name=name, sheet=plain(data.sheet))
    versions = ", ".join(f"{plain(one.name)} {plain(one.version)}" for one in content.versions)
    lines = [
        tell("analysis_report.data", name=name),
        tell("analysis_report.size", rows=f"{data.rows:,}", columns=f"{len(data.columns):,}"),
        f"SHA-256: {code(data.sha256)}",
        tell("analysis_report.engine", engine=plain(content.engine)),
        tell("analysis_report.sandbox", sandbox=plain(content.sandbox)),
    ]
    if versions:
        lines.append(tell("analysis_report.versions", versions=versions))
    parts = ["\n".join(f"- {one}" for one in lines)]
    for result in content.results:
        parts += _step(result)
    conventions = _notes(content, "convention")
    if conventions:
        parts += [f"### {tell('analysis_report.conventions')}", bullets(conventions)]
    return "\n\n".join(parts)


def _step(result: ReportResult) -> list[str]:
    rows = tell(
        "analysis_report.rows_used", used=f"{result.used_rows:,}", all=f"{result.input_rows:,}"
    )
    spec = result.spec.model_dump(mode="json", exclude_none=True)
    return [f"### {plain(result.result_id)}", rows, fenced_json(spec)]


def _notes(content: ReportContent, kind: str) -> tuple[str, ...]:
    notes = (note.text for one in content.results for note in one.notes if note.kind == kind)
    return tuple(dict.fromkeys(notes))


def _preparations(content: ReportContent) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.text for each in content.dataset.preparations))


def cautions(content: ReportContent) -> tuple[str, ...]:
    said = [*_notes(content, "caution"), *content.cautions, *content.dataset.warnings]
    if content.limit_reached:
        said.insert(0, tell("analysis_report.limit_reached", most=content.most_acts))
    if content.refused_numbers:
        numbers = tell("analysis_report.separator").join(content.refused_numbers[:10])
        said.insert(0, tell("analysis_report.text_refused", numbers=numbers))
    return tuple(dict.fromkeys(said))
