"""An analysis as people see it: the answer, its tables and charts, and what it assumes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sanbo.agents.analysis.export import REPORT
from sanbo.agents.analysis.outcome import CellKind, TableColumn
from sanbo.agents.analysis.report.content import digits
from sanbo.agents.analysis.results import AnalysisResult, AnswerTable
from sanbo.agents.analysis.spec.chips import ReadingChip
from sanbo.evidence.places import as_markdown
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import Artifact, Run
from sanbo.runs.parts import READING, RECIPE, Column, Fact, Facts, Figure, Part, Parts, Table, Text
from sanbo.runs.parts import CellKind as ShownKind
from sanbo.runs.presentation import whole

_KINDS: dict[CellKind, ShownKind] = {
    "text": "text",
    "integer": "number",
    "number": "number",
    "share": "share",
    "date": "date",
    "datetime": "date",
    "boolean": "boolean",
}


def present(seen: Snapshot, language: Language) -> Parts:
    run = seen.run
    result = None if run.result is None else AnalysisResult.model_validate(run.result)
    shown = () if result is None else _result(run, result, language)
    return whole(run, language, shown, has_files=False)


def _result(run: Run, result: AnalysisResult, language: Language) -> Iterator[Part]:
    files = {artifact.name: artifact for artifact in run.artifacts}
    if result.reading:
        yield Facts(
            id=READING,
            title=tell("analysis_parts.reading", language),
            items=tuple(_reading(result.reading)),
        )
    yield Text(id="answer", markdown=result.answer_md)
    own = _answering(result)
    for number, table in enumerate(own, start=1):
        yield _table(f"table/{number}", table, files)
    for number, figure in enumerate(result.figures, start=1):
        if figure.name in files:
            yield Figure(
                id=f"figure/{number}",
                title=figure.title,
                picture=files[figure.name],
                spec=figure.vega,
                description=figure.alt,
            )
    yield from _list("preparations", result.preparations, language)
    yield from _list("assumptions", result.assumptions, language)
    yield from _list("cautions", result.cautions, language, is_aside=True)
    # Where nothing was computed, the answer itself names them.
    yield from _list("suggestions", result.suggestions, language, is_aside=True)
    if result.recipe_md:
        yield Text(
            id=RECIPE,
            title=tell("analysis_report.reproduction", language),
            markdown=result.recipe_md,
            is_aside=True,
        )
    if result.report_md:
        yield Text(
            id="report",
            title=tell("analysis_parts.report", language),
            markdown=result.report_md,
            document=files.get(REPORT),
            is_aside=True,
        )
    for number, table in enumerate((each for each in result.tables if each not in own), start=1):
        behind = _table(f"behind/{number}", table, files)
        yield behind.model_copy(update={"is_aside": True})


def _answering(result: AnalysisResult) -> list[AnswerTable]:
    """Not the steps on the way; numbers behind a picture mostly stand in a table as well."""
    steps = {str(spec["input"]) for spec in result.specs if spec["type"] == "analysis"}
    ends = [table for table in result.tables if table.result_id not in steps]
    return [table for table in ends if table.name] or ends


def _reading(chips: Sequence[ReadingChip]) -> Iterator[Fact]:
    """何を: 売上金額の合計. Chips of one kind stand together."""
    said: dict[str, list[str]] = {}
    for chip in chips:
        if chip.path != ("/input",):
            said.setdefault(chip.label, []).append(chip.text)
    for label, texts in said.items():
        yield Fact(label=label, value=" / ".join(dict.fromkeys(texts)))


def _table(part_id: str, table: AnswerTable, files: Mapping[str, Artifact]) -> Table:
    columns: list[Column] = []
    for position, label in enumerate(table.labels):
        kind, unit = table.kinds[position], table.units[position]
        cells = [row[position] for row in table.rows]
        column = TableColumn(name="", label=label, kind=kind, unit=unit)
        is_number = _KINDS[kind] in ("number", "share")
        columns.append(
            Column(
                name=label,
                kind=_KINDS[kind],
                unit="" if unit in label else unit,
                decimals=digits(column, cells) if is_number else None,
            )
        )
    return Table(
        id=part_id,
        title=table.title,
        columns=tuple(columns),
        rows=tuple(map(tuple, table.rows)),
        total_rows=table.row_count,
        file=files.get(table.name),
    )


def _list(
    name: str, lines: Iterable[str], language: Language, *, is_aside: bool = False
) -> Iterator[Text]:
    if bullets := "\n".join(f"- {as_markdown(line)}" for line in lines):
        title = tell(f"analysis_parts.{name}", language)
        yield Text(id=name, title=title, markdown=bullets, is_aside=is_aside)
