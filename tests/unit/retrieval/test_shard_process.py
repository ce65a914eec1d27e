"""The index beside a server: what a killed process means for those who use it."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import Conflict, SanboError
from sanbo.retrieval.engines import embedded
from sanbo.retrieval.engines.embedded import EmbeddedEngine, Shards
from sanbo.retrieval.model import Filter
from tests.patience import PATIENCE_SECONDS
from tests.unit.retrieval.one_chunk import CHUNK


@pytest.fixture
def shards() -> Iterator[Shards]:
    made = Shards()
    embedded.provide(made)
    yield made
    embedded.withdraw()
    made.close()


def kill(shards: Shards) -> None:
    process = shards.process()
    os.kill(process.pid, signal.SIGKILL)
    while process.is_running:
        time.sleep(0.01)


def test_nothing_of_the_library_is_loaded_in_a_server(tmp_path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from sanbo.retrieval.engines import embedded
        from sanbo.retrieval.engines.embedded import EmbeddedEngine
        from sanbo.retrieval.model import Filter
        from tests.unit.retrieval.one_chunk import CHUNK

        shards = embedded.Shards()
        embedded.provide(shards)
        engine = EmbeddedEngine(Path(sys.argv[1]))
        engine.add([CHUNK])
        assert engine.search("検収", 3, Filter())
        assert "qdrant_edge" not in sys.modules
        engine.close()
        shards.close()
    """
    root = Path(__file__).parents[3]
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "shop")],
        check=True,
        timeout=120,
        cwd=root,
    )


def test_who_stops_all_processes_at_once_leaves_the_end_to_the_server(
    shards: Shards, tmp_path: Path
) -> None:
    engine = EmbeddedEngine(tmp_path / "shop")
    engine.add([CHUNK])
    os.kill(shards.process().pid, signal.SIGTERM)
    engine.flush()
    assert len(engine.search("検収", 3, Filter())) == 1


def test_a_collection_is_dropped_though_the_process_was_killed(
    shards: Shards, tmp_path: Path
) -> None:
    engine = EmbeddedEngine(tmp_path / "shop")
    engine.add([CHUNK])
    kill(shards)
    engine.drop()
    assert not engine.is_there()


def test_searching_goes_on_after_the_process_was_killed(shards: Shards, tmp_path: Path) -> None:
    engine = EmbeddedEngine(tmp_path / "shop")
    engine.add([CHUNK])
    engine.flush()
    kill(shards)
    assert [found.chunk.document_id for found in engine.search("検収", 3, Filter())] == ["d1"]


def test_what_was_added_and_not_flushed_before_it_was_killed_is_told(
    shards: Shards, tmp_path: Path
) -> None:
    engine = EmbeddedEngine(tmp_path / "shop", name="規程")
    engine.add([CHUNK])
    kill(shards)
    with use_language("ja"), pytest.raises(SanboError) as told:
        engine.flush()
    assert told.value.problem.text_id == "collection_process_ended"
    assert "「規程」" in told.value.problem.message
    engine.add([CHUNK])  # whoever tries again begins anew
    engine.flush()
    assert len(engine.search("検収", 3, Filter())) == 1


def test_a_problem_there_is_the_same_problem_here(shards: Shards, tmp_path: Path) -> None:
    holder = EmbeddedEngine(tmp_path / "shop", timeout_seconds=5)
    holder.add([CHUNK])
    embedded.withdraw()
    here = EmbeddedEngine(tmp_path / "shop", name="規程", timeout_seconds=5)
    # pyrefly: ignore[missing-attribute]
    with here._shard._turns.mine(5):
        embedded.provide(shards)
        waiting = EmbeddedEngine(tmp_path / "shop", name="規程", timeout_seconds=0.2)
        with use_language("ja"), pytest.raises(Conflict) as told:
            waiting.search("検収", 3, Filter())
    assert told.value.problem.text_id == "collection_busy"
    assert "規程" in told.value.problem.message
    here.close()


def test_it_ends_with_a_server_that_was_killed(tmp_path: Path) -> None:
    code = """
        import sys, time
        from pathlib import Path
        from sanbo.retrieval.engines import embedded
        from sanbo.retrieval.engines.embedded import EmbeddedEngine
        from tests.unit.retrieval.one_chunk import CHUNK

        shards = embedded.Shards()
        embedded.provide(shards)
        engine = EmbeddedEngine(Path(sys.argv[1]))
        engine.add([CHUNK])
        print(shards.process().pid, flush=True)
        time.sleep(60)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "shop")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as server:
        assert server.stdout is not None
        beside = psutil.Process(int(server.stdout.readline()))
        server.kill()
        beside.wait(PATIENCE_SECONDS)
    engine = EmbeddedEngine(tmp_path / "shop")
    assert len(engine.search("検収", 3, Filter())) == 1  # it closed what it had open
    engine.close()
