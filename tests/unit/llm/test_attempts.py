"""Sending again, waiting, giving up, and the time limit over all of it."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.problems import ProviderFailed, TimedOut
from sanbo.llm.vendor import Pace, retry_after_seconds
from tests.scripted_model import Hang, RateLimited, ServerError, Status, Text
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench, read

every_provider = pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])


@every_provider
def test_retry_after_is_honoured(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(RateLimited(2.5), Text("はい。"))
    assert bench.ask(lambda m: m.complete(ASK), bench.connect(provider)) == "はい。"
    assert bench.waits == [2.5]


def test_gemini_says_in_the_body_when_to_return(bench: Bench) -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}
    bench.script.replies(Status(429, "quota", details=[info]), Text("はい。"))
    bench.ask(lambda m: m.complete(ASK), bench.connect("google_genai"))
    assert bench.waits == [3.0]


@every_provider
def test_server_errors_are_tried_again_after_growing_waits(
    bench: Bench, provider: Protocol
) -> None:
    bench.script.replies(ServerError(500), ServerError(503), ServerError(502), Text("はい。"))
    assert bench.ask(lambda m: m.complete(ASK), bench.connect(provider)) == "はい。"
    assert bench.waits == [0.25, 0.5, 1.0]
    assert bench.outcomes == ["server_error"] * 3 + ["ok"]


@every_provider
@pytest.mark.parametrize("reply", [RateLimited(0), ServerError()], ids=["429", "500"])
def test_after_the_last_attempt_it_is_a_recoverable_problem(
    bench: Bench, provider: Protocol, reply: Status
) -> None:
    bench.script.otherwise(reply)
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(lambda m: m.complete(ASK), bench.connect(provider, max_attempts=3))
    assert caught.value.problem.code == "API_ERROR"
    assert caught.value.problem.recoverable
    assert len(bench.calls) == len(bench.script.requests) == 3


def test_a_used_up_quota_is_not_waited_for(bench: Bench) -> None:
    bench.script.replies(Status(429, "You exceeded your current quota.", "insufficient_quota"))
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(lambda m: m.complete(ASK))
    assert caught.value.problem.text_id == "llm_quota_used_up"
    assert len(bench.calls) == 1


def test_a_wait_beyond_the_time_limit_is_not_begun(bench: Bench) -> None:
    bench.script.replies(RateLimited(3600))
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(lambda m: m.complete(ASK))
    assert caught.value.problem.text_id == "llm_rate_limited"
    assert bench.waits == []


@every_provider
def test_a_server_that_hangs_ends_as_a_timeout_at_the_limit(
    bench: Bench, provider: Protocol
) -> None:
    bench.script.replies(Hang())
    model = bench.connect(provider, timeout_seconds=0.5)
    started = time.monotonic()
    with pytest.raises(TimedOut) as caught:
        bench.ask(lambda m: m.complete(ASK), model)
    assert time.monotonic() - started >= 0.5
    assert caught.value.problem.code == "TIMEOUT_ERROR"
    assert "llm.timeout_seconds" in caught.value.problem.hint
    assert bench.outcomes == ["TIMEOUT_ERROR"]


@every_provider
def test_a_stream_that_hangs_in_the_middle_ends_as_a_timeout_at_the_limit(
    bench: Bench, provider: Protocol
) -> None:
    bench.script.replies(Hang(after="売上は"))
    model = bench.connect(provider, timeout_seconds=0.5)
    heard: list[str] = []

    async def listen() -> None:
        async for piece in model.stream(ASK):
            heard.append(piece)

    with pytest.raises(TimedOut):
        asyncio.run(listen())
    assert "".join(heard) == "売上は"
    assert bench.outcomes == ["TIMEOUT_ERROR"]


def test_the_limit_covers_all_attempts_together(bench: Bench) -> None:
    bench.script.replies(RateLimited(0), ServerError(), Hang())
    model = bench.connect(timeout_seconds=2.5)  # the first two take their time on a busy machine
    with pytest.raises(TimedOut):
        bench.ask(lambda m: m.complete(ASK), model)
    assert bench.outcomes == ["rate_limited", "server_error", "TIMEOUT_ERROR"]


def test_a_slow_reader_does_not_use_up_the_models_time(bench: Bench) -> None:
    bench.script.replies(Text("あいうえおかきく", piece_length=2))
    model = bench.connect(timeout_seconds=0.5)

    async def listen() -> str:
        heard = ""
        async for piece in model.stream(ASK):
            heard += piece
            await asyncio.sleep(0.2)
        return heard

    assert asyncio.run(listen()) == "あいうえおかきく"


def test_a_cancelled_call_is_counted_and_stays_cancelled(bench: Bench) -> None:
    bench.script.replies(Hang())
    model = bench.connect()

    async def cancel_soon() -> None:
        task = asyncio.create_task(model.complete(ASK))
        await asyncio.sleep(0.2)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel_soon())
    assert bench.outcomes == ["cancelled"]


def test_many_calls_run_at_the_same_time(bench: Bench) -> None:
    bench.script.otherwise(Text("はい。"))
    model = bench.connect()

    async def ask_all() -> list[str]:
        return await asyncio.gather(*(model.complete(ASK) for _ in range(20)))

    assert asyncio.run(ask_all()) == ["はい。"] * 20
    assert len(bench.calls) == 20


def test_a_stream_that_fails_before_its_text_is_tried_again(bench: Bench) -> None:
    bench.script.replies(RateLimited(0), ServerError(), Text("はい。"))
    assert "".join(bench.ask(read)) == "はい。"
    assert bench.outcomes == ["rate_limited", "server_error", "ok"]


@given(attempt=st.integers(1, 10_000), chance=st.floats(0, 1))
def test_waits_grow_to_a_bound_and_are_never_negative(attempt: int, chance: float) -> None:
    delay = Pace(chance=lambda: chance).delay(attempt, None)
    assert 0.25 <= delay <= 20.0


@given(told=st.floats(0, 1e6), chance=st.floats(0, 1))
def test_nobody_returns_before_the_moment_they_were_told(told: float, chance: float) -> None:
    assert told <= Pace(chance=lambda: chance).delay(1, told) <= told * 1.1 + 1e-9


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
    ],
)
def test_retry_after_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after_seconds(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=30)
    seconds = retry_after_seconds({"retry-after": format_datetime(later, usegmt=True)})
    assert seconds is not None
    assert 28 <= seconds <= 30
