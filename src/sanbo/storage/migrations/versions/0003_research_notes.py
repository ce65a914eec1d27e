"""What research did, by session."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

PARTITIONS = 8


def upgrade() -> None:
    op.create_table(
        "research_notes",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=40), nullable=False),
        sa.Column("cycle_no", sa.Integer(), nullable=False),
        sa.Column("node_name", sa.String(length=40), nullable=False),
        sa.Column("queries", sa.Text(), nullable=False),
        sa.Column("retrieved_docs", sa.Text(), nullable=False),
        sa.Column("decision_reason", sa.Text(), nullable=False),
        sa.Column("final_report", sa.Text(), nullable=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("session_id", "run_id", "cycle_no", "node_name"),
        sqlite_with_rowid=False,
        postgresql_partition_by="HASH (session_id)",
    )
    if op.get_bind().dialect.name == "postgresql":
        for number in range(PARTITIONS):
            op.execute(
                f"CREATE TABLE research_notes_{number} PARTITION OF research_notes"
                f" FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
            )
    op.create_index("research_notes_by_run", "research_notes", ["run_id"])
