"""What a cluster must not do: listen everywhere, send secrets around, give up at once."""

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput, ProviderFailed
from sanbo.plans.executors.executors import Executors
from sanbo.plans.workflow import Plans
from sanbo.retrieval.indexing import Outcome
from sanbo.runs.model import FileRef, Status
from sanbo.service import cluster
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.cluster import FILES_AT_ONCE, outcomes_of, portions_of
from sanbo.service.cluster_worker import host_towards
from sanbo.settings import load_settings
from tests.workflows.planning import plan, put_blocks


def test_a_worker_listens_on_the_address_that_its_scheduler_sees() -> None:
    assert host_towards("dask://127.0.0.1:8786") == "127.0.0.1"
    assert host_towards("dask://localhost:8786") in ("127.0.0.1", "::1")


def _file(name: str, number: int = 0) -> FileRef:
    return FileRef(file_id=f"{number:064x}", name=name, media_type="text/plain", size=1)


def test_files_of_one_name_are_indexed_one_after_the_other() -> None:
    files = [_file(f"{number % 7}.md", number) for number in range(14)]
    portions = portions_of(files)
    assert sorted(each.file_id for part in portions for each in part) == sorted(
        each.file_id for each in files
    )
    for name in {each.name for each in files}:
        (of_name,) = [part for part in portions if any(each.name == name for each in part)]
        numbers = [int(each.file_id, 16) for each in of_name if each.name == name]
        assert numbers == sorted(numbers)
    assert all(len(part) <= FILES_AT_ONCE + 1 for part in portions)


def test_what_a_cluster_has_lost_is_sent_again_and_what_is_wrong_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "AGAIN_SECONDS", 0.01)
    done = Outcome(name="a.md", status="added")
    lost = ProviderFailed("cluster_lost", address="x")
    answers: list[Any] = [lost, lost, lost, lost, lost, lost, [done]]

    def send(_: object) -> Future[list[Outcome]]:
        future: Future[list[Outcome]] = Future()
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future

    assert list(outcomes_of([[_file("a.md")]], send, lambda: False)) == [done]
    answers = [InvalidInput("which_collection", names="x")]
    with pytest.raises(InvalidInput):
        list(outcomes_of([[_file("a.md")]], send, lambda: False))
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", -1.0)
    answers = [lost]
    with pytest.raises(ProviderFailed):
        list(outcomes_of([[_file("a.md")]], send, lambda: False))


@pytest.mark.parametrize("is_secret", [True, False])
def test_the_items_of_a_loop_stay_here_where_a_password_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_secret: bool
) -> None:
    text = plan(
        f"""
  - id: ask
    block: ui.interactive_input
    in:
      mode: collect
      message: "？"
      requirements: [{{id: word, type: text, label: word, secret: {str(is_secret).lower()}}}]
  - id: each
    type: loop
    after: [ask]
    foreach: {{input: [1, 2], itemVar: item, max_concurrency: 2}}
    body:
      plan:
        graph: [{{id: one, block: test.work, in: {{value: "${{vars.item}}"}}}}]
        exports: [{{from: one.value, as: value}}]
    out: {{collect: [value]}}
"""
    )
    chosen: set[str] = set()
    run_block = Executors.run

    async def noted(self: Executors, call: Any, *, executor: str = "", **more: Any) -> Any:
        if call.node.endswith("one"):
            chosen.add(executor)
        return await run_block(self, call, executor="threads", **more)  # nothing is sent here

    monkeypatch.setattr(Executors, "run", noted)
    put_blocks(tmp_path)
    settings = load_settings(tmp_path, {"SANBO_RUNS__CLUSTER": "dask://127.0.0.1:9"})

    async def work() -> None:
        async with open_workbench(settings, (Plans(),), takes_up_orphans=False) as bench:
            run = await bench.start(LOCAL, "plan", {"source": {"plan": {"text": text}}})
            await bench.wait(LOCAL, run.run_id)
            await bench.answer(
                LOCAL, run.run_id, {"word": "hush-hush-hush" if is_secret else "said aloud"}
            )
            assert (await bench.wait(LOCAL, run.run_id)).status is Status.SUCCEEDED

    asyncio.run(work())
    assert chosen == {"threads" if is_secret else "dask://127.0.0.1:9"}
