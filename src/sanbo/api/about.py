"""What a front end should know of this server before it asks for anything else."""

from fastapi import APIRouter
from pydantic import BaseModel

from sanbo import __version__
from sanbo.api.dependencies import Bench, Who
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem, SanboError

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
