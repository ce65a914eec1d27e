"""When a question is due and to whom it is put, so that inboxes need no journals; tokens' roles."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Questions of before are due never, and put to nobody in particular."""
    op.add_column("interactions", sa.Column("due_at", sa.Float()))
    op.add_column("interactions", sa.Column("remind_at", sa.Float()))
    op.create_index("interactions_by_reminder", "interactions", ["remind_at"])
    op.create_table(
        "addressees",
        sa.Column(
            "run_id",
            sa.String(40),
            sa.ForeignKey("runs.run_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("interaction_id", sa.String(80), primary_key=True),
        sa.Column("who", sa.String(80), primary_key=True),
    )
    op.create_index("addressees_by_who", "addressees", ["who"])
    op.add_column("tokens", sa.Column("roles", sa.Text(), nullable=False, server_default="[]"))
