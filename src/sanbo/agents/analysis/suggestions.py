"""Questions that may fit a table, from the columns that it has."""

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.kernel.messages import Language


def fitting_questions(profile: DatasetProfile, language: Language) -> list[str]:
    return []
