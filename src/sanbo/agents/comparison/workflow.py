"""Comparison as a workflow: two documents in, what changed between them out."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from langgraph.graph import StateGraph
from pydantic import JsonValue
from pydantic_core import to_jsonable_python
from typing_extensions import override

from sanbo.agents.comparison.given import ComparisonInput
from sanbo.agents.comparison.material import Materials
from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.nodes import Nodes, build
from sanbo.agents.comparison.outputs.wording import download_name
from sanbo.agents.comparison.present import present, report
from sanbo.agents.comparison.results import ON_DEMAND, Offered, Results, written_apart
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.graphs import GraphWorkflow, State
from sanbo.runs.model import Artifact, JsonObject, Run
from sanbo.runs.parts import Parts
from sanbo.runs.workflow import RunContext, Workplace

_AS_IT_IS = ("document_a", "document_b", "current_chunk_a", "rounds", "tools_used", "result")


def journalled(update: object) -> JsonValue:
    if not isinstance(update, Mapping):
        return None
    fields = cast("Mapping[str, Any]", update)
    told: dict[str, Any] = {name: fields[name] for name in _AS_IT_IS if fields.get(name)}
    if turn := fields.get("turn"):
        told["calls"] = [
            {"name": call["name"], "arguments": call["arguments"]}
            for call in (*turn["calls"], *turn["invalid"])
        ]
        told["refusal"] = turn["refusal"]
    decided: list[JsonObject] = fields.get("comparison_results", [])
    if "sheets" in fields:
        told |= {"sheets": fields["sheets"], "sheets_left": fields["sheets_left"]}
        told["decided_so_far"] = {one["old"]: one["new"] for one in decided}
    elif fields.get("processed_chunks_a") and decided:
        told["decided"] = decided[-1]
    return to_jsonable_python(told, fallback=repr)


class Comparison(GraphWorkflow[ComparisonInput, ComparisonResult]):
    name = "comparison"
    titles: ClassVar = {"ja": "文書の比較", "en": "Document comparison"}
    descriptions: ClassVar = {
        "ja": "2つの文書の追加・削除・変更・移動・番号の変更を見つけ、新旧対照表を作ります。",
        "en": "What was added, deleted, changed, moved, renumbered, split or merged between two "
        "documents, also as a table of changes.",
    }
    input_model = ComparisonInput
    result_model = ComparisonResult
    worked_apart = ("sanbo.agents.comparison.preparation", "sanbo.agents.comparison.results")
    recursion_limit = 10_000_000
    """A chunk takes up to sixteen steps, and a document may have thousands of chunks."""

    def __init__(self) -> None:
        self._materials = Materials()
        self._results = Results()

    @override
    def close(self) -> None:
        self._materials.close()

    @override
    def title_of(self, given: JsonObject, language: Language) -> str:
        """The two documents; of pasted texts, how they begin."""
        of = ComparisonInput.model_validate(given)
        old = of.old_document or next((file.name for file in of.old), _beginning(of.old_text))
        new = of.new_document or next((file.name for file in of.new), _beginning(of.new_text))
        return f"{old} → {new}" if old and new else old or new

    @override
    def node_title(self, node: str, language: Language) -> str:
        return tell(f"comparison.node.{node}", language)

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        return present(seen, language)

    @override
    def report(self, seen: Snapshot, language: Language) -> Parts:
        return report(seen.run, language)

    @override
    async def make_file(self, run: Run, artifact: Artifact, sources: Sequence[bytes]) -> bytes:
        output: Offered = next(
            each for each in ON_DEMAND if download_name(each, run.language) == artifact.name
        )
        folds = run.input.get("fold_renumbered") is True
        return await written_apart(output, sources, run.language, folds=folds)

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        return build(Nodes(self._materials, self._results))

    @override
    def initial_state(self, context: RunContext[ComparisonInput]) -> State:
        return {"messages": [], "current_chunk_a": None}

    @override
    def result(self, state: State, context: RunContext[ComparisonInput]) -> ComparisonResult:
        return self._results.read(context, state["result"])

    @override
    def outputs(self, node: str, update: object, place: Workplace) -> JsonValue:
        """Without messages: what was said about a chunk is told by its decision."""
        return journalled(update)


WORKFLOW = Comparison


_LONGEST_BEGINNING = 30


def _beginning(text: str) -> str:
    line = " ".join(text.strip().partition("\n")[0].split())
    return line if len(line) <= _LONGEST_BEGINNING else line[: _LONGEST_BEGINNING - 1] + "…"
