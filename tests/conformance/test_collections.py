"""Collections under fire: killed at every moment, and used by several processes at once."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from sanbo.documents.model import Document, Source
from sanbo.service.collections import Collections, open_collections
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import open_database
from sanbo.storage.tables import leftovers
from tests.conformance.mortal_indexing import (
    DOCUMENTS,
    OF_THE_CATALOGUE,
    index,
    index_some,
    processes,
    put,
    put_and_die,
    search_often,
    texts_of,
)
from tests.examples import is_thorough
from tests.patience import PATIENCE_SECONDS


def _write(folder: Path, edition: str) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(DOCUMENTS):
        text = "\n\n".join(texts_of(number, edition))
        (folder / f"契約{number}.txt").write_text(text, "utf-8")


def _editions(shelf: Collections) -> dict[str, set[str]]:
    """Which editions of each document a search finds."""
    found: dict[str, set[str]] = {}
    for hit in shelf.search("社内", "秘密情報 有効期間 旧版 新版", limit=100):
        edition = "旧版" if "旧版" in hit.text else "新版"
        found.setdefault(hit.document_name, set()).add(edition)
    return found


def _leftovers(settings: Settings) -> int:
    database = open_database(settings)
    try:
        with database.read() as connection:
            return connection.execute(
                sa.select(sa.func.count()).select_from(leftovers)
            ).scalar_one()
    finally:
        database.close()


def test_killed_at_any_moment_every_document_is_there_once_and_the_next_call_completes(
    tmp_path: Path, new_environment: Callable[[], dict[str, str]]
) -> None:
    moment = 0
    survived = False
    while not survived:
        moment += 1 if is_thorough() else 3
        environment = new_environment()
        settings = load_settings(tmp_path / f"w{moment}", environment)
        put(settings.workspace, environment, "旧版")
        process = processes.Process(
            target=put_and_die, args=(settings.workspace, environment, "新版", moment)
        )
        process.start()
        process.join(PATIENCE_SECONDS)
        assert process.exitcode in (0, -signal.SIGKILL)
        survived = process.exitcode == 0
        with open_collections(settings) as shelf:
            editions = _editions(shelf)
            assert len(editions) == DOCUMENTS
            assert all(len(found) == 1 for found in editions.values()), editions
            assert len({frozenset(found) for found in editions.values()}) == 1  # one batch
        put(settings.workspace, environment, "新版")
        with open_collections(settings) as shelf:
            assert _editions(shelf) == {f"契約{n}.txt": {"新版"} for n in range(DOCUMENTS)}
        assert _leftovers(settings) == 0
    assert moment > len(OF_THE_CATALOGUE)


def test_indexing_that_was_killed_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "文書"
    folder.mkdir()
    names = [f"文書/契約{number:02}.txt" for number in range(40)]
    for number, name in enumerate(names):
        (tmp_path / name).write_text("\n\n".join(texts_of(number, "新版")), "utf-8")
    told = processes.SimpleQueue()
    process = processes.Process(target=index_some, args=(tmp_path / "w", folder, 8, 12, told))
    process.start()
    stored = {told.get() for _ in range(12)}
    process.kill()
    process.join(PATIENCE_SECONDS)
    assert process.exitcode == -signal.SIGKILL
    settings = load_settings(tmp_path / "w", {})
    with open_collections(settings) as shelf:
        counted = shelf.info("社内").documents
        assert 12 <= counted < len(names)
        read: list[str] = []
        really = shelf.readers.read

        def noted(source: Source) -> Document:
            read.append(source.name)
            return really(source)

        monkeypatch.setattr(shelf.readers, "read", noted)
        outcomes = {outcome.name: outcome.status for outcome in shelf.index_paths("社内", [folder])}
        assert sorted(outcomes) == names, "one progress over all"
        assert all(outcomes[name] == "unchanged" for name in stored)
        assert sorted(read) == [name for name in names if outcomes[name] == "added"]
        assert len(read) == len(names) - counted
        hits = shelf.search("社内", "秘密情報の取扱い", limit=100)
        assert sorted(hit.document_name for hit in hits if "第一条" in hit.text) == names
    assert _leftovers(settings) == 0


def test_searches_go_on_while_another_process_indexes(tmp_path: Path) -> None:
    folder = tmp_path / "文書"
    _write(folder, "旧版")
    workspace = tmp_path / "w"
    index(workspace, {}, folder)
    answers = processes.SimpleQueue()
    searching = [
        processes.Process(target=search_often, args=(workspace, {}, 2.0, answers)) for _ in range(2)
    ]
    for process in searching:
        process.start()
    for edition in ("新版", "改訂版", "旧版"):
        _write(folder, edition)
        index(workspace, {}, folder)  # this process takes its turns between theirs
    results = [answers.get() for _ in searching]
    for process in searching:
        process.join(PATIENCE_SECONDS)
    for result in results:
        assert result == [DOCUMENTS] * len(result), "every search saw every document once"


def test_two_processes_that_index_the_same_folder_both_succeed(tmp_path: Path) -> None:
    folder = tmp_path / "文書"
    _write(folder, "新版")
    workspace = tmp_path / "w"
    writers = [processes.Process(target=index, args=(workspace, {}, folder)) for _ in range(3)]
    for process in writers:
        process.start()
    for process in writers:
        process.join(PATIENCE_SECONDS)
    assert [process.exitcode for process in writers] == [0, 0, 0]
    settings = load_settings(workspace, {})
    with open_collections(settings) as shelf:
        assert shelf.info("社内").documents == DOCUMENTS
        assert all(found == {"新版"} for found in _editions(shelf).values())
    assert _leftovers(settings) == 0
