"""What is in files, as values of a plan.

Evidence is the files of a case as one value, each with its bytes, the begin of its text, and what
could not be read of it: of single files (`file.extract_texts`) or of those in a ZIP file
(`file.parse_zip_2tier`). `file.read_mail` and `file.encode_base64` take one file each.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import PurePosixPath
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Files, Given, NewFile
from sanbo.blocks.file.sources import READERS, read_workspace_file, shared_readers
from sanbo.documents.file_formats import UNKNOWN_TYPE, media_type_of
from sanbo.documents.formats.eml.reader import attachments, header, parse_mail, parts_of, text_of
from sanbo.documents.formats.zip import ArchiveLimits, read_archive
from sanbo.documents.model import Document, Skipped, Source
from sanbo.kernel.problems import InvalidInput, LimitExceeded, Problem, SanboError
from sanbo.runs.model import FileRef

# ---- archives ------------------------------------------------------------------------------------


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


# ---- evidence ------------------------------------------------------------------------------------


Told = dict[str, Any]

GivenFile = FileRef | NewFile
"""A file that the run has already stays that file; one out of an archive is new."""


def evidence_of(
    found: Iterable[tuple[Source, GivenFile] | Skipped], *, raw_size: int, excerpt_chars: int
) -> Told:
    """`found` in the order in which a person sees the files; sources are named by their path."""
    files: list[tuple[Source, GivenFile]] = []
    skipped: list[Skipped] = []
    for each in found:
        if isinstance(each, Skipped):
            skipped.append(each)
        else:
            files.append(each)
    readings = _read([source for source, _ in files])
    told = [
        _file(source, file, reading, excerpt_chars)
        for (source, file), reading in zip(files, readings, strict=True)
    ]
    return {
        "raw_size": raw_size,
        "total_files": len(told),
        "files": told,
        "by_dir": _by_top_folder(told),
        "problems": [
            *(_problem(each.problem, each.name) for each in skipped),
            *(each["problem"] for each in told if each["problem"]),
        ],
    }


def _read(sources: Sequence[Source]) -> list[Document | Problem]:
    """As many at a time as there are reading processes."""
    with ThreadPoolExecutor(READERS) as threads:
        # Each in a copy of this context: problems are told in the run's language.
        waiting = [threads.submit(copy_context().run, _document, each) for each in sources]
        return [each.result() for each in waiting]


def _document(source: Source) -> Document | Problem:
    try:
        return shared_readers().read(source)
    except SanboError as error:
        return error.problem


def _file(source: Source, file: GivenFile, reading: Document | Problem, most: int) -> Told:
    path = PurePosixPath(source.name)
    document = reading if isinstance(reading, Document) else None
    text = document.text if document else ""
    return {
        "path": source.name,
        "name": path.name,
        "size": len(source.data),
        "ext": path.suffix.lower(),
        "mime_type": media_type_of(path.name),
        **_pictured(source, path.suffix.lower()),
        "sha1": hashlib.sha1(source.data, usedforsecurity=False).hexdigest(),
        "text_excerpt": text[:most],
        "text_length": len(text),
        "truncated": len(text) > most,
        "format": document.format if document else None,
        "pages": document.pages if document else None,
        "file": file.model_dump(mode="json") if isinstance(file, FileRef) else file,
        "problem": None if isinstance(reading, Document) else _problem(reading, source.name),
        "warnings": [_problem(each, source.name) for each in document.warnings] if document else [],
    }


_PICTURED = frozenset({".png", ".jpg", ".jpeg", ".pdf"})
_LARGEST_IN_TEXT = 256 * 1024
"""A larger one is there as a file only: journals would swell."""


def _pictured(source: Source, ext: str) -> Told:
    if ext not in _PICTURED or len(source.data) > _LARGEST_IN_TEXT:
        return {}
    return {"base64": base64.b64encode(source.data).decode()}


def _problem(problem: Problem, path: str) -> Told:
    return {
        "path": path,
        "code": str(problem.code),
        "message": problem.message,
        "hint": problem.hint,
    }


def _by_top_folder(files: Sequence[Told]) -> dict[str, list[str]]:
    """Paths by the first folder in them; those in no folder stand under an empty name."""
    found: dict[str, list[str]] = {}
    for file in files:
        top, slash, _ = str(file["path"]).partition("/")
        found.setdefault(top if slash else "", []).append(file["path"])
    return found


def new_file(source: Source) -> NewFile:
    name = PurePosixPath(source.name).name
    return NewFile(name, source.data, media_type_of(name))


# ---- blocks --------------------------------------------------------------------------------------


class ExtractTexts(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        named = [_named(file) for file in given.files]
        evidence = evidence_of(
            _opened(named, context.files),
            raw_size=sum(len(file) if isinstance(file, bytes) else file.size for _, file in named),
            excerpt_chars=given.excerpt_chars,
        )
        tell_unread(evidence, context)
        return {"evidence": evidence}


def tell_unread(evidence: Told, context: BlockContext) -> None:
    """Files that could not be read: the run says so, and not their list alone."""
    found: list[Told] = evidence["problems"]
    if found:
        names = "、".join(str(one["path"]) for one in found[:5])
        reason = str(found[0]["message"])
        context.warn(
            InvalidInput("block_files_unread", count=len(found), names=names, reason=reason)
        )


def _named(file: FileRef | Mapping[str, Any]) -> tuple[str, FileRef | bytes]:
    """A file under a name or path of its own; a line of another block's evidence is one too."""
    if isinstance(file, FileRef):
        return file.name, file
    if isinstance(encoded := file.get("base64"), str) and not file.get("bytes"):
        name = file.get("path") or file.get("name") or "file"
        try:
            return name, base64.b64decode(encoded, validate=True)
        except ValueError:
            raise InvalidInput("transform_base64_unreadable", start=encoded[:20]) from None
    inner: FileRef = file.get("bytes") or file["file"]  # the contract demands one of them
    return file.get("path") or file.get("name") or inner.name, inner


def _opened(
    named: Sequence[tuple[str, FileRef | bytes]], files: Files
) -> Iterator[tuple[Source, GivenFile] | Skipped]:
    """An archive among them is opened; one that can't be is a problem of that file alone."""
    for name, file in named:
        source = Source(name=name, data=file if isinstance(file, bytes) else files.read(file))
        if not is_archive(source):
            yield source, new_file(source) if isinstance(file, bytes) else file
            continue
        try:
            for found in files_in(source, prefix=f"{name}/"):
                yield found if isinstance(found, Skipped) else (found, new_file(found))
        except SanboError as error:
            yield Skipped(name=name, problem=error.problem)


class ParseZip(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        given_files: FileRef | list[FileRef] = given.zip_bytes
        files = given_files if isinstance(given_files, list) else [given_files]
        named = [_named(file) for file in files]
        found = _opened(named, context.files)
        if len(named) == 1:  # the ZIP file itself is no folder around what is in it
            [(name, file)] = named
            data = file if isinstance(file, bytes) else context.files.read(file)
            only = Source(name=name, data=data)
            if is_archive(only) or not isinstance(given_files, list):
                found = _with_files(only)
        evidence = evidence_of(
            found,
            raw_size=sum(len(file) if isinstance(file, bytes) else file.size for _, file in named),
            excerpt_chars=given.excerpt_chars,
        )
        tell_unread(evidence, context)
        return {"evidence": evidence, "evidence_data": evidence}


def _with_files(archive: Source) -> Iterator[tuple[Source, NewFile] | Skipped]:
    for found in files_in(archive):
        yield found if isinstance(found, Skipped) else (found, new_file(found))


# ---- mails ---------------------------------------------------------------------------------------


class ReadMail(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        source = _source(given, context)
        message = parse_mail(source)
        parts = parts_of(message, name=source.name)
        found = [(PurePosixPath(each.name).name, each.data) for each in attachments(source)]
        wanted = tuple(each.lower().lstrip(".") for each in given.accept)
        files = [
            NewFile(name, data, media_type_of(name))
            for name, data in found
            if not wanted or name.lower().endswith(wanted)
        ]
        left_out = [name for name, _ in found if wanted and not name.lower().endswith(wanted)]
        if len(found) < len(parts.files):
            context.warn(
                InvalidInput("block_mail_attachments_lost", count=len(parts.files) - len(found))
            )
        return {
            "mail": {
                "subject": header(message, "subject"),
                "from": _addresses(header(message, "from")),
                "to": _addresses(header(message, "to")),
                "cc": _addresses(header(message, "cc")),
                "date": _moment(header(message, "date")),
                "text": "\n".join(text_of(part) for part in parts.texts).strip(),
            },
            "attachments": files,
            "summary": {"name": source.name, "attachments": len(files), "left_out": left_out},
        }


def _source(given: Given, context: BlockContext) -> Source:
    if (given.bytes is None) == (not given.path):
        raise InvalidInput("block_one_of_two", first="bytes", second="path")
    if given.bytes is None:
        return read_workspace_file(given.path, context)
    return Source(name=given.bytes.name, data=context.files.read(given.bytes))


def _addresses(written: str) -> list[dict[str, str]]:
    return [
        {"name": name, "address": address}
        for name, address in getaddresses([written])
        if name or address
    ]


def _moment(written: str) -> str | None:
    """ISO, in the sender's time; null where it can't be read."""
    try:
        return parsedate_to_datetime(written).isoformat()
    except ValueError:
        return None


# ---- bytes as text -------------------------------------------------------------------------------


MOST_BYTES = 10_000_000
"""The text stands in the run's journal, which is no place for large files."""


class EncodeBase64(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        source, known_type = _to_encode(given, context)
        if len(source.data) > MOST_BYTES:
            limit = MOST_BYTES // 1_000_000
            raise LimitExceeded("block_base64_too_large", name=source.name, limit_mb=limit)
        name = given.name or source.name
        guessed = known_type or media_type_of(name)
        mime_type = given.mime_type or guessed
        text = base64.b64encode(source.data).decode("ascii")
        return {
            "encoded": {
                "name": name,
                "mime_type": mime_type,
                "size": len(source.data),
                "base64": text,
                "data_uri": f"data:{mime_type};base64,{text}" if given.as_data_uri else None,
            }
        }


def _to_encode(given: Given, context: BlockContext) -> tuple[Source, str]:
    """What is to be encoded, and its media type where that is known already."""
    if (given.data is None) == (not given.path):
        raise InvalidInput("block_one_of_two", first="data", second="path")
    if isinstance(given.data, FileRef):
        is_told = given.data.media_type != UNKNOWN_TYPE
        source = Source(name=given.data.name, data=context.files.read(given.data))
        return source, given.data.media_type if is_told else ""
    if given.data is not None:
        return Source(name=given.name or "text.txt", data=given.data.encode()), ""
    return read_workspace_file(given.path, context), ""
