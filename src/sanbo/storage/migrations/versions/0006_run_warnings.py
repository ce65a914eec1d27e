"""How many warnings a run ended with, so that a list can say so without reading journals."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Runs of before have none counted: their own pages show them."""
    op.add_column("runs", sa.Column("warnings", sa.Integer(), nullable=False, server_default="0"))
