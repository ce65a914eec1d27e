"""What people bring: files, folders, texts, documents of a collection, and things that fail."""

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from sanbo.kernel.problems import InvalidInput, Problem
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.agents.comparison.comparing import (
    NEW,
    OLD,
    artifact_of,
    change_of,
    compare,
    compared,
    compared_files,
    material_of,
    on_bench,
    result_of,
    rules,
)


def problem_of(run: Run) -> Problem:
    assert run.status is Status.FAILED
    assert run.problem is not None
    return run.problem


def kinds_of(run: Run) -> dict[str, int]:
    counts: dict[str, int] = result_of(run)["summary"]["counts"]
    return {kind: count for kind, count in counts.items() if count}


def test_the_same_text_twice_has_no_difference_and_that_is_said(tmp_path: Path) -> None:
    run = compared(rules(tmp_path), old_text=OLD, new_text=OLD)
    assert set(kinds_of(run)) == {"unchanged"}
    assert result_of(run)["pairs"][0]["outcome"] == "identical"
    assert "違いはありません" in result_of(run)["summary"]["text_md"]


def test_texts_are_compared_by_rules_alone_and_every_output_is_made(tmp_path: Path) -> None:
    run = compared(rules(tmp_path), old_text=OLD, new_text=NEW)
    assert kinds_of(run) == {"unchanged": 2, "changed": 3}
    assert run.usage.calls == 0
    assert {change["decided_by"] for change in result_of(run)["changes"]} == {"rules"}
    assert {Path(artifact.name).suffix for artifact in run.artifacts} == {
        ".md",
        ".html",
        ".docx",
        ".xlsx",
        ".json",
    }
    assert artifact_of(run, ".docx").name == "新旧対照表.docx"
    assert [step.path[-1] for step in run.steps] == [
        "initialize",
        "look_over",
        "select_next_chunk",
        "format_output",
    ]
    assert all(step.title for step in run.steps)


def test_control_characters_in_a_pasted_text_are_shown_as_what_they_are_not(
    tmp_path: Path,
) -> None:
    run = compared(
        rules(tmp_path), old_text="料金\x00は\x1b[2J100円です。", new_text="料金は100円です。"
    )
    change = change_of(run, "A1")
    assert change["old_text"] == "料金\ufffdは\ufffd[2J100円です。"


def test_a_text_in_cp932_is_compared_with_one_in_utf_8(tmp_path: Path) -> None:
    old = {"契約.txt": OLD.encode("cp932")}
    run = compared_files(rules(tmp_path), old, {"契約.txt": OLD.encode("utf-8")})
    assert set(kinds_of(run)) == {"unchanged"}


def test_an_empty_file_is_named_with_its_side(tmp_path: Path) -> None:
    run = compared_files(rules(tmp_path), {"契約.txt": OLD.encode()}, {"契約.txt": b" \n"})
    assert problem_of(run).text_id == "comparison_unreadable.new"
    assert "新文書「契約.txt」" in problem_of(run).message


def test_a_scan_without_text_says_what_to_do(tmp_path: Path) -> None:
    picture, pages = BytesIO(), BytesIO()
    Image.new("L", (200, 280), 200).save(picture, "PNG")
    canvas = Canvas(pages)
    canvas.drawImage(ImageReader(picture), 0, 0, 595, 842)
    canvas.save()
    run = compared_files(
        rules(tmp_path), {"scan.pdf": pages.getvalue()}, {"契約.txt": OLD.encode()}
    )
    assert "旧文書「scan.pdf」" in problem_of(run).message
    assert "OCR" in problem_of(run).hint


def test_a_picture_is_refused(tmp_path: Path) -> None:
    picture = BytesIO()
    Image.new("L", (20, 20)).save(picture, "PNG")
    run = compared_files(
        rules(tmp_path), {"契約.txt": OLD.encode()}, {"契約.png": picture.getvalue()}
    )
    assert problem_of(run).code == "UNSUPPORTED_FORMAT"
    assert "契約.png" in problem_of(run).message


def test_unrelated_documents_are_said_to_be_unrelated(tmp_path: Path) -> None:
    other = "\n\n".join(
        [
            "The harbour was quiet that evening, and the boats lay still.",
            "Nobody had expected rain, yet clouds gathered over the hills.",
            "A dog barked twice somewhere behind the old bakery.",
        ]
    )
    run = compared(rules(tmp_path), old_text=OLD, new_text=other)
    assert result_of(run)["pairs"][0]["outcome"] == "unrelated"
    assert set(kinds_of(run)) == {"added", "deleted"}


def test_folders_are_paired_and_what_can_not_be_read_is_told(tmp_path: Path) -> None:
    picture = BytesIO()
    Image.new("L", (20, 20)).save(picture, "PNG")
    old = {
        "契約.txt": OLD.encode(),
        "廃止.txt": "この規程は、倉庫の鍵の管理について定めます。".encode(),
        "図.png": picture.getvalue(),
    }
    new = {"契約.txt": NEW.encode(), "図.png": picture.getvalue(), ".DS_Store": b"\x00\x01"}
    run = compared_files(rules(tmp_path), old, new)
    assert run.status is Status.SUCCEEDED, run.problem
    pairs = result_of(run)["pairs"]
    assert sorted(pair["outcome"] for pair in pairs) == ["only_old", "related"]
    [warning] = [each for pair in pairs for each in pair["warnings"]]
    assert warning["text_id"] == "comparison_left_out"
    assert "図.png" in warning["message"]
    ids = {each for change in result_of(run)["changes"] for each in change["old"]}
    assert {each.partition("-")[0] for each in ids} == {"1", "2"}


def test_an_archive_is_compared_like_a_folder(tmp_path: Path) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("契約.txt", OLD)
        archive.writestr("覚書.txt", "覚書は、契約と同じ日に取り交わします。")
    run = compared_files(
        rules(tmp_path),
        {"旧.zip": packed.getvalue()},
        {
            "契約.txt": NEW.encode(),
            "覚書.txt": "覚書は、契約と同じ日に取り交わします。".encode(),
        },
    )
    assert run.status is Status.SUCCEEDED, run.problem
    outcomes = {pair["old"]["name"]: pair["outcome"] for pair in result_of(run)["pairs"]}
    assert outcomes == {"契約.txt": "related", "覚書.txt": "identical"}


def test_a_column_that_is_not_there_is_told(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        table = "番号,内容\n1,鍵を返す\n2,灯りを消す\n".encode()
        file = await bench.upload(LOCAL, table, "手順.csv", "text/csv")
        sides = {side: [file.model_dump(mode="json")] for side in ("old", "new")}
        return await compare(bench, **sides, id_column="番", text_column="内容")

    assert problem_of(on_bench(rules(tmp_path), work)).text_id == "comparison_column_unknown"


def test_rows_are_known_by_their_column(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        old = "番号,内容\nK-1,鍵を返す\nK-2,灯りを消す\n".encode()
        new = "番号,内容\nK-2,灯りをすべて消す\nK-1,鍵を返す\n".encode()
        sides: dict[str, Any] = {}
        for side, data in (("old", old), ("new", new)):
            file = await bench.upload(LOCAL, data, "手順.csv", "text/csv")
            sides[side] = [file.model_dump(mode="json")]
        return await compare(bench, **sides, id_column="番号", text_column="内容")

    run = on_bench(rules(tmp_path), work)
    changed = [each for each in result_of(run)["changes"] if "changed" in each["kind"]]
    assert any(each["old"] == ["K-2"] and each["new"] == ["K-2"] for each in changed)


def test_documents_of_a_collection_are_compared_by_name_or_id(tmp_path: Path) -> None:
    folder = tmp_path / "文書"
    folder.mkdir()
    (folder / "契約_旧.txt").write_text(OLD, "utf-8")
    (folder / "契約_新.txt").write_text(NEW, "utf-8")

    async def work(bench: Workbench) -> tuple[Run, Run]:
        outcomes = list(bench.collections.index_paths("契約", [folder]))
        ids = {outcome.name.rpartition("/")[2]: outcome.document_id for outcome in outcomes}
        by_name = await compare(
            bench, collection="契約", old_document="契約_旧.txt", new_document=ids["契約_新.txt"]
        )
        unknown = await compare(
            bench, collection="契約", old_document="どこにもない.txt", new_text=NEW
        )
        return by_name, unknown

    found, unknown = on_bench(rules(tmp_path / "workspace"), work)
    assert found.status is Status.SUCCEEDED, found.problem
    assert kinds_of(found) == {"unchanged": 2, "changed": 3}
    assert problem_of(unknown).code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("given", "text_id"),
    [
        ({}, "comparison_missing.old"),
        ({"old_text": OLD}, "comparison_missing.new"),
        ({"old_text": OLD, "new_text": "  \n"}, "comparison_missing.new"),
        ({"old_text": OLD, "old_document": "x", "new_text": NEW}, "comparison_twice.old"),
        ({"old_text": OLD, "new_document": "x", "new_text": NEW}, "comparison_twice.new"),
        ({"old_text": OLD, "new_document": "x"}, "comparison_collection_missing"),
    ],
)
def test_each_side_is_given_in_exactly_one_way(
    tmp_path: Path, given: dict[str, Any], text_id: str
) -> None:
    async def work(bench: Workbench) -> str:
        with pytest.raises(InvalidInput) as raised:
            await bench.start(LOCAL, "comparison", given)
        return raised.value.problem.text_id

    assert on_bench(rules(tmp_path), work) == text_id


def test_the_material_holds_both_documents_whole(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await compare(bench, old_text=OLD, new_text=NEW)
        [pair] = (await material_of(bench, run)).pairs
        for side, text in ((pair.old, OLD), (pair.new, NEW)):
            assert side is not None
            joined = "".join(chunk.text for chunk in side.chunks)
            assert "".join(joined.split()) == "".join(text.split())

    on_bench(rules(tmp_path), work)


def test_a_comparison_is_named_after_its_documents(tmp_path: Path) -> None:
    settings = rules(tmp_path)
    files = compared_files(settings, {"旧契約.txt": OLD.encode()}, {"新契約.txt": NEW.encode()})
    assert files.title == "旧契約.txt → 新契約.txt"
    pasted = compared(settings, old_text="服務規程\n\n始業は9時とする。", new_text=NEW)
    assert pasted.title == "服務規程 → この契約は、甲が乙に清掃の業務を委託する条件を定めるもので…"
