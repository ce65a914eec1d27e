"""Triggers: what starts a plan by itself, and what became of it; and where webhooks come in."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.requests import Request

from sanbo.api.login import Attempts
from sanbo.api.problems import Refused
from sanbo.api.requests import Bench, StrictJsonRoute, Who
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import LimitExceeded, PermissionDenied, Problem
from sanbo.service.triggers import Added, Cause, Firing, NewTrigger, Past, Trigger

router = APIRouter(tags=["triggers"], route_class=StrictJsonRoute)


class GivenTrigger(BaseModel):
    model_config = ConfigDict(extra="forbid")

    plan_id: Annotated[str, Field(min_length=1, max_length=1000)]
    cause: Cause
    vars: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    into: str = ""


class TriggerInfo(BaseModel):
    trigger_id: str
    plan_id: str
    cause: Cause
    vars: dict[str, JsonValue]
    into: str
    owner: str
    paused: bool
    created_at: datetime
    next_at: datetime | None
    """Of a schedule: when it is due next."""
    address: str
    """Of a webhook."""
    last: "FiringInfo | None" = None
    """On which it went off last."""
    missed: int = 0
    """How many times were missed, as far as is known."""

    @classmethod
    def of(cls, trigger: Trigger, past: Past | None = None) -> "TriggerInfo":
        return cls(
            trigger_id=trigger.trigger_id,
            plan_id=trigger.plan_id,
            cause=trigger.cause,
            vars=trigger.vars,
            into=trigger.into,
            owner=trigger.owner,
            paused=trigger.paused,
            created_at=datetime.fromtimestamp(trigger.created_at, UTC),
            next_at=None if trigger.next_at is None else _moment(trigger.next_at),
            address=trigger.address,
            last=FiringInfo.of(past.last) if past and past.last else None,
            missed=past.missed if past else 0,
        )


class AddedTrigger(TriggerInfo):
    token: str
    """Of a webhook without a key of its own: shown this once."""


class TriggerList(BaseModel):
    triggers: list[TriggerInfo]


class FiringInfo(BaseModel):
    status: str
    """`claimed` (about to start), `started`, `missed`, `failed`."""
    due_at: datetime
    run_id: str | None
    count: int
    """Of times that were missed."""
    problem: Problem | None

    @classmethod
    def of(cls, firing: Firing) -> "FiringInfo":
        return cls(
            status=firing.status,
            due_at=_moment(firing.due_at),
            run_id=firing.run_id if firing.status == "started" else None,
            count=firing.count,
            problem=firing.problem and firing.problem.in_language(current_language()),
        )


class FiringList(BaseModel):
    firings: list[FiringInfo]


class HookAnswer(BaseModel):
    run_id: str


@router.get("/triggers")
async def list_triggers(bench: Bench, who: Who) -> TriggerList:
    found = await bench.triggers.all(who)
    past = await bench.triggers.past(found)
    return TriggerList(triggers=[TriggerInfo.of(each, past[each.trigger_id]) for each in found])


@router.post("/triggers", status_code=201)
async def add_trigger(given: GivenTrigger, bench: Bench, who: Who) -> AddedTrigger:
    new = NewTrigger(**dict(given), language=current_language())
    added: Added = await bench.triggers.add(who, new)
    return AddedTrigger(**dict(TriggerInfo.of(added.trigger)), token=added.token)


@router.get("/triggers/{trigger_id}")
async def get_trigger(trigger_id: str, bench: Bench, who: Who) -> TriggerInfo:
    found = await bench.triggers.get(who, trigger_id)
    past = await bench.triggers.past([found])
    return TriggerInfo.of(found, past[trigger_id])


@router.put("/triggers/{trigger_id}")
async def change_trigger(
    trigger_id: str, given: GivenTrigger, bench: Bench, who: Who
) -> AddedTrigger:
    """All of it but its id and what it has started; one that rests goes on resting."""
    new = NewTrigger(**dict(given), language=current_language())
    changed: Added = await bench.triggers.change(who, trigger_id, new)
    return AddedTrigger(**dict(TriggerInfo.of(changed.trigger)), token=changed.token)


@router.delete("/triggers/{trigger_id}", status_code=204)
async def remove_trigger(trigger_id: str, bench: Bench, who: Who) -> None:
    await bench.triggers.remove(who, trigger_id)


@router.post("/triggers/{trigger_id}/pause")
async def pause_trigger(trigger_id: str, bench: Bench, who: Who) -> TriggerInfo:
    return TriggerInfo.of(await bench.triggers.pause(who, trigger_id, paused=True))


@router.post("/triggers/{trigger_id}/resume")
async def resume_trigger(trigger_id: str, bench: Bench, who: Who) -> TriggerInfo:
    return TriggerInfo.of(await bench.triggers.pause(who, trigger_id, paused=False))


@router.get("/triggers/{trigger_id}/history")
async def trigger_history(
    trigger_id: str,
    bench: Bench,
    who: Who,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> FiringList:
    """The newest first."""
    found = await bench.triggers.history(who, trigger_id, limit)
    return FiringList(firings=[FiringInfo.of(each) for each in found])


@router.post("/hooks/{trigger_id}", status_code=202)
async def call_hook(trigger_id: str, request: Request, bench: Bench) -> HookAnswer:
    """Without a token of the workbench: by the hook's own secret.

    Either `Authorization: Bearer …`, or `X-Sanbo-Timestamp` and `X-Sanbo-Signature: sha256=…`, the
    HMAC of `{timestamp}.{body}`. `Idempotency-Key`: the same key starts one run.
    """
    body = await request.body()
    wrong: Attempts = request.app.state.wrong_hooks
    client = request.client.host if request.client else ""
    try:
        run_id = await bench.triggers.call(trigger_id, request.headers, body)
    except PermissionDenied as refusal:
        # Only after a wrong secret: others behind the same address must not be locked out.
        if (wait := wrong.wait_seconds(client)) > 0:
            seconds = int(wait) + 1
            too_often = LimitExceeded("api_hook_wait", seconds=seconds)
            raise Refused(too_often, 429, {"Retry-After": str(seconds)}) from refusal
        wrong.failed(client)
        raise
    wrong.succeeded(client)
    return HookAnswer(run_id=run_id)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
