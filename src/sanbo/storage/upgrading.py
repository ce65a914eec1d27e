"""Tables as this version of Sanbo wants them. Alembic is loaded only where something is due."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DatabaseError

_VERSIONS = Path(__file__).parent / "migrations" / "versions"


def is_up_to_date(connection: Connection) -> bool:
    """Whether the newest migration was the last one made here."""
    newest = max((path.stem for path in _VERSIONS.glob("[0-9]*.py")), default="").partition("_")[0]
    try:
        made = connection.execute(sa.text("SELECT version_num FROM alembic_version"))
        return made.scalars().all() == [newest]
    except DatabaseError:  # a new file has no such table; what is damaged is told by the upgrade
        return False


def touch(connection: Connection) -> None:
    """Changes nothing, but is written like every change."""
    connection.execute(sa.text("UPDATE alembic_version SET version_num = version_num"))


def upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", "sanbo.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
