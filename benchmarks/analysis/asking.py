"""Asks the product a question about a table, as the command line does, and gives what came."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from analysis.finding import Table

from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.workflow import AnalysisResult
from sanbo.kernel.messages import Language, set_language
from sanbo.llm.settings import LlmSettings
from sanbo.runs.model import Run, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings

Engine = Literal["rules", "configured"]


@dataclass
class Conversation:
    language: Language
    conversation_id: str | None = None


@dataclass(frozen=True)
class Answered:
    kind: str
    """`report`, `question`, `out_of_scope`; `failed` where a problem ended the run."""
    steps: dict[str, AnalysisSpec | PlotSpec]
    """What was executed for it, by result id."""
    tables: list[Table]
    texts: list[str]

    @property
    def plots(self) -> list[PlotSpec]:
        return [spec for spec in self.steps.values() if spec.type == "plot"]


class Product:
    def __init__(self, bench: BlockingWorkbench) -> None:
        self._bench = bench

    @property
    def engine(self) -> str:
        engine = self._bench.workbench.engine()
        return f"{engine.provider} {engine.model or ''}".strip()

    def ask(self, table: Path, question: str, conversation: Conversation) -> Answered:
        result = self.result(table, question, conversation)
        if isinstance(result, str):
            return Answered("failed", {}, [], [result])
        return _answered(result)

    def result(
        self, table: Path, question: str, conversation: Conversation
    ) -> AnalysisResult | str:
        """The whole answer; a problem that ended the run as words."""
        set_language(conversation.language)
        run = self._run(table, question, conversation)
        conversation.conversation_id = run.conversation_id
        if run.status is not Status.SUCCEEDED or run.result is None:
            return run.problem.message if run.problem else run.status.value
        return AnalysisResult.model_validate(run.result)

    def _run(self, table: Path, question: str, conversation: Conversation) -> Run:
        workbench, call = self._bench.workbench, self._bench.call
        # Bytes stay in memory, as the data of an analysis does.
        file = call(workbench.upload(OPERATOR, table.read_bytes(), table.name, "text/csv"))
        run = call(
            workbench.start(
                OPERATOR,
                "analysis",
                {"question": question, "file": file.model_dump(mode="json")},
                conversation_id=conversation.conversation_id,
                language=conversation.language,
            )
        )
        return call(workbench.wait(OPERATOR, run.run_id))


@contextmanager
def open_product(engine: Engine) -> Generator[Product]:
    """On a workspace of its own. `configured`: who thinks by the settings of this workspace."""
    settings = load_settings()
    with tempfile.TemporaryDirectory() as folder:
        own: dict[str, object] = {"workspace": Path(folder)}
        if engine == "rules":
            own["llm"] = LlmSettings(provider="rules")
        with blocking_workbench(settings.model_copy(update=own)) as bench:
            yield Product(bench)


def _answered(result: AnalysisResult) -> Answered:
    steps = {
        str(spec["result_id"]): read_spec(
            {name: value for name, value in spec.items() if name != "result_id"}
        )
        for spec in result.specs
    }
    tables = [
        Table(
            table.title,
            [f"{name} {label}" for name, label in zip(table.columns, table.labels, strict=True)],
            [tuple(row) for row in table.rows],
        )
        for table in result.tables
    ]
    return Answered(result.kind, steps, tables, [result.answer_md])
