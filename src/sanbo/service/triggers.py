"""Triggers as front ends need them: whoever may run a plan may have it started by itself."""

import asyncio
import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel, ConfigDict, JsonValue

from sanbo.connectors.http import secret_value
from sanbo.kernel.problems import (
    Conflict,
    InvalidInput,
    NotFound,
    PermissionDenied,
)
from sanbo.kernel.secrets import protect
from sanbo.runs.leases import Leases
from sanbo.service.access import Caller
from sanbo.service.trigger_clock import TriggerClock
from sanbo.storage.database import Database
from sanbo.triggers.folders import allowed_folder, files_in
from sanbo.triggers.schedule import (
    Cause,
    Firing,
    NewTrigger,
    Schedule,
    Trigger,
    checked_schedule,
    next_time,
)
from sanbo.triggers.store import Past, Triggers

if TYPE_CHECKING:
    from sanbo.service.workbench import Workbench

__all__ = ["Added", "Cause", "Firing", "NewTrigger", "Past", "Schedule", "Trigger", "TriggerDesk"]

SIGNED_SECONDS = 300
"""A signed call that is older, or so much ahead, is refused."""


class Added(BaseModel):
    model_config = ConfigDict(frozen=True)

    trigger: Trigger
    token: str = ""
    """Of a webhook without a key of its own: shown this once."""


class TriggerDesk:
    def __init__(
        self,
        bench: "Workbench",
        database: Database,
        leases: Leases,
        io: Callable[..., Awaitable[Any]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._bench = bench
        self._io = io
        self._store = Triggers(database, leases, self._next_time)
        self.clock = TriggerClock(bench, self._store, io, now)

    def _next_time(self, cause: Cause, after: float) -> float | None:
        assert cause.schedule is not None
        closed = self._bench.settings.triggers.closed_days
        due = next_time(cause.schedule, datetime.fromtimestamp(after, UTC), closed)
        return None if due is None else due.timestamp()

    async def add(self, caller: Caller, new: NewTrigger) -> Added:
        """Refuses now what could never start: a plan that is not there, not valid, not allowed."""
        known = await self._checked(caller, new)
        token = _new_token() if _needs_token(new) else ""
        trigger = await self._io(
            self._store.add,
            new,
            caller.owner,
            self.clock.now(),
            known,
            _hash(token) if token else "",
        )
        self.clock.wake()
        return Added(trigger=trigger, token=token)

    async def change(self, caller: Caller, trigger_id: str, new: NewTrigger) -> Added:
        """Under the same id; a webhook keeps its token."""
        before = await self.get(caller, trigger_id)
        known = await self._checked(caller, new, but=trigger_id)
        if new.cause == before.cause:
            known = before.known
        token = _new_token() if _needs_token(new) and not before.token_hash else ""
        kept = _hash(token) if token else before.token_hash if _needs_token(new) else ""
        trigger = await self._io(self._store.change, trigger_id, new, self.clock.now(), known, kept)
        self.clock.wake()
        return Added(trigger=trigger, token=token)

    async def _checked(self, caller: Caller, new: NewTrigger, but: str = "") -> tuple[str, ...]:
        """The files that a folder has already. `but`: what it takes the place of."""
        cause, settings = new.cause, self._bench.settings.triggers
        given = {**new.vars, **({new.into: None} if new.into else {})}
        await self._bench.check(caller, "plan", {"plan_id": new.plan_id, "vars": given})
        if cause.kind == "cron":
            self._check_schedule(cause)
        elif cause.kind == "folder":
            folder = await asyncio.to_thread(allowed_folder, cause.folder, settings.folders)
            found = await asyncio.to_thread(files_in, folder, cause.pattern)
            return tuple(each.key for each in found)
        elif cause.kind == "after":
            await self._check_circle(new, caller.owner, but)
        elif cause.signed_by:
            if cause.signed_by not in settings.secrets:
                raise PermissionDenied("trigger_secret_refused", name=cause.signed_by[:100])
            secret_value(cause.signed_by)
        return ()

    def _check_schedule(self, cause: Cause) -> None:
        if cause.schedule is None:
            raise InvalidInput("trigger_without_schedule")
        checked_schedule(cause.schedule)
        if self._next_time(cause, self.clock.now()) is None:
            raise InvalidInput("schedule_never", cron=cause.schedule.cron)

    async def _check_circle(self, new: NewTrigger, owner: str, but: str) -> None:
        """A plan that its own end would start again would never come to rest."""
        followed = {new.cause.after}
        found: list[Trigger] = await self._io(self._store.all, owner)
        others = [each for each in found if each.cause.after and each.trigger_id != but]
        for _ in others:
            followed |= {each.cause.after for each in others if each.plan_id in followed}
        if not new.cause.after or new.plan_id in followed:
            raise InvalidInput("trigger_circle", plan=new.plan_id)

    async def all(self, caller: Caller) -> list[Trigger]:
        return await self._io(self._store.all, None if caller.sees_all else caller.owner)

    async def past(self, triggers: Sequence[Trigger]) -> dict[str, Past]:
        return await self._io(self._store.past, [each.trigger_id for each in triggers])

    async def get(self, caller: Caller, trigger_id: str) -> Trigger:
        trigger: Trigger = await self._io(self._store.get, trigger_id)
        if not caller.owns(trigger.owner):
            raise NotFound("trigger_not_found", trigger_id=trigger_id[:100])
        return trigger

    async def remove(self, caller: Caller, trigger_id: str) -> None:
        await self.get(caller, trigger_id)
        await self._io(self._store.remove, trigger_id)

    async def pause(self, caller: Caller, trigger_id: str, *, paused: bool) -> Trigger:
        trigger = await self.get(caller, trigger_id)
        if not paused:  # it may have been retired since
            await self._bench.check(
                caller, "plan", {"plan_id": trigger.plan_id, "vars": dict(trigger.vars)}
            )
        changed = await self._io(self._pause, trigger_id, paused)
        self.clock.wake()
        return changed

    def _pause(self, trigger_id: str, paused: bool) -> Trigger:
        return self._store.pause(trigger_id, self.clock.now(), paused=paused)

    async def history(self, caller: Caller, trigger_id: str, limit: int = 50) -> list[Firing]:
        await self.get(caller, trigger_id)
        return await self._io(self._store.history, trigger_id, limit)

    # ---- webhooks ----

    async def call(self, trigger_id: str, headers: Mapping[str, str], body: bytes) -> str:
        """The run that a request from outside has started; the same answer to every stranger."""
        try:
            trigger = await self._io(self._store.get, trigger_id)
        except NotFound:
            trigger = None
        if trigger is None or not self._is_known(trigger, headers, body):
            raise PermissionDenied("hook_refused")
        if trigger.paused:
            raise Conflict("trigger_paused")
        try:
            given: JsonValue = orjson.loads(body) if body else None
        except orjson.JSONDecodeError:
            raise InvalidInput("hook_no_json") from None
        # One that is sent again, by its sender or by somebody who has seen it, starts nothing new.
        once = headers.get("idempotency-key") or headers.get("x-sanbo-signature", "")
        occasion = f"call:{_hash(once)[:40]}" if once else f"call:{secrets.token_hex(20)}"
        return await self.clock.called(trigger, occasion, given)

    def _is_known(self, trigger: Trigger, headers: Mapping[str, str], body: bytes) -> bool:
        if trigger.cause.kind != "webhook":
            return False
        if trigger.cause.signed_by:
            return self._is_signed(trigger.cause.signed_by, headers, body)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        is_bearer = scheme.casefold() == "bearer"
        return is_bearer and hmac.compare_digest(_hash(token.strip()), trigger.token_hash)

    def _is_signed(self, name: str, headers: Mapping[str, str], body: bytes) -> bool:
        key = os.environ.get(name, "") if name in self._bench.settings.triggers.secrets else ""
        sent, at = headers.get("x-sanbo-signature", ""), headers.get("x-sanbo-timestamp", "")
        if not key or not at.isascii() or not at.isdigit():
            return False
        made = hmac.new(key.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
        is_right = hmac.compare_digest(f"sha256={made}".encode(), sent.encode())
        return is_right and abs(self.clock.now() - int(at)) <= SIGNED_SECONDS


def _needs_token(new: NewTrigger) -> bool:
    return new.cause.kind == "webhook" and not new.cause.signed_by


def _new_token() -> str:
    token = f"sanbo_{secrets.token_urlsafe(32)}"
    protect(token)
    return token


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
