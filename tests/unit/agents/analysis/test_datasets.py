"""The registry: whose name a table has, what is forgotten, what ends when nobody waits."""

import asyncio
import hashlib
from collections.abc import Generator
from io import BytesIO
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sanbo.agents.analysis import datasets as registry
from sanbo.agents.analysis.datasets import Datasets, Wanted
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.kernel.messages import use_language
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests import kept_processes
from tests.patience import PATIENCE_SECONDS
from tests.unit.agents.analysis.conversation import (
    ANALYSIS,
    SALES,
    ask,
    give,
    on_bench,
    settings_of,
)


@pytest.fixture(scope="module")
def datasets() -> Generator[Datasets]:
    made = Datasets(AnalysisSettings())
    yield made
    made.close()


def load(datasets: Datasets, data: bytes = SALES, name: str = "売上.csv") -> DatasetProfile:
    return datasets.load(Wanted(hashlib.sha256(data).hexdigest(), name), lambda: data)


def test_a_table_has_the_name_that_its_caller_gave_it(datasets: Datasets) -> None:
    load(datasets, name="極秘_合併計画.csv")
    assert load(datasets, name="売上.csv").name == "売上.csv"


def test_parquet_is_read_in_the_sandbox_where_no_thread_can_start(datasets: Datasets) -> None:
    data = BytesIO()
    moments = pa.array([0, 1, 2], pa.timestamp("us", "Asia/Tokyo"))
    columns = {"日時": moments, "店舗": ["甲", "乙", "甲"], "売上": ["1,200", "300", None]}
    words: Any = pa.array(["a", "b", "a"])
    table = pa.table({**columns, "区分": words.dictionary_encode()})
    pq.write_table(table, data, row_group_size=2)
    profile = load(datasets, data.getvalue(), "売上.parquet")
    assert [column.type for column in profile.columns] == ["datetime", "text", "integer", "text"]
    spec = {"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"売上": ["sum"]}}
    done = datasets.execute(profile.dataset_id, [], read_spec(spec))
    assert sorted(map(str, done.outcome.tables[0].rows)) == ["('乙', 300)", "('甲', 1200)"]


def test_warnings_are_in_the_language_of_whoever_asks(datasets: Datasets) -> None:
    odd = b"n,v\n" + b"".join(b"%d,%d\n" % (n, n) for n in range(30)) + b"31,x\n"
    with use_language("ja"):
        japanese = load(datasets, odd).warnings
    with use_language("en"):
        english = load(datasets, odd).warnings
    assert japanese
    assert len(japanese) == len(english)
    assert not set(japanese) & set(english)


def test_no_more_tables_are_held_than_a_process_has_descriptors(
    datasets: Datasets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MOST_HELD", 4)
    open_before = psutil.Process().num_fds()
    profile = load(datasets)
    for number in range(8):
        profile = load(datasets, SALES + f"\n2025-12-31,店{number},家電,1\n".encode())
    assert psutil.Process().num_fds() <= open_before + 4
    count = read_spec({"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {}})
    assert datasets.execute(profile.dataset_id, [], count).outcome.used_rows == 145


def test_a_table_in_use_is_not_forgotten_under_its_id(
    datasets: Datasets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MOST_HELD", 3)
    for data in (SALES, SALES, SALES + b"\n"):
        load(datasets, data)
    profile = load(datasets)
    count = read_spec({"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {}})
    assert datasets.execute(profile.dataset_id, [], count).outcome.used_rows == 144


def test_a_later_turn_reads_its_table_again_when_memory_has_forgotten_it(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        first = await ask(bench, "店舗別の売上合計", await give(bench))
        held = ANALYSIS.datasets(bench.settings.analysis)
        held._held.clear()
        second = await ask(bench, "月別の売上合計", after=first)
        assert second.status is Status.SUCCEEDED
        stranger = await bench.start(
            LOCAL, "analysis", {"question": "店舗別の売上合計"}, language="ja"
        )
        assert not bench._files.belongs(stranger.run_id, hashlib.sha256(SALES).hexdigest())

    on_bench(settings_of(tmp_path), work)


def test_the_process_that_computes_ends_with_the_registry() -> None:
    with kept_processes.as_shipped():
        made = Datasets(AnalysisSettings())
        assert load(made).rows == 144
        zygote = psutil.Process(made.sandbox.pid)
        made.close()
    assert psutil.wait_procs([zygote], timeout=PATIENCE_SECONDS)[1] == []


def test_a_caller_that_gives_up_ends_the_action(datasets: Datasets) -> None:
    rows = "".join(f"2025-01-01,店{n % 50},{n}\n" for n in range(600_000))
    data = f"日付,店舗,売上\n{rows}".encode()

    def at_work() -> list[psutil.Process]:
        # Of sandboxes alone: a process that runs tests has other children too.
        zygotes = [
            child
            for child in psutil.Process().children()
            if any("sandbox.zygote" in word for word in child.cmdline())
        ]
        return [
            child
            for zygote in zygotes
            for child in zygote.children()
            if child.status() != psutil.STATUS_ZOMBIE
        ]

    async def work() -> None:
        _ = datasets.sandbox.level
        read = asyncio.ensure_future(
            datasets.load_apart(Wanted("0" * 64, "大.csv"), lambda: asyncio.sleep(0, data))
        )
        while not at_work():
            await asyncio.sleep(0.02)
        read.cancel()
        with pytest.raises(asyncio.CancelledError):
            await read
        while at_work():
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    assert load(datasets).rows == 144
