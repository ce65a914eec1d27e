"""The report: sentences whose citations were checked, set in the words of one language."""

from sanbo.agents.research.report.layout import Ending
from sanbo.agents.research.report.writer import ReportWriter

__all__ = ["Ending", "ReportWriter"]
