"""A trigger, and each occasion on which it went off."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem
from sanbo.triggers.schedule import Schedule

Kind = Literal["cron", "folder", "webhook", "after"]
Outcome = Literal["succeeded", "failed", "ended"]
FiringStatus = Literal["claimed", "started", "missed", "failed"]


class _Recorded(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cause(_Recorded):
    """What sets a plan off; which fields count, its kind tells."""

    kind: Kind
    schedule: Schedule | None = None
    catch_up: bool = False
    """Whether the last of the times that were missed is made up for."""
    folder: str = ""
    pattern: str = "*"
    """Of the names of files in the folder."""
    after: str = ""
    """The plan whose end counts."""
    outcome: Outcome = "succeeded"
    signed_by: str = ""
    """The environment variable with the webhook's key; without one, a token of its own."""


class NewTrigger(_Recorded):
    plan_id: str = Field(min_length=1, max_length=1000)
    cause: Cause
    vars: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    into: str = ""
    """The variable that gets what set the plan off: the file, the request, the other plan's
    exports, or the day."""
    language: Language = "ja"


class Trigger(NewTrigger):
    trigger_id: str
    owner: str
    paused: bool
    created_at: float
    next_at: float | None = None
    """Of a schedule: when it is due next."""
    known: tuple[str, ...] = Field(default=(), exclude=True)
    """Of a folder: the files that were there before."""
    token_hash: str = Field(default="", exclude=True)

    @property
    def address(self) -> str:
        """Of a webhook, on the server."""
        return f"/api/v1/hooks/{self.trigger_id}" if self.cause.kind == "webhook" else ""


class Firing(_Recorded):
    trigger_id: str
    occasion: str
    """Unique for its trigger: the same occasion starts one run, however many processes see it."""
    status: FiringStatus
    due_at: float
    run_id: str
    count: int = 1
    """Of times that were missed."""
    given: JsonValue = Field(default=None, exclude=True)
    problem: Problem | None = None
