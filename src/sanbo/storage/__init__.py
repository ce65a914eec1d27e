"""The database (SQLite or PostgreSQL) and the blob store of a workspace."""
