"""From files to findings: what is read, what is left alone, what is replaced, what is told."""

import shutil
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.retrieval import indexing
from sanbo.service.access import LOCAL, Caller
from sanbo.service.collections import Collections, Filter, Outcome


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

    monkeypatch.setattr(shelf._readers, "read", refuse)  # pyright: ignore[reportPrivateUsage]
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
    file = shelf._files.upload("local", source, "資料.txt", "text/plain")  # pyright: ignore[reportPrivateUsage]
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


def test_a_collection_that_exists_is_not_made_twice(shelf: Collections) -> None:
    list(shelf.index_paths("空", []))
    list(shelf.index_paths("空", []))
    assert [info.documents for info in shelf.all()] == [0]
