"""GRACE for front ends, on both databases: verdicts, sources, calibration, and whose they are."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from sanbo.agents.grace.calibration.records import Cutoffs, Verdict
from sanbo.agents.grace.confidence.model import FITTED
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied
from sanbo.runs.model import Run, Status
from sanbo.service import calibration
from sanbo.service.access import LOCAL, OPERATOR, Caller
from sanbo.service.bootstrap import open_workbench
from sanbo.service.catalog import GRACE
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.workflows import WORKFLOWS
from tests.workflows.answers import QUOTE, Answers

AOKI, BABA = Caller("aoki"), Caller("baba")
EVERYTHING = (Answers(), *WORKFLOWS)


async def ask(bench: Workbench, caller: Caller, score: float = 0.95, **given: str | bool) -> Run:
    started = await bench.start(caller, GRACE, {"score": score, **given})
    run = await bench.wait(caller, started.run_id)
    assert run.status is Status.SUCCEEDED, run.problem
    return run


def test_verdicts_belong_to_runs_and_are_their_owners_alone(
    tmp_path: Path, new_environment: Callable[[], dict[str, str]]
) -> None:
    settings = load_settings(tmp_path / "workspace", new_environment())

    async def work() -> None:
        async with open_workbench(settings, EVERYTHING) as bench:
            run = await ask(bench, AOKI)
            assert await calibration.feedback_of(bench, AOKI, run.run_id) is None
            heard = await calibration.give_feedback(
                bench, AOKI, run.run_id, "bad", "金額が違います"
            )
            assert (heard.before.silent, heard.after.silent) == (0.9, 0.91)
            kept = await calibration.feedback_of(bench, AOKI, run.run_id)
            assert kept == heard.feedback
            assert kept is not None
            assert (kept.actor, kept.level, kept.score) == ("aoki", "silent", 0.95)
            assert await calibration.feedback_of(bench, OPERATOR, run.run_id) == kept

            for look in (
                calibration.feedback_of(bench, BABA, run.run_id),
                calibration.give_feedback(bench, BABA, run.run_id, "good"),
                calibration.withdraw_feedback(bench, BABA, run.run_id),
                calibration.source_place(bench, BABA, run.run_id, 1),
            ):
                with pytest.raises(NotFound):
                    await look

            # In the report everybody counts, and nobody else is named.
            for caller, actor, run_id in ((AOKI, "aoki", run.run_id), (BABA, "", "")):
                report = await calibration.calibration(bench, caller)
                assert (report.labels.good, report.labels.bad) == (0, 1)
                (change,) = report.history
                assert (change.actor, change.run_id) == (actor, run_id)
                assert (change.before.silent, change.after.silent) == (0.9, 0.91)
                assert "評価されました" in change.told

            await bench.delete(AOKI, run.run_id)
            assert (await calibration.calibration(bench, LOCAL)).labels.bad == 0

    asyncio.run(work())


def test_only_an_answer_can_be_judged(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "workspace", {})

    async def work() -> None:
        async with open_workbench(settings, EVERYTHING) as bench:
            waiting = await bench.start(LOCAL, GRACE, {"asks": True})
            await bench.wait(LOCAL, waiting.run_id)
            with pytest.raises(Conflict):
                await calibration.give_feedback(bench, LOCAL, waiting.run_id, "good")
            other = await bench.start(LOCAL, "approval", {"topic": "備品"})
            with pytest.raises(NotFound):
                await calibration.give_feedback(bench, LOCAL, other.run_id, "good")
            run = await ask(bench, LOCAL)
            with pytest.raises(NotFound):
                await calibration.withdraw_feedback(bench, LOCAL, run.run_id)

    asyncio.run(work())


def test_a_source_is_shown_where_it_stands_or_alone_with_the_reason(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "workspace", {})
    source = tmp_path / "在宅勤務規程.txt"
    source.write_text(f"{QUOTE}\n\n第4条 申請は、前月の20日までに行う。\n", "utf-8")

    async def work() -> None:
        async with open_workbench(settings, EVERYTHING) as bench:
            list(bench.collections.index_paths("規程", [source]))
            document = bench.collections.documents("規程")[0].document_id
            run = await ask(bench, LOCAL, document_id=document)
            place = await calibration.source_place(bench, LOCAL, run.run_id, 1)
            assert place.text[place.start : place.end] == QUOTE
            assert "第4条" in place.text + place.after
            with pytest.raises(NotFound):
                await calibration.source_place(bench, LOCAL, run.run_id, 2)
            for kind in ("web", "person"):
                run = await ask(bench, LOCAL, kind=kind)
                place = await calibration.source_place(bench, LOCAL, run.run_id, 1)
                assert place.text == QUOTE
                assert place.problem is not None
                assert place.problem.text_id == f"grace_source_of_{kind}"

    asyncio.run(work())


def test_other_thresholds_are_tried_on_the_callers_own_questions(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "workspace", {})
    verdicts: dict[float, Verdict | None] = {0.95: "good", 0.85: "bad", 0.5: None, 0.2: "good"}

    async def work() -> None:
        async with open_workbench(settings, EVERYTHING) as bench:
            await ask(bench, BABA, question="他人の質問")
            for score, verdict in verdicts.items():
                run = await ask(bench, AOKI, score, question=f"質問{score}", found=score > 0.4)
                if verdict is not None:
                    await calibration.give_feedback(bench, AOKI, run.run_id, verdict)
            waiting = await bench.start(AOKI, GRACE, {"asks": True})
            await bench.wait(AOKI, waiting.run_id)

            tried = Cutoffs(silent=0.8, notify=0.6, confirm=0.1)
            told = await calibration.what_if(bench, AOKI, tried)
            assert [each.question for each in told.questions] == [
                f"質問{score}" for score in reversed(verdicts)
            ]
            assert [each.level_then for each in told.questions] == [
                "escalate",
                "confirm",
                "notify",
                "silent",
            ]
            counts = {each.level: each for each in told.levels}
            assert (counts["silent"].then, counts["silent"].now) == (1, 2)
            assert (counts["silent"].right, counts["silent"].wrong) == (1, 1)
            # A verdict on "not found" says nothing of the answer that was not given.
            assert (counts["confirm"].now, counts["confirm"].right) == (2, 0)
            assert told.changed == 2
            assert told.file == "config/grace_config.yml"
            assert told.lines == "thresholds:\n  silent: 0.8\n  notify: 0.6\n  confirm: 0.1\n"
            assert len((await calibration.what_if(bench, OPERATOR, tried)).questions) == 5
            with pytest.raises(InvalidInput):
                await calibration.what_if(bench, AOKI, Cutoffs(silent=0.5, notify=0.6, confirm=0.1))

    asyncio.run(work())


def test_the_lines_of_a_trial_make_its_thresholds_hold(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"

    async def work(lines: str) -> str:
        async with open_workbench(load_settings(workspace, {}), EVERYTHING) as bench:
            if not lines:
                run = await ask(bench, LOCAL)
                await calibration.give_feedback(bench, LOCAL, run.run_id, "bad")
                tried = Cutoffs(silent=0.93, notify=0.7, confirm=0.4)
                return (await calibration.what_if(bench, LOCAL, tried)).lines
            assert (await calibration.calibration(bench, LOCAL)).thresholds.silent == 0.93
            return ""

    lines = asyncio.run(work(""))
    (workspace / "config").mkdir()
    (workspace / "config" / "grace_config.yml").write_text(lines, "utf-8")
    asyncio.run(work(lines))


def test_the_person_at_the_machine_fits_and_goes_back_and_no_token_does(tmp_path: Path) -> None:
    environment = {"GRACE_REFIT_LABELS": "20", "GRACE_ADJUST_THRESHOLDS": "false"}
    settings = load_settings(tmp_path / "workspace", environment)

    async def work() -> None:
        async with open_workbench(settings, EVERYTHING) as bench:
            before = await calibration.calibration(bench, LOCAL)
            assert before.version == FITTED.version
            assert [each.how for each in before.versions] == [None]
            assert not before.can_fit
            assert "まだありません" in before.warnings[0]
            for number in range(20):
                run = await ask(bench, AOKI, 0.8 + number / 100)
                await calibration.give_feedback(
                    bench, AOKI, run.run_id, "bad" if number % 3 else "good"
                )
            judged = await calibration.calibration(bench, AOKI)
            assert judged.can_fit
            assert not judged.may_change
            assert (judged.labels.good, judged.labels.bad, judged.labels.needed) == (7, 13, 20)
            assert sum(each.answers for each in judged.reliability) == 20
            assert judged.coverage[0].coverage == 1
            assert judged.figures.ece is not None
            assert judged.figures.auroc is not None
            assert judged.silent_wrong_at_worst is not None
            assert judged.silent_wrong_at_worst > 0.5
            assert "20件しか" in judged.warnings[0]

            for change in (
                calibration.fit(bench, AOKI, "logistic"),
                calibration.use(bench, AOKI, FITTED.version),
            ):
                with pytest.raises(PermissionDenied):
                    await change
            fitted = await calibration.fit(bench, LOCAL, "isotonic", "月次の見直し")
            newest = fitted.versions[0]
            assert newest.in_use
            assert fitted.version == newest.version
            assert (newest.how, newest.labels, newest.reason) == ("isotonic", 20, "月次の見直し")
            assert newest.after is not None
            seen = (await calibration.calibration(bench, AOKI)).versions[0]
            assert (seen.version, seen.actor, seen.reason) == (newest.version, "", "")
            assert fitted.figures.ece is not None
            assert fitted.figures.ece < judged.figures.ece
            assert any("合わせて作られて" in warning for warning in fitted.warnings)
            with use_language("en"):
                back = await calibration.use(bench, OPERATOR, FITTED.version)
            assert back.version == FITTED.version
            assert [each.in_use for each in back.versions] == [False, True]
            assert "rough" in back.warnings[0]
            again = await calibration.use(bench, LOCAL, newest.version)
            assert again.versions[0].in_use

    asyncio.run(work())
