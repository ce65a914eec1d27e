"""What reading processes do: a file to a document, a container to the files in it."""

import logging
from collections.abc import Iterator
from importlib import import_module

from sanbo.documents.archives import ArchiveLimits, read_archive
from sanbo.documents.extract import READERS, extract, format_of
from sanbo.documents.formats.eml.reader import attachments
from sanbo.documents.limits import ReadingLimits, limited
from sanbo.documents.model import Document, Format, Source
from sanbo.documents.transport import packed, packed_files
from sanbo.kernel.problems import SanboError, Unexpected


def warm_up() -> None:
    """Each file is read in a copy of this process, which then has nothing to load."""
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    for module in READERS.values():
        import_module(f"sanbo.documents.formats.{module}")


def document_in(name: str, most: ReadingLimits, data: memoryview) -> Iterator[bytes]:
    yield from packed(_read(Source(name=name, data=bytes(data)), most))


def files_in(
    name: str, kind: Format, allowed: ArchiveLimits, skip: int, data: memoryview
) -> Iterator[bytes]:
    """Of an archive or a mail, after the first `skip`."""
    source = Source(name=name, data=bytes(data))
    files = read_archive(source, allowed) if kind == "zip" else attachments(source)
    yield from packed_files(files, skip)


def format_in(name: str, data: memoryview) -> Iterator[bytes]:
    """Nothing where it can't be told: reading the file says why."""
    try:
        yield format_of(Source(name=name, data=bytes(data))).encode()
    except SanboError:
        return


def _read(source: Source, most: ReadingLimits) -> Document:
    try:
        with limited(most):
            return extract(source)
    except (SanboError, MemoryError):
        raise
    except RecursionError:
        raise MemoryError from None
    except Exception as error:
        kind = type(error).__name__
        raise Unexpected("file_reader_defect", name=source.name, kind=kind) from error
