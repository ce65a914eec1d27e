"""Thinking without a model: deterministic, offline, in both languages."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from sanbo.agents.analysis.conclusions import conclude
from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules import Understood, decide_on
from sanbo.kernel.messages import Language
from sanbo.sandbox.calls import apart

TURNS_AT_WORK = 16
"""So many turns' questions are remembered while their steps are decided, one after another."""


class _Turn(NamedTuple):
    language: Language
    questions: tuple[str, ...]
    dataset: DatasetProfile | None


# Here, and not where the rules think: in a server that is a new process for each step.
_understood: deque[tuple[_Turn, Understood]] = deque(maxlen=TURNS_AT_WORK)


class RulesThinker:
    checks_itself = True

    async def decide(self, view: View) -> Decision:
        turn = _Turn(view.language, view.questions, view.dataset)
        known = next((found for known, found in tuple(_understood) if known == turn), None)
        made = await apart(decide_on, view, known)
        if known is None and made.understood is not None:
            _understood.append((turn, made.understood))
        return made.decision

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        _ = refused  # what code has written states nothing of its own
        return await apart(conclude, view)
