"""The file formats that Sanbo reads: one `FORMAT` record each, which says all about it.

A module or folder in `documents/formats/` has a record; so may an installed package, under the
entry point `sanbo.formats`. Endings, media types, names and readers are listed here alone.
"""

import mimetypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import PurePosixPath
from pkgutil import iter_modules
from typing import Any, Literal

from sanbo.documents import formats as _folder
from sanbo.kernel.messages import Language

UNKNOWN_TYPE = "application/octet-stream"
_OTHER_TYPES = {
    ".webp": "image/webp",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".parquet": "application/vnd.apache.parquet",
}


@dataclass(frozen=True)
class FileFormat:
    name: str
    titles: Mapping[Language, str]
    rank: int
    """Its place in lists that people see, and in which formats are tried."""
    endings: Mapping[str, str]
    """What names of such files end with, and the media type of each; the usual one first."""
    reader: str = ""
    """`module:function` from a source to a document; loaded when first needed, as libraries take
    their time. Without it, a file is no document itself."""
    pictures: str = ""
    """`module:function` to the first pages as they look, if it has pages that can be drawn."""
    unpacker: str = ""
    """`module:function` to the files in such a file, if it holds any."""
    may_hold_files: Callable[[bytes], bool] | None = None
    """A quick look at the bytes, so that most files need not be asked about."""
    begins: Callable[[bytes], bool] | None = None
    """Whether these bytes are such a file, whatever its name."""
    main_parts: tuple[str, ...] = ()
    """One of these stands in a ZIP package of this format."""
    streams: tuple[str, ...] = ()
    """One of these stands in a compound file (Office before 2007) of this format."""
    is_text: bool = False
    """Its name alone tells: its content may look like any other text."""
    looks_so: Callable[[str], bool] | None = None
    """Whether a text without a telling name is one."""
    table: Literal["delimited", "workbook"] | None = None
    """How it is read to compute with, if it can be."""
    lines: Literal["apart", "wrapped", "joined", "kept"] = "kept"
    """A line of a paragraph is a part of its own, may go on in the next, or has been joined."""
    has_set_pages: bool = False
    """Texts run over its pages, with heads and numbers at their edges."""
    page_word: Literal["page", "slide"] = "page"
    counts_rows: bool = False
    """Rows are numbered as a person counts them in the file."""

    @property
    def ending(self) -> str:
        return next(iter(self.endings))

    @property
    def media_type(self) -> str:
        return self.endings[self.ending]

    @property
    def is_table(self) -> bool:
        """Nothing but rows and columns."""
        return self.table is not None and (self.counts_rows or not self.is_text)


@cache
def function_of(path: str) -> Any:
    """The reader or unpacker that a record names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


@cache
def formats() -> Mapping[str, FileFormat]:
    """By name, in the order of their ranks."""
    names = [f"{_folder.__name__}.{found.name}" for found in iter_modules(_folder.__path__)]
    found: list[FileFormat] = [import_module(name).FORMAT for name in names]
    found += [entry.load() for entry in entry_points(group="sanbo.formats")]
    return {each.name: each for each in sorted(found, key=lambda each: each.rank)}


def documents() -> dict[str, FileFormat]:
    """Of files that are documents themselves, not what holds them."""
    return {name: each for name, each in formats().items() if each.reader}


def format_named(name: str) -> FileFormat:
    """One that is not there (any more) is treated as plain text."""
    return formats().get(name) or formats()["text"]


def format_by_name(file: str) -> FileFormat | None:
    """What a file's ending claims."""
    ending = PurePosixPath(file.lower()).suffix
    return next((each for each in formats().values() if ending in each.endings), None)


def accepted(wanted: Callable[[FileFormat], object] = lambda _: True) -> str:
    """Endings for a form's field that takes such files."""
    chosen = [each for each in formats().values() if wanted(each)]
    return ",".join(ending for each in chosen for ending in each.endings)


def media_type_of(file: str) -> str:
    """By its name, alike on every machine."""
    ending = PurePosixPath(file.lower()).suffix
    known = format_by_name(file)
    if known is not None:
        return known.endings[ending]
    # A name that begins like an address would be read as one.
    guessed = _types().guess_type(f"./{file.rpartition('/')[2]}", strict=True)[0]
    return _OTHER_TYPES.get(ending) or guessed or UNKNOWN_TYPE


def ending_of(media_type: str) -> str:
    """The usual ending of files of this type; empty for one that no format has."""
    pairs = (pair for each in formats().values() for pair in each.endings.items())
    return next((ending for ending, known in pairs if known == media_type), "")


@cache
def _types() -> mimetypes.MimeTypes:
    return mimetypes.MimeTypes()  # without what this machine's own lists say
