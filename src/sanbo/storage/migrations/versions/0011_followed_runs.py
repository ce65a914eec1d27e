"""Which runs somebody follows from another process, so that their events are told at once."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """On PostgreSQL no row is written: the column is a line in the catalogue."""
    op.add_column("runs", sa.Column("followed_until", sa.Float()))
