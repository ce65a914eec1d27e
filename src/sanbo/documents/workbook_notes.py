"""What people write on a sheet beside its cells: comments and text boxes of XLSX files."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import basename, dirname, join, normpath
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

_MOST_BYTES = 16 << 20
_MOST_NOTES = 5_000
_MOST_CHARACTERS = 500_000
_KINDS = ("threadedComment", "comments", "drawing")
_ADDRESS = re.compile(r"[A-Za-z]{1,3}([0-9]{1,7})")


@dataclass(frozen=True)
class SheetNote:
    text: str
    cell: str | None = None
    """The address of the cell that a comment is on; a text box has none."""
    row: int | None = None


@dataclass
class SheetNotes:
    found: list[SheetNote] = field(default_factory=list[SheetNote])
    is_incomplete: bool = False
    """Some could not be read, or there were too many."""


class WorkbookNotes:
    """Reads them sheet by sheet, and no more than the limits for the whole workbook."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        self._names = {name.lower().replace("\\", "/"): name for name in package.namelist()}
        self._bytes_left = _MOST_BYTES
        self._notes_left = _MOST_NOTES
        self._characters_left = _MOST_CHARACTERS

    def on_sheet(self, sheet_part: str) -> SheetNotes:
        """By row. A damaged drawing does not keep the cells from being read."""
        notes = SheetNotes()
        try:
            self._read(sheet_part, notes)
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,  # an entry under a password
            ValueError,
            EOFError,
            OSError,
            ParseError,
            DefusedXmlException,
        ):
            notes.is_incomplete = True
        notes.found.sort(key=lambda note: note.row or 0)
        return notes

    def _read(self, sheet_part: str, notes: SheetNotes) -> None:
        in_threads: set[str | None] = set()
        for kind, part in self._related(sheet_part):
            for note in _READERS[kind](self._tree(part)):
                if kind == "threadedComment":
                    in_threads.add(note.cell)
                elif note.cell is not None and note.cell in in_threads:
                    continue  # for older programs the thread is repeated as a plain comment
                self._notes_left -= 1
                self._characters_left -= len(note.text)
                if min(self._notes_left, self._characters_left) < 0:
                    notes.is_incomplete = True
                    return
                notes.found.append(note)

    def _related(self, sheet_part: str) -> list[tuple[str, str]]:
        """Kind and part, threads first."""
        relations = f"{dirname(sheet_part)}/_rels/{basename(sheet_part)}.rels"
        if relations not in self._names:
            return []
        found: list[tuple[str, str]] = []
        for relation in self._tree(relations):
            kind = relation.get("Type", "").rpartition("/")[2]
            target = relation.get("Target", "")
            part = normpath(join(dirname(sheet_part), target)).lstrip("/").lower()
            if kind in _KINDS and part in self._names:
                found.append((kind, part))
        return sorted(found, key=lambda pair: _KINDS.index(pair[0]))

    def _tree(self, part: str) -> Element:
        with self._package.open(self._names[part]) as file:
            data = file.read(self._bytes_left + 1)
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            self._bytes_left = 0
            raise ValueError("too much to read")
        return fromstring(data, forbid_dtd=True)


def _comments(tree: Element) -> Iterator[SheetNote]:
    for comment in _all(tree, "comment"):
        yield from _comment(comment, _texts(comment, "t"))


def _threads(tree: Element) -> Iterator[SheetNote]:
    for comment in _all(tree, "threadedComment"):
        yield from _comment(comment, _texts(comment, "text"))


def _comment(element: Element, text: str) -> Iterator[SheetNote]:
    cell = element.get("ref", "").upper()
    found = _ADDRESS.fullmatch(cell)
    if text.strip() and found:
        yield SheetNote(text=text.strip(), cell=cell, row=int(found[1]))


def _text_boxes(tree: Element) -> Iterator[SheetNote]:
    for anchor in tree:
        row = next((place.text or "" for place in _all(anchor, "row")), "").strip()
        for body in _all(anchor, "txBody"):
            text = "\n".join(_texts(paragraph, "t") for paragraph in _all(body, "p")).strip()
            if text:
                yield SheetNote(text=text, row=int(row) + 1 if row.isdecimal() else None)


def _texts(element: Element, name: str) -> str:
    return "".join(
        "\n" if part.tag.endswith("}br") else part.text or "" for part in _all(element, name, "br")
    )


def _all(element: Element, *names: str) -> Iterator[Element]:
    """By its name in any namespace, without what is meant for older programs or reading aloud."""
    waiting = [element]
    while waiting:
        current = waiting.pop()
        local = current.tag.rpartition("}")[2]
        if local in names and current is not element:
            yield current
        elif local not in ("Fallback", "rPh"):
            waiting.extend(reversed(current))


_READERS = {"comments": _comments, "threadedComment": _threads, "drawing": _text_boxes}
