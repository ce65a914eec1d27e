"""Runs the migrations on the connection that `Database.migrate` hands over."""

from alembic import context

from sanbo.storage.tables import metadata

connection = context.config.attributes["connection"]
if connection.dialect.name == "postgresql":
    # Two processes that start at once: one migrates, the other waits and finds nothing to do.
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(5213907)")
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=False)
context.run_migrations()
