"""Analysis as a workflow: a table and a question in, a report, a question or a refusal out.

An analysis as people see it: the answer, its tables and charts, and what it assumes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast, get_args

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import StateGraph
from pydantic import BaseModel, Field
from typing_extensions import override

from sanbo.agents.analysis.datasets import Datasets
from sanbo.agents.analysis.export import REPORT
from sanbo.agents.analysis.export.figures import picture_of
from sanbo.agents.analysis.graph import build
from sanbo.agents.analysis.nodes import Nodes
from sanbo.agents.analysis.outcome import CellKind, TableColumn
from sanbo.agents.analysis.profile import PreparationKind
from sanbo.agents.analysis.report import ReportFigure, ReportResult, ReportTable
from sanbo.agents.analysis.report.content import digits
from sanbo.agents.analysis.reporting import used_results
from sanbo.agents.analysis.results import (
    AnalysisResult,
    AnswerFigure,
    AnswerTable,
    OfferedReading,
    without_cells,
)
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.spec.chips import ReadingChip, chips_of
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.state import ASKED, AnalysisState
from sanbo.documents.file_formats import accepted
from sanbo.evidence.places import as_markdown
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.graphs import GraphWorkflow, State
from sanbo.runs.model import Artifact, FileRef, JsonObject, Payload, Run
from sanbo.runs.parts import READING, RECIPE, Column, Fact, Facts, Figure, Part, Parts, Table, Text
from sanbo.runs.parts import CellKind as ShownKind
from sanbo.runs.presentation import whole
from sanbo.runs.workflow import RunContext
from sanbo.settings import Settings

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
    said, _, numbered = result.answer_md.rpartition("\n\n")
    if result.readings and said and numbered.startswith("1. "):  # a page may offer them itself
        yield Text(id="answer", markdown=said)
        yield Text(id="readings", markdown=numbered)
    else:
        yield Text(id="answer", markdown=result.answer_md)
    own = _answering(result)
    for number, table in enumerate(own, start=1):
        yield _answer_table(f"table/{number}", table, files)
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
        behind = _answer_table(f"behind/{number}", table, files)
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


def _answer_table(part_id: str, table: AnswerTable, files: Mapping[str, Artifact]) -> Table:
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


MOST_SPECS = 20


def _in_forms(ja: tuple[str, str], en: tuple[str, str], **more: str) -> dict[str, Any]:
    """A field's label and help, in both languages."""
    label, help_text = zip(ja, en, strict=True)
    languages = ("ja", "en")
    return {
        "label": dict(zip(languages, label, strict=True)),
        "help": dict(zip(languages, help_text, strict=True)),
        **more,
    }


class AnalysisInput(BaseModel):
    question: str = Field(
        min_length=1,
        max_length=4000,
        json_schema_extra=_in_forms(
            ("質問", "例：店舗別の売上合計を多い順に／月別の売上推移を折れ線で"),
            ("Question", "For example: total sales by store, largest first"),
        ),
    )
    file: FileRef | None = Field(
        default=None,
        json_schema_extra=_in_forms(
            ("表のファイル", "CSV、TSV、Excel、Parquet。続きの質問では省略できます。"),
            ("Table", "CSV, TSV, Excel or Parquet. May be left out in a follow-up question."),
            accept=f"{accepted(lambda format: format.table)},.parquet",
        ),
    )
    sheet: str = Field(
        default="",
        max_length=200,
        json_schema_extra=_in_forms(
            ("シート名", "Excelの場合。省略すると、表のある最初のシートを使います。"),
            ("Sheet", "Of a workbook; the first with a table, if left out."),
        ),
    )
    as_written: list[PreparationKind] = Field(
        default_factory=list[PreparationKind],
        max_length=len(get_args(PreparationKind)),
        json_schema_extra=_in_forms(
            (
                "そのまま読む項目",
                "表を読むときに整えず、そのままにする項目。"
                "totals：合計の行、variants：表記の揺れ、unit：単位、header：見出し、"
                "notes：注記、groups：グループ名の空欄、identifiers：番号の列、dates：文字の日付、tables：複数の表",
            ),
            (
                "Read as written",
                "What is not made ready when the table is read: totals, variants (spellings),"
                " unit, header, notes, groups, identifiers, dates (in words), tables (several)",
            ),
        ),
    )

    specs: list[JsonObject] = Field(
        default_factory=list[JsonObject],
        max_length=MOST_SPECS,
        json_schema_extra=_in_forms(
            ("計算の指定", "質問の読み方を直接指定します。省略すると、質問文から読み取ります。"),
            ("Specs", "How the question is to be read; taken from its words, if left out."),
        ),
    )


class Analysis(GraphWorkflow[AnalysisInput, AnalysisResult]):
    name = "analysis"
    titles: ClassVar = {"ja": "表の分析", "en": "Table analysis"}
    descriptions: ClassVar = {
        "ja": "表に質問すると、集計・グラフと、同じ結果を再現できるレポートを作ります。",
        "en": "Ask a table a question: figures, charts and a report that can be reproduced.",
    }
    input_model = AnalysisInput
    result_model = AnalysisResult
    called_apart = (
        "sanbo.agents.analysis.deciding",
        "sanbo.agents.analysis.conclusion",
        "sanbo.agents.analysis.model_thinking.briefing",
    )
    continues_conversation = True

    def __init__(self) -> None:
        self._datasets: Datasets | None = None

    def datasets(self, settings: AnalysisSettings) -> Datasets:
        """This process's registry, with its sandbox; started when first used."""
        if self._datasets is None:
            self._datasets = Datasets(settings)
        return self._datasets

    @override
    def close(self) -> None:
        datasets, self._datasets = self._datasets, None
        if datasets is not None:
            datasets.close()

    @override
    def keeps_in_memory(self, settings: Settings) -> bool:
        return not settings.analysis.persist

    @override
    def kept(self, payload: Payload, settings: Settings) -> Payload:
        return without_cells(payload) if self.keeps_in_memory(settings) else payload

    @override
    def node_title(self, node: str, language: Language) -> str:
        return tell(f"analysis.node.{node}", language)

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        return present(seen, language)

    @override
    async def make_file(self, run: Run, artifact: Artifact, sources: Sequence[bytes]) -> bytes:
        return await picture_of(artifact, sources[0])

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        return build(Nodes(self.datasets))

    @override
    def initial_state(self, context: RunContext[AnalysisInput]) -> State:
        given = context.input
        state: AnalysisState = {
            "messages": [HumanMessage(given.question)],
            "next_action": None,
            "clarifying_questions": [],
            "assumptions": [],
            "analysis_spec": None,
            "plot_spec": None,
            "artifacts": [],
            "last_error": None,
            "final_report_md": None,
            "turn": 1,
            "acts": 0,
            "calls": 0,
            "failed_spec": None,
            "refused": False,
            "limit_reached": False,
            "suggestions": [],
            "unread": [],
            "chosen": [_read(spec) for spec in given.specs],
            "conclusion": "",
        }
        if given.file is not None:
            state |= {
                "file": given.file.model_dump(mode="json"),
                "sheet": given.sheet,
                "as_written": given.as_written,
            }
        return dict(state)

    @override
    def recall(self, earlier: Sequence[Run], state: State) -> State:
        messages: list[HumanMessage | AIMessage] = []
        for run in earlier:
            messages.append(HumanMessage(str(run.input.get("question", ""))))
            given = run.result or {}
            is_question = given.get("kind") == "question"
            if given.get("is_whole", True):
                told = str(given.get("answer_md", ""))
                messages.append(AIMessage(told, name=ASKED if is_question else None))
            elif is_question:  # what it asked is gone, that it asked is not
                messages.append(AIMessage("", name=ASKED))
        # What the last turn has offered can be chosen by its number in another process too.
        offered = (earlier[-1].result or {}).get("readings", []) if earlier else []
        return {**state, "messages": [*messages, *state["messages"]], "readings": offered}

    @override
    def result(self, state: State, context: RunContext[AnalysisInput]) -> AnalysisResult:
        given = {name: state.get(name, []) for name in ("assumptions", "suggestions")}
        summary = state.get("dataset_summary")
        ready: list[JsonObject] = summary["preparations"] if summary else []
        given["preparations"] = [str(each["text"]) for each in ready]
        if (report := state.get("final_report_md")) is None:
            return AnalysisResult(
                kind="out_of_scope" if state.get("refused") else "question",
                answer_md=state["messages"][-1].text,
                report_md="",
                specs=[],
                tables=[],
                figures=[],
                readings=[OfferedReading.model_validate(one) for one in state.get("readings", [])],
                unread=state.get("unread", []),
                **given,
            )
        results = used_results(cast("AnalysisState", state))
        return AnalysisResult(
            kind="report",
            answer_md=state["conclusion"],
            reading=chips_of([result.spec for result in results], context.language),
            report_md=report,
            recipe_md=state.get("recipe_md", ""),
            cautions=state.get("cautions", []),
            specs=[
                {"result_id": result.result_id, **result.spec.model_dump(mode="json")}
                for result in results
            ],
            tables=[
                _table(result, part)
                for result in results
                for part in (*result.tables, *result.figures)
            ],
            figures=[
                AnswerFigure(
                    title=figure.title,
                    name=figure.name,
                    alt=figure.alt,
                    result_id=result.result_id,
                    vega=figure.vega,
                )
                for result in results
                for figure in result.figures
            ],
            **given,
        )


def _read(data: JsonObject) -> JsonObject:
    """Refused with a problem that says what does not fit. Specs of an answer have their ids."""
    result_id = data.get("result_id", "")
    spec = read_spec({name: value for name, value in data.items() if name != "result_id"})
    return {**spec.model_dump(mode="json"), "result_id": str(result_id)}


def _table(result: ReportResult, part: ReportTable | ReportFigure) -> AnswerTable:
    columns = part.table.columns
    return AnswerTable(
        title=part.table.title,
        columns=[column.name for column in columns],
        labels=[column.label for column in columns],
        kinds=[column.kind for column in columns],
        units=[column.unit for column in columns],
        rows=[list(row) for row in part.table.rows],
        row_count=part.table.row_count,
        result_id=result.result_id,
        name=part.name if isinstance(part, ReportTable) else "",
    )


WORKFLOW = Analysis
