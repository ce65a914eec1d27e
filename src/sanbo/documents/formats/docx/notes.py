"""Footnotes, endnotes and comments of a Word document, each handed out once."""

from typing import Literal

from sanbo.documents.formats.docx.revisions import accept_changes
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import Element, W

NoteKind = Literal["footnote", "endnote", "comment"]
_SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")


class Notes:
    def __init__(self, package: Package, main: str) -> None:
        self.changes = 0
        """Tracked changes inside notes, taken as accepted."""
        self._notes: dict[tuple[str, str], Element] = {}
        kinds: tuple[NoteKind, ...] = ("footnote", "endnote", "comment")
        for kind in kinds:
            part = package.related_part(main, f"{kind}s")
            if part is None:
                continue
            root = package.xml(part)
            self.changes += accept_changes(root)
            for note in root.findall(f"{W}{kind}"):
                if note.get(f"{W}type") not in _SEPARATORS:
                    self._notes[kind, note.get(f"{W}id") or ""] = note

    def take(self, kind: str, note_id: str) -> Element | None:
        """Only the first reference gets it, so that a thousand references don't repeat it."""
        return self._notes.pop((kind, note_id), None)
