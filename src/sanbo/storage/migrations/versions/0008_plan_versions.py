"""Versions of plans, and who did what with them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "plan_versions",
        sa.Column("plan_id", sa.String(200), primary_key=True),
        sa.Column("version", sa.String(64), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("author", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("blocks", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
    )
    op.create_table(
        "plan_events",
        sa.Column("plan_id", sa.String(200), primary_key=True),
        sa.Column("version", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.Column("actor", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("is_imported", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["plan_id", "version"],
            ["plan_versions.plan_id", "plan_versions.version"],
            ondelete="CASCADE",
        ),
    )
