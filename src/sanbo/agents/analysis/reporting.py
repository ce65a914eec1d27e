"""The end of a turn: a conclusion whose figures are checked, and the report around it."""

import asyncio
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from sanbo import __version__
from sanbo.agents.analysis.conclusion import conclude
from sanbo.agents.analysis.deciding import is_choice
from sanbo.agents.analysis.decision import Thinker, View
from sanbo.agents.analysis.export import REPORT, SPECS
from sanbo.agents.analysis.export.recipe import Recipe
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.report import (
    ReportContent,
    ReportResult,
    Version,
    cautions,
    compose,
    recipe,
)
from sanbo.agents.analysis.report.content import sentences
from sanbo.agents.analysis.state import AnalysisState, own_results, view_of
from sanbo.agents.analysis.stated_numbers import grounds_of, unfounded
from sanbo.kernel.messages import use_language
from sanbo.llm.engine import Engine
from sanbo.runs.workflow import RunContext

CONCLUSION_ATTEMPTS = 2
LIBRARIES = ("sanbo", "pandas", "numpy", "scipy", "pyarrow")


async def write_report(
    state: AnalysisState,
    dataset: DatasetProfile,
    thinker: Thinker,
    context: RunContext[Any],
    sandbox: str,
) -> AnalysisState:
    view = view_of(state, dataset, context.language)
    conclusion, refused = await _concluded(thinker, view)
    content = ReportContent(
        language=context.language,
        question=_question(state),
        conclusion=conclusion,
        results=tuple(used_results(state)),
        dataset=dataset,
        assumptions=tuple(state.get("assumptions", [])),
        suggestions=tuple(state.get("suggestions", [])),
        limit_reached=state.get("limit_reached", False),
        refused_numbers=tuple(refused),
        engine=_engine(context.engine),
        sandbox=sandbox,
        versions=_versions(),
    )
    with use_language(context.language):
        recipe_md, warned = recipe(content), list(cautions(content))
    in_memory = not context.place.settings.analysis.persist
    report = compose(content)
    specs = Recipe.of(content).to_json()
    for name, media_type, text in (
        (REPORT, "text/markdown", report),
        (SPECS, "application/json", specs),
    ):
        await context.keep(name, media_type, text.encode(), at=("report",), in_memory=in_memory)
    return {
        "conclusion": conclusion,
        "final_report_md": report,
        "recipe_md": recipe_md,
        "cautions": warned,
        "messages": [AIMessage(conclusion)],
        "logs": [f"report: {len(content.results)} results"],
    }


async def _concluded(thinker: Thinker, view: View) -> tuple[str, Sequence[str]]:
    """The thinker's words, or where they state what no table holds, the words of code."""
    if thinker.checks_itself:
        return sentences(await thinker.conclude(view)), ()
    # In a thread: large tables have many numbers.
    grounds = await asyncio.to_thread(grounds_of, view)
    refused: list[str] = []
    for _ in range(CONCLUSION_ATTEMPTS):
        text = sentences(await thinker.conclude(view, refused))
        refused = await asyncio.to_thread(unfounded, text, grounds)
        if not refused:
            return text, ()
    return sentences(await asyncio.to_thread(conclude, view)), refused


def used_results(state: AnalysisState) -> list[ReportResult]:
    """In the order of their execution."""
    used = used_ids(state)
    return [
        ReportResult.model_validate(entry["report"])
        for entry in own_results(state, state.get("dataset_id"))
        if entry["result_id"] in used
    ]


def used_ids(state: AnalysisState) -> set[str]:
    """Of this turn with what they were computed from; without any, those of the turn before."""
    entries = own_results(state, state.get("dataset_id"))
    turn = state.get("turn", 1)
    used = [entry for entry in entries if entry["turn"] == turn] or entries[-1:]
    wanted = {entry["result_id"] for entry in used}
    for entry in reversed(entries):
        if entry["result_id"] in wanted:
            wanted.add(str(entry["spec"]["input"]))
    return wanted


def _question(state: AnalysisState) -> str:
    """The last one: a number alone has chosen among its readings."""
    texts = [
        message.text for message in state.get("messages", ()) if isinstance(message, HumanMessage)
    ]
    asked = [text for text in texts if not is_choice(text)]
    return next(reversed(asked or texts), "")


def _engine(engine: Engine) -> str:
    return engine.provider if engine.provider == "rules" else f"{engine.provider} {engine.model}"


@cache
def _versions() -> tuple[Version, ...]:
    return tuple(Version(name=name, version=_version(name)) for name in LIBRARIES)


def _version(name: str) -> str:
    return __version__ if name == "sanbo" else version(name)
