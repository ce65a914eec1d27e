"""Where the bytes of files are kept."""

from pydantic import Field, SecretStr

from sanbo.kernel.settings import Section


class StorageSettings(Section):
    blobs: str | None = None
    """`s3://bucket/prefix`, `gs://…`, `az://…`, or a folder; None: a folder in the workspace.
    Credentials come from the environment, under the names that the store's vendor gives them."""
    cache_mb: int = Field(default=4096, ge=64)
    """Of an object store's files, what is kept on this machine's disk for who needs a path."""
    sealing_key: SecretStr | None = None
    """At least 32 characters, the same for all servers: what is kept in memory alone is then also
    kept encrypted with it, in the database and beside the files, so that every server can go on
    with it. None: it stays in memory."""
    sealed_hours: float = Field(default=24, gt=0)
    """After which what was so kept is removed."""
