"""The journal on PostgreSQL in partitions by run id, while servers go on writing."""

from functools import partial

from alembic import op
from sqlalchemy.engine import Connection

from sanbo.storage.postgresql import briefly, first_id, month_after, now_in

revision = "0013"
down_revision = "0012"

TRIES = 300
"""Some minutes: somebody may be making a copy of the database."""
_GRANTS = """
DO $$ DECLARE given record; BEGIN
FOR given IN SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS who,
  privilege_type AS what FROM pg_class, aclexplode(relacl) WHERE oid = '{old}'::regclass
LOOP EXECUTE 'GRANT ' || given.what || ' ON events TO ' || given.who; END LOOP; END $$
"""


def upgrade() -> None:
    """The table as it is becomes the partition before a month that is to come.

    That all of it is before is a constraint that is checked while others write; then it need not
    be looked through when nobody may. New tables of no rows need none of that.
    """
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    connection.commit()
    is_divided = "SELECT relkind = 'p' FROM pg_class WHERE oid = 'events'::regclass"
    if connection.exec_driver_sql(is_divided).scalar_one():  # a process that died has come so far
        return
    if briefly(connection, partial(_divide_if_empty, connection), TRIES):
        return
    until = briefly(connection, partial(_limit, connection), TRIES, "events")
    try:
        connection.exec_driver_sql("ALTER TABLE events VALIDATE CONSTRAINT events_before")
        connection.commit()
        place = f"FOR VALUES FROM (MINVALUE) TO ('{until}')"
        divide = partial(_divide, connection, "events_before", place)
        briefly(connection, divide, TRIES, "events")
    except BaseException:
        connection.rollback()
        briefly(connection, partial(_unlimit, connection), TRIES)
        raise


def _limit(connection: Connection) -> str:
    """For whatever is written until then: it is more than a month, and the rest takes seconds."""
    _unlimit(connection)
    newest = connection.exec_driver_sql("SELECT max(run_id) FROM events").scalar_one()
    until = max(first_id(month_after(month_after(now_in(connection)))), f"{newest}0")
    check = f"CHECK (run_id < '{until}') NOT VALID"
    connection.exec_driver_sql(f"ALTER TABLE events ADD CONSTRAINT events_before {check}")
    return until


def _unlimit(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE events DROP CONSTRAINT IF EXISTS events_before")


def _divide_if_empty(connection: Connection) -> bool:
    any_event = "SELECT 1 FROM events LIMIT 1"
    if connection.exec_driver_sql(any_event).first() is not None:
        return False
    connection.exec_driver_sql("LOCK TABLE runs, events IN ACCESS EXCLUSIVE MODE")
    if connection.exec_driver_sql(any_event).first() is not None:
        return False
    _divide(connection, "events_default", "DEFAULT")
    return True


def _divide(connection: Connection, old: str, place: str) -> None:
    is_default = place == "DEFAULT"
    for statement in (
        # In the order in which whoever appends takes them.
        "LOCK TABLE runs, events IN ACCESS EXCLUSIVE MODE",
        f"ALTER TABLE events RENAME TO {old}",
        f"ALTER INDEX events_pkey RENAME TO {old}_pkey",
        f"CREATE TABLE events (LIKE {old}, PRIMARY KEY (run_id, seq), CONSTRAINT events_run_id_fkey"
        " FOREIGN KEY (run_id) REFERENCES runs ON DELETE CASCADE) PARTITION BY RANGE (run_id)",
        _GRANTS.format(old=old),
        f"ALTER TABLE events ATTACH PARTITION {old} {place}",
        f"ALTER TABLE {old} DROP CONSTRAINT IF EXISTS events_before",
        "" if is_default else "CREATE TABLE events_default PARTITION OF events DEFAULT",
    ):
        if statement:
            connection.exec_driver_sql(statement)
