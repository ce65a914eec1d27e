"""A plan is changed by a sentence, by rules: shown by meaning, or refused with a reason."""

import asyncio
from pathlib import Path

from pydantic import JsonValue

from sanbo.plans.designing.workflow import DesignResult, Designs
from sanbo.runs.model import FileRef, JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS

SALES = "支店,金額\n東京,100\n大阪,300\n東京,200\n"
INSTRUCTION = "売上CSVを支店別に集計してExcelにしてください。部長が承認します。"


def designed(workspace: Path, *changes: tuple[str, bool]) -> list[Run]:
    """A plan of the instruction, and runs that change it in turn; with its sample where told so."""
    file = workspace / "売上.csv"
    file.write_text(SALES, "utf-8")

    async def work() -> list[Run]:
        async with open_workbench(load_settings(workspace, {}), (Designs(),)) as bench:
            sample: FileRef = await bench.upload(LOCAL, file, file.name)
            given: list[JsonValue] = [sample.model_dump(mode="json")]
            first: JsonObject = {"question": INSTRUCTION, "documents": given}
            run = await bench.start(LOCAL, "design", first)
            made = [await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)]
            text = DesignResult.model_validate(made[0].result).text
            for change, has_sample in changes:
                asked: JsonObject = {
                    "question": change,
                    "plan_text": text,
                    "documents": given if has_sample else [],
                }
                run = await bench.start(LOCAL, "design", asked)
                made.append(await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS))
            return made

    return asyncio.run(work())


def test_changes_are_shown_by_meaning_and_what_is_not_read_is_refused(tmp_path: Path) -> None:
    _, two, more, instead, column, vague = designed(
        tmp_path,
        ("承認者を2人にして", False),
        ("経理部長の承認も追加して", False),
        ("承認者を社長に変更して", False),
        ("税込を金額合計×1.1で計算して追加", True),
        ("もっといい感じにして", False),
    )
    for run, blocks, role in (
        (two, 2, "${vars.approver_2}"),
        (more, 2, "経理部長"),
        (instead, 1, "社長"),
    ):
        made = DesignResult.model_validate(run.result)
        assert made.is_dry_run, made.findings
        assert made.text.count("mode: confirm") == blocks
        assert f"role: {role}" in made.text
        assert made.changes
    assert "vars" in DesignResult.model_validate(two.result).text
    added = DesignResult.model_validate(column.result)
    assert any("transforms.compute" in change for change in added.changes), added.changes
    assert added.is_dry_run
    assert vague.status is Status.FAILED
    assert vague.problem is not None
    assert "もっといい感じにして" in vague.problem.message


def test_a_sentence_that_names_no_file_is_told_what_is_missing(tmp_path: Path) -> None:
    async def work() -> Run:
        async with open_workbench(load_settings(tmp_path, {}), (Designs(),)) as bench:
            run = await bench.start(LOCAL, "design", {"question": "支店別に集計する"})
            return await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)

    run = asyncio.run(work())
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert "どのファイルを使う手順か" in run.problem.message
    assert "--document" in run.problem.hint
