"""What is answered at once; where it is asked, what is offered."""

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.readings import readings_of
from sanbo.agents.analysis.spec.chips import reading_text


def reads(asked: str, profile: DatasetProfile, *before: str) -> str:
    """A line for each reading; one alone where it is sure."""
    found = readings_of([*before, asked], profile)
    language = "en" if asked.isascii() else "ja"
    return "\n".join(
        reading_text(one.specs, language)
        for one in ((found.sure,) if found.sure is not None else found.offered)
    )


def is_asked(asked: str, profile: DatasetProfile, *before: str) -> bool:
    return readings_of([*before, asked], profile).sure is None
