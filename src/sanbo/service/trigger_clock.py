"""The clock of triggers: sleeps until something is due, claims it in the database, starts it.

Every server has one. Which of them starts a run is decided by the claim; a server that dies
between claim and start is followed by another, which starts the very run that was claimed.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from pydantic import JsonValue
from sqlalchemy.exc import IntegrityError

from sanbo.kernel.messages import tell, use_language
from sanbo.kernel.problems import (
    Conflict,
    LimitExceeded,
    NotFound,
    PermissionDenied,
    SanboError,
    StorageFailure,
)
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL, Caller
from sanbo.storage.tables import events, firings, runs
from sanbo.triggers.folders import Arrival, allowed_folder, files_in
from sanbo.triggers.schedule import Firing, Trigger
from sanbo.triggers.store import Triggers

if TYPE_CHECKING:
    from sanbo.service.workbench import Workbench

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""Between two looks at what other processes have changed."""
AFTER_SECONDS = 10.0
LOOK_BACK = 120.0
"""Clocks of machines differ, and what one wrote first another may see last."""
OLDEST_END = 7 * 86_400.0
_MB = 1 << 20
_OUTCOMES = {
    "succeeded": {Status.SUCCEEDED},
    "failed": {Status.FAILED, Status.CANCELLED},
    "ended": {Status.SUCCEEDED, Status.FAILED, Status.CANCELLED},
}


class TriggerClock:
    def __init__(
        self,
        bench: "Workbench",
        store: Triggers,
        io: Callable[..., Awaitable[Any]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._bench = bench
        self._store = store
        self._io = io
        self.now = now
        self._changed = asyncio.Event()
        self._starting: set[str] = set()
        self._looked: dict[str, float] = {}
        self._arriving: dict[str, set[str]] = {}
        self._ends_seen: dict[str, float] = {}

    def wake(self) -> None:
        self._changed.set()

    async def keep(self) -> None:
        """For as long as the server runs."""
        while True:
            pause = LOOK_SECONDS
            try:
                pause = await self.turn()
            except StorageFailure as error:
                logger.warning("triggers are put off: %s", error)
            except Exception:
                logger.exception("triggers failed")
            try:
                async with asyncio.timeout(pause):
                    await self._changed.wait()
            except TimeoutError:
                pass
            self._changed.clear()

    async def turn(self) -> float:
        """Starts what is due; how long nothing will be, as far as is known here."""
        settings, store = self._bench.settings.triggers, self._store
        for firing in await self._io(store.take_over, set(self._starting)):
            await self.start(firing)
        kinds, due = await self._io(store.kinds)
        now = self.now()
        if due is not None and due <= now:
            for firing in await self._io(store.claim_due, now, settings.grace_minutes * 60):
                await (self._report(firing) if firing.status == "missed" else self.start(firing))
            _, due = await self._io(store.kinds)
        if "folder" in kinds and self._is_time("folder", settings.folder_seconds):
            for trigger in await self._io(store.all, None, "folder"):
                await self._look_into(trigger)
        if "after" in kinds and self._is_time("after", AFTER_SECONDS):
            for trigger in await self._io(store.all, None, "after"):
                await self._look_for_ends(trigger)
        left = LOOK_SECONDS if due is None else due - self.now()
        return min(LOOK_SECONDS, max(0.02, left))

    def _is_time(self, kind: str, seconds: float) -> bool:
        now = time.monotonic()
        if now - self._looked.get(kind, -seconds) < seconds:
            return False
        self._looked[kind] = now
        return True

    # ---- starting ----

    async def start(self, firing: Firing) -> None:
        """The run that was claimed, once, whoever has begun it before."""
        self._starting.add(firing.run_id)
        try:
            trigger = await self._io(self._store.get, firing.trigger_id)
            with use_language(trigger.language):
                await self._start(trigger, firing)
        except NotFound:
            return  # removed meanwhile
        finally:
            self._starting.discard(firing.run_id)

    async def _start(self, trigger: Trigger, firing: Firing) -> None:
        caller = LOCAL if trigger.owner == LOCAL.owner else Caller(trigger.owner)
        try:
            await self._check_owner(caller)
            values = dict(trigger.vars)
            if trigger.into:
                values[trigger.into] = await self._value(trigger, firing, caller)
            given: dict[str, JsonValue] = {"plan_id": trigger.plan_id, "vars": values}
            await self._bench.start(
                caller, "plan", given, language=trigger.language, run_id=firing.run_id
            )
        except IntegrityError:
            logger.info("run %s was begun before", firing.run_id)
        except StorageFailure:
            raise  # it stays claimed, and is taken up again
        except SanboError as failure:
            logger.warning("trigger %s started nothing: %s", trigger.trigger_id, failure)
            await self._io(self._store.settle, firing, failure.problem)
            text = tell(
                "trigger_notice.failed", plan=trigger.plan_id, reason=failure.problem.message
            )
            await self._bench.notices.tell_owner(trigger.owner, text, firing.run_id)
            return
        await self._io(self._store.settle, firing)

    async def _check_owner(self, caller: Caller) -> None:
        """Whoever has no token any more starts nothing either."""
        if caller.is_local:
            return
        known = await self._io(self._bench.access.list_tokens)
        if caller.owner not in {each.name for each in known}:
            raise PermissionDenied("trigger_owner_gone", owner=caller.owner)

    async def _value(self, trigger: Trigger, firing: Firing, caller: Caller) -> JsonValue:
        """What set it off."""
        match trigger.cause.kind:
            case "folder":
                return await self._uploaded(trigger, str(firing.given), caller)
            case "after":
                run = await self._bench.get(caller, str(firing.given))
                return (run.result or {}).get("exports")
            case "cron":
                assert trigger.cause.schedule is not None
                zone = ZoneInfo(trigger.cause.schedule.zone)
                return datetime.fromtimestamp(firing.due_at, zone).date().isoformat()
            case "webhook":
                return firing.given

    async def _uploaded(self, trigger: Trigger, name: str, caller: Caller) -> JsonValue:
        settings = self._bench.settings.triggers
        folder = await asyncio.to_thread(allowed_folder, trigger.cause.folder, settings.folders)
        path = folder / name
        if path.parent != folder or path.is_symlink() or not path.is_file():
            raise NotFound("trigger_file_gone", name=name)
        if path.stat().st_size > settings.max_file_mb * _MB:
            raise LimitExceeded("trigger_file_large", name=name, limit=settings.max_file_mb)
        stored = await self._bench.upload(caller, path, name)
        return stored.model_dump(mode="json")

    async def _report(self, firing: Firing) -> None:
        try:
            trigger = await self._io(self._store.get, firing.trigger_id)
        except NotFound:
            return
        due = datetime.fromtimestamp(firing.due_at, UTC).isoformat(timespec="minutes")
        logger.warning("trigger %s missed %s times from %s", trigger.trigger_id, firing.count, due)
        with use_language(trigger.language):
            text = tell("trigger_notice.missed", plan=trigger.plan_id, count=firing.count, due=due)
        await self._bench.notices.tell_owner(trigger.owner, text, firing.run_id)

    # ---- folders and other plans' ends ----

    async def _look_into(self, trigger: Trigger) -> None:
        """A file counts once it was the same in two looks: until then it may still be written."""
        try:
            found = await asyncio.to_thread(self._files, trigger)
        except (SanboError, OSError) as error:
            logger.warning("trigger %s: %s", trigger.trigger_id, error)
            return
        before = self._arriving.get(trigger.trigger_id, set())
        new = [each for each in found if each.key not in trigger.known]
        self._arriving[trigger.trigger_id] = {each.key for each in new}
        settled = [each for each in new if each.key in before]
        if not settled:
            return
        known = await self._io(self._store.known_occasions, trigger.trigger_id)
        for each in settled:
            if each.key not in known:
                await self._offer(trigger, each.key, each.path.name)

    def _files(self, trigger: Trigger) -> list[Arrival]:
        allowed = self._bench.settings.triggers.folders
        return files_in(allowed_folder(trigger.cause.folder, allowed), trigger.cause.pattern)

    async def _look_for_ends(self, trigger: Trigger) -> None:
        since = self._ends_seen.get(
            trigger.trigger_id, max(trigger.created_at, self.now() - OLDEST_END)
        )
        ends, newest = await self._io(self._ends, trigger, since)
        for run_id in ends:
            await self._offer(trigger, run_id, run_id)
        self._ends_seen[trigger.trigger_id] = max(trigger.created_at, newest - LOOK_BACK, since)

    def _ends(self, trigger: Trigger, since: float) -> tuple[list[str], float]:
        """Runs of the other plan, of the same owner, that ended as wished."""
        wanted = _OUTCOMES[trigger.cause.outcome]
        query = (
            sa.select(runs.c.run_id, runs.c.updated_at, events.c.payload)
            .join(events, (events.c.run_id == runs.c.run_id) & (events.c.seq == 1))
            .where(
                runs.c.workflow == "plan",
                runs.c.owner == trigger.owner,
                runs.c.status.in_([each.value for each in wanted]),
                runs.c.updated_at >= since,
                runs.c.run_id.not_in(_occasions(trigger.trigger_id)),
            )
            .order_by(runs.c.updated_at)
        )
        with self._store.database.read() as connection:
            rows = connection.execute(query).all()
        newest = max((row.updated_at for row in rows), default=since)
        ended = [
            row.run_id
            for row in rows
            if json.loads(row.payload)["input"]["plan_id"] == trigger.cause.after
        ]
        return ended, newest

    async def _offer(self, trigger: Trigger, occasion: str, given: JsonValue) -> None:
        firing, is_new = await self._io(
            self._store.offer, trigger.trigger_id, occasion, self.now(), given
        )
        if is_new:
            await self.start(firing)

    async def called(self, trigger: Trigger, occasion: str, given: JsonValue) -> str:
        """By a webhook: the run of this call, begun now or when it came the first time."""
        offered = (trigger.trigger_id, occasion, self.now())
        firing, is_new = await self._io(self._store.offer, *offered, given)
        if is_new:
            await self.start(firing)
            firing, _ = await self._io(self._store.offer, *offered)
        if firing.problem is not None:
            raise Conflict("trigger_not_started", reason=firing.problem.message)
        return firing.run_id


def _occasions(trigger_id: str) -> sa.Select[tuple[str]]:
    return sa.select(firings.c.occasion).where(firings.c.trigger_id == trigger_id)
