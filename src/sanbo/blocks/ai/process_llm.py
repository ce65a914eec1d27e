"""`ai.process_llm`: reads every file into records, by a model or by rules."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.ai.extracting import Extracting
from sanbo.blocks.ai.material import entries_of
from sanbo.blocks.ai.model_extraction import ModelExtraction, Task
from sanbo.blocks.ai.results import outline_of, results_of, summary_of, unfilled
from sanbo.blocks.ai.wanted import shape_of
from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.blocks.spec import Schema
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.workflow import Waiting


class ProcessInputs(BlockInputs):
    evidence_data: JsonValue = None
    instruction: str | None = None
    prompt: str | None = None
    system_prompt: str | None = None
    output_schema: dict[str, JsonValue] | None = None
    per_file_chars: int = 8000
    per_table_rows: int = 200
    group_key: str | None = None
    allow_images: bool | None = None
    max_images: int = 20


class ProcessLlm(EngineBlock[ProcessInputs]):
    Inputs = ProcessInputs

    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        schema = given.get("output_schema")
        if not isinstance(schema, dict):
            return {}
        try:
            shape = shape_of(schema)
        except InvalidInput:
            return {}
        return {"results": outline_of(shape, grouped=bool(given.get("group_key")))}

    @override
    async def run(
        self, given: ProcessInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        node = "/".join(context.run.path)
        shape = shape_of(given.output_schema)
        entries = entries_of(given.evidence_data, node=node)
        task = Task(
            shape=shape,
            instruction=given.prompt or given.instruction or "",
            system_prompt=given.system_prompt or "",
            part_chars=given.per_file_chars,
            part_rows=given.per_table_rows,
            language=context.language,
        )
        engine = context.run.engine
        is_rules = engine.provider == "rules"
        model = None if is_rules else ModelExtraction(await context.run.model(), task)
        # Servers that only speak the protocol may serve a model without eyes: on request only.
        looks = not engine.openai_compatible if given.allow_images is None else given.allow_images
        extracting = Extracting(
            task, context, model=model, most_images=given.max_images if looks else 0
        )
        outcomes = await extracting.all(entries, given.group_key or "")
        if is_rules and (warning := unfilled(shape, outcomes, node=node)):
            context.warn(warning)
        return {
            "results": results_of(shape, outcomes),
            "summary": summary_of(
                shape,
                outcomes,
                method="rules" if is_rules else "model",
                model=engine.model,
            ),
        }
