"""Runs the migrations on the connection that `Database.migrate` hands over."""

from alembic import context

from sanbo.storage.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=False)
context.run_migrations()
