"""The audit trail of research: what each step searched, found, decided and wrote.

Beside the journal, which goes with its run, notes are kept by session. They hold no personal data
beyond what a question was about: whatever is written passes `masked`.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import Field, TypeAdapter

from sanbo.evidence.model import Frozen
from sanbo.kernel.personal_data import Parts, masked, parts_of
from sanbo.kernel.secrets import redact
from sanbo.runs.journal import Journal
from sanbo.runs.model import RunStart
from sanbo.storage.database import Database, insert_into
from sanbo.storage.tables import research_notes


class NotedPassage(Frozen):
    """A found passage without its words: those are in the collection."""

    chunk_id: str
    document: str
    score: float
    relevance: float


class Note(Frozen):
    """What one node did in one cycle of a run."""

    session: str
    run_id: str
    node_name: str
    cycle_no: int
    queries: tuple[str, ...] = ()
    retrieved_docs: tuple[NotedPassage, ...] = ()
    decision_reason: str = ""
    final_report: str = ""
    time: datetime = Field(default_factory=lambda: datetime.now(UTC))


_queries = TypeAdapter(tuple[str, ...])
_passages = TypeAdapter(tuple[NotedPassage, ...])


class Notes:
    """Blocking; safe to call from several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, note: Note) -> None:
        """Masked, with marks in the current language. A node that runs again replaces its note."""
        kept = _without_personal_data(note, parts_of(self._question(note.run_id)))
        row = {
            "session_id": kept.session,
            "run_id": kept.run_id,
            "cycle_no": kept.cycle_no,
            "node_name": kept.node_name,
            "queries": _queries.dump_json(kept.queries).decode(),
            "retrieved_docs": _passages.dump_json(kept.retrieved_docs).decode(),
            "decision_reason": kept.decision_reason,
            "final_report": kept.final_report,
            "time": kept.time.timestamp(),
        }
        insert = insert_into(research_notes, is_sqlite=self._database.is_sqlite)
        statement = insert.values(row)
        replaced = {name: statement.excluded[name] for name in row if name not in _KEY}
        with self._database.write() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=_KEY, set_=replaced))

    def of_session(self, session: str) -> list[Note]:
        """In the order in which things happened."""
        return self._find(research_notes.c.session_id == session)

    def of_run(self, run_id: str) -> list[Note]:
        return self._find(research_notes.c.run_id == run_id)

    def delete_session(self, session: str) -> int:
        """How many notes there were."""
        with self._database.write() as connection:
            deleted = connection.execute(
                sa.delete(research_notes).where(research_notes.c.session_id == session)
            )
        return deleted.rowcount

    def _question(self, run_id: str) -> str:
        opening = Journal(self._database).read(run_id, limit=1)
        start = opening[0].payload if opening else None
        return str(start.input.get("question", "")) if isinstance(start, RunStart) else ""

    def _find(self, condition: sa.ColumnElement[bool]) -> list[Note]:
        # Run ids begin with their time, so their order is the order of creation.
        order = (research_notes.c.run_id, research_notes.c.time, research_notes.c.cycle_no)
        query = sa.select(research_notes).where(condition).order_by(*order)
        with self._database.read() as connection:
            return [_note(row) for row in connection.execute(query)]


_KEY = tuple(column.name for column in research_notes.primary_key.columns)


def _note(row: sa.Row[Any]) -> Note:
    return Note(
        session=row.session_id,
        run_id=row.run_id,
        node_name=row.node_name,
        cycle_no=row.cycle_no,
        queries=_queries.validate_json(row.queries),
        retrieved_docs=_passages.validate_json(row.retrieved_docs),
        decision_reason=row.decision_reason,
        final_report=row.final_report,
        time=datetime.fromtimestamp(row.time, UTC),
    )


def _without_personal_data(note: Note, parts: Parts) -> Note:
    def kept(text: str) -> str:
        return masked(redact(text), parts).replace("\0", "")  # PostgreSQL takes no NUL

    passages = tuple(
        passage.model_copy(update={"document": kept(passage.document)})
        for passage in note.retrieved_docs
    )
    return note.model_copy(
        update={
            "queries": tuple(kept(query) for query in note.queries),
            "retrieved_docs": passages,
            "decision_reason": kept(note.decision_reason),
            "final_report": kept(note.final_report),
        }
    )
