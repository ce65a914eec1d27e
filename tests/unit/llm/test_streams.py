"""A stream ends with its last word or with a problem, never with a silent short text."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import pytest

from sanbo.kernel.problems import LimitExceeded, ProviderFailed
from tests.scripted_model import Filtered, Text, Truncated
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench

every_provider = pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])


def listen(bench: Bench, provider: Protocol) -> tuple[str, BaseException | None]:
    model = bench.connect(provider)

    async def run() -> tuple[str, BaseException | None]:
        heard = ""
        try:
            async for piece in model.stream(ASK):
                heard += piece
        except ProviderFailed as problem:
            return heard, problem
        except LimitExceeded as problem:
            return heard, problem
        return heard, None

    return asyncio.run(run())


@every_provider
@pytest.mark.parametrize("cut", ["before_end", "connection"])
def test_a_truncated_stream_is_a_problem(bench: Bench, provider: Protocol, cut: Any) -> None:
    bench.script.replies(Truncated("売上は一億", cut), Text("売上は一億円です。"))
    heard, problem = listen(bench, provider)
    assert heard == "売上は一億"
    assert isinstance(problem, ProviderFailed)
    assert problem.problem.text_id == "llm_cut_off"
    assert problem.problem.recoverable
    assert bench.script.remaining == 1  # no second attempt: it would say the beginning twice
    assert bench.outcomes != ["ok"]


@every_provider
def test_a_stream_at_the_length_limit_is_a_problem(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text("売上は一億", finish="length"))
    heard, problem = listen(bench, provider)
    assert heard == "売上は一億"
    assert isinstance(problem, LimitExceeded)
    [call] = bench.calls
    assert (call.outcome, call.output_tokens) == ("RESOURCE_LIMIT", 7)


@every_provider
def test_a_filtered_stream_is_a_problem(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Filtered("売上"))
    _, problem = listen(bench, provider)
    assert isinstance(problem, ProviderFailed)
    assert problem.problem.text_id == "llm_refused"


def test_an_empty_stream_is_tried_again_and_then_a_problem(bench: Bench) -> None:
    bench.script.otherwise(Text(""))
    heard, problem = listen(bench, "openai")
    assert heard == ""
    assert isinstance(problem, ProviderFailed)
    assert problem.problem.text_id == "llm_empty_reply"
    assert len(bench.calls) == 4


def test_a_server_that_does_not_count_tokens_leaves_the_cost_unknown(bench: Bench) -> None:
    bench.script.replies(Text("はい。", counts_tokens=False))
    assert listen(bench, "openai") == ("はい。", None)
    [call] = bench.calls
    assert (call.outcome, call.input_tokens, call.cost_usd) == ("ok", 0, None)


def test_a_reader_who_leaves_early_is_counted(bench: Bench) -> None:
    bench.script.replies(Text("あいうえおかきくけこ", piece_length=1))
    model = bench.connect()

    async def leave() -> None:
        async with aclosing(cast("Any", model.stream(ASK))) as pieces:
            async for _ in pieces:
                return

    asyncio.run(leave())
    assert bench.outcomes == ["cancelled"]
