from collections.abc import Generator
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from sanbo.agents.research.notes import Note, NotedPassage, Notes
from sanbo.kernel.messages import use_language
from sanbo.settings import Settings
from sanbo.storage.database import Database, open_database
from sanbo.storage.tables import research_notes, runs


@pytest.fixture
def database(settings: Settings) -> Generator[Database]:
    opened = open_database(settings)
    with opened.write() as connection:
        for run_id, session in (("run_1", "conv_a"), ("run_2", "conv_a"), ("run_3", "conv_b")):
            connection.execute(sa.insert(runs), _run(run_id, session))
    yield opened
    opened.close()


def _run(run_id: str, session: str) -> dict[str, object]:
    return {
        "run_id": run_id,
        "workflow": "research",
        "conversation_id": session,
        "owner": "local",
        "status": "running",
        "last_seq": 1,
        "created_at": 0.0,
        "updated_at": 0.0,
        "epoch": 1,
        "cancel_requested": False,
    }


def _note(run_id: str, cycle: int, node: str, *, second: int = 0, **parts: object) -> Note:
    session = "conv_b" if run_id == "run_3" else "conv_a"
    about = {"session": session, "run_id": run_id, "cycle_no": cycle, "node_name": node}
    time = datetime(2026, 4, 1, 9, 0, second, tzinfo=UTC)
    return Note.model_validate({**about, "time": time, **parts})


def test_what_was_written_is_read_again(database: Database) -> None:
    passage = NotedPassage(chunk_id="d1.3", document="就業規則.docx", score=12.5, relevance=0.91)
    retrieved = _note("run_1", 1, "retrieve", queries=("年休", "有給"), retrieved_docs=(passage,))
    decided = _note("run_1", 1, "decide", second=1, decision_reason="付与日数が見つかりました。")
    answered = _note("run_1", 1, "answer", second=2, final_report="# 調査報告\n")
    notes = Notes(database)
    for note in (retrieved, decided, answered):
        notes.write(note)
    assert notes.of_run("run_1") == [retrieved, decided, answered]
    assert notes.of_session("conv_a") == [retrieved, decided, answered]
    assert notes.of_session("conv_b") == []


def test_a_node_that_runs_again_after_a_crash_replaces_its_note(database: Database) -> None:
    notes = Notes(database)
    notes.write(_note("run_1", 1, "retrieve", queries=("before",)))
    again = _note("run_1", 1, "retrieve", second=9, queries=("after",))
    notes.write(again)
    notes.write(again)
    assert notes.of_run("run_1") == [again]


def test_the_notes_of_a_session_are_in_the_order_of_its_runs_and_cycles(
    database: Database,
) -> None:
    notes = Notes(database)
    written = [
        _note("run_1", 1, "retrieve"),
        _note("run_1", 1, "decide", second=1),
        _note("run_1", 2, "retrieve", second=2),
        _note("run_1", 2, "decide", second=3),
        _note("run_2", 1, "retrieve", second=0),
    ]
    for note in reversed(written):
        notes.write(note)
    assert notes.of_session("conv_a") == written


def test_a_session_is_deleted_in_one_call_and_no_other_with_it(database: Database) -> None:
    notes = Notes(database)
    for run_id in ("run_1", "run_2", "run_3"):
        notes.write(_note(run_id, 1, "retrieve"))
    assert notes.delete_session("conv_a") == 2
    assert notes.delete_session("conv_a") == 0
    assert notes.of_session("conv_a") == []
    assert [note.run_id for note in notes.of_session("conv_b")] == ["run_3"]


def test_notes_go_with_their_run(database: Database) -> None:
    notes = Notes(database)
    notes.write(_note("run_1", 1, "retrieve"))
    notes.write(_note("run_2", 1, "retrieve"))
    with database.write() as connection:
        connection.execute(sa.delete(runs).where(runs.c.run_id == "run_1"))
    assert [note.run_id for note in notes.of_session("conv_a")] == ["run_2"]


def test_nothing_is_noted_of_a_run_that_is_gone(database: Database) -> None:
    with pytest.raises(IntegrityError):
        Notes(database).write(_note("run_9", 1, "retrieve"))


def test_personal_data_never_reaches_the_table(database: Database) -> None:
    personal = "sato@example.com 090-1234-5678 1234-5678-9018 sanbo_" + "x" * 40
    passage = NotedPassage(chunk_id="d.1", document=f"{personal}.txt", score=1, relevance=0.5)
    note = _note(
        "run_1",
        1,
        "answer",
        queries=(personal, "年休\0"),
        retrieved_docs=(passage,),
        decision_reason=f"「{personal}」",
        final_report=f"- {personal}\ud800",
    )
    with use_language("en"):
        Notes(database).write(note)
    with database.read() as connection:
        row = " ".join(map(str, connection.execute(sa.select(research_notes)).one()))
    for secret in ("sato", "example.com", "1234", "5678", "9018", "sanbo_x", "\0"):
        assert secret not in row
    masks = "[e-mail address] [phone number] [personal number] ****"
    (kept,) = Notes(database).of_run("run_1")
    assert kept.queries == (masks, "年休")
    assert kept.retrieved_docs[0].document == f"{masks}.txt"
    assert kept.decision_reason == f"「{masks}」"
    assert kept.final_report.startswith(f"- {masks}")
