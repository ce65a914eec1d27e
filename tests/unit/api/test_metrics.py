"""`/metrics`: what Prometheus reads of a server, and who may."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from sanbo.kernel.metrics import Counter, Histogram
from sanbo.llm.engine import Call
from sanbo.runs import writer
from sanbo.service import health
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_problems import check
from tests.unit.api.test_storage import database_of, locked

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(text: str) -> Values:
    families: Iterator[Any] = iter(text_string_to_metric_families(text))
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def scrape(client: httpx.Client) -> Callable[..., float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = parsed(answer.text)

    def value(name: str, **labels: str) -> float:
        return values.get((name, frozenset(labels.items())), 0.0)

    return value


@pytest.fixture
def watched(local: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(health, "COUNTED_SECONDS", -1)
    return local


def test_runs_are_counted_as_they_start_advance_and_end(watched: Server) -> None:
    with watched.client() as client:
        before = scrape(client)
        settled(client, start(client, "ledger", entries=5)["run_id"])
        waiting = settled(client, start(client, "expenses", title="出張")["run_id"])
        after = scrape(client)
        client.delete(f"/api/v1/runs/{waiting['run_id']}")

    def more(name: str, **labels: str) -> float:
        return after(name, **labels) - before(name, **labels)

    assert more("sanbo_runs_started_total", workflow="ledger") == 1
    assert more("sanbo_runs_ended_total", workflow="ledger", status="succeeded") == 1
    assert more("sanbo_runs", status="waiting") == 1
    assert more("sanbo_segments_total", outcome="done") >= 1
    # A start and an end for each of five steps, and the run's own end.
    assert more("sanbo_journal_events_total") >= 11
    appends = more("sanbo_journal_append_seconds_count")
    assert appends == more("sanbo_journal_append_seconds_bucket", le="+Inf") > 0
    assert more("sanbo_journal_append_seconds_sum") > 0
    assert after("sanbo_storage_up", part="database") == 1


def test_calls_to_models_are_counted_with_their_tokens_errors_and_cost(watched: Server) -> None:
    call = Call(
        provider="test",
        model='quoted "model"\\',
        purpose="ask",
        outcome="ok",
        input_tokens=100,
        output_tokens=20,
        cost_usd=0.5,
        duration_ms=700,
    )
    writer.count_call(call)
    writer.count_call(call.model_copy(update={"outcome": "rate_limited", "cost_usd": None}))
    named = {"provider": "test", "model": call.model}
    with watched.client() as client:
        value = scrape(client)
    assert value("sanbo_model_calls_total", outcome="ok", **named) == 1
    assert value("sanbo_model_calls_total", outcome="rate_limited", **named) == 1
    assert value("sanbo_model_tokens_total", kind="input", **named) == 200
    assert value("sanbo_model_tokens_total", kind="output", **named) == 40
    assert value("sanbo_model_cost_usd_total", **named) == 0.5


def test_a_scrape_reads_no_event_and_looks_at_runs_once_in_a_while(
    local: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy import event  # noqa: PLC0415

    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: object) -> None:
        asked.append(statement)

    monkeypatch.setattr(health, "FRESH_SECONDS", 60)
    engine = database_of(local).engine
    with local.client() as client:
        scrape(client)
        event.listen(engine, "before_cursor_execute", note)
        try:
            for _ in range(20):
                scrape(client)
        finally:
            event.remove(engine, "before_cursor_execute", note)
    assert not [each for each in asked if "FROM events" in each]
    assert len([each for each in asked if "GROUP BY runs.status" in each]) <= 1


def test_what_was_counted_is_told_while_the_database_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sanbo.storage.database.BUSY_SECONDS", 0.05)
    monkeypatch.setattr(health, "FRESH_SECONDS", 0)
    with (
        serving(tmp_path / "workspace", requires_token=False) as server,
        server.client() as client,
        locked(server),
    ):
        value = scrape(client)
    assert value("sanbo_storage_up", part="database") == 0
    assert value("sanbo_storage_up", part="blobs") == 1


def test_who_bears_a_token_needs_the_role_of_an_operator(guarded: Server) -> None:
    token = guarded.workbench.access.create_token("prometheus", ["operator"])
    with guarded.client("aoki") as client:
        problem = check(client.get("/metrics"), 403, "PERMISSION_DENIED")
        assert "--role operator" in problem["hint"]
        check(httpx.get(f"{guarded.url}/metrics"), 401, "PERMISSION_DENIED")
        bearer = {"Authorization": f"Bearer {token}"}
        assert "sanbo_runs" in client.get("/metrics", headers=bearer).text


@pytest.mark.parametrize(("allowed", "status"), [("everyone", 200), ("off", 404)])
def test_the_settings_say_who_may_read_them(
    guarded: Server, allowed: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = guarded.workbench.settings
    server = settings.server.model_copy(update={"metrics": allowed})
    place = guarded.workbench._place
    monkeypatch.setattr(place, "settings", settings.model_copy(update={"server": server}))
    with guarded.client("" if allowed == "everyone" else "aoki") as client:
        assert client.get("/metrics").status_code == status


def test_a_histogram_counts_up_to_each_bound() -> None:
    times = Histogram("test_seconds", "For this test.", (0.1, 1))
    for seconds in (0.05, 0.1, 0.5, 3):
        times.observe(seconds)
    values = parsed("\n".join(times.lines()) + "\n")
    buckets = {
        dict(labels)["le"]: value
        for (name, labels), value in values.items()
        if name == "test_seconds_bucket"
    }
    assert buckets == {"0.1": 2, "1": 3, "+Inf": 4}
    assert values[("test_seconds_sum", frozenset())] == pytest.approx(3.65)


def test_a_counter_that_nobody_has_counted_is_zero() -> None:
    assert parsed("\n".join(Counter("test_total", "For this test.").lines()) + "\n") == {
        ("test_total", frozenset()): 0
    }


def test_the_dashboard_asks_for_what_the_server_tells(watched: Server) -> None:
    dashboard = json.loads(Path("docs/operations/grafana.json").read_text("utf-8"))
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\bsanbo_\w+", target["expr"])
    }
    with watched.client() as client:
        told = set(re.findall(r"^# TYPE (\S+)", client.get("/metrics").text, re.MULTILINE))
    assert len(asked) > 10
    assert {name.removesuffix("_bucket") for name in asked} <= told
