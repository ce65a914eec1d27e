"""What a person gives to be compared: two sides, and how; read into documents."""

import asyncio
import itertools
import re
import struct
from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from sanbo.documents.builder import ReadingLimits
from sanbo.documents.extract import packed
from sanbo.documents.file_formats import accepted
from sanbo.documents.formats.text import read as read_text
from sanbo.documents.model import Document, Frozen, Skipped, Source, is_litter
from sanbo.documents.reading import Readers, is_of_the_file
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
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory, write_all

MOST_FILES = 500
LONGEST_TEXT = 1_000_000
ACCEPT = accepted()


class ComparisonInput(BaseModel):
    """Each side in one way: files, a pasted text, or a document of a collection."""

    old: list[FileRef] = Field(
        default=[],
        max_length=MOST_FILES,
        json_schema_extra={
            "label": {"ja": "旧文書のファイル", "en": "Old document"},
            "help": {
                "ja": "変更前のファイル。フォルダーを比べるときは、その中のすべてのファイル。",
                "en": "The file before the change, or all files of the old folder.",
            },
            "accept": ACCEPT,
        },
    )
    new: list[FileRef] = Field(
        default=[],
        max_length=MOST_FILES,
        json_schema_extra={
            "label": {"ja": "新文書のファイル", "en": "New document"},
            "help": {
                "ja": "変更後のファイル。形式が違っていても比べられます（Word と PDF など）。",
                "en": "The file after the change; the formats may differ (Word and PDF).",
            },
            "accept": ACCEPT,
        },
    )
    old_text: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        json_schema_extra={
            "label": {"ja": "旧文書の文章（貼り付け）", "en": "Old text (pasted)"},
            "help": {"ja": "ファイルの代わりに。", "en": "Instead of a file."},
        },
    )
    new_text: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        json_schema_extra={
            "label": {"ja": "新文書の文章（貼り付け）", "en": "New text (pasted)"},
            "help": {"ja": "ファイルの代わりに。", "en": "Instead of a file."},
        },
    )
    collection: str = Field(
        default="",
        max_length=200,
        json_schema_extra={
            "label": {"ja": "コレクション", "en": "Collection"},
            "help": {
                "ja": "読み込み済みの文書を比べるとき。",
                "en": "Where documents that were indexed are compared.",
            },
        },
    )
    old_document: str = Field(
        default="",
        max_length=1000,
        json_schema_extra={
            "label": {"ja": "コレクション内の旧文書", "en": "Old document in the collection"},
            "help": {"ja": "名前またはID。", "en": "Its name or id."},
        },
    )
    new_document: str = Field(
        default="",
        max_length=1000,
        json_schema_extra={
            "label": {"ja": "コレクション内の新文書", "en": "New document in the collection"},
            "help": {"ja": "名前またはID。", "en": "Its name or id."},
        },
    )
    id_column: str = Field(
        default="",
        max_length=200,
        json_schema_extra={
            "label": {"ja": "行を見分ける列", "en": "Column that names a row"},
            "help": {
                "ja": "表を行ごとに比べるとき。番号やコードの列名。",
                "en": "Where tables are compared row by row: the column of numbers or codes.",
            },
        },
    )
    text_column: str = Field(
        default="",
        max_length=200,
        json_schema_extra={
            "label": {"ja": "比べる列", "en": "Column to compare"},
            "help": {
                "ja": "表を行ごとに比べるとき。省略すると、行全体を比べます。",
                "en": "Where tables are compared row by row; the whole row, if left out.",
            },
        },
    )
    every_chunk: bool = Field(
        default=False,
        json_schema_extra={
            "label": {"ja": "すべての段落をモデルに確認させる", "en": "Ask about every paragraph"},
            "help": {
                "ja": "通常は、対応がはっきりしない段落だけをモデルに確認させます。",
                "en": "Normally the model is asked about doubtful paragraphs only.",
            },
        },
    )
    fold_renumbered: bool = Field(
        default=False,
        json_schema_extra={
            "label": {"ja": "番号だけの変更をたたむ", "en": "Fold away mere renumbering"},
            "help": {
                "ja": "第8条→第9条のような番号だけの変更を、新旧対照表から省きます。",
                "en": "What changed in its number alone is left out of the tables.",
            },
        },
    )

    @model_validator(mode="after")
    def _each_side_in_one_way(self) -> Self:
        """Before a run is begun; a SanboError passes through Pydantic as it is."""
        old = [bool(self.old), bool(self.old_text.strip()), bool(self.old_document.strip())]
        new = [bool(self.new), bool(self.new_text.strip()), bool(self.new_document.strip())]
        for side, ways in (("old", old), ("new", new)):
            if not any(ways):
                raise InvalidInput(f"comparison_missing.{side}")
            if sum(ways) > 1:
                raise InvalidInput(f"comparison_twice.{side}")
        if (old[2] or new[2]) and not self.collection.strip():
            raise InvalidInput("comparison_collection_missing")
        return self


SideName = Literal["old", "new"]
MOST_CHUNKS = 50_000
"""Of all documents of a side. Far more than any contract or law has."""
MOST_CHARACTERS = 20_000_000
"""Of all documents of a side."""
LONGEST_DOCUMENT = 6_000_000
"""In characters: aligning two such takes minutes and 3 GB, whatever they say."""
MOST_BYTES = 8 * MOST_CHARACTERS
"""Of all documents of a side, as they pass from process to process."""
READING = ReadingLimits(characters=LONGEST_DOCUMENT, parts=MOST_CHUNKS, cells=40 * MOST_CHUNKS)
WORKING = Limits(seconds=1800, memory_bytes=4 << 30)
"""Of the process that aligns, and of the one that writes down what came of it."""


def too_much(side: SideName, characters: int) -> LimitExceeded:
    return LimitExceeded(f"comparison_too_large.{side}", chunks=MOST_CHUNKS, characters=characters)


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
        if read.memory.size > MOST_BYTES:
            raise too_much(side, MOST_CHARACTERS)
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
        into.add(source.name, readers.read_packed(source, READING))
    except SanboError as error:
        if not is_of_the_file(error):
            raise
        into.add_unread(source.name, error.problem)


def _unreadable(problem: Problem, name: str, side: SideName) -> SanboError:
    """The reader's problem, with the side told: both files often have the same name."""
    if problem.text_id in ("document_too_large", "tables_too_large"):
        return too_much(side, LONGEST_DOCUMENT)
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
