"""Several workbenches whose files are in one bucket."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import pytest

from sanbo.kernel.problems import NotFound, StorageUnavailable
from sanbo.runs.model import Run, Status
from sanbo.service import deletion, doctor, health
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from sanbo.storage import object_blobs
from tests.s3_server import BUCKET, S3Server, s3_address, s3_server
from tests.unit.api.workflows import WORKFLOWS


@pytest.fixture(scope="module")
def s3_process() -> Generator[str]:
    with s3_address() as url:
        yield url


@pytest.fixture
def s3(s3_process: str, monkeypatch: pytest.MonkeyPatch) -> Generator[S3Server]:
    with s3_server(s3_process, monkeypatch) as server:
        yield server


def _settings(workspace: Path, database: str = "", prefix: str = "files") -> Settings:
    environment = {
        "SANBO_LLM__PROVIDER": "rules",
        "SANBO_STORAGE__BLOBS": f"s3://{BUCKET}/{prefix}",
        "SANBO_DATABASE_URL": database,
    }
    return load_settings(workspace, environment)


async def _finished(bench: Workbench, text: str) -> Run:
    started = await bench.start(LOCAL, "papers", {"text": text})
    run = await bench.wait(LOCAL, started.run_id)
    assert run.status is Status.SUCCEEDED, run.problem
    return run


def test_servers_on_two_machines_share_files_through_one_bucket(
    s3: S3Server, tmp_path: Path, postgres: str
) -> None:
    async def work() -> None:
        async with (
            open_workbench(_settings(tmp_path / "a", postgres), WORKFLOWS) as here,
            open_workbench(_settings(tmp_path / "b", postgres), WORKFLOWS) as there,
        ):
            run = await _finished(here, "報告")
            again = await _finished(there, "報告")
            [artifact] = run.artifacts
            stored = await there.artifact_bytes(LOCAL, run.run_id, artifact.artifact_id)
            assert stored == "報告".encode()
            assert len(s3.stored()) == 1
            await there.delete(LOCAL, run.run_id)
            assert len(s3.stored()) == 1  # the other run has the same
            found = await deletion.prunable(here, LOCAL, file_days=1)
            assert found.files == 0
            await here.delete_files(LOCAL, again.run_id)
            assert s3.stored() == []
            with pytest.raises(NotFound):
                await there.artifact(LOCAL, run.run_id, artifact.artifact_id)

    asyncio.run(work())


def test_workbenches_with_prefixes_of_their_own_do_not_touch_each_others_files(
    s3: S3Server, tmp_path: Path
) -> None:
    async def work() -> None:
        async with (
            open_workbench(_settings(tmp_path / "a", prefix="a"), WORKFLOWS) as first,
            open_workbench(_settings(tmp_path / "b", prefix="b"), WORKFLOWS) as second,
        ):
            theirs = await _finished(first, "同じ中身")
            ours = await _finished(second, "同じ中身")
            await first.delete(LOCAL, theirs.run_id)
            assert {key[0] for key in s3.stored()} == {"b"}
            [artifact] = ours.artifacts
            assert await second.artifact_bytes(LOCAL, ours.run_id, artifact.artifact_id)

    asyncio.run(work())


def test_a_bucket_that_is_gone_is_told_by_readiness_and_by_the_next_start(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "FRESH_SECONDS", 0)
    monkeypatch.setattr(object_blobs, "RETRIES", 0)

    async def work() -> None:
        async with open_workbench(_settings(tmp_path / "a"), WORKFLOWS) as bench:
            assert (await bench.storage.look()).failures == {}
            s3.client.delete_bucket(Bucket=BUCKET)
            failures = (await bench.storage.look()).failures
            assert list(failures) == ["blobs"]
            assert failures["blobs"].problem.text_id == "blobs_place_missing"

    asyncio.run(work())

    async def start_again() -> None:
        async with open_workbench(_settings(tmp_path / "a"), WORKFLOWS):
            pass

    with pytest.raises(StorageUnavailable):
        asyncio.run(start_again())
    found = doctor._blobs(_settings(tmp_path / "a"))
    assert (found.level, found.hint != "") == ("broken", True)
