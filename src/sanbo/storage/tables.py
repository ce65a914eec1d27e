"""The tables, as the newest migration leaves them."""

import sqlalchemy as sa

metadata = sa.MetaData()

# One row a run: who owns it, who advances it, and where its journal stands. The events are the
# truth; `status` repeats what they add up to, so that a list needs no fold.
runs = sa.Table(
    "runs",
    metadata,
    sa.Column("run_id", sa.String(40), primary_key=True),
    sa.Column("workflow", sa.String(40), nullable=False),
    sa.Column("conversation_id", sa.String(64), nullable=False),
    sa.Column("title", sa.Text, nullable=False, server_default=""),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("warnings", sa.Integer, nullable=False, server_default="0"),
    sa.Column("last_seq", sa.Integer, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
    # Lease: the process that may append as the run's writer, and until when without a renewal.
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("holder", sa.String(64)),
    sa.Column("lease_until", sa.Float),
    sa.Column("cancel_requested", sa.Boolean, nullable=False),
    # Until when the events of this run are told to all processes, where the database can.
    sa.Column("followed_until", sa.Float),
    sa.Index("runs_by_owner", "owner", "created_at"),
    sa.Index("runs_by_status", "status"),
    sa.Index("runs_by_holder", "holder"),
    sa.Index("runs_by_conversation", "conversation_id"),
)


def _of_run() -> sa.ForeignKey:
    return sa.ForeignKey("runs.run_id", ondelete="CASCADE")


# Append-only. `epoch` tells under which lease an event was written; 0 is a person's answer.
events = sa.Table(
    "events",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("time", sa.Float, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

# What the events of a long run add up to, up to one of them: to look at it, and to go on with it.
# Whatever is here can be made again. `time`: of that event, by which it is known again.
folds = sa.Table(
    "folds",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("for_viewing", sa.Boolean, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("time", sa.Float, nullable=False),
    sa.Column("version", sa.String(16), nullable=False),
    sa.Column("state", sa.Text, nullable=False),
)

# Which questions are open, so that exactly one answer to each can be taken.
interactions = sa.Table(
    "interactions",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("interaction_id", sa.String(80), primary_key=True),
    sa.Column("opened_seq", sa.Integer, nullable=False),
    sa.Column("answered_seq", sa.Integer),
    sa.Column("due_at", sa.Float),
    # When its run says next that it is due soon, or overdue; none where nothing is left to say.
    sa.Column("remind_at", sa.Float),
    # When people are told of it next, outside of the workbench; none where they were.
    sa.Column("notify_at", sa.Float),
    sa.Index("interactions_by_reminder", "remind_at"),
    sa.Index("interactions_by_notice", "notify_at"),
)

# To whom a question is put: `user:suzuki`, `role:経理`; `not:tanaka` may not answer it.
addressees = sa.Table(
    "addressees",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("interaction_id", sa.String(80), primary_key=True),
    sa.Column("who", sa.String(80), primary_key=True),
    sa.Index("addressees_by_who", "who"),
)

# Which runs use which bytes; a blob that no row names any more is removed.
run_files = sa.Table(
    "run_files",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Index("run_files_by_blob", "sha256"),
)

# Files that a person has sent and not yet used in a run, or may use again.
uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("media_type", sa.Text, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Index("uploads_by_blob", "sha256"),
)

# What is kept in memory, for other servers and for a while: encrypted, in the row or as a blob.
# `run_id`: none for files, which may be several runs'. No key to `runs`: its blobs go first.
sealed = sa.Table(
    "sealed",
    metadata,
    sa.Column("run_id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(120), primary_key=True),
    sa.Column("data", sa.LargeBinary),
    sa.Column("sha256", sa.String(64)),
    sa.Column("expires_at", sa.Float, nullable=False),
    sa.Index("sealed_by_time", "expires_at"),
)

# Graph threads with checkpoints; a thread goes when the last run that used it goes.
run_threads = sa.Table(
    "run_threads",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("thread_id", sa.Text, primary_key=True),
    sa.Index("run_threads_by_thread", "thread_id"),
)

# What a person has typed and not yet sent, so that closing the page loses nothing.
drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("state_key", sa.Text, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
)

tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("roles", sa.Text, nullable=False, server_default="[]"),
)

collections = sa.Table(
    "collections",
    metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    # Its folder, and part of its name on a server: another workspace may use the same name.
    sa.Column("key", sa.String(32), nullable=False, unique=True),
    sa.Column("engine", sa.String(16), nullable=False),
    sa.Column("embedding_model", sa.Text),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
)

# Which version of each document counts. Its chunks are in the collection's engine.
documents = sa.Table(
    "documents",
    metadata,
    # By its key: one that was deleted and made anew under the same name is another.
    sa.Column(
        "collection",
        sa.String(32),
        sa.ForeignKey("collections.key", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("document_id", sa.String(32), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    # The archive or mail on disk that it is in.
    sa.Column("container", sa.Text),
    sa.Column("version", sa.String(64), nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("format", sa.String(16), nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("pages", sa.Integer),
    sa.Column("chunks", sa.Integer, nullable=False),
    sa.Column("warnings", sa.Text, nullable=False),
    sa.Column("metadata", sa.Text, nullable=False),
    sa.Column("indexed_at", sa.Float, nullable=False),
    sa.Index("documents_by_name", "collection", "name", "document_id"),
)

# Versions whose chunks are in an engine and don't count: not yet, or no more. Whatever is still
# here when nobody writes was left by a process that died, and is removed by the next writer.
leftovers = sa.Table(
    "leftovers",
    metadata,
    sa.Column("collection", sa.String(32), primary_key=True),
    sa.Column("document_id", sa.String(32), primary_key=True),
    sa.Column("version", sa.String(64), primary_key=True),
    sa.Column("place", sa.String(64), nullable=False),
    sa.Column("since", sa.Float, nullable=False),
)

# The texts of documents in collections that are kept on a server: every machine reads them here.
document_texts = sa.Table(
    "document_texts",
    metadata,
    sa.Column("collection", sa.String(32), primary_key=True),
    sa.Column("document_id", sa.String(32), primary_key=True),
    sa.Column("version", sa.String(64), primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

# What research did, for who looks at it later; personal data is masked before it comes here. By
# session first: its notes stand together (SQLite keeps them in the order of the key, PostgreSQL
# in one partition) and go together.
research_notes = sa.Table(
    "research_notes",
    metadata,
    sa.Column("session_id", sa.String(64), primary_key=True),
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    sa.Column("cycle_no", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("node_name", sa.String(40), primary_key=True),
    sa.Column("queries", sa.Text, nullable=False),
    sa.Column("retrieved_docs", sa.Text, nullable=False),
    sa.Column("decision_reason", sa.Text, nullable=False),
    sa.Column("final_report", sa.Text, nullable=False),
    sa.Column("time", sa.Float, nullable=False),
    sa.Index("research_notes_by_run", "run_id"),
    sqlite_with_rowid=False,
)

NOTE_PARTITIONS = tuple(f"research_notes_{number}" for number in range(8))
"""On PostgreSQL, where the notes are; code never names them."""

# What people thought of GRACE's answers: one verdict a run, the earlier ones kept beside it. Score
# and features are those of the answer, so that a later fit needs no journal.
grace_feedback = sa.Table(
    "grace_feedback",
    metadata,
    sa.Column("run_id", sa.String(40), _of_run(), primary_key=True),
    # The order in which verdicts were given; one that was changed comes last again.
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    sa.Column("verdict", sa.String(8), nullable=False),
    sa.Column("score", sa.Float, nullable=False),
    sa.Column("level", sa.String(16), nullable=False),
    sa.Column("answered", sa.Boolean, nullable=False),
    sa.Column("features", sa.Text, nullable=False),
    sa.Column("method", sa.String(16), nullable=False),
    sa.Column("calibration", sa.String(64), nullable=False),
    sa.Column("actor", sa.String(64), nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("time", sa.Float, nullable=False),
    sa.Column("earlier", sa.Text, nullable=False),
)

# Append-only: which thresholds and fitted numbers are in force is a fold over it, so every change
# can be looked up and taken back.
grace_changes = sa.Table(
    "grace_changes",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("time", sa.Float, nullable=False),
    sa.Column("actor", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)

# Plans that were kept: the text of a version, with the plans it calls, changes only while it is a
# draft.
plan_versions = sa.Table(
    "plan_versions",
    metadata,
    sa.Column("plan_id", sa.String(200), primary_key=True),
    sa.Column("version", sa.String(64), primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("author", sa.String(64), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    # By reference, the exact versions of blocks that it was saved with.
    sa.Column("blocks", sa.Text, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
)

# Append-only: who did what with a version, and when.
plan_events = sa.Table(
    "plan_events",
    metadata,
    sa.Column("plan_id", sa.String(200), primary_key=True),
    sa.Column("version", sa.String(64), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("time", sa.Float, nullable=False),
    sa.Column("actor", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("is_imported", sa.Boolean, nullable=False),
    sa.ForeignKeyConstraint(
        ["plan_id", "version"],
        ["plan_versions.plan_id", "plan_versions.version"],
        ondelete="CASCADE",
    ),
)

# What starts plans by itself. `next_at`: when a schedule is due next; none while it is paused.
triggers = sa.Table(
    "triggers",
    metadata,
    sa.Column("trigger_id", sa.String(40), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("plan_id", sa.Text, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("paused", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("next_at", sa.Float),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("known", sa.Text, nullable=False),
    sa.Column("token_hash", sa.String(64), nullable=False),
    sa.Index("triggers_by_time", "next_at"),
    sa.Index("triggers_by_owner", "owner"),
)

# Each occasion once. While it is claimed, `holder` is about to start the run that it names.
firings = sa.Table(
    "firings",
    metadata,
    sa.Column(
        "trigger_id",
        sa.String(40),
        sa.ForeignKey("triggers.trigger_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("occasion", sa.String(80), primary_key=True),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("due_at", sa.Float, nullable=False),
    sa.Column("run_id", sa.String(40), nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("given", sa.Text),
    sa.Column("problem", sa.Text),
    sa.Column("holder", sa.String(64)),
    sa.Column("lease_until", sa.Float),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Index("firings_by_status", "status"),
    sa.Index("firings_by_age", "trigger_id", "created_at"),
)

# Answers to a plan's forms, kept under a name: their owner's, or everybody's.
presets = sa.Table(
    "presets",
    metadata,
    sa.Column("plan_id", sa.String(200), primary_key=True),
    sa.Column("owner", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("shared", sa.Boolean, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
)
