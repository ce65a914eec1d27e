"""Runs, their journal, files, drafts and tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "drafts",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("state_key", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "state_key"),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("workflow", sa.String(length=40), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.Float(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_index("runs_by_conversation", "runs", ["conversation_id"], unique=False)
    op.create_index("runs_by_holder", "runs", ["holder"], unique=False)
    op.create_index("runs_by_owner", "runs", ["owner", "created_at"], unique=False)
    op.create_index("runs_by_status", "runs", ["status"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sa.UniqueConstraint("hash"),
    )
    op.create_table(
        "uploads",
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "sha256"),
    )
    op.create_index("uploads_by_blob", "uploads", ["sha256"], unique=False)
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "interactions",
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("interaction_id", sa.String(length=80), nullable=False),
        sa.Column("opened_seq", sa.Integer(), nullable=False),
        sa.Column("answered_seq", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "interaction_id"),
    )
    op.create_table(
        "run_files",
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "sha256"),
    )
    op.create_index("run_files_by_blob", "run_files", ["sha256"], unique=False)
    op.create_table(
        "run_threads",
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "thread_id"),
    )
    op.create_index("run_threads_by_thread", "run_threads", ["thread_id"], unique=False)
