"""Whether a plan goes on: `flow.assert`, only where what it takes for granted is so;
`scheduler.trigger`, whether a schedule has begun. The latter starts nothing: what starts plans by
themselves are triggers (`sanbo triggers`).
"""

import json
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.spec import Text, text_of
from sanbo.blocks.transforms.options import Option, listed, read_as
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.operators import NEEDS_NOTHING, Operator, check_of, operator_of
from sanbo.tables.rows import Row
from sanbo.tables.values import Match, as_boolean, as_number
from sanbo.triggers.schedule import Schedule, checked_schedule, next_time

# ---- assertions ----------------------------------------------------------------------------------


_LONGEST_SHOWN = 120


class Assertion(Option):
    name: Text = Field(default_factory=dict[Language, str])
    value: JsonValue = Field(default=None, validation_alias=AliasChoices("value", "actual", "left"))
    op: str = Field(default="", validation_alias=AliasChoices("op", "operator"))
    expected: JsonValue = Field(default=None, validation_alias=AliasChoices("expected", "right"))
    expected2: JsonValue = None
    tolerance: float = Field(default=0, ge=0)
    """How far numbers may be apart and still count as equal."""
    match: Match = "matching"
    message: Text = Field(default_factory=dict[Language, str])


class Assert(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        assertions = _assertions(given)
        failures = [
            _failure(assertion, number, context.language)
            for number, assertion in enumerate(assertions)
            if not holds(assertion)
        ]
        if failures and given.on_fail == "fail":
            raise _refused(failures)
        return {
            "passed": not failures,
            "summary": {
                "checked": len(assertions),
                "passed": len(assertions) - len(failures),
                "failed": len(failures),
                "failures": failures,
            },
        }


def _assertions(given: Given) -> list[Assertion]:
    found = read_as(list[Assertion], _written(given.assertions), "assertions")
    if "condition" in given:
        condition = {"name": "condition", "value": given.condition}
        found = [Assertion.model_validate(condition), *found]
    if not found:
        raise InvalidInput("assertion_nothing")
    if given.message:
        said = {"message": given.message}
        found = [one if one.message else one.model_copy(update=said) for one in found]
    return found


def _written(assertions: JsonValue) -> list[JsonValue]:
    """A list, a single one, or `{name: assertion}`."""
    if assertions is None:
        return []
    if not isinstance(assertions, dict):
        return listed(assertions)
    if set(assertions) & {"value", "actual", "left"}:
        return [assertions]
    return [
        {"name": name, **(one if isinstance(one, dict) else {"value": one})}
        for name, one in assertions.items()
    ]


def holds(assertion: Assertion) -> bool:
    """Without an operator or an expected value: it must be true. Not comparable: it fails."""
    if not assertion.op and "expected" not in assertion.model_fields_set:
        return as_boolean(assertion.value) is True
    operator = operator_of(assertion.op or "eq")
    if assertion.tolerance and operator in ("eq", "ne"):
        one, other = as_number(assertion.value), as_number(assertion.expected)
        if one is not None and other is not None:
            return (abs(one - other) <= assertion.tolerance) is (operator == "eq")
    check = check_of(operator, assertion.expected, assertion.expected2, assertion.match)
    return check(assertion.value) is True


def _failure(assertion: Assertion, number: int, language: Language) -> Row:
    operator: Operator = operator_of(assertion.op or "eq")
    is_plain = not assertion.op and "expected" not in assertion.model_fields_set
    failure: Row = {
        "name": text_of(assertion.name, language) or f"#{number + 1}",
        "actual": assertion.value,
        "op": operator,
        "expected": True if is_plain else assertion.expected,
        "message": text_of(assertion.message, language),
    }
    if operator in NEEDS_NOTHING:
        failure.pop("expected")
    elif assertion.expected2 is not None:
        failure["expected"] = [assertion.expected, assertion.expected2]
    return failure


def _refused(failures: list[Row]) -> InvalidInput:
    """Tells the first; the others are in the details."""
    first = failures[0]
    details = {"failures": failures}
    name, count = str(first["name"]), len(failures)
    actual, expected = _shown(first["actual"]), _shown(first.get("expected"))
    if first["message"]:
        return InvalidInput(
            "assertion_failed_saying",
            details=details,
            name=name,
            said=str(first["message"]),
            actual=actual,
            op=str(first["op"]),
            expected=expected,
            count=count,
        )
    return InvalidInput(
        "assertion_failed",
        details=details,
        name=name,
        actual=actual,
        op=str(first["op"]),
        expected=expected,
        count=count,
    )


def _shown(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


# ---- schedules -----------------------------------------------------------------------------------


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
