"""`agent.analyze`: tables, charts and a report from a table and a question."""

import asyncio
import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.agent.calling import call
from sanbo.blocks.agent.outputs import by_port
from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef
from sanbo.runs.workflow import Waiting

PORTS = (
    "kind",
    "answer_md",
    "report_md",
    "specs",
    "tables",
    "figures",
    "assumptions",
    "suggestions",
)
ROWS_NAME = "rows.csv"


class AnalyzeInputs(BlockInputs):
    question: str
    file: FileRef | None = None
    rows: Sequence[dict[str, JsonValue]] | None = None
    sheet: str | None = None


class Analyze(EngineBlock[AnalyzeInputs]):
    Inputs = AnalyzeInputs

    @override
    async def run(
        self, given: AnalyzeInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        file = given.file
        if (file is None) == (given.rows is None):
            raise InvalidInput("agent_analyze_one_table", node="/".join(context.run.path))
        if file is None:
            file = await asyncio.to_thread(_as_file, given.rows or (), context)
        values: dict[str, JsonValue] = {
            "question": given.question,
            "file": file.model_dump(mode="json"),
            "sheet": given.sheet,
        }
        return by_port(await call("analysis", values, context), PORTS)


def _as_file(rows: Sequence[Mapping[str, JsonValue]], context: EngineContext) -> FileRef:
    """The rows as a table that the agent can read; the same file when it is made again."""
    if not rows:
        raise InvalidInput("agent_analyze_no_rows", node="/".join(context.run.path))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(name)) for name in columns] for row in rows])
    data = text.getvalue().encode()
    sha256 = context.run.place.files.keep(context.run.run_id, data)
    return FileRef(file_id=sha256, name=ROWS_NAME, size=len(data), media_type="text/csv")


def _cell(value: JsonValue) -> object:
    if isinstance(value, dict | list):
        return str(value)
    return "" if value is None else value
