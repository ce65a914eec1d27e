"""The report of a run as a file to hand on: Word, Excel, a page to print, Markdown."""

import asyncio
from dataclasses import dataclass

from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import Conflict
from sanbo.reports.content import Report, byline_of, name_of, type_of, with_all_rows, written
from sanbo.reports.names import ReportFormat
from sanbo.runs.model import Artifact, Run
from sanbo.runs.parts import Figure, Part, Table
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench


@dataclass(frozen=True)
class ReportFile:
    name: str
    media_type: str
    data: bytes


async def report_of(
    workbench: Workbench, caller: Caller, run_id: str, form: ReportFormat
) -> ReportFile:
    run = await workbench.get(caller, run_id)
    if not run.status.is_final:
        raise Conflict("report_not_yet")
    language = current_language()
    parts = await workbench.report_parts(caller, run_id, language)
    if form == "xlsx":
        parts = tuple([await _whole(workbench, caller, run_id, part) for part in parts])
    pictures = {
        part.picture.artifact_id: await workbench.artifact_bytes(
            caller, run_id, _drawing(run, part.picture, form).artifact_id
        )
        for part in parts
        if isinstance(part, Figure) and form != "md"
    }
    workflow = workbench.workflow(run.workflow).title
    report = Report(
        title=run.title or workflow,
        workflow=workflow,
        parts=parts,
        language=language,
        byline=byline_of(run, workflow, language),
        pictures=pictures,
    )
    data = await asyncio.to_thread(written, report, form)
    return ReportFile(name_of(report, form), type_of(form), data)


async def _whole(workbench: Workbench, caller: Caller, run_id: str, part: Part) -> Part:
    if isinstance(part, Table) and part.file is not None and part.total_rows > len(part.rows):
        data = await workbench.artifact_bytes(caller, run_id, part.file.artifact_id)
        return await asyncio.to_thread(with_all_rows, part, data)
    return part


def _drawing(run: Run, picture: Artifact, form: ReportFormat) -> Artifact:
    """The same chart as a drawing, which a page prints sharp, where the run offers one."""
    if form != "html" or not picture.made_of:
        return picture
    drawings = (
        each
        for each in run.artifacts
        if each.made_of == picture.made_of and each.media_type == "image/svg+xml"
    )
    return next(drawings, picture)
