"""A figure as a run keeps it: the chart in Vega-Lite, and pictures of it when somebody asks."""

import asyncio
import json
from typing import Any, cast

from sanbo.agents.analysis.charts.picture import (
    MEDIA_TYPE,
    MEDIA_TYPES,
    PictureFormat,
    picture_apart,
)
from sanbo.agents.analysis.outcome import Figure
from sanbo.agents.analysis.report.content import ReportFigure
from sanbo.reports.names import FileNames
from sanbo.runs.model import Artifact
from sanbo.runs.workflow import RunContext

LARGEST_INLINE = 64_000
"""Letters of a chart that stand in the result itself; of a larger one the artifact is read."""


async def keep_figure(
    context: RunContext[Any], names: FileNames, result_id: str, figure: Figure, *, in_memory: bool
) -> tuple[Artifact, ReportFigure]:
    """The chart's artifact, and the figure by the name of its picture."""
    stem = f"{result_id}_{figure.title}"
    text = json.dumps(figure.vega, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    data = text.encode("utf-8", "replace")
    kept = await context.keep(
        names.give(stem, "vl.json"),
        MEDIA_TYPE,
        data,
        title=figure.title,
        at=("act",),
        in_memory=in_memory,
    )
    picture = names.give(stem, "png")
    if context.path:  # inside a plan, whose later steps read it
        drawn = await asyncio.to_thread(picture_apart, data, "png")
        await context.keep(
            picture, MEDIA_TYPES["png"], drawn, title=figure.title, at=("act",), in_memory=in_memory
        )
    else:
        await _offer(context, picture, kept)
        await _offer(context, names.give(stem, "svg"), kept)
    vega = None if in_memory or len(text) > LARGEST_INLINE else figure.vega
    made = ReportFigure(
        name=picture, title=figure.title, alt=figure.alt, table=figure.table, vega=vega
    )
    return kept, made


async def _offer(context: RunContext[Any], name: str, kept: Artifact) -> None:
    media_type = MEDIA_TYPES[_form(name)]
    await context.offer(name, media_type, (kept.artifact_id,), at=("act",))


async def picture_of(artifact: Artifact, vega: bytes) -> bytes:
    """What was offered."""
    return await asyncio.to_thread(picture_apart, vega, _form(artifact.name))


def _form(name: str) -> PictureFormat:
    return cast("PictureFormat", name.rpartition(".")[2])
