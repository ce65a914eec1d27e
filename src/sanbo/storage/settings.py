"""Where the bytes of files are kept."""

from pydantic import Field

from sanbo.kernel.settings import Section


class StorageSettings(Section):
    blobs: str | None = None
    """`s3://bucket/prefix`, `gs://…`, `az://…`, or a folder; None: a folder in the workspace.
    Credentials come from the environment, under the names that the store's vendor gives them."""
    cache_mb: int = Field(default=4096, ge=64)
    """Of an object store's files, what is kept on this machine's disk for who needs a path."""
