"""The texts of documents in collections that several machines search."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "document_texts",
        sa.Column("collection", sa.String(32), primary_key=True),
        sa.Column("document_id", sa.String(32), primary_key=True),
        sa.Column("version", sa.String(64), primary_key=True),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
