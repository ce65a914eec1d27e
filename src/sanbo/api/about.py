"""What a front end should know of this server before it asks for anything else."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from sanbo import __version__
from sanbo.api.dependencies import Bench, Who
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem, SanboError
from sanbo.service.doctor import Check, examine

router = APIRouter(tags=["about"])


class About(BaseModel):
    version: str
    language: Language
    """Of this workspace, where nobody has chosen another."""
    max_upload_mb: int
    provider: str = ""
    """Who would think in a run that starts now: `rules`, or a provider of models."""
    model: str = ""
    problem: Problem | None = None
    """Why nobody would."""


class Checks(BaseModel):
    checks: list[Check]
    """Empty for tokens: where this machine keeps what is nobody else's business."""


@router.get("/about/checks")
async def show_checks(bench: Bench, who: Who) -> Checks:
    """Whether everything that Sanbo needs is in place, as `sanbo doctor` says it."""
    if not who.is_local:
        return Checks(checks=[])
    found = await asyncio.to_thread(examine, bench.settings)
    # That the port is taken is no news: this server has it.
    return Checks(checks=[check for check in found if check.name != "port"])


@router.get("/about")
async def show_about(bench: Bench, who: Who) -> About:
    _ = who
    settings = bench.settings
    about = About(
        version=__version__,
        language=settings.language,
        max_upload_mb=settings.server.max_upload_mb,
    )
    try:
        engine = bench.engine()
    except SanboError as refusal:
        return about.model_copy(update={"problem": refusal.problem})
    return about.model_copy(update={"provider": engine.provider, "model": engine.model or ""})
