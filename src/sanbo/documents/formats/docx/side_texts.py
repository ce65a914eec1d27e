"""What stands beside the body of a Word file: headers, footers, notes and comments."""

import re
from typing import Literal

from sanbo.documents.formats.docx.revisions import accept_changes
from sanbo.documents.formats.docx.styles import Styles
from sanbo.documents.formats.docx.text import ParagraphReader
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import Element, R, W, is_on
from sanbo.kernel.problems import SanboError

# What is left of "Page 3 of 10", "3／10ページ", "- 3 -" without its numbers.
_AROUND_PAGE_NUMBERS = re.compile(r"(?:page|of|p|ページ|頁|全|[\W\d_])*+", re.I)
_EDGES = " \t\u3000-‐–—−－/／|｜"


class RunningTexts:
    """`headers` and `footers` in the order of the sections that use them."""

    def __init__(self, package: Package, main: str, body: Element, styles: Styles) -> None:
        self.hidden = 0
        self.struck = 0
        self.changes = 0
        self.problems: list[SanboError] = []
        self._package = package
        self._styles = styles
        self._related = {entry.id: entry.target for entry in package.relationships(main)}
        self._kinds = _kinds_in_use(package, main, body)
        self.headers = self._texts(body, f"{W}headerReference")
        self.footers = self._texts(body, f"{W}footerReference")

    def _texts(self, body: Element, tag: str) -> list[str]:
        used = [entry for entry in body.iter(tag) if entry.get(f"{W}type") in self._kinds]
        parts = dict.fromkeys(self._related.get(entry.get(f"{R}id") or "", "") for entry in used)
        read = [self._text(part) for part in parts if self._package.has(part)]
        return [text for text in dict.fromkeys(read) if text]

    def _text(self, part: str) -> str:
        try:
            root = self._package.xml(part)
        except SanboError as problem:  # the body is still worth reading
            self.problems.append(problem)
            return ""
        self.changes += accept_changes(root)
        reader = ParagraphReader(root, self._styles, with_page_numbers=False)
        # A text box is there twice, for newer and for older programs.
        lines = dict.fromkeys(self._line(reader, line) for line in root.iter(f"{W}p"))
        return "\n".join(line for line in lines if line)

    def _line(self, reader: ParagraphReader, paragraph: Element) -> str:
        inline = reader.read(paragraph)
        self.hidden += inline.hidden
        self.struck += inline.struck
        if not inline.page_numbers:
            return inline.text.strip()
        return "" if _AROUND_PAGE_NUMBERS.fullmatch(inline.text) else inline.text.strip(_EDGES)


def _kinds_in_use(package: Package, main: str, body: Element) -> set[str | None]:
    """Word keeps the texts of first and even pages when nobody wants them different any more."""
    kinds: set[str | None] = {"default", None}
    if any(is_on(section.find(f"{W}titlePg")) for section in body.iter(f"{W}sectPr")):
        kinds.add("first")
    if _has_even_pages(package, main):
        kinds.add("even")
    return kinds


def _has_even_pages(package: Package, main: str) -> bool:
    settings = package.related_part(main, "settings")
    try:
        return settings is not None and is_on(package.xml(settings).find(f"{W}evenAndOddHeaders"))
    except SanboError:  # settings hold no text: not worth refusing the document
        return False


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
