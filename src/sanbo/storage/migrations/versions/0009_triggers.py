"""What starts plans by itself, each occasion once; who was told of a question."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Of questions of before, nobody is told any more."""
    op.add_column("interactions", sa.Column("notify_at", sa.Float()))
    op.create_index("interactions_by_notice", "interactions", ["notify_at"])
    op.create_table(
        "triggers",
        sa.Column("trigger_id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("plan_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("next_at", sa.Float()),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("known", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
    )
    op.create_index("triggers_by_time", "triggers", ["next_at"])
    op.create_index("triggers_by_owner", "triggers", ["owner"])
    op.create_table(
        "firings",
        sa.Column(
            "trigger_id",
            sa.String(40),
            sa.ForeignKey("triggers.trigger_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("occasion", sa.String(80), primary_key=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("due_at", sa.Float(), nullable=False),
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("given", sa.Text()),
        sa.Column("problem", sa.Text()),
        sa.Column("holder", sa.String(64)),
        sa.Column("lease_until", sa.Float()),
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.create_index("firings_by_status", "firings", ["status"])
    op.create_index("firings_by_age", "firings", ["trigger_id", "created_at"])
