"""What each run is about, so that a list can say so without reading journals."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_runs = sa.table("runs", sa.column("run_id", sa.String), sa.column("title", sa.Text))
_events = sa.table(
    "events",
    sa.column("run_id", sa.String),
    sa.column("seq", sa.Integer),
    sa.column("payload", sa.Text),
)


def upgrade() -> None:
    op.add_column("runs", sa.Column("title", sa.Text(), nullable=False, server_default=""))
    connection = op.get_bind()
    ids = connection.execute(sa.select(_runs.c.run_id)).scalars().all()
    for run_id in ids:  # one by one: an opening may hold a whole plan
        opening = connection.execute(
            sa.select(_events.c.payload).where(_events.c.run_id == run_id, _events.c.seq == 1)
        ).scalar_one_or_none()
        if opening and (title := _title(json.loads(opening))):
            connection.execute(sa.update(_runs).where(_runs.c.run_id == run_id).values(title=title))


def _title(opening: dict[str, Any]) -> str:
    """As runs of these days were given it: a question, or a plan's id."""
    given: dict[str, Any] = opening.get("input") or {}
    about = given.get("question") or given.get("plan_id") or ""
    return " ".join(str(about).split())[:200]
