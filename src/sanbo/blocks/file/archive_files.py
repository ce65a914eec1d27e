"""The files in a ZIP file, named from its root."""

from collections.abc import Iterator

from sanbo.documents.archives import ArchiveLimits, read_archive
from sanbo.documents.model import Skipped, Source
from sanbo.kernel.problems import InvalidInput

# All files of an archive are held at once, as outputs of one step.
_LIMITS = ArchiveLimits(files=10_000, total_bytes=1 << 30)
_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def is_archive(source: Source) -> bool:
    return source.data.startswith(_BEGINNINGS) and source.name.lower().endswith(".zip")


def files_in(archive: Source, prefix: str = "") -> Iterator[Source | Skipped]:
    """Archives inside are opened too. `prefix` stands before every name."""
    if not archive.data.startswith(_BEGINNINGS):
        raise InvalidInput("block_not_a_zip", name=archive.name)
    outer = f"{archive.name}/"
    for found in read_archive(archive, _LIMITS):
        name = prefix + found.name.removeprefix(outer)
        yield found.model_copy(update={"name": name.strip("/") or archive.name})
