"""With `analysis.persist` off no cell of a table outlives the process, nor is a row sent away."""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from sanbo.cli.problems import keep_log
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.reports import report_of
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from sanbo.storage.database import open_database
from sanbo.storage.tables import sealed
from tests.scripted_model import ScriptedModel
from tests.unit.agents.analysis.conversation import (
    ANALYSIS,
    AnotherAnalysis,
    ask,
    give,
    on_bench,
    ops_of,
    result_of,
    settings_of,
    with_model,
)
from tests.unit.agents.analysis.test_paths import GROUPED, say, specs

SHOPS = ("玻璃堂", "琥珀屋", "珊瑚庵 ", "瑪瑙軒", "翡翠亭")
PEOPLE = tuple(f"甲斐{chr(0x30A1 + number)}号" for number in range(40))
AMOUNTS = tuple(7_310_000 + 1_237 * number for number in range(40))
TABLE = "売上一覧（単位：円）\n担当者,店舗,売上,訪問日\n" + "".join(
    f"{person},{SHOPS[number % 5]},{amount},2025-{number % 12 + 1:02d}-17\n"
    for number, (person, amount) in enumerate(zip(PEOPLE, AMOUNTS, strict=True))
)
TOTALS = tuple(sum(AMOUNTS[first::5]) for first in range(5))
MARKS = (*(shop.strip() for shop in SHOPS), *PEOPLE)
FIGURES = (*AMOUNTS, *TOTALS, sum(AMOUNTS))


def _written(number: int) -> tuple[str, str, str]:
    """7310000, 7,310,000, 731.0"""
    return str(number), f"{number:,}", f"{number / 10_000:.1f}"


def _found(data: bytes, marks: tuple[str, ...] = MARKS) -> set[str]:
    """Also where JSON or another encoding has written it otherwise."""
    figures = tuple(each for number in FIGURES for each in _written(number))
    return {
        mark
        for mark in (*marks, *figures)
        if any(
            form in data
            for form in (
                mark.encode(),
                mark.encode("utf-16-le"),
                mark.encode("cp932", "ignore") if not mark.isascii() else mark.encode(),
                json.dumps(mark)[1:-1].encode(),
            )
            if form
        )
    }


def _left_behind(*folders: Path) -> dict[str, set[str]]:
    """By file, the cells in it."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert any(path.name.startswith("sanbo.db") for path in files), files
    return {str(path): found for path in files if (found := _found(path.read_bytes()))}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of the workspace, of temporary files and of all else that a program may write."""
    for name in ("workspace", "tmp", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    keep_log(tmp_path / "workspace")
    return tmp_path


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


QUESTIONS = (
    "店舗別の売上合計を多い順に",
    "棒グラフにして",
    "売上が大きい順に上位3行を表示",
    "翡翠の売上",  # asks back, with values of the table to choose from
    "明日の天気は？",
)


async def _conversation(bench: Workbench) -> list[Run]:
    file = await give(bench, TABLE.encode("cp932"), "担当者別.csv")
    runs = [await ask(bench, QUESTIONS[0], file)]
    for question in QUESTIONS[1:]:
        runs.append(await ask(bench, question, after=runs[0]))
    spec: JsonObject = {
        "op": "groupby_agg",
        "group_cols": ["店舗"],
        "filters": [{"col": "店舗", "op": "!=", "value": "翡翠亭"}],
    }
    runs.append(await ask(bench, "店舗別", after=runs[0], specs=[spec]))
    unread = await give(bench, f"PK\x03\x04{MARKS[0]}".encode(), "x.xlsx")
    given: JsonObject = {
        "question": "店舗別",
        "file": unread.model_dump(mode="json"),
        "specs": [spec],
    }
    run = await bench.start(LOCAL, "analysis", given, language="ja")
    for _ in range(2):
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.FAILED
        run = await bench.resume(LOCAL, run.run_id)
    await bench.wait(LOCAL, run.run_id)
    for form in ("docx", "xlsx", "html", "md"):
        made = await report_of(bench, LOCAL, runs[1].run_id, form)
        assert _found(made.data) or form in ("docx", "xlsx")  # there they are compressed
    return runs


def test_no_cell_is_in_any_file_after_a_conversation_by_rules(home: Path) -> None:
    settings = settings_of(home / "workspace")
    assert not settings.analysis.persist
    runs = on_bench(settings, _conversation)
    assert _found(json.dumps([run.result for run in runs], ensure_ascii=False).encode())
    assert _left_behind(home) == {}
    _still_known(settings, runs)


def _still_known(settings: Settings, runs: list[Run]) -> None:
    """What is kept: the question, steps, operations; and that there was a result."""

    async def look(bench: Workbench) -> list[tuple[Run, str]]:
        found: list[tuple[Run, str]] = []
        for run in runs:
            again = await bench.get(LOCAL, run.run_id)
            parts = await bench.parts(LOCAL, run.run_id, "ja")
            found.append((again, "".join(part.model_dump_json() for part in parts)))
            for artifact in again.artifacts:
                with pytest.raises(NotFound):
                    await bench.artifact(LOCAL, run.run_id, artifact.artifact_id)
        return found

    for run, (again, shown) in zip(runs, on_bench(settings, look), strict=True):
        assert (again.title, again.status, len(again.steps)) == (
            run.title,
            run.status,
            len(run.steps),
        )
        assert again.usage == run.usage
        assert "保存していません" in shown
        assert not _found(shown.encode())
        kept = result_of(again)
        whole = result_of(run)
        assert kept["kind"] == whole["kind"]
        assert [spec.get("op") for spec in kept["specs"]] == [
            spec.get("op") for spec in whole["specs"]
        ]


def test_no_cell_is_in_any_file_and_no_row_is_sent_with_a_model(
    home: Path, model: ScriptedModel
) -> None:
    async def work(bench: Workbench) -> list[Run]:
        file = await give(bench, TABLE.encode(), "担当者別.csv")
        model.replies(specs({"op": "top_rows", "by": ["売上"], "n": 3}))
        first = await ask(bench, "担当者を売上の多い順に3人", file)
        model.replies(specs(GROUPED))
        second = await ask(bench, "今度は店舗ごとの合計", after=first)
        model.replies(say("ask", question="どの期間ですか？", choices=[]))
        third = await ask(bench, "先月は？", after=first)
        return [first, second, third]

    settings = with_model(home / "workspace", model)
    runs = on_bench(settings, work)
    assert _found(json.dumps([run.result for run in runs], ensure_ascii=False).encode())
    assert _left_behind(home) == {}
    assert len(model.requests) >= 3
    aggregates = (*TOTALS, sum(AMOUNTS), min(AMOUNTS), max(AMOUNTS))
    aggregated = {each for total in aggregates for each in _written(total)}
    for request in model.requests:
        sent = _found(json.dumps(request.body, ensure_ascii=False).encode(), PEOPLE)
        assert sent <= aggregated


def test_with_persist_on_the_same_conversation_is_kept(home: Path) -> None:
    """The test itself can see: what is kept is found."""
    settings = settings_of(home / "workspace", {"SANBO_ANALYSIS__PERSIST": "true"})

    async def work(bench: Workbench) -> Run:
        return await ask(bench, QUESTIONS[0], await give(bench, TABLE.encode(), "売上.csv"))

    on_bench(settings, work)
    assert _left_behind(home)


KEY = {"SANBO_STORAGE__SEALING_KEY": "only the servers have this one :)"}
OnTwo = Callable[[Workbench, Workbench], Awaitable[list[Run]]]


def _on_two_servers(settings: Settings, work: OnTwo) -> list[Run]:
    """Each with a memory of its own."""

    async def opened() -> list[Run]:
        async with (
            open_workbench(settings, (ANALYSIS,)) as here,
            open_workbench(settings, (AnotherAnalysis(),)) as there,
        ):
            return await asyncio.wait_for(work(here, there), 240)

    return asyncio.run(opened())


async def _in_turns(here: Workbench, there: Workbench) -> list[Run]:
    """What was uploaded here is analysed there, and the conversation goes on here again."""
    file = await give(here, TABLE.encode("cp932"), "担当者別.csv")
    first = await ask(there, QUESTIONS[0], file)
    assert result_of(first)["kind"] == "report"
    assert result_of(await here.get(LOCAL, first.run_id)) == result_of(first)
    for artifact in first.artifacts:
        if not artifact.made_of:
            data = await here.artifact_bytes(LOCAL, first.run_id, artifact.artifact_id)
            assert len(data) == artifact.size
    second = await ask(here, "棒グラフにして", after=first)
    assert "bar" in ops_of(second)
    third = await ask(there, "円グラフにして", after=first)
    assert "pie" in ops_of(third), result_of(third)["answer_md"]
    return [first, second, third]


def test_with_a_key_another_server_goes_on_with_it_and_no_file_has_a_cell(home: Path) -> None:
    settings = settings_of(home / "workspace", KEY)
    runs = _on_two_servers(settings, _in_turns)
    assert _found(json.dumps([run.result for run in runs], ensure_ascii=False).encode())
    assert _left_behind(home) == {}

    async def after_restart(bench: Workbench) -> list[Run]:
        return [await bench.get(LOCAL, run.run_id) for run in runs]

    assert on_bench(settings, after_restart) == runs
    _still_known(settings_of(home / "workspace"), runs)  # of a server that has no key
    _expire(settings)
    on_bench(settings, after_restart)  # where a server starts, what is over goes
    _still_known(settings, runs)
    assert not list((settings.workspace / "blobs").glob("[0-9a-f][0-9a-f]/*"))


def test_deleting_a_run_removes_what_other_servers_have_of_it(home: Path) -> None:
    settings = settings_of(home / "workspace", KEY)

    async def work(here: Workbench, there: Workbench) -> list[Run]:
        runs = await _in_turns(here, there)
        for run in runs:
            await here.delete(LOCAL, run.run_id)
        return runs

    _on_two_servers(settings, work)
    with open_database(settings).read() as connection:
        left = connection.execute(sa.select(sealed.c.run_id, sealed.c.name)).all()
    assert [name.partition("/")[0] for _, name in left] == ["file"]  # the upload, for others


def test_without_a_key_another_server_says_that_it_does_not_have_it(home: Path) -> None:
    async def work(here: Workbench, there: Workbench) -> list[Run]:
        file = await give(here, TABLE.encode("cp932"), "担当者別.csv")
        given: JsonObject = {"question": QUESTIONS[0], "file": file.model_dump(mode="json")}
        run = await there.start(LOCAL, "analysis", given, language="ja")
        run = await there.wait(LOCAL, run.run_id)
        return [run]

    [run] = _on_two_servers(settings_of(home / "workspace"), work)
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert run.problem.text_id == "blob_missing"
    assert "storage.sealing_key" in run.problem.hint


def _expire(settings: Settings) -> None:
    with open_database(settings).write() as connection:
        connection.execute(sa.update(sealed).values(expires_at=1.0))
