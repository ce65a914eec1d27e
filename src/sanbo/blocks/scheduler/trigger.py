"""`scheduler.trigger`: whether a schedule has begun, and when its next time is.

It starts nothing: what starts plans by themselves are triggers (`sanbo triggers`).
"""

import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.kernel.problems import InvalidInput
from sanbo.triggers.schedule import Schedule, checked_schedule, next_time


class Trigger(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        schedule = given.get("schedule")
        cron = schedule.get("cron") if isinstance(schedule, dict) else None
        if isinstance(cron, str) and "${" not in cron:
            checked_schedule(Schedule(cron=cron))

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        now = datetime.now(UTC)
        zone = given.schedule.get("zone") or "UTC"
        begin = _moment(given.start_from, zone) if given.start_from else now
        if cron := given.schedule.get("cron"):
            schedule = checked_schedule(Schedule(cron=cron, zone=zone))
            due = next_time(schedule, max(begin, now))
            if due is None:
                raise InvalidInput("schedule_never", port="schedule", cron=cron)
        else:
            due = _next_interval(begin, timedelta(seconds=given.schedule["interval_sec"]), now)
        # The same when the step runs again: a plan would otherwise move its own next time.
        spread = random.Random(context.idempotency_key).uniform(0, given.jitter_sec)  # noqa: S311
        due = due.astimezone(UTC) + timedelta(seconds=int(spread))
        return {"triggered": begin <= now, "next_run_at": due.isoformat()}


def _next_interval(begin: datetime, step: timedelta, now: datetime) -> datetime:
    if begin > now:
        return begin
    return begin + step * ((now - begin) // step + 1)


def _moment(text: str, zone: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("schedule_moment", port="start_from", text=text[:100]) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
