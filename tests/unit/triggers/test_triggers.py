"""Triggers start plans once, whatever happens to servers; time is injected, all else is real."""

import asyncio
import hashlib
import hmac
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from signal import SIGKILL
from typing import Any, TypeVar

import pytest

from sanbo.kernel.problems import InvalidInput, PermissionDenied, SanboError
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.bootstrap import open_workbench
from sanbo.service.triggers import Cause, NewTrigger, Schedule
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from sanbo.triggers.schedule import checked_schedule, is_business_day, next_time
from tests.conformance.processes import FORKED
from tests.patience import PATIENCE_SECONDS
from tests.unit.triggers.server_process import serve

T = TypeVar("T")
PLAN = """
id: {id}
version: 1.0.0
vars: {{given: null}}
graph:
  - id: note
    block: ui.placeholder
    in: {{message: done, value: "${{vars.given}}"}}
    out: {{value: note}}
"""
NINE = datetime(2026, 11, 17, 0, 0, tzinfo=UTC).timestamp()  # 9:00 in Tokyo, a Tuesday
MINUTE = 60.0


def workspace(folder: Path, *plans: str) -> Path:
    (folder / "designs").mkdir(parents=True)
    for name in plans or ("p",):
        (folder / "designs" / f"{name}.yaml").write_text(PLAN.format(id=name), "utf-8")
    return folder


def settings_of(folder: Path, **more: str) -> Settings:
    return load_settings(folder, {"SANBO_LLM__PROVIDER": "rules", **more})


def on_bench(
    settings: Settings,
    work: Callable[[Workbench], Awaitable[T]],
    now: Callable[[], float] = time.time,
) -> T:
    """Without a clock that runs by itself: a test turns it."""

    async def opened() -> T:
        async with open_workbench(settings, takes_up_orphans=False, now=now) as bench:
            return await asyncio.wait_for(work(bench), PATIENCE_SECONDS)

    return asyncio.run(opened())


def every_minute(**more: Any) -> NewTrigger:
    return NewTrigger(
        plan_id="p", cause=Cause(kind="cron", schedule=Schedule(cron="* * * * *"), **more)
    )


def test_holidays_and_business_days_of_japan_as_the_cabinet_office_has_them() -> None:
    closed = [
        *(date(2019, 4, 27) + timedelta(days=each) for each in range(10)),  # ten days
        date(2020, 7, 23), date(2020, 7, 24), date(2020, 8, 10), date(2021, 8, 9),
        date(2026, 5, 6), date(2026, 9, 22), date(2026, 11, 3), date(2026, 11, 23),
        date(2027, 3, 22), date(2024, 2, 12),
    ]  # fmt: skip
    opened = [date(2020, 10, 12), date(2021, 7, 19), date(2026, 11, 17), date(2026, 9, 24)]
    assert [each for each in closed if is_business_day(each)] == []
    assert [each for each in opened if not is_business_day(each)] == []
    assert not is_business_day(date(2026, 12, 29), ["12-29"])
    assert not is_business_day(date(2026, 11, 18), ["2026-11-18"])
    assert is_business_day(date(2027, 11, 18), ["2026-11-18"])


@pytest.mark.parametrize(
    ("cron", "more", "after", "due"),
    [
        ("0 9 * * 1-5", {}, "2026-04-28T12:00+09:00", "2026-04-29T09:00+09:00"),
        ("0 9 * * 1-5", {"on_holiday": "skip"}, "2026-04-28T12:00+09:00", "2026-04-30T09:00+09:00"),
        ("0 9 * * *", {"on_holiday": "skip"}, "2026-05-01T12:00+09:00", "2026-05-07T09:00+09:00"),
        (
            "0 9 25 * *",
            {"on_holiday": "previous"},
            "2026-07-01T00:00+09:00",
            "2026-07-24T09:00+09:00",
        ),
        (
            "0 9 25 * *",
            {"on_holiday": "previous"},
            "2026-07-24T09:00+09:00",
            "2026-08-25T09:00+09:00",
        ),
        # A day that a month does not have is its last.
        (
            "0 9 31 * *",
            {"on_holiday": "previous"},
            "2026-11-18T15:00+09:00",
            "2026-11-30T09:00+09:00",
        ),
        ("0 9 30 * *", {}, "2027-02-01T00:00+09:00", "2027-02-28T09:00+09:00"),
        ("0 9 30 * *", {}, "2027-02-28T09:00+09:00", "2027-03-30T09:00+09:00"),
        ("0 9 3 5 *", {"on_holiday": "next"}, "2026-05-03T10:00+09:00", "2026-05-07T09:00+09:00"),
        # The hour that summer time leaves out, and the one that comes twice.
        (
            "30 2 * * *",
            {"zone": "America/New_York"},
            "2026-03-07T12:00-05:00",
            "2026-03-08T03:00-04:00",
        ),
        (
            "30 1 * * *",
            {"zone": "America/New_York"},
            "2026-11-01T01:30-04:00",
            "2026-11-02T01:30-05:00",
        ),
    ],
)
def test_the_next_time_of_a_schedule(cron: str, more: Any, after: str, due: str) -> None:
    schedule = checked_schedule(Schedule(cron=cron, **more))
    assert next_time(schedule, datetime.fromisoformat(after)) == datetime.fromisoformat(due)


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        (Schedule(cron="0 9 * *"), "schedule_cron"),
        (Schedule(cron="0 0 9 * * *"), "schedule_cron"),
        (Schedule(cron="61 9 * * *"), "schedule_cron"),
        (Schedule(cron="0 0 30 2 *"), "schedule_cron"),
        (Schedule(cron="0 9 * * *", zone="Asia/Tokio"), "schedule_zone"),
        (Schedule(cron="*/5 9 * * *", on_holiday="next"), "schedule_moved_often"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused(schedule: Schedule, reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_schedule(schedule)
    assert refused.value.problem.text_id == reason


@contextmanager
def server(
    folder: Path, clock: Path, environment: dict[str, str], dies_at: str = ""
) -> Generator[BaseProcess]:
    ours, theirs = FORKED.Pipe()
    process = FORKED.Process(target=serve, args=(folder, clock, environment, dies_at, theirs))
    process.start()
    try:
        assert ours.recv() == "ready"
        yield process
    finally:
        process.kill()
        process.join()


def _until(done: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("database", "dies_at"),
    [
        ("sqlite", ""),
        ("sqlite", "claimed"),
        ("sqlite", "begun"),
        ("postgres", "claimed"),
        pytest.param("postgres", "", marks=pytest.mark.thorough),
        pytest.param("postgres", "begun", marks=pytest.mark.thorough),
    ],
)
def test_two_servers_start_each_time_once_also_when_one_is_killed_at_the_minute(
    database: str, dies_at: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    plan = f"{database}-{dies_at}"  # a database may have seen other tests
    folder, clock = workspace(tmp_path / "w", plan), tmp_path / "clock"
    environment = {"SANBO_LLM__PROVIDER": "rules"}
    if database == "postgres":
        environment["SANBO_DATABASE_URL"] = request.getfixturevalue("postgres")
    clock.write_text(str(NINE + 1), "utf-8")
    settings = load_settings(folder, environment)

    async def add(bench: Workbench) -> str:
        new = every_minute().model_copy(update={"plan_id": plan})
        return (await bench.triggers.add(LOCAL, new)).trigger.trigger_id

    trigger = on_bench(settings, add, lambda: NINE + 1)

    def history() -> list[Any]:
        return on_bench(settings, lambda bench: bench.triggers.history(LOCAL, trigger))

    def count(number: int) -> Callable[[], bool]:
        return lambda: sum(each.status == "started" for each in history()) >= number

    with server(folder, clock, environment, dies_at) as first:
        if dies_at:
            _set(clock, NINE + MINUTE)
            first.join(PATIENCE_SECONDS)
            assert first.exitcode == -SIGKILL
        with server(folder, clock, environment):
            _set(clock, NINE + MINUTE)
            _until(count(1))
            if not dies_at:
                _set(clock, NINE + 2 * MINUTE)
                _until(count(2))

    expected = [NINE + MINUTE, NINE + 2 * MINUTE][: 1 if dies_at else 2]
    done = history()
    assert sorted(each.due_at for each in done) == expected
    assert {each.status for each in done} == {"started"}
    listed = on_bench(settings, lambda bench: bench.list(LOCAL))
    on_bench(settings, lambda bench: bench.triggers.remove(LOCAL, trigger))
    started = Counter(each.run_id for each in listed if each.title == plan)
    assert started == Counter(each.run_id for each in done)


def _set(clock: Path, moment: float) -> None:
    new = clock.with_suffix(".new")
    new.write_text(str(moment), "utf-8")
    new.replace(clock)


def test_what_was_missed_is_reported_and_made_up_for_only_where_wished(tmp_path: Path) -> None:
    times = [NINE + 1]

    async def work(bench: Workbench) -> list[list[tuple[str, float, int]]]:
        plain = (await bench.triggers.add(LOCAL, every_minute())).trigger.trigger_id
        wished = (await bench.triggers.add(LOCAL, every_minute(catch_up=True))).trigger.trigger_id
        times.append(NINE + 180 * MINUTE + 1)
        # Both within the grace of ten minutes: the last is started, the others are missed.
        await bench.triggers.clock.turn()
        night = (await bench.triggers.add(LOCAL, daily(0))).trigger.trigger_id
        late = (await bench.triggers.add(LOCAL, daily(0, catch_up=True))).trigger.trigger_id
        times.append(NINE + 3 * 86_400 + 3600)
        await bench.triggers.clock.turn()
        return [
            [
                (each.status, each.due_at, each.count)
                for each in await bench.triggers.history(LOCAL, one)
            ]
            for one in (plain, wished, night, late)
        ]

    def daily(hour: int, **more: Any) -> NewTrigger:
        schedule = Schedule(cron=f"0 {hour} * * *", zone="UTC")
        return NewTrigger(plan_id="p", cause=Cause(kind="cron", schedule=schedule, **more))

    plain, wished, night, late = on_bench(
        settings_of(workspace(tmp_path / "w")), work, lambda: times[-1]
    )
    last = NINE + 180 * MINUTE
    assert set(plain[-2:]) == {("missed", NINE + MINUTE, 179), ("started", last, 1)}
    assert set(wished[-2:]) == set(plain[-2:])
    assert night == [("missed", NINE + 86_400, 3)]
    assert set(late) == {("missed", NINE + 86_400, 2), ("started", NINE + 3 * 86_400, 1)}


def test_a_pause_holds_and_what_was_due_in_it_is_no_miss(tmp_path: Path) -> None:
    times = [NINE + 1]

    async def work(bench: Workbench) -> list[Any]:
        trigger = (await bench.triggers.add(LOCAL, every_minute())).trigger.trigger_id
        await bench.triggers.pause(LOCAL, trigger, paused=True)
        times.append(NINE + 60 * MINUTE)
        await bench.triggers.clock.turn()
        await bench.triggers.pause(LOCAL, trigger, paused=False)
        await bench.triggers.clock.turn()
        return await bench.triggers.history(LOCAL, trigger)

    assert on_bench(settings_of(workspace(tmp_path / "w")), work, lambda: times[-1]) == []


def test_a_file_that_has_arrived_starts_the_plan_once_with_the_file(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "old.csv").write_text("a\n", "utf-8")
    settings = settings_of(
        workspace(tmp_path / "w"), SANBO_TRIGGERS__FOLDERS=json.dumps([str(inbox)])
    )
    cause = Cause(kind="folder", folder=str(inbox), pattern="*.csv")

    async def work(bench: Workbench) -> list[Run]:
        for elsewhere in (tmp_path, inbox / "..", Path("/etc")):
            other = cause.model_copy(update={"folder": str(elsewhere)})
            with pytest.raises(SanboError) as refused:
                await bench.triggers.add(LOCAL, NewTrigger(plan_id="p", cause=other))
            assert refused.value.problem.text_id == "trigger_folder_refused"
        new = NewTrigger(plan_id="p", cause=cause, into="given")
        trigger = (await bench.triggers.add(LOCAL, new)).trigger.trigger_id
        (inbox / "請求.csv").write_text("金額\n1\n", "utf-8")
        (inbox / "other.txt").write_text("x", "utf-8")
        (inbox / "link.csv").symlink_to("/etc/passwd")
        for _ in range(4):
            bench.triggers.clock._looked.clear()
            await bench.triggers.clock.turn()
        done = await bench.triggers.history(LOCAL, trigger)
        return [await bench.wait(LOCAL, each.run_id) for each in done]

    (run,) = on_bench(settings, work)
    assert run.status is Status.SUCCEEDED, run.problem
    assert run.result is not None
    # pyrefly: ignore[bad-index, unsupported-operation]
    assert run.result["exports"]["note"]["name"] == "請求.csv"


def test_the_end_of_a_plan_starts_another_once_and_never_in_a_circle(tmp_path: Path) -> None:
    settings = settings_of(workspace(tmp_path / "w", "a", "b", "c"))

    def after(plan: str, other: str) -> NewTrigger:
        return NewTrigger(plan_id=plan, cause=Cause(kind="after", after=other), into="given")

    async def work(bench: Workbench) -> list[Any]:
        ids = [
            (await bench.triggers.add(LOCAL, after(*pair))).trigger.trigger_id
            for pair in ("ba", "cb")
        ]
        for pair in ("ac", "aa", "ab"):
            with pytest.raises(InvalidInput) as refused:
                await bench.triggers.add(LOCAL, after(*pair))
            assert refused.value.problem.text_id == "trigger_circle"
        run = await bench.start(LOCAL, "plan", {"plan_id": "a", "vars": {"given": "始"}})
        await bench.wait(LOCAL, run.run_id)
        for _ in range(3):
            bench.triggers.clock._looked.clear()
            await bench.triggers.clock.turn()
            for each in await bench.list(LOCAL):
                await bench.wait(LOCAL, each.run_id)
        done = [await bench.triggers.history(LOCAL, each) for each in ids]
        last = await bench.get(LOCAL, done[1][0].run_id)
        assert last.result is not None
        return [len(each) for each in done] + [last.result["exports"]]

    assert on_bench(settings, work) == [1, 1, {"note": {"note": {"note": "始"}}}]


def test_a_webhook_is_let_in_by_its_secret_alone_and_one_call_starts_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDERS_KEY", "the-key-of-orders")
    settings = settings_of(
        workspace(tmp_path / "w"), SANBO_TRIGGERS__SECRETS=json.dumps(["ORDERS_KEY"])
    )
    body = json.dumps({"order": 7}).encode()

    def signed(at: int, key: str = "the-key-of-orders", content: bytes = body) -> dict[str, str]:
        made = hmac.new(key.encode(), f"{at}.".encode() + content, hashlib.sha256).hexdigest()
        return {"x-sanbo-timestamp": str(at), "x-sanbo-signature": f"sha256={made}"}

    async def work(bench: Workbench) -> tuple[int, Any]:
        desk = bench.triggers
        new = NewTrigger(plan_id="p", cause=Cause(kind="webhook"), into="given")
        plain = await desk.add(LOCAL, new)
        signing = NewTrigger(
            plan_id="p", cause=Cause(kind="webhook", signed_by="ORDERS_KEY"), into="given"
        )
        key = await desk.add(LOCAL, signing)
        unlisted = Cause(kind="webhook", signed_by="PATH")
        with pytest.raises(PermissionDenied):
            await desk.add(LOCAL, NewTrigger(plan_id="p", cause=unlisted))
        now = int(time.time())
        one, other = plain.trigger.trigger_id, key.trigger.trigger_id
        for hook, headers in (
            (one, {}),
            (one, {"authorization": "Bearer wrong"}),
            (one, {"authorization": f"Basic {plain.token}"}),
            (one, signed(now)),
            ("trg_none", {"authorization": f"Bearer {plain.token}"}),
            (other, {"authorization": "Bearer the-key-of-orders"}),
            (other, signed(now, "another-key")),
            (other, signed(now, content=b"{}")),
            (other, signed(now - 1000)),
            (other, {**signed(now), "x-sanbo-timestamp": str(now + 1)}),
        ):
            with pytest.raises(PermissionDenied) as refused:
                await desk.call(hook, headers, body)
            assert refused.value.problem.text_id == "hook_refused"
        bearer = {"authorization": f"Bearer {plain.token}", "idempotency-key": "7"}
        first = [await desk.call(one, bearer, body) for _ in range(2)]
        again = [await desk.call(other, signed(now), body) for _ in range(2)]
        fresh = await desk.call(one, {**bearer, "idempotency-key": "8"}, body)
        run = await bench.wait(LOCAL, first[0])
        assert run.result is not None
        assert plain.token not in (tmp_path / "w" / "sanbo.db").read_bytes().decode("latin-1")
        return len({*first, *again, fresh}), run.result["exports"]

    assert on_bench(settings, work) == (3, {"note": {"order": 7}})


def test_others_see_nothing_of_a_trigger_and_what_can_never_start_is_refused(
    tmp_path: Path,
) -> None:
    async def work(bench: Workbench) -> None:
        trigger = (await bench.triggers.add(LOCAL, every_minute())).trigger.trigger_id
        stranger = Caller("tanaka")
        assert await bench.triggers.all(stranger) == []
        for act in (
            bench.triggers.remove(stranger, trigger),
            bench.triggers.pause(stranger, trigger, paused=True),
            bench.triggers.history(stranger, trigger),
        ):
            with pytest.raises(SanboError) as refused:
                await act
            assert refused.value.problem.text_id == "trigger_not_found"
        for new in (
            NewTrigger(plan_id="none", cause=every_minute().cause),
            every_minute().model_copy(update={"vars": {"unknown": 1}}),
            every_minute().model_copy(update={"into": "unknown"}),
        ):
            with pytest.raises(SanboError):
                await bench.triggers.add(LOCAL, new)

    on_bench(settings_of(workspace(tmp_path / "w")), work)


def test_a_plan_that_is_gone_when_its_time_comes_starts_nothing_and_that_is_told(
    tmp_path: Path,
) -> None:
    times = [NINE + 1]
    folder = workspace(tmp_path / "w")
    settings = settings_of(folder)

    async def work(bench: Workbench) -> tuple[str, str, int]:
        trigger = (await bench.triggers.add(LOCAL, every_minute())).trigger.trigger_id
        (folder / "designs" / "p.yaml").unlink()
        times.append(NINE + MINUTE)
        await bench.triggers.clock.turn()
        (firing,) = await bench.triggers.history(LOCAL, trigger)
        assert firing.problem is not None
        return firing.status, firing.problem.code, len(await bench.list(LOCAL))

    assert on_bench(settings, work, lambda: times[-1]) == ("failed", "NOT_FOUND", 0)
