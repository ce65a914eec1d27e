"""Tokens and dollars, per call and per run."""

from typing import Any

import pytest

from sanbo.llm.engine import Call, Engine, Tariff, Usage
from sanbo.llm.vendor import Price
from sanbo.llm.vendors import VENDORS
from tests.scripted_model import RateLimited, Text
from tests.unit.llm.conftest import ASK, Bench


def call(**values: Any) -> Call:
    usual = {
        "provider": "openai",
        "model": "gpt-4o",
        "purpose": "",
        "outcome": "ok",
        "input_tokens": 100,
        "output_tokens": 10,
        "cost_usd": 0.25,
        "duration_ms": 5,
    }
    return Call.model_validate({**usual, **values})


def test_usage_adds_up_calls_tokens_and_cost() -> None:
    usage = Usage.of([call(), call(cost_usd=0.5, input_tokens=1)])
    assert usage == Usage(calls=2, input_tokens=101, output_tokens=20, cost_usd=0.75)
    assert usage.plus(Usage()) == usage
    assert usage.plus(usage).cost_usd == 1.5


def test_nothing_costs_nothing() -> None:
    assert Usage.of([]) == Usage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0.0)


def test_one_unknown_price_makes_the_total_unknown() -> None:
    usage = Usage.of([call(), call(cost_usd=None)])
    assert usage.cost_usd is None
    assert Usage.of([call()]).plus(usage).cost_usd is None
    assert usage.plus(Usage.of([call()])).cost_usd is None


@pytest.mark.parametrize(
    ("engine", "served", "cost"),
    [
        (Engine(provider="openai", model="gpt-4o"), None, 2.50 + 5.00),
        (Engine(provider="openai", model="gpt-4o-2024-08-06"), None, 2.50 + 5.00),
        (Engine(provider="google_genai", model="models/gemini-2.5-flash-001"), None, 0.30 + 1.25),
        (Engine(provider="azure_openai", model="keiri", base_url_host="h"), "gpt-4o-mini", 0.45),
        (Engine(provider="azure_openai", model="keiri", base_url_host="h"), None, None),
        (Engine(provider="openai", model="gpt-4o", base_url_host="127.0.0.1:1"), "gpt-4o", None),
        (Engine(provider="openai", model="gpt-99"), "gpt-99", None),
        (Engine(provider="openai", model="own", base_url_host="h"), None, 3.0),
    ],
)
def test_a_call_costs_what_its_model_is_listed_at(
    engine: Engine, served: str | None, cost: float | None
) -> None:
    tariff = Tariff(engine, {"own": Price(input=1, output=4)})
    found = tariff.cost(served, 1_000_000, 500_000)
    assert found == (None if cost is None else pytest.approx(cost))


def test_settings_override_the_list() -> None:
    tariff = Tariff(Engine(provider="openai", model="gpt-4o"), {"gpt-4o": Price(input=0, output=0)})
    assert tariff.cost(None, 1000, 1000) == 0.0


def test_default_models_have_a_price() -> None:
    defaults = [vendor for vendor in VENDORS.values() if vendor.default_model]
    assert all(vendor.default_model in vendor.prices for vendor in defaults)


def test_a_run_is_priced_from_what_the_provider_counted(bench: Bench) -> None:
    bench.script.replies(RateLimited(0), Text("はい。", input_tokens=2000, output_tokens=500))
    model = bench.connect(prices={"scripted-1": {"input": 2, "output": 8}})
    bench.ask(lambda m: m.complete(ASK), model)
    assert [each.cost_usd for each in bench.calls] == [0.0, pytest.approx(0.008)]
    assert Usage.of(bench.calls).cost_usd == pytest.approx(0.008)


def test_a_local_server_without_a_price_costs_an_unknown_amount(bench: Bench) -> None:
    bench.script.replies(RateLimited(0), Text("はい。"))
    bench.ask(lambda m: m.complete(ASK))
    assert [each.cost_usd for each in bench.calls] == [0.0, None]
