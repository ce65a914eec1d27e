"""Evidence: the files of a case as one value, each with its bytes, the begin of its text, and what
could not be read of it."""

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import PurePosixPath
from typing import Any

from sanbo.blocks.block import NewFile
from sanbo.blocks.file.readers import READERS, shared_readers
from sanbo.documents.file_formats import media_type_of
from sanbo.documents.model import Document, Skipped, Source
from sanbo.kernel.problems import Problem, SanboError
from sanbo.runs.model import FileRef

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
