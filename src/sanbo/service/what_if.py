"""What other thresholds would have done with the questions of the past."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import get_args

from sanbo.agents.grace.calibration.calibrations import Known, PastQuestion
from sanbo.agents.grace.calibration.changes import Cutoffs
from sanbo.agents.grace.calibration.feedback import Verdict
from sanbo.agents.grace.calibration.scored import score_now
from sanbo.agents.grace.confidence.thresholds import level
from sanbo.agents.grace.schemas import Level, ThresholdsUsed
from sanbo.agents.grace.settings import PLACE, GraceSettings
from sanbo.evidence.model import Frozen
from sanbo.kernel.problems import InvalidInput
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench

MOST_QUESTIONS = 500


class WhatIfQuestion(Frozen):
    run_id: str
    question: str
    time: datetime
    score: float
    """By the version that is in use now."""
    score_then: float
    level: Level
    """Under the proposed thresholds."""
    level_then: Level
    answered: bool
    verdict: Verdict | None


class LevelCount(Frozen):
    level: Level
    then: int
    now: int
    """Under the proposed thresholds."""
    right: int
    wrong: int
    """Of those, as people judged them; most are judged by nobody."""


class WhatIf(Frozen):
    thresholds: ThresholdsUsed
    """As proposed."""
    in_force: ThresholdsUsed
    questions: tuple[WhatIfQuestion, ...]
    """Newest first, the newest few hundred."""
    levels: tuple[LevelCount, ...]
    """The surest first."""
    changed: int
    """Questions whose level would be another."""
    file: str
    """Where the lines go."""
    lines: str
    """YAML that makes the proposed thresholds hold."""


async def what_if(workbench: Workbench, caller: Caller, thresholds: Cutoffs) -> WhatIf:
    """Shows, and changes nothing: thresholds are set in the settings."""
    if not 0 < thresholds.confirm < thresholds.notify < thresholds.silent <= 1:
        raise InvalidInput("grace_what_if_unordered", **dict(thresholds))
    owner = None if caller.sees_all else caller.owner
    known, past = await asyncio.gather(
        asyncio.to_thread(workbench.calibrations.known),
        asyncio.to_thread(workbench.calibrations.past_questions, owner, MOST_QUESTIONS),
    )
    return await asyncio.to_thread(_what_if, known, past, workbench.settings.grace, thresholds)


def _what_if(
    known: Known, past: Sequence[PastQuestion], settings: GraceSettings, cutoffs: Cutoffs
) -> WhatIf:
    proposed = ThresholdsUsed(**dict(cutoffs))
    verdicts: dict[str, Verdict] = {each.run_id: each.verdict for each in known.feedback}
    standing = known.standing
    questions = tuple(
        _question(
            each,
            score_now(each, standing.fitted, standing.versions, settings.score),
            proposed,
            verdicts.get(each.run_id),
        )
        for each in past
    )
    return WhatIf(
        thresholds=proposed,
        in_force=known.thresholds(settings),
        questions=questions,
        levels=tuple(_count(each, questions) for each in get_args(Level)),
        changed=sum(each.level != each.level_then for each in questions),
        file=PLACE.file.as_posix(),
        lines=_lines(cutoffs),
    )


def _question(
    past: PastQuestion, score: float | None, proposed: ThresholdsUsed, verdict: Verdict | None
) -> WhatIfQuestion:
    score = past.score if score is None else score
    return WhatIfQuestion(
        run_id=past.run_id,
        question=past.question,
        time=past.time,
        score=score,
        score_then=past.score,
        level=level(score, proposed),
        level_then=past.level,
        answered=past.answered,
        verdict=verdict,
    )


def _count(name: Level, questions: Sequence[WhatIfQuestion]) -> LevelCount:
    now = [each for each in questions if each.level == name]
    judged = [each.verdict for each in now if each.answered]
    return LevelCount(
        level=name,
        then=sum(each.level_then == name for each in questions),
        now=len(now),
        right=judged.count("good"),
        wrong=judged.count("bad"),
    )


def _lines(cutoffs: Cutoffs) -> str:
    values = "".join(f"  {name}: {value:g}\n" for name, value in cutoffs)
    return f"thresholds:\n{values}"
