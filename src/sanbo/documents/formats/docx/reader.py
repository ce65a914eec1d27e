"""Reads Word documents in the order a person reads them, as if every change were accepted, with
what stands beside the body: headers, footers, notes and comments."""

import re
from dataclasses import dataclass, field
from typing import Literal

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.formats.docx.styles import Numbering, Styles, level_of_outline
from sanbo.documents.formats.docx.text import (
    Aside,
    Inline,
    ParagraphReader,
    Row,
    grid_of,
    is_frame,
    rows_of,
)
from sanbo.documents.model import Document, Role, Source
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import (
    MC,
    Element,
    R,
    W,
    chart_tables,
    diagram_texts,
    is_on,
    local_name,
    number_of,
    value_of,
)
from sanbo.kernel.problems import SanboError, UnsupportedFormat

_INSERTED = (f"{W}ins", f"{W}moveTo")
_REMOVED = (f"{W}del", f"{W}moveFrom")
# In these the same names mark a paragraph's end, a row or a list number, not a stretch of text.
_PROPERTIES = {"rPr", "trPr", "numPr", "ctrlPr"}


def accept_changes(root: Element) -> int:
    """Changes the tree in place; the number of changes a person would count (a move is one)."""
    changes = _accept_rows_and_cells(root)
    stretches, paragraphs = _accept_stretches(root)
    return changes + stretches + _accept_paragraph_ends(root, paragraphs)


def _accept_rows_and_cells(root: Element) -> int:
    changes = 0
    for tag, deletion, insertion in (
        ("tr", f"{W}trPr/{W}del", f"{W}trPr/{W}ins"),
        ("tc", f"{W}tcPr/{W}cellDel", f"{W}tcPr/{W}cellIns"),
    ):
        for element in list(root.iter(f"{W}{tag}")):
            deleted = element.find(deletion) is not None
            changes += deleted or element.find(insertion) is not None
            if deleted:
                _remove(element)
    return changes


def _accept_stretches(root: Element) -> tuple[int, set[Element]]:
    """How many, and the paragraphs they stand in."""
    changes = 0
    paragraphs: set[Element] = set()
    removed: list[Element] = []
    before: Element | None = None
    for element in root.iter(*_INSERTED, *_REMOVED):
        parent = element.getparent()
        if parent is None or local_name(parent) in _PROPERTIES:
            continue
        if element.tag != f"{W}moveFrom" and not _continues(before, element):
            changes += 1
        if element.tag in _REMOVED:
            removed.append(element)
        paragraphs.update(element.iterancestors(f"{W}p"))
        before = element
    for element in removed:
        _remove(element)
    return changes, paragraphs


def _continues(before: Element | None, element: Element) -> bool:
    """Word cuts one change into several where its formatting changes."""
    return (
        before is not None
        and before.getnext() is element
        and before.tag == element.tag
        and all(before.get(f"{W}{key}") == element.get(f"{W}{key}") for key in ("author", "date"))
    )


def _accept_paragraph_ends(root: Element, counted: set[Element]) -> int:
    """A paragraph whose end was deleted goes on in the next one."""
    changes = 0
    for paragraph in reversed(list(root.iter(f"{W}p"))):
        end = paragraph.find(f"{W}pPr/{W}rPr")
        marks = set[str]() if end is None else {mark.tag for mark in end}
        if marks.isdisjoint((*_INSERTED, *_REMOVED)):
            continue
        changes += paragraph not in counted and f"{W}moveFrom" not in marks
        if not marks.isdisjoint(_REMOVED):
            _join_with_next(paragraph)
    return changes


def _join_with_next(paragraph: Element) -> None:
    following = paragraph.getnext()
    while following is not None and local_name(following).startswith("bookmark"):
        following = following.getnext()
    content = [child for child in paragraph if child.tag != f"{W}pPr"]
    if following is not None and following.tag == f"{W}p":
        at = 1 if following.find(f"{W}pPr") is not None else 0
        for child in reversed(content):
            following.insert(at, child)
        _remove(paragraph)
    elif not content:
        _remove(paragraph)


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


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


# A paragraph longer than this is a clause in a heading's style, not a heading.
_LONGEST_HEADING = 200
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_WRAPPERS = {
    f"{W}customXml",
    f"{W}ins",
    f"{W}moveTo",
    f"{W}smartTag",
    f"{MC}Choice",
    f"{MC}Fallback",
}


def read(source: Source) -> Document:
    package = Package(source)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    body = root.find(f"{W}body")
    if body is None:
        raise UnsupportedFormat("office_part_damaged", name=source.name, part=main)
    return _Reader(package, main).read(body)


@dataclass
class _Story:
    """A stretch of text with its own fields: the body, a note, a text box."""

    paragraphs: ParagraphReader
    role: Role = "body"


@dataclass
class _Later:
    """What comes after the table whose cells mention it."""

    asides: list[Aside] = field(default_factory=list[Aside])
    tables: list[Element] = field(default_factory=list[Element])


class _Reader:
    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._main = main
        self._builder = DocumentBuilder(package.name, "docx")
        self._related = {entry.id: entry.target for entry in package.relationships(main)}
        self._styles = Styles(self._part(main, "styles"))
        self._numbering = Numbering(self._part(main, "numbering"), self._styles)
        self._notes = Notes(package, main)
        self._changes = 0
        self._hidden = 0
        self._struck = 0
        self._unread = 0
        self._caption: str | None = None
        self._initial = ""
        self._drawn: set[str] = set()

    def read(self, body: Element) -> Document:
        self._changes = accept_changes(body)
        running = self._running_texts(body)
        for text in running.headers:
            self._builder.paragraph(text, role="metadata")
        before = self._builder.length
        self._blocks(body, _Story(ParagraphReader(body, self._styles)))
        if self._builder.length == before:
            raise UnsupportedFormat("document_without_text", name=self._package.name)
        for text in running.footers:
            self._builder.paragraph(text, role="metadata")
        if self._builder.title is None:
            self._builder.title = self._stated_title()
        self._warn()
        return self._builder.build()

    def _running_texts(self, body: Element) -> RunningTexts:
        running = RunningTexts(self._package, self._main, body, self._styles)
        self._changes += running.changes
        self._hidden += running.hidden
        self._struck += running.struck
        for problem in running.problems:
            self._builder.warn(problem)
        return running

    def _part(self, main: str, kind: str) -> Element | None:
        part = self._package.related_part(main, kind)
        return None if part is None else self._package.xml(part)

    def _stated_title(self) -> str | None:
        part = self._package.related_part("", "core-properties")
        title = None if part is None else self._package.xml(part).find(_TITLE)
        return None if title is None else (title.text or "").strip() or None

    def _warn(self) -> None:
        changes = self._changes + self._notes.changes
        if changes:
            self._builder.warn(UnsupportedFormat("docx_changes_accepted", count=changes))
        if self._hidden:
            self._builder.warn(UnsupportedFormat("docx_hidden_text", count=self._hidden))
        if self._struck:
            self._builder.warn(UnsupportedFormat("struck_text_left_out", count=self._struck))
        if self._unread:
            self._builder.warn(UnsupportedFormat("docx_embedded_unread", count=self._unread))

    def _blocks(self, container: Element, story: _Story) -> None:
        for element in container:
            if element.tag == f"{W}p":
                self._paragraph(element, story)
            elif element.tag == f"{W}tbl":
                self._table(element, story)
            elif element.tag == f"{W}sdt":
                if not is_on(element.find(f"{W}sdtPr/{W}showingPlcHdr")):
                    for content in element.findall(f"{W}sdtContent"):
                        self._blocks(content, story)
            elif element.tag == f"{MC}AlternateContent" and len(element):
                self._blocks(next(iter(element)), story)
            elif element.tag in _WRAPPERS:
                self._blocks(element, story)
            elif element.tag == f"{W}altChunk":
                self._unread += 1

    def _paragraph(self, paragraph: Element, story: _Story) -> None:
        style = self._style(paragraph)
        inline, label = self._line(paragraph, style, story)
        text = (label or "") + inline.text if inline.text.strip() else ""
        if paragraph.find(f"{W}pPr/{W}framePr[@{W}dropCap]") is not None:
            self._initial = text  # the large first letter of the next paragraph
            return
        text, self._initial = self._initial + text, ""
        level = self._heading_level(paragraph, style)
        is_title = self._styles.is_title(style)
        if story.role != "body":
            self._builder.paragraph(text, role=story.role)
        elif (level or is_title) and len(text) <= _LONGEST_HEADING:
            self._builder.heading(text, level or 1)
            if is_title and self._builder.title is None and text.strip():
                self._builder.title = " ".join(text.split())
        elif self._styles.is_contents(style):
            self._builder.paragraph(text, role="metadata")
        else:
            self._builder.paragraph(text, role="body" if label is None else "list_item")
        if text.strip():
            self._caption = text.strip() if self._styles.is_caption(style) else None
        self._add_asides(inline.asides)

    def _line(
        self, paragraph: Element, style: str | None, story: _Story
    ) -> tuple[Inline, str | None]:
        """Text and list number, which are both read in document order."""
        inline = self._read(paragraph, story.paragraphs)
        mark = paragraph.find(f"{W}pPr/{W}rPr/{W}vanish")
        if is_on(mark) and not inline.text.strip():  # wholly hidden: Word does not count it
            return inline, None
        return inline, self._label(paragraph, style)

    def _read(self, paragraph: Element, reader: ParagraphReader) -> Inline:
        inline = reader.read(paragraph)
        self._hidden += inline.hidden
        self._struck += inline.struck
        return inline

    def _label(self, paragraph: Element, style: str | None) -> str | None:
        own = paragraph.find(f"{W}pPr/{W}numPr")
        num_id, level = self._styles.numbering(style)
        if own is not None:
            number = number_of(own.find(f"{W}numId"))
            if number is not None and number != num_id:
                num_id, level = number, 0
            if (at := number_of(own.find(f"{W}ilvl"))) is not None:
                level = at
        if not num_id:
            return None
        return self._numbering.label(num_id, level, style)

    def _style(self, paragraph: Element) -> str | None:
        return value_of(paragraph.find(f"{W}pPr/{W}pStyle")) or self._styles.default

    def _heading_level(self, paragraph: Element, style: str | None) -> int | None:
        outline = number_of(paragraph.find(f"{W}pPr/{W}outlineLvl"))
        if outline is not None:
            return level_of_outline(outline)
        return self._styles.heading_level(style)

    def _table(self, table: Element, story: _Story) -> None:
        rows = rows_of(table)
        if is_frame(rows) or story.role != "body":
            for cell in (cell for row in rows for cell in row.cells):
                self._blocks(cell.element, story)
            return
        self._grid(rows, story)

    def _grid(self, rows: list[Row], story: _Story) -> None:
        title, self._caption = self._caption, None
        later = _Later()
        grid = grid_of(rows, lambda cell: self._cell_text(cell, story, later))
        self._builder.table(grid.rows, columns=grid.columns, title=title)
        self._add_asides(later.asides)
        for nested in later.tables:
            self._table(nested, story)

    def _cell_text(self, cell: Element, story: _Story, later: _Later) -> str:
        lines: list[str] = []
        todo = list(reversed(list(cell)))
        while todo:
            element = todo.pop()
            if element.tag == f"{W}p":
                inline, label = self._line(element, self._style(element), story)
                lines.append((label or "") + inline.text if inline.text.strip() else "")
                later.asides.extend(inline.asides)
            elif element.tag == f"{W}tbl":
                later.tables.append(element)
            elif element.tag in _WRAPPERS or element.tag in (f"{W}sdt", f"{W}sdtContent"):
                if not is_on(element.find(f"{W}sdtPr/{W}showingPlcHdr")):
                    todo.extend(reversed(list(element)))
            elif element.tag == f"{MC}AlternateContent" and len(element):
                todo.append(next(iter(element)))
        return "\n".join(line for line in lines if line)

    def _add_asides(self, asides: list[Aside]) -> None:
        for aside in asides:
            if aside.box is not None:
                self._blocks(aside.box, _Story(ParagraphReader(aside.box, self._styles)))
            elif aside.kind in ("chart", "diagram"):
                self._add_drawing(aside)
            elif (note := self._notes.take(aside.kind, aside.id)) is not None:
                self._add_note(aside, note)

    def _add_note(self, aside: Aside, note: Element) -> None:
        if aside.kind == "comment":
            reader = ParagraphReader(note, self._styles)
            lines = [self._read(line, reader).text for line in note.iter(f"{W}p")]
            text = "\n".join(line for line in lines if line.strip())
            author = (note.get(f"{W}author") or "").strip()
            self._builder.paragraph(f"{author}: {text}" if author else text, role="note")
        else:
            self._blocks(note, _Story(ParagraphReader(note, self._styles), role="footnote"))

    def _add_drawing(self, aside: Aside) -> None:
        part = self._related.get(aside.id)
        if part is None or part in self._drawn or not self._package.has(part):
            return
        self._drawn.add(part)
        try:
            root = self._package.xml(part)
        except SanboError as problem:  # the text around a broken picture is still worth reading
            self._builder.warn(problem)
            return
        if aside.kind == "chart":
            for table in chart_tables(root):
                self._builder.table(table.rows, columns=table.columns, title=table.title)
        else:
            for text in diagram_texts(root):
                self._builder.paragraph(text)
