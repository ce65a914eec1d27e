"""From files to findings: what is read, what is left alone, what is replaced, what is told."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
import sqlalchemy as sa

from sanbo.kernel.problems import (
    Conflict,
    InvalidInput,
    LimitExceeded,
    MissingDependency,
    NotFound,
)
from sanbo.retrieval import indexing
from sanbo.retrieval.catalogue import Catalogue, CollectionRecord
from sanbo.retrieval.engines import shard
from sanbo.runs.model import FileRef
from sanbo.service.access import LOCAL, Caller
from sanbo.service.collections import Collections, Filter, Outcome, open_collections
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import Database
from sanbo.storage.tables import document_texts
from tests.patience import PATIENCE_SECONDS


def _index(shelf: Collections, *paths: Path) -> dict[str, Outcome]:
    return {outcome.name: outcome for outcome in shelf.index_paths("社内", list(paths))}


def _statuses(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {name: outcome.status for name, outcome in outcomes.items()}


def test_a_folder_becomes_a_collection_that_finds(shelf: Collections, folder: Path) -> None:
    assert _statuses(_index(shelf, folder)) == {
        "共有/契約/秘密保持.txt": "added",
        "共有/契約/業務委託.md": "added",
        "共有/売上.csv": "added",
    }
    hit = shelf.search("社内", "秘密情報を第三者に開示")[0]
    assert hit.document_name == "共有/契約/秘密保持.txt"
    assert hit.text.startswith("第二条")
    assert hit.text[hit.highlights[0].start : hit.highlights[0].end].startswith("秘密")
    row = shelf.search("社内", "大阪の高橋の売上")[0]
    assert row.document_name == "共有/売上.csv"
    assert (row.position.row, row.position.last_row) == (2, 4)
    info = shelf.info("社内")
    assert (info.documents, info.engine) == (3, "embedded")


def test_what_has_not_changed_is_not_read_again(
    shelf: Collections, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(shelf, folder)

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(shelf.readers, "read", refuse)
    assert set(_statuses(_index(shelf, folder)).values()) == {"unchanged"}


def test_a_changed_file_replaces_its_chunks(shelf_on_both: Collections, folder: Path) -> None:
    _index(shelf_on_both, folder)
    changed = folder / "契約" / "業務委託.md"
    changed.write_text("# 業務委託契約\n\n甲は、翌月末までに報酬80万円を支払う。\n", "utf-8")
    assert _statuses(_index(shelf_on_both, folder))["共有/契約/業務委託.md"] == "replaced"
    texts = [hit.text for hit in shelf_on_both.search("社内", "報酬を支払う", limit=20)]
    assert any("80万円" in text for text in texts)
    assert not any("50万円" in text for text in texts)


def test_a_new_way_of_reading_reads_everything_again(
    shelf: Collections, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(shelf, folder)
    monkeypatch.setattr(indexing, "READING", "next")
    assert set(_statuses(_index(shelf, folder)).values()) == {"replaced"}
    assert shelf.info("社内").documents == 3


def test_files_of_one_name_in_two_folders_are_two_documents(
    shelf: Collections, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "別" / "共有"
    shutil.copytree(folder, other)
    _index(shelf, folder)
    assert set(_statuses(_index(shelf, other)).values()) == {"added"}
    assert shelf.info("社内").documents == 6


def test_a_bad_file_is_told_and_the_others_are_read(shelf: Collections, folder: Path) -> None:
    (folder / "壊れた.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    (folder / "写真.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 60)
    outcomes = _index(shelf, folder)
    assert outcomes["共有/壊れた.pdf"].status == "failed"
    problem = outcomes["共有/壊れた.pdf"].problem
    assert problem is not None
    assert problem.hint
    assert outcomes["共有/写真.png"].status == "failed"
    assert sum(outcome.status == "added" for outcome in outcomes.values()) == 3


def test_an_archive_is_read_file_by_file(shelf: Collections, tmp_path: Path) -> None:
    inner = BytesIO()
    with ZipFile(inner, "w") as archive:
        archive.writestr("見積.txt", "見積金額は98,000円です。")
    path = tmp_path / "書類.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("2025/請求書.txt", "請求金額は108,000円です。")
        archive.writestr("2025/内側.zip", inner.getvalue())
        archive.writestr("../外.txt", "外へ出ようとするファイル")
    outcomes = _index(shelf, path)
    assert outcomes["書類.zip/2025/請求書.txt"].status == "added"
    assert outcomes["書類.zip/2025/内側.zip/見積.txt"].status == "added"
    assert [outcome.status for name, outcome in outcomes.items() if "外" in name] == ["skipped"]
    hit = shelf.search("社内", "見積金額")[0]
    assert hit.document_name == "書類.zip/2025/内側.zip/見積.txt"
    assert set(_statuses(_index(shelf, path)).values()) == {"unchanged", "skipped"}


def test_a_mail_and_its_attachment_are_both_found(shelf: Collections, tmp_path: Path) -> None:
    path = tmp_path / "依頼.eml"
    path.write_bytes(
        (
            "From: tanaka@example.jp\r\nTo: sato@example.jp\r\nSubject: 見積依頼\r\n"
            "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
            "--x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n納期は来週金曜です。\r\n"
            "--x\r\nContent-Type: text/plain; charset=utf-8; name=spec.txt\r\n"
            "Content-Disposition: attachment; filename=spec.txt\r\n\r\n仕様：耐荷重は30kg。\r\n"
            "--x--\r\n"
        ).encode()
    )
    outcomes = _index(shelf, path)
    assert set(_statuses(outcomes).values()) == {"added"}
    assert shelf.search("社内", "耐荷重")[0].document_name == "依頼.eml/spec.txt"
    assert shelf.search("社内", "納期は来週金曜")[0].document_name == "依頼.eml"


def test_what_is_no_longer_there_can_be_taken_out(shelf_on_both: Collections, folder: Path) -> None:
    _index(shelf_on_both, folder)
    (folder / "売上.csv").unlink()
    removed = list(shelf_on_both.remove_missing("社内", [folder]))
    assert [(outcome.name, outcome.status) for outcome in removed] == [("共有/売上.csv", "removed")]
    assert not [
        h for h in shelf_on_both.search("社内", "大阪") if h.document_name == "共有/売上.csv"
    ]
    assert shelf_on_both.info("社内").documents == 2


def test_search_can_be_narrowed(shelf: Collections, folder: Path) -> None:
    list(shelf.index_paths("社内", [folder], metadata={"年度": "2025"}))
    everything = {hit.document_name for hit in shelf.search("社内", "契約 売上 報酬", limit=50)}
    assert len(everything) == 3
    in_folder = shelf.search("社内", "契約 売上", where=Filter(folders=("共有/契約",)), limit=50)
    assert {hit.document_name for hit in in_folder} == everything - {"共有/売上.csv"}
    tables = shelf.search("社内", "契約 売上", where=Filter(formats=("csv",)), limit=50)
    assert {hit.document_name for hit in tables} == {"共有/売上.csv"}
    assert shelf.search("社内", "契約", where=Filter(metadata={"年度": "2025"}))
    assert not shelf.search("社内", "契約", where=Filter(metadata={"年度": "2024"}))


def test_a_hit_is_shown_where_it_stands(shelf: Collections, folder: Path) -> None:
    _index(shelf, folder)
    hit = shelf.search("社内", "第三者に開示")[0]
    place = shelf.place("社内", hit.chunk_id)
    assert place.text == hit.text
    assert "第一条（目的）" in place.before
    assert place.document.name == hit.document_name
    for wrong in (f"{hit.document_id}.99", f"{hit.document_id}.x", "none.0", "", "."):
        with pytest.raises(NotFound):
            shelf.place("社内", wrong)


def test_a_deleted_collection_is_gone_and_can_be_made_again(
    shelf_on_both: Collections, folder: Path
) -> None:
    _index(shelf_on_both, folder)
    shelf_on_both.delete("社内")
    assert shelf_on_both.all() == []
    with pytest.raises(NotFound):
        shelf_on_both.search("社内", "契約")
    assert set(_statuses(_index(shelf_on_both, folder)).values()) == {"added"}
    assert shelf_on_both.search("社内", "秘密保持")


def test_a_wrong_name_names_the_nearest(shelf: Collections, folder: Path) -> None:
    _index(shelf, folder)
    with pytest.raises(NotFound) as caught:
        shelf.search("社内用", "契約")
    assert caught.value.problem.params["nearest"] == "社内"


@pytest.mark.parametrize("name", ["", " ", "../上", "a/b", "a\\b", "x" * 65, "a\nb", "-", "a\0"])
def test_a_name_that_could_be_a_path_is_refused(shelf: Collections, name: str) -> None:
    with pytest.raises(InvalidInput):
        shelf.index_paths(name, [])


def test_uploads_of_others_are_not_found(shelf: Collections, tmp_path: Path) -> None:
    source = tmp_path / "x.txt"
    source.write_text("社外秘の資料です。", "utf-8")
    file = shelf._files.upload("local", source, "資料.txt", "text/plain")
    with pytest.raises(NotFound):
        shelf.index_uploads(Caller("someone"), "社内", [file])
    (outcome,) = shelf.index_uploads(LOCAL, "社内", [file])
    assert (outcome.name, outcome.status) == ("資料.txt", "added")
    assert shelf.search("社内", "社外秘")[0].document_name == "資料.txt"


def test_a_document_can_be_taken_out(shelf: Collections, folder: Path) -> None:
    outcomes = _index(shelf, folder)
    document_id = outcomes["共有/売上.csv"].document_id
    assert document_id is not None
    shelf.remove("社内", document_id)
    assert not [h for h in shelf.search("社内", "大阪") if h.document_id == document_id]
    with pytest.raises(NotFound):
        shelf.remove("社内", document_id)


def test_two_collections_do_not_see_each_other(shelf: Collections, folder: Path) -> None:
    list(shelf.index_paths("甲", [folder / "契約"]))
    list(shelf.index_paths("乙", [folder / "売上.csv"]))
    assert {hit.document_name for hit in shelf.search("乙", "秘密情報 大阪", limit=50)} == {
        "売上.csv"
    }
    assert [info.name for info in shelf.all()] == ["乙", "甲"]


def test_nothing_to_find_is_no_error(shelf: Collections, folder: Path) -> None:
    _index(shelf, folder)
    assert shelf.search("社内", "。、！") == []
    assert shelf.search("社内", "   ") == []


def test_a_new_collection_that_nothing_could_be_read_into_is_not_left_behind(
    shelf: Collections, tmp_path: Path
) -> None:
    bad = tmp_path / "写真.png"
    bad.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 60)
    assert [outcome.status for outcome in shelf.index_paths("空", [bad])] == ["failed"]
    assert shelf.all() == []
    good = tmp_path / "議事録.txt"
    good.write_text("本日の議事録です。", "utf-8")
    list(shelf.index_paths("空", [good]))
    list(shelf.index_paths("空", [bad]))
    assert [info.documents for info in shelf.all()] == [1]


def test_a_code_file_in_the_folder_one_is_in_is_never_run(
    shelf: Collections, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = tmp_path / "届いたもの"
    hostile.mkdir()
    (hostile / "json.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')", "utf-8")
    (hostile / "a.txt").write_text("本文です。", "utf-8")
    monkeypatch.chdir(hostile)
    assert [o.status for o in shelf.index_paths("社内", [hostile / "a.txt"])] == ["added"]
    assert not (tmp_path / "ran").exists()


def test_a_kept_text_that_was_damaged_is_not_shown(
    shelf: Collections, folder: Path, tmp_path: Path
) -> None:
    _index(shelf, folder / "契約" / "秘密保持.txt")
    [hit] = shelf.search("社内", "秘密情報を第三者に開示", limit=1)
    with Database.in_workspace(tmp_path / "workspace", None).write() as connection:
        whole = connection.execute(sa.select(document_texts.c.data)).scalar_one()
        damaged = whole[:30] + bytes(30) + whole[60:]
        connection.execute(sa.update(document_texts).values(data=damaged))
    with pytest.raises(NotFound) as refused:
        shelf.place("社内", hit.chunk_id)
    assert refused.value.problem.text_id == "document_text_missing"


def test_names_with_exclamation_marks_survive_pruning(shelf: Collections, tmp_path: Path) -> None:
    folder = tmp_path / "重要!"
    folder.mkdir()
    (folder / "至急!.txt").write_text("至急の連絡です。", "utf-8")
    _index(shelf, folder)
    assert list(shelf.remove_missing("社内", [folder])) == []
    assert shelf.search("社内", "至急の連絡")


def test_an_empty_mount_point_prunes_nothing(shelf: Collections, folder: Path) -> None:
    _index(shelf, folder)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    with pytest.raises(Conflict):
        list(shelf.remove_missing("社内", [folder]))
    assert shelf.info("社内").documents == 3


def test_what_was_taken_out_of_an_archive_is_taken_out_of_the_collection(
    shelf: Collections, tmp_path: Path
) -> None:
    path = tmp_path / "書類.zip"
    for names in (("残す.txt", "極秘.txt"), ("残す.txt",)):
        with ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, f"{name}の給与一覧です。")
        outcomes = _index(shelf, path)
    assert outcomes["書類.zip/極秘.txt"].status == "removed"
    assert {hit.document_name for hit in shelf.search("社内", "給与一覧")} == {"書類.zip/残す.txt"}


def test_new_facts_about_an_unchanged_file_are_kept(shelf: Collections, folder: Path) -> None:
    list(shelf.index_paths("社内", [folder], metadata={"年度": "2025"}))
    again = list(shelf.index_paths("社内", [folder], metadata={"年度": "2026"}))
    assert {outcome.status for outcome in again} == {"replaced"}
    assert shelf.search("社内", "契約", where=Filter(metadata={"年度": "2026"}))
    assert not shelf.search("社内", "契約", where=Filter(metadata={"年度": "2025"}))


def test_an_index_that_is_gone_is_told_and_made_again(
    shelf: Collections, folder: Path, tmp_path: Path
) -> None:
    _index(shelf, folder)
    shelf.library.close()
    (place,) = (tmp_path / "workspace" / "collections").iterdir()
    shutil.rmtree(place / "shard")
    with pytest.raises(MissingDependency):
        shelf.search("社内", "秘密保持")
    assert set(_statuses(_index(shelf, folder)).values()) == {"replaced"}
    assert shelf.search("社内", "秘密保持")
    with Database.in_workspace(tmp_path / "workspace", None).write() as connection:
        connection.execute(sa.update(document_texts).values(data=b""))
    with pytest.raises(NotFound):
        shelf.place("社内", shelf.search("社内", "秘密保持")[0].chunk_id)


def test_texts_that_were_kept_as_files_are_read_and_go_with_their_document(
    shelf: Collections, folder: Path, tmp_path: Path
) -> None:
    _index(shelf, folder)
    (place,) = (tmp_path / "workspace" / "collections").iterdir()
    (place / "texts").mkdir()
    with Database.in_workspace(tmp_path / "workspace", None).write() as connection:
        for row in connection.execute(sa.select(document_texts)):
            path = place / "texts" / f"{row.document_id}-{row.version}.json.gz"
            path.write_bytes(row.data)
        connection.execute(sa.delete(document_texts))
    hit = shelf.search("社内", "秘密情報を第三者に開示")[0]
    assert "秘密" in shelf.place("社内", hit.chunk_id).text
    assert set(_statuses(_index(shelf, folder)).values()) == {"unchanged"}
    (folder / "契約" / "秘密保持.txt").write_text("秘密情報は開示しません。", "utf-8")
    assert _statuses(_index(shelf, folder))["共有/契約/秘密保持.txt"] == "replaced"
    assert len(list((place / "texts").iterdir())) == 2


def test_two_uploads_of_one_name_each_have_an_outcome(shelf: Collections, tmp_path: Path) -> None:
    files: list[FileRef] = []
    for number, text in enumerate(("りんごの見積", "みかんの見積")):
        source = tmp_path / f"{number}.txt"
        source.write_text(text, "utf-8")
        upload = shelf._files.upload
        files.append(upload("local", source, "見積.txt", "text/plain"))
    outcomes = list(shelf.index_uploads(LOCAL, "社内", files))
    assert [outcome.status for outcome in outcomes] == ["added", "replaced"]
    assert shelf.search("社内", "見積")[0].text == "みかんの見積"


def test_stopping_within_a_long_file_leaves_things_as_they_were(
    shelf: Collections, folder: Path
) -> None:
    _index(shelf, folder)
    before = shelf.info("社内")
    (folder / "長い.txt").write_text("長い文書の一文です。\n\n" * 10_000, "utf-8")
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > 4

    file = shelf._files.upload("local", folder / "長い.txt", "長い.txt", "text/plain")
    assert list(shelf.index_uploads(LOCAL, "社内", [file], stopped=stopped)) == []
    assert shelf.info("社内").documents == before.documents
    assert shelf.search("社内", "秘密保持")


def test_a_document_being_written_does_not_hide_the_others(
    shelf: Collections, folder: Path, tmp_path: Path
) -> None:
    _index(shelf, folder)
    collection = shelf.library.open("社内")
    chunk = collection._engine.search("秘密情報", 1, Filter())[0].chunk
    unpublished = [
        chunk.model_copy(update={"document_id": "new", "version": "next", "ordinal": number})
        for number in range(400)
    ]
    collection._engine.add(unpublished)
    assert shelf.search("社内", "秘密情報")[0].document_name == "共有/契約/秘密保持.txt"


def test_the_workspace_does_not_index_itself(tmp_path: Path) -> None:
    folder = tmp_path / "文書"
    folder.mkdir()
    (folder / "a.txt").write_text("本文です。", "utf-8")
    with open_collections(load_settings(folder / "作業", {})) as shelf:
        for _ in range(2):
            names = [outcome.name for outcome in shelf.index_paths("社内", [folder])]
            assert names == ["文書/a.txt"]


def test_names_in_any_spelling_of_blanks_are_one(shelf: Collections, folder: Path) -> None:
    list(shelf.index_paths("社内規程　2025", [folder]))
    assert shelf.search("社内規程 2025", "秘密保持")


def test_a_collection_deleted_while_it_is_written_stays_deleted(
    shelf: Collections, folder: Path, tmp_path: Path
) -> None:
    outcomes = shelf.index_paths("社内", [folder])
    other = load_settings(tmp_path / "workspace", {})
    with open_collections(other) as elsewhere:
        elsewhere.delete("社内")
        (folder / "新.txt").write_text("作り直した文書です。", "utf-8")
        list(elsewhere.index_paths("社内", [folder / "新.txt"]))
        with pytest.raises(NotFound):
            list(outcomes)
        assert elsewhere.info("社内").documents == 1
        assert elsewhere.search("社内", "作り直した")
    assert len(list((tmp_path / "workspace" / "collections").iterdir())) == 1


def test_a_full_disk_is_told(
    shelf: Collections, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard, "LEAST_FREE_BYTES", 1 << 60)
    with pytest.raises(LimitExceeded) as caught:
        _index(shelf, folder)
    assert caught.value.problem.text_id == "collection_disk_full"


@pytest.mark.parametrize("is_other_process", [False, True])
def test_a_new_collection_is_not_taken_away_from_under_another_indexing(
    is_other_process: bool, settings: Settings, folder: Path, tmp_path: Path
) -> None:
    """One begins a collection and can read nothing; the other is in the middle of its files."""
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing else")
    both_began, first_ended = threading.Barrier(2), threading.Event()

    def index_broken(shelf: Collections) -> list[str]:
        outcomes = shelf.index_paths("社内", [broken])
        both_began.wait(PATIENCE_SECONDS)
        try:
            return [outcome.status for outcome in outcomes]
        finally:
            first_ended.set()

    def index_folder(shelf: Collections) -> list[str]:
        outcomes = shelf.index_paths("社内", [folder])
        both_began.wait(PATIENCE_SECONDS)
        assert first_ended.wait(PATIENCE_SECONDS)
        return [outcome.status for outcome in outcomes]

    with (
        open_collections(settings) as shelf,
        open_collections(settings) as other,
        ThreadPoolExecutor(2) as pool,
    ):
        mine = pool.submit(index_broken, shelf)
        theirs = pool.submit(index_folder, other if is_other_process else shelf)
        assert mine.result() == ["failed"]
        assert theirs.result() == ["added"] * 3
        assert shelf.info("社内").documents == 3
        assert shelf.search("社内", "秘密情報を第三者に開示")


def test_an_indexing_that_comes_when_the_empty_collection_is_gone_makes_it_anew(
    shelf: Collections, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It has found the name, and just then the one who made it takes it away."""
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing else")
    failing = shelf.index_paths("社内", [broken])
    found = Catalogue.find
    is_late = False

    def find(catalogue: Catalogue, name: str) -> CollectionRecord | None:
        nonlocal is_late
        record = found(catalogue, name)
        if not is_late:
            is_late = True
            assert [outcome.status for outcome in failing] == ["failed"]
            assert shelf.all() == []
        return record

    monkeypatch.setattr(Catalogue, "find", find)
    assert set(_statuses(_index(shelf, folder)).values()) == {"added"}
    assert shelf.info("社内").documents == 3
