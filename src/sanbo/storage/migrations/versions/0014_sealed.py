"""What is kept in memory, for other servers and for a while: encrypted."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "sealed",
        sa.Column("run_id", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(120), primary_key=True),
        sa.Column("data", sa.LargeBinary()),
        sa.Column("sha256", sa.String(64)),
        sa.Column("expires_at", sa.Float(), nullable=False),
    )
    op.create_index("sealed_by_time", "sealed", ["expires_at"])
