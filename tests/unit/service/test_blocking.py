"""The facade for threads, files in runs, and drafts."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sanbo.kernel.messages import Language, use_language
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import LOCAL, OPERATOR, Caller
from sanbo.service.bootstrap import blocking_workbench
from sanbo.settings import Settings
from tests.patience import PATIENCE_SECONDS
from tests.workflows import WORKFLOWS


def test_threads_start_follow_and_answer_runs_at_the_same_time(settings: Settings) -> None:
    results: list[Status] = []

    with blocking_workbench(settings, WORKFLOWS) as bench:
        work = bench.workbench

        def one_person(number: int) -> None:
            run = bench.call(work.start(LOCAL, "expenses", {"title": f"出張{number}"}))
            for event in bench.each(bench.workbench.follow(LOCAL, run.run_id)):
                if event.payload.event == "interaction_open":
                    bench.call(work.answer(LOCAL, run.run_id, {"approved": True}))
            results.append(bench.call(work.get(LOCAL, run.run_id)).status)

        threads = [threading.Thread(target=one_person, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
    assert results == [Status.SUCCEEDED] * 8


def test_a_problem_reaches_the_thread_in_its_language(settings: Settings) -> None:
    with blocking_workbench(settings, WORKFLOWS) as bench:
        expected: dict[Language, str] = {"ja": "見つかりません", "en": "There is no run"}
        for language, words in expected.items():
            with use_language(language), pytest.raises(NotFound, match=words):
                bench.call(bench.workbench.get(LOCAL, "run_none"))


def test_a_draft_stays_until_it_is_reset_and_is_its_owners_alone(settings: Settings) -> None:
    with blocking_workbench(settings, WORKFLOWS) as bench:
        drafts = bench.workbench.drafts
        key = "plan:invoice::node:collect::v1.0.0"
        assert drafts.load("local", key) is None
        drafts.save("local", key, {"件名": "四月分"})
        drafts.save("local", key, {"件名": "五月分"})
        assert drafts.load("local", key) == {"件名": "五月分"}
        assert drafts.load("other", key) is None
        drafts.reset("local", key)
        assert drafts.load("local", key) is None


def test_a_file_is_its_uploaders_alone(settings: Settings, tmp_path: Path) -> None:
    source = tmp_path / "請求書 四月.csv"
    source.write_bytes("金額\n100\n".encode("cp932"))
    with blocking_workbench(settings, WORKFLOWS) as bench:
        work = bench.workbench
        file = bench.call(work.upload(LOCAL, source, source.name, "text/csv"))
        given: JsonObject = {"title": "x", "attachment": file.model_dump()}
        run = bench.call(work.start(LOCAL, "expenses", given))
        with pytest.raises(NotFound):
            bench.call(work.start(Caller("stranger"), "expenses", given))
        with pytest.raises(NotFound):
            bench.call(work.artifact(LOCAL, run.run_id, file.file_id))
        assert {summary.owner for summary in bench.call(work.list(OPERATOR))} == {"local"}
        assert bench.call(work.list(Caller("stranger"))) == []


def test_a_thread_that_still_follows_is_woken_when_the_workbench_closes(
    settings: Settings,
) -> None:
    ended = threading.Event()
    with blocking_workbench(settings, WORKFLOWS) as bench:
        run = bench.call(bench.workbench.start(LOCAL, "expenses", {"title": "x"}))
        bench.call(bench.workbench.wait(LOCAL, run.run_id))

        def follow() -> None:
            with suppress(BaseException):
                for _ in bench.each(bench.workbench.follow(LOCAL, run.run_id)):
                    pass
            ended.set()

        threading.Thread(target=follow, daemon=True).start()
        time.sleep(0.3)
    assert ended.wait(5)


def test_a_file_that_is_not_as_large_as_is_claimed_is_refused(
    settings: Settings, tmp_path: Path
) -> None:
    source = tmp_path / "large.csv"
    source.write_bytes(b"x" * 1000)
    with blocking_workbench(settings, WORKFLOWS) as bench:
        work = bench.workbench
        file = bench.call(work.upload(LOCAL, source, source.name, "text/csv"))
        forged: JsonObject = {"title": "x", "attachment": {**file.model_dump(), "size": 1}}
        with pytest.raises(NotFound):
            bench.call(work.start(LOCAL, "expenses", forged))
