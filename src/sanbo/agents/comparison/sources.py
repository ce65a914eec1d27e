"""What a person gave as the old or the new side, read into documents."""

import asyncio
import itertools
import re
import struct

from sanbo.agents.comparison import limits
from sanbo.agents.comparison.given import MOST_FILES, ComparisonInput
from sanbo.agents.comparison.limits import SideName
from sanbo.documents.formats.text import read as read_text
from sanbo.documents.model import Document, Frozen, Skipped, Source, is_litter
from sanbo.documents.reading import Readers, is_of_the_file
from sanbo.documents.transport import packed
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import (
    Code,
    InvalidInput,
    LimitExceeded,
    NotFound,
    Problem,
    SanboError,
    UnsupportedFormat,
)
from sanbo.kernel.text import matching_form
from sanbo.retrieval.library import Library
from sanbo.retrieval.model import DocumentInfo
from sanbo.runs.model import FileRef
from sanbo.runs.workflow import RunContext
from sanbo.sandbox.memory import Memory, write_all

SIZE = struct.Struct(">Q")
_SAME_NAMES = 100
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f]")


class ReadDocument(Frozen):
    """A document of a side, or in a folder one that could not be read: then empty."""

    document: Document
    problem: Problem | None = None


class PackedSide:
    """The same, all of a side, as they pass through a process that does not look into them: one
    after the other in one memory file, each with its size in front."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.names: list[str] = []
        self.problems: list[Problem | None] = []

    @classmethod
    def of(cls, document: Document) -> "PackedSide":
        side = cls()
        side.add(document.name, Memory.of(packed(document)))
        return side

    def add(self, name: str, document: Memory, problem: Problem | None = None) -> None:
        with document:
            write_all(self.memory.fd, SIZE.pack(document.size))
            write_all(self.memory.fd, document.view())
        self.names.append(name)
        self.problems.append(problem)

    def add_unread(self, name: str, problem: Problem) -> None:
        document = Document(name=name, format="text", text="", blocks=(), warnings=(problem,))
        self.add(name, Memory.of(packed(document)), problem)


async def read_side(context: RunContext[ComparisonInput], side: SideName) -> PackedSide:
    """At least one; raises where the side has nothing that can be compared."""
    given = context.input
    files = given.old if side == "old" else given.new
    text = given.old_text if side == "old" else given.new_text
    named = given.old_document if side == "old" else given.new_document
    if files:
        return await _of_files(context, files, side)
    if text.strip():
        return await asyncio.to_thread(
            lambda: PackedSide.of(_of_text(text, side, context.language))
        )
    library = context.place.library
    return await asyncio.to_thread(
        lambda: PackedSide.of(_of_collection(library, given.collection, named))
    )


async def _of_files(
    context: RunContext[ComparisonInput], files: list[FileRef], side: SideName
) -> PackedSide:
    read = PackedSide()
    is_folder = len(files) > 1
    readers = context.place.readers
    for file in files:
        if is_folder and is_litter(file.name):
            continue
        source = Source(name=file.name, data=await context.read(file))
        entries = await readers.calls.waiting(lambda each=source: _unpacked(readers, each))
        if entries is not None:
            is_folder = True
            for entry in entries:
                await readers.calls.waiting(lambda each=entry: _read(readers, each, read))
        else:
            await readers.calls.waiting(lambda each=source: _read(readers, each, read))
        if read.memory.size > limits.MOST_BYTES:
            raise limits.too_much(side, limits.MOST_CHARACTERS)
    if not read.problems:
        raise InvalidInput(f"comparison_folder_empty.{side}")
    problem = read.problems[0]
    if problem is not None and None not in read.problems:
        raise _unreadable(problem, read.names[0], side)
    return read


def _read(readers: Readers, source: Source | Skipped, into: PackedSide) -> None:
    if isinstance(source, Skipped):
        into.add_unread(source.name, source.problem)
        return
    try:
        into.add(source.name, readers.read_packed(source, limits.READING))
    except SanboError as error:
        if not is_of_the_file(error):
            raise
        into.add_unread(source.name, error.problem)


def _unreadable(problem: Problem, name: str, side: SideName) -> SanboError:
    """The reader's problem, with the side told: both files often have the same name."""
    if problem.text_id in ("document_too_large", "tables_too_large"):
        return limits.too_much(side, limits.LONGEST_DOCUMENT)
    kind = UnsupportedFormat if problem.code is Code.UNSUPPORTED_FORMAT else InvalidInput
    return kind(
        f"comparison_unreadable.{side}", name=name, reason=problem.message, advice=problem.hint
    )


def _unpacked(readers: Readers, archive: Source) -> list[Source | Skipped] | None:
    """As the files of a folder, named by their places in it; None where it is no archive."""
    if readers.container_format(archive) != "zip":
        return None
    entries = list(itertools.islice(readers.files_in(archive, "zip"), MOST_FILES + 1))
    if len(entries) > MOST_FILES:
        raise LimitExceeded("comparison_too_many_files", name=archive.name, limit=MOST_FILES)
    return [
        entry.model_copy(update={"name": entry.name.removeprefix(archive.name).lstrip("/")})
        for entry in entries
    ]


def _of_text(text: str, side: SideName, language: Language) -> Document:
    """As text, whatever it begins with; so it needs no process of its own to be read in."""
    name = tell(f"comparison.pasted.{side}", language)
    sound = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)  # else it looks like no text at all
    return read_text(Source(name=name, data=sound.encode("utf-8", "replace")))


def _of_collection(library: Library, collection: str, wanted: str) -> Document:
    return library.open(collection).read(_found(library, collection, wanted).document_id).document


def _found(library: Library, collection: str, wanted: str) -> DocumentInfo:
    """By its id, its name, or the last part of its name."""
    try:
        return library.open(collection).document(wanted)
    except NotFound:
        pass
    listed = library.documents(collection, containing=wanted, offset=0, limit=_SAME_NAMES)
    for is_meant in (_has_name, _ends_with):
        found = [info for info in listed if is_meant(info, wanted)]
        if len(found) > 1:
            raise InvalidInput(
                "comparison_document_ambiguous", document=wanted, collection=collection
            )
        if found:
            return found[0]
    raise NotFound("document_unknown", document=wanted, collection=collection)


def _has_name(info: DocumentInfo, wanted: str) -> bool:
    return matching_form(info.name) == matching_form(wanted)


def _ends_with(info: DocumentInfo, wanted: str) -> bool:
    return matching_form(info.name.rpartition("/")[2]) == matching_form(wanted)
