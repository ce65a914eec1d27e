"""Who thinks: a provider and its model, chosen and tried by the person at this machine.

A key that comes this way lives in memory until the process ends; nothing writes it.
"""

from fastapi import APIRouter

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import Problem
from sanbo.service import engine_choice
from sanbo.service.engine_choice import EngineChoice, EngineReport, EngineTest

router = APIRouter(prefix="/engine", tags=["about"], route_class=StrictJsonRoute)


@router.get("")
async def show_engine(bench: Bench, who: Who) -> EngineReport:
    return _told(engine_choice.engine_report(bench, who))


@router.put("")
async def choose_engine(choice: EngineChoice, bench: Bench, who: Who) -> EngineReport:
    """For runs that start from now on, until the server stops."""
    return _told(engine_choice.choose(bench, who, choice))


@router.post("/test")
async def test_engine(choice: EngineChoice, bench: Bench, who: Who) -> EngineTest:
    """Asks the model one small question; nothing is chosen."""
    tried = await engine_choice.try_choice(bench, who, choice)
    return tried.model_copy(update={"problem": _in_language(tried.problem)})


def _told(report: EngineReport) -> EngineReport:
    return report.model_copy(update={"problem": _in_language(report.problem)})


def _in_language(problem: Problem | None) -> Problem | None:
    return None if problem is None else problem.in_language(current_language())
