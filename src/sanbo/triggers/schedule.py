"""Times at which something is due: cron in a time zone, on business days where that is wished.

Business days of Japan: no Saturday, Sunday, national holiday or day of the office's own.

A trigger, and each occasion on which it went off.
"""

from calendar import monthrange
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.kernel.messages import Language
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, Problem

_SATURDAY = 5


def is_business_day(day: date, closed: Collection[str] = ()) -> bool:
    """`closed`: `MM-DD` of every year, or `YYYY-MM-DD`."""
    import jpholiday  # noqa: PLC0415 - few processes count days

    if day.weekday() >= _SATURDAY or jpholiday.is_holiday(day):
        return False
    return f"{day:%m-%d}" not in closed and day.isoformat() not in closed


OnHoliday = Literal["run", "skip", "next", "previous"]
LONGEST_CLOSURE = timedelta(days=31)
FARTHEST = timedelta(days=3660)
_DAY = timedelta(days=1)
_FIELDS = 5
_LATE_DAYS = ("29", "30", "31")
"""Days that not every month has."""


class Schedule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    cron: str
    """Minute, hour, day, month, weekday."""
    zone: str = "Asia/Tokyo"
    on_holiday: OnHoliday = "run"
    """What becomes of a time on a day that is no business day of Japan."""


def checked_schedule(schedule: Schedule) -> Schedule:
    """A problem for what no calendar could make right."""
    fields = schedule.cron.split()
    if schedule.zone not in available_timezones():
        near = alternatives(schedule.zone, available_timezones())
        raise InvalidInput("schedule_zone", zone=schedule.zone[:100], nearest=near)
    _cron(schedule.cron, datetime.now(UTC))
    is_daily = all(each.isascii() and each.isdigit() for each in fields[:2])
    if schedule.on_holiday in ("next", "previous") and not is_daily:
        raise InvalidInput("schedule_moved_often", cron=schedule.cron)
    return schedule


def next_time(schedule: Schedule, after: datetime, closed: Collection[str] = ()) -> datetime | None:
    """The first time after this moment; None where there is none in decades."""
    is_moved = schedule.on_holiday in ("next", "previous")
    begin = after.astimezone(ZoneInfo(schedule.zone)) - (
        LONGEST_CLOSURE if is_moved else timedelta()
    )
    for due in _times(schedule, begin, closed):
        if due > after:
            return due
    return None


def _cron(text: str, begin: datetime) -> Iterator[datetime]:
    """Every month's 31st is its last day where it has none: the end of the month is meant."""
    from cronsim import CronSim, CronSimError  # noqa: PLC0415 - few processes count time

    fields = text.split()
    try:
        # Six fields would be seconds, which nothing here is made for.
        if len(fields) != _FIELDS:
            raise CronSimError(f"{len(fields)} fields")
        if fields[2] in _LATE_DAYS and fields[3:] == ["*", "*"]:
            day = int(fields[2])
            ends = CronSim(" ".join((*fields[:2], "28-31", "*", "*")), begin)
            return (due for due in ends if due.day == min(day, monthrange(due.year, due.month)[1]))
        return CronSim(text, begin)
    except CronSimError as error:
        raise InvalidInput("schedule_cron", cron=text[:100], reason=str(error)[:200]) from None


def _times(schedule: Schedule, begin: datetime, closed: Collection[str]) -> Iterator[datetime]:
    """In order; on days when nothing is due, none are looked at one by one."""
    times = _cron(schedule.cron, begin)
    step = -_DAY if schedule.on_holiday == "previous" else _DAY
    while (due := next(times, None)) is not None and due - begin < FARTHEST:
        if schedule.on_holiday == "run" or is_business_day(due.date(), closed):
            yield due
        elif schedule.on_holiday == "skip":
            midnight = due.replace(hour=0, minute=0) + _DAY
            times = _cron(schedule.cron, midnight - timedelta(minutes=1))
        else:
            moved = due
            while not is_business_day(moved.date(), closed):
                moved += step
                if abs(moved - due) > LONGEST_CLOSURE:
                    return
            yield moved


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
