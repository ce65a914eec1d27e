"""`nlp.summarize_structured`: documents in short, in the fields that the plan names."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.ai.extracting import Extracting, by_rules
from sanbo.blocks.ai.findings import Findings, Place, Record, place_of
from sanbo.blocks.ai.material import entries_of
from sanbo.blocks.ai.model_extraction import ModelExtraction, Task
from sanbo.blocks.ai.prompts import SUMMARISE
from sanbo.blocks.ai.results import outline_of, results_of, summary_of
from sanbo.blocks.ai.rules.vocabulary import label_form
from sanbo.blocks.ai.wanted import Shape, Wanted, shape_of
from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.blocks.nlp.extractive import telling_sentences, title_of
from sanbo.blocks.spec import Schema
from sanbo.documents.model import Document
from sanbo.evidence.rules.sentences import one_line
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.workflow import Waiting

SENTENCES, POINTS = 3, 5
PART_CHARS, PART_ROWS = 8000, 200
DEFAULT: Mapping[str, JsonValue] = {"title": "string", "summary": "string", "points": ["string"]}
_TITLES = frozenset(label_form(each) for each in ("title", "タイトル", "題名", "表題", "標題"))
_SUMMARIES = frozenset(
    label_form(each)
    for each in ("summary", "要約", "概要", "要旨", "まとめ", "abstract", "overview", "answer")
)
_POINTS = frozenset(
    label_form(each)
    for each in ("points", "key_points", "要点", "主な内容", "ポイント", "highlights")
)


class SummarizeInputs(BlockInputs):
    evidence_data: JsonValue = None
    instruction: str | None = None
    output_schema: dict[str, JsonValue] | None = None


class SummarizeStructured(EngineBlock[SummarizeInputs]):
    Inputs = SummarizeInputs

    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        schema = given.get("output_schema", dict(DEFAULT))
        if not isinstance(schema, dict):
            return {}
        try:
            return {"results": outline_of(shape_of(schema), grouped=False)}
        except InvalidInput:
            return {}

    @override
    async def run(
        self, given: SummarizeInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        shape = shape_of(given.output_schema or DEFAULT)
        engine = context.run.engine
        is_rules = engine.provider == "rules"
        task = Task(
            shape=shape,
            instruction=given.instruction or ("" if is_rules else SUMMARISE),
            system_prompt="",
            part_chars=PART_CHARS,
            part_rows=PART_ROWS,
            language=context.language,
        )
        model = None if is_rules else ModelExtraction(await context.run.model(), task)
        entries = entries_of(given.evidence_data, node="/".join(context.run.path))
        extracting = Extracting(task, context, model=model, most_images=0, rules=_in_short)
        outcomes = await extracting.all(entries, "")
        method = "extractive" if is_rules else "model"
        return {
            "results": results_of(shape, outcomes),
            "summary": summary_of(shape, outcomes, method=method, model=engine.model),
        }


def _in_short(document: Document, task: Task) -> Findings:
    """By rules: titles and summaries in the document's own words, other fields by labels."""
    found = by_rules(document, task)
    records = tuple(
        _with_summary(document, task.shape, task.instruction, each) for each in found.records
    )
    return found.model_copy(update={"records": records})


def _with_summary(document: Document, shape: Shape, asked: str, record: Record) -> Record:
    values, sources = dict(record.values), dict(record.sources)
    for wanted in shape.asked:
        made = _summary_of(document, wanted, asked)
        if made is not None:
            values[wanted.name], sources[wanted.name] = made
    conflicts = tuple(each for each in record.conflicts if values.get(each.field) is None)
    return Record(values=values, sources=sources, conflicts=conflicts)


def _summary_of(document: Document, wanted: Wanted, asked: str) -> tuple[JsonValue, Place] | None:
    name = label_form(wanted.name)
    if name in _TITLES and wanted.kind == "string":
        title = title_of(document)
        return (title, Place(text=title)) if title else None
    is_points = wanted.kind == "array" and not wanted.fields and name in _POINTS | _SUMMARIES
    if not is_points and not (wanted.kind == "string" and name in _SUMMARIES | _POINTS):
        return None
    told = telling_sentences(document, POINTS if is_points else SENTENCES, asked)
    if not told:
        return None
    lines = [one_line(each.text) for each in told]
    place = place_of(document, told[0].start, told[0].text)
    between = "" if any("。" in line for line in lines) else " "
    return ([*lines] if is_points else between.join(lines)), place
