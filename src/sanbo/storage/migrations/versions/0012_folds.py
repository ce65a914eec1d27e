"""Folds of long runs, kept beside their journals."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "folds",
        sa.Column(
            "run_id",
            sa.String(40),
            sa.ForeignKey("runs.run_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("for_viewing", sa.Boolean(), primary_key=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.Column("version", sa.String(16), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
    )
