"""What people write on a sheet beside its cells: comments and text boxes of XLSX files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import Element, local_name
from sanbo.kernel.problems import SanboError

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

    def __init__(self, package: Package) -> None:
        self._package = package
        self._bytes_left = _MOST_BYTES
        self._notes_left = _MOST_NOTES
        self._characters_left = _MOST_CHARACTERS

    def on_sheet(self, sheet_part: str) -> SheetNotes:
        """By row. A damaged drawing does not keep the cells from being read."""
        notes = SheetNotes()
        try:
            self._read(sheet_part, notes)
        except (SanboError, ValueError):
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
        found = [
            (each.kind, each.target)
            for each in self._package.relationships(sheet_part)
            if each.kind in _KINDS and self._package.has(each.target)
        ]
        return sorted(found, key=lambda pair: _KINDS.index(pair[0]))

    def _tree(self, part: str) -> Element:
        self._bytes_left -= self._package.size(part)
        if self._bytes_left < 0:
            self._bytes_left = 0
            raise ValueError("too much to read")
        return self._package.xml(part)


def _comments(tree: Element) -> Iterator[SheetNote]:
    for comment in _all(tree, "comment"):
        yield from _comment(comment, _texts(comment, "t"))


def _threads(tree: Element) -> Iterator[SheetNote]:
    for comment in _all(tree, "threadedComment"):
        yield from _comment(comment, _texts(comment, "text"))


def _comment(element: Element, text: str) -> Iterator[SheetNote]:
    cell = (element.get("ref") or "").upper()
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
        local = local_name(current)
        if local in names and current is not element:
            yield current
        elif local not in ("Fallback", "rPh"):
            waiting.extend(reversed(current))


_READERS = {"comments": _comments, "threadedComment": _threads, "drawing": _text_boxes}
