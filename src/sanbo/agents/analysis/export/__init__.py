"""What leaves with a person: the report, its tables and figures, and the recipe to do it again."""

from collections.abc import Mapping

import pyarrow as pa

from sanbo.agents.analysis.export.csv_files import FileNames, csv_bytes
from sanbo.agents.analysis.export.recipe import Difference, Recipe, compare
from sanbo.agents.analysis.outcome import ResultTable
from sanbo.agents.analysis.report import ReportContent, compose
from sanbo.kernel.problems import NotFound

__all__ = ["REPORT", "SPECS", "Difference", "FileNames", "Recipe", "compare", "csv_bytes", "files"]

REPORT = "report.md"
SPECS = "specs.json"


def files(
    content: ReportContent,
    tables_full: Mapping[str, ResultTable | pa.Table],
    figures: Mapping[str, bytes],
) -> Mapping[str, bytes]:
    """By name. `tables_full` has whole tables by their name; of others the report's rows are kept.

    `figures` has the PNG of every figure that the report names.
    """
    made = {
        REPORT: compose(content).encode(),
        SPECS: Recipe.of(content).to_json().encode(),
    }
    for result in content.results:
        for table in result.tables:
            made[table.name] = _csv(table.table, tables_full.get(table.name))
        for figure in result.figures:
            if figure.name not in figures:
                raise NotFound("analysis_export.figure_missing", name=figure.name)
            made[figure.name] = figures[figure.name]
    return made


def _csv(table: ResultTable, whole: ResultTable | pa.Table | None) -> bytes:
    """The whole table under the labels that the report shows, where they are its columns."""
    if not isinstance(whole, pa.Table):
        return csv_bytes(whole or table)
    is_alike = [column.name for column in table.columns] == whole.column_names
    return csv_bytes(whole, [column.label for column in table.columns] if is_alike else ())
