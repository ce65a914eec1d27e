"""Answers to a plan's forms, kept under a name."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "presets",
        sa.Column("plan_id", sa.String(200), primary_key=True),
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
    )
