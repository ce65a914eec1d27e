"""A report as a file, and what it is called."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from sanbo.documents.file_formats import media_type_of
from sanbo.kernel.messages import tell
from sanbo.reports.content import Report
from sanbo.reports.formats import ReportFormat
from sanbo.reports.names import safe_stem

_MODULES: dict[ReportFormat, str] = {
    "md": "markdown",
    "docx": "word",
    "xlsx": "excel",
    "html": "page",
}


def written(report: Report, form: ReportFormat) -> bytes:
    """The libraries for Office files take half a second to load: not before they are wanted."""
    module = import_module(f"sanbo.reports.{_MODULES[form]}")
    return cast("Callable[[Report], bytes]", module.written)(report)


def name_of(report: Report, form: ReportFormat) -> str:
    """表の分析_月別の売上推移.docx"""
    subject = report.title or tell("reports.untitled", report.language)
    return f"{safe_stem(f'{report.workflow}_{subject}')}.{form}"


def type_of(form: ReportFormat) -> str:
    return media_type_of(f"report.{form}")
