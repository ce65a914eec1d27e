"""What a person gave as the old or the new side, read into documents."""

import asyncio
import itertools
import re
from typing import Literal

from sanbo.agents.comparison.given import MOST_FILES, ComparisonInput
from sanbo.documents.archives import Skipped, read_archive
from sanbo.documents.extract import format_of
from sanbo.documents.formats.text import read as read_text
from sanbo.documents.model import Document, Frozen, Source
from sanbo.documents.skipped import is_litter
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

SideName = Literal["old", "new"]
_SAME_NAMES = 100
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f]")


class ReadDocument(Frozen):
    """A document of a side, or in a folder one that could not be read: then empty."""

    document: Document
    problem: Problem | None = None


async def read_side(context: RunContext[ComparisonInput], side: SideName) -> list[ReadDocument]:
    """At least one; raises where the side has nothing that can be compared."""
    given = context.input
    files = given.old if side == "old" else given.new
    text = given.old_text if side == "old" else given.new_text
    named = given.old_document if side == "old" else given.new_document
    if files:
        return await _of_files(context, files, side)
    if text.strip():
        document = await asyncio.to_thread(_of_text, text, side, context.language)
        return [ReadDocument(document=document)]
    library = context.place.library
    return [
        ReadDocument(
            document=await asyncio.to_thread(_of_collection, library, given.collection, named)
        )
    ]


async def _of_files(
    context: RunContext[ComparisonInput], files: list[FileRef], side: SideName
) -> list[ReadDocument]:
    read: list[ReadDocument] = []
    is_folder = len(files) > 1
    for file in files:
        if is_folder and is_litter(file.name):
            continue
        source = Source(name=file.name, data=await context.read(file))
        if _is_archive(source):
            is_folder = True
            for entry in await asyncio.to_thread(_unpacked, source):
                read.append(await _read(context, entry))
        else:
            read.append(await _read(context, source))
    readable = [each for each in read if each.problem is None]
    if not readable:
        problem = next((each.problem for each in read if each.problem is not None), None)
        if problem is None:
            raise InvalidInput(f"comparison_folder_empty.{side}")
        name = read[0].document.name
        raise _unreadable(problem, name, side)
    return read


async def _read(context: RunContext[ComparisonInput], source: Source | Skipped) -> ReadDocument:
    if isinstance(source, Skipped):
        return _unread(source.name, source.problem)
    try:
        document = await asyncio.to_thread(context.place.readers.read, source)
    except SanboError as error:
        return _unread(source.name, error.problem)
    return ReadDocument(document=document)


def _unread(name: str, problem: Problem) -> ReadDocument:
    document = Document(name=name, format="text", text="", blocks=(), warnings=(problem,))
    return ReadDocument(document=document, problem=problem)


def _unreadable(problem: Problem, name: str, side: SideName) -> SanboError:
    """The reader's problem, with the side told: both files often have the same name."""
    kind = UnsupportedFormat if problem.code is Code.UNSUPPORTED_FORMAT else InvalidInput
    return kind(
        f"comparison_unreadable.{side}", name=name, reason=problem.message, advice=problem.hint
    )


def _is_archive(source: Source) -> bool:
    try:
        return format_of(source) == "zip"
    except SanboError:
        return False  # reading it says what is wrong


def _unpacked(archive: Source) -> list[Source | Skipped]:
    """As the files of a folder: named by their places in it."""
    entries = list(itertools.islice(read_archive(archive), MOST_FILES + 1))
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
