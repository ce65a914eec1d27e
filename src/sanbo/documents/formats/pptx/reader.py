"""Reads presentations slide by slide: titles, texts, tables, charts, diagrams and notes; shapes in
reading order, with their bullets and numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.model import Document, Source
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import (
    DGM,
    MC,
    A,
    C,
    Element,
    M,
    R,
    chart_tables,
    diagram_texts,
    texts_of,
)
from sanbo.documents.table_heads import first_row_names_columns
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat
from sanbo.language.numerals import numeral

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
# Shapes whose tops differ by less (0.5 cm, in EMU) stand side by side.
_SAME_ROW = 180_000
_TITLES = ("title", "ctrTitle")
_RUNNING = ("dt", "ftr", "sldNum", "hdr")
_PLACES = (f"{P}spPr/{A}xfrm/{A}off", f"{P}grpSpPr/{A}xfrm/{A}off", f"{P}xfrm/{A}off")


@dataclass(frozen=True)
class Placeholder:
    kind: str
    index: str


@dataclass(frozen=True)
class Shape:
    element: Element
    placeholder: Placeholder | None
    top: int
    left: int
    is_hidden: bool = False
    """In the selection pane, or with the group it stands in."""

    @property
    def is_title(self) -> bool:
        return self.placeholder is not None and self.placeholder.kind in _TITLES

    @property
    def says_something(self) -> bool:
        drawn = any(True for _ in self.element.iter(f"{C}chart", f"{DGM}relIds"))
        return drawn or any((text.text or "").strip() for text in self.element.iter(f"{A}t"))

    @property
    def is_outline(self) -> bool:
        """The place for a slide's points, which have bullets unless they say otherwise."""
        return self.placeholder is not None and self.placeholder.kind in ("body", "obj", "")


class Layouts:
    """Where placeholders stand when the slide itself doesn't say: in its layout, or the master."""

    def __init__(self, *roots: Element) -> None:
        self._places: list[tuple[Placeholder, tuple[int, int]]] = []
        for root in roots:
            for element in root.iter(f"{P}sp"):
                placeholder, place = _placeholder(element), _place(element)
                if placeholder is not None and place is not None:
                    self._places.append((placeholder, place))

    def place(self, wanted: Placeholder) -> tuple[int, int] | None:
        """By number, else by kind."""
        numbered = [place for known, place in self._places if known.index == wanted.index != "0"]
        alike = [place for known, place in self._places if _group(known) == _group(wanted)]
        return next(iter((*numbered, *alike)), None)


def _group(placeholder: Placeholder) -> str:
    return "title" if placeholder.kind in _TITLES else placeholder.kind


def shapes_of(tree: Element, layouts: Layouts, *, is_hidden: bool = False) -> Iterator[Shape]:
    """Groups are read as one before what stands below them."""
    found: list[Shape] = []
    for element in _unwrapped(tree):
        placeholder = _placeholder(element)
        if placeholder is not None and placeholder.kind in _RUNNING:
            continue
        place = _place(element)
        if place is None and placeholder is not None:
            place = layouts.place(placeholder)
        top, left = place or (0, 0)
        hidden = is_hidden or _is_hidden(element)
        found.append(Shape(element, placeholder, top, left, hidden))
    for shape in _in_rows(found):
        if shape.element.tag == f"{P}grpSp":
            yield from shapes_of(shape.element, layouts, is_hidden=shape.is_hidden)
        else:
            yield shape


def _unwrapped(tree: Element) -> Iterator[Element]:
    for element in tree:
        if element.tag == f"{MC}AlternateContent":
            yield from next(iter(element), ())
        else:
            yield element


def _in_rows(shapes: list[Shape]) -> list[Shape]:
    ordered: list[Shape] = []
    row: list[Shape] = []
    for shape in sorted(shapes, key=lambda shape: shape.top):
        if row and shape.top - row[0].top > _SAME_ROW:
            ordered += sorted(row, key=lambda shape: shape.left)
            row = []
        row.append(shape)
    return ordered + sorted(row, key=lambda shape: shape.left)


def _placeholder(element: Element) -> Placeholder | None:
    for properties in element:
        mark = properties.find(f"{P}nvPr/{P}ph") if properties.tag.startswith(f"{P}nv") else None
        if mark is not None:
            return Placeholder(mark.get("type") or "", mark.get("idx") or "0")
    return None


def _is_hidden(element: Element) -> bool:
    for properties in element:
        mark = properties.find(f"{P}cNvPr") if properties.tag.startswith(f"{P}nv") else None
        if mark is not None:
            return mark.get("hidden") in ("1", "true")
    return False


def _place(element: Element) -> tuple[int, int] | None:
    for path in _PLACES:
        offset = element.find(path)
        if offset is not None:
            return _integer(offset.get("y")), _integer(offset.get("x"))
    return None


_LIVE_FIELDS = ("slidenum", "datetime")
_SHAPES_OF_NUMBERS = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Minus": "{}-"}
_STYLES = {
    "arabic": "decimal",
    "arabicDb": "decimalFullWidth",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNumDb": "decimalEnclosedCircle",
    "circleNumWdBlack": "decimalEnclosedCircle",
    "circleNumWdWhite": "decimalEnclosedCircle",
    "ea1Jpn": "japaneseCounting",
    "ea1JpnKor": "japaneseCounting",
    "ea1JpnChsDb": "japaneseCounting",
}


@dataclass(frozen=True)
class SlideParagraph:
    text: str
    is_item: bool


def paragraphs_of(body: Element, *, bullets: bool) -> list[SlideParagraph]:
    """`bullets`: the place gives its paragraphs bullets unless they say otherwise."""
    found: list[SlideParagraph] = []
    counts: dict[int, tuple[str, int]] = {}
    for paragraph in body.findall(f"{A}p"):
        properties = paragraph.find(f"{A}pPr")
        label, is_item = "", bullets
        if properties is not None:
            level = _integer(properties.get("lvl"), 0)
            label = _number(properties, level, counts)
            if properties.find(f"{A}buNone") is not None:
                is_item = False
            elif label or properties.find(f"{A}buChar") is not None:
                is_item = True
        text = text_of(paragraph)
        if text.strip():
            found.append(SlideParagraph(label + text, is_item))
    return found


def text_of(paragraph: Element) -> str:
    pieces: list[str] = []
    for child in paragraph:
        if child.tag == f"{A}br":
            pieces.append("\n")
        elif child.tag == f"{A}r":
            pieces.append(texts_of(child.findall(f"{A}t")))
        elif child.tag == f"{A}fld":
            if not (child.get("type") or "").startswith(_LIVE_FIELDS):
                pieces.append(texts_of(child.findall(f"{A}t")))
        elif child.tag == f"{MC}AlternateContent":  # an equation
            pieces.append(texts_of(child.iter(f"{M}t")))
    return "".join(pieces)


def _number(properties: Element, level: int, counts: dict[int, tuple[str, int]]) -> str:
    """Counts on while the kind stays the same; a shallower paragraph begins anew below it."""
    for deeper in [key for key in counts if key > level]:
        del counts[deeper]
    mark = properties.find(f"{A}buAutoNum")
    if mark is None:
        counts.pop(level, None)
        return ""
    kind = mark.get("type") or "arabicPeriod"
    start = _integer(mark.get("startAt"), 1)
    before, count = counts.get(level, ("", 0))
    counts[level] = (kind, count + 1 if before == kind else start)
    return f"{_shown(counts[level][1], kind)} "


def _shown(number: int, kind: str) -> str:
    for ending, shape in _SHAPES_OF_NUMBERS.items():
        if kind.endswith(ending):
            return shape.format(numeral(number, _STYLES.get(kind.removesuffix(ending), "decimal")))
    return numeral(number, _STYLES.get(kind.removesuffix("Plain"), "decimal"))


def _integer(text: str | None, default: int = 0) -> int:
    try:
        return default if text is None else int(text)
    except ValueError:
        return default


MAX_SLIDES = 5_000
_LONGEST_TITLE = 60
_SLIDES_NAMED = 20
_PICTURES = (f"{P}pic", f"{A}blip")


def read(source: Source) -> Document:
    package = Package(source)
    main = package.main_part("ppt/presentation.xml")
    reader = _Reader(package)
    slides = _slides(package, main)
    for number, part in enumerate(slides, start=1):
        reader.slide(part, number)
    return reader.build(len(slides))


def _slides(package: Package, main: str) -> list[str]:
    targets = {entry.id: entry.target for entry in package.relationships(main)}
    listed = package.xml(main).findall(f"{P}sldIdLst/{P}sldId")
    if len(listed) > MAX_SLIDES:
        raise LimitExceeded("pptx_too_many_slides", name=package.name, limit=MAX_SLIDES)
    parts = [targets.get(entry.get(f"{R}id") or "", "") for entry in listed]
    return list(dict.fromkeys(parts))  # a hostile file may list one slide thousands of times


class _Reader:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._builder = DocumentBuilder(package.name, "pptx")
        self._layouts: dict[str | None, Layouts] = {}
        self._hidden: list[int] = []
        self._hidden_shapes: list[int] = []
        self._pictures_only: list[int] = []

    def build(self, slides: int) -> Document:
        if not self._builder.length:
            raise UnsupportedFormat("document_without_text", name=self._package.name)
        if self._hidden:
            self._builder.warn(UnsupportedFormat("pptx_hidden_slides", slides=_list(self._hidden)))
        if self._hidden_shapes:
            self._builder.warn(
                UnsupportedFormat("pptx_hidden_shapes", slides=_list(self._hidden_shapes))
            )
        if self._pictures_only:
            self._builder.warn(
                UnsupportedFormat("pptx_pictures_only", slides=_list(self._pictures_only))
            )
        return self._builder.build(pages=slides)

    def slide(self, part: str, page: int) -> None:
        root = self._package.xml(part)
        if root.get("show") in ("0", "false"):
            self._hidden.append(page)
        tree = root.find(f"{P}cSld/{P}spTree")
        shapes = [] if tree is None else list(shapes_of(tree, self._layouts_of(part)))
        if any(shape.is_hidden and shape.says_something for shape in shapes):
            self._hidden_shapes.append(page)
        before = self._builder.length
        contents = _Slide(self._package, self._builder, part, page)
        contents.add(shapes)
        says_something = self._builder.length > before
        contents.add_notes()
        if not says_something and any(True for _ in root.iter(*_PICTURES)):
            self._pictures_only.append(page)

    def _layouts_of(self, slide: str) -> Layouts:
        layout = self._package.related_part(slide, "slideLayout")
        if layout not in self._layouts:
            parts = [layout, layout and self._package.related_part(layout, "slideMaster")]
            self._layouts[layout] = Layouts(*(self._package.xml(part) for part in parts if part))
        return self._layouts[layout]


class _Slide:
    def __init__(self, package: Package, builder: DocumentBuilder, part: str, page: int) -> None:
        self._package = package
        self._builder = builder
        self._part = part
        self._page = page
        self._has_heading = False
        self._related = {entry.id: entry.target for entry in package.relationships(part)}

    def add(self, shapes: list[Shape]) -> None:
        titles = [shape for shape in shapes if shape.is_title]
        title = " ".join(_lines(shape) for shape in titles).strip()
        if title:
            self._head(title)
            if self._page == 1:
                self._builder.title = " ".join(title.split())
        for shape in shapes:
            if not shape.is_title:
                self._add_shape(shape)

    def add_notes(self) -> None:
        part = self._package.related_part(self._part, "notesSlide")
        tree = None if part is None else self._package.xml(part).find(f"{P}cSld/{P}spTree")
        if tree is None:
            return
        for shape in shapes_of(tree, Layouts()):
            if shape.placeholder is not None and shape.placeholder.kind == "body":
                text = _lines(shape)
                if text.strip():
                    self._head_if_none("")
                    self._builder.paragraph(text, role="note", page=self._page)

    def _head(self, text: str) -> None:
        self._builder.heading(text, 1, page=self._page)
        self._has_heading = True

    def _head_if_none(self, first_text: str) -> bool:
        """Without a heading of its own a slide would fall under the one before; True if used up."""
        if self._has_heading:
            return False
        fits = 0 < len(first_text) <= _LONGEST_TITLE and "\n" not in first_text
        self._head(first_text if fits else f"p.{self._page}")
        return fits

    def _add_shape(self, shape: Shape) -> None:
        body = shape.element.find(f"{P}txBody")
        if body is not None:
            self._add_text(body, bullets=shape.is_outline)
        for table in shape.element.iter(f"{A}tbl"):
            self._add_table(table)
        for chart in shape.element.iter(f"{C}chart"):
            if (root := self._drawing(chart.get(f"{R}id"))) is not None:
                for drawn in chart_tables(root):
                    self._head_if_none("")
                    self._builder.table(
                        drawn.rows, columns=drawn.columns, title=drawn.title, page=self._page
                    )
        for diagram in shape.element.iter(f"{DGM}relIds"):
            if (root := self._drawing(diagram.get(f"{R}dm"))) is not None:
                for text in diagram_texts(root):
                    self._head_if_none("")
                    self._builder.paragraph(text, role="list_item", page=self._page)

    def _add_text(self, body: Element, *, bullets: bool) -> None:
        """Lines of a text box are one paragraph; list items stand each for itself."""
        plain: list[str] = []
        for paragraph in paragraphs_of(body, bullets=bullets):
            if self._head_if_none(paragraph.text.strip()):
                continue
            if not paragraph.is_item:
                plain.append(paragraph.text)
                continue
            self._builder.paragraph("\n".join(plain), page=self._page)
            plain.clear()
            self._builder.paragraph(paragraph.text, role="list_item", page=self._page)
        self._builder.paragraph("\n".join(plain), page=self._page)

    def _add_table(self, table: Element) -> None:
        rows = [[_cell(cell) for cell in row.findall(f"{A}tc")] for row in table.findall(f"{A}tr")]
        if not any(cell.strip() for row in rows for cell in row):
            return
        self._head_if_none("")
        if all(len(row) <= 1 for row in rows):
            for row in rows:
                self._builder.paragraph("".join(row), page=self._page)
            return
        title = _title_above(table, rows)
        rows = rows if title is None else rows[1:]
        properties = table.find(f"{A}tblPr")
        emphasised = properties is not None and properties.get("firstRow") in ("1", "true")
        has_header = first_row_names_columns(rows, stands_out=emphasised)
        self._builder.table(
            rows[1:] if has_header else rows,
            columns=rows[0] if has_header else None,
            title=title,
            page=self._page,
            header_row=1 if title is None else 2,
        )

    def _drawing(self, relation: str | None) -> Element | None:
        part = self._related.pop(relation or "", None)  # each is read once
        if part is None or not self._package.has(part):
            return None
        try:
            return self._package.xml(part)
        except SanboError as problem:  # the rest of the slide is still worth reading
            self._builder.warn(problem)
            return None


def _lines(shape: Shape) -> str:
    body = shape.element.find(f"{P}txBody")
    if body is None:
        return ""
    return "\n".join(paragraph.text for paragraph in paragraphs_of(body, bullets=False))


def _cell(cell: Element) -> str:
    """A cell that continues a merged one has been said."""
    if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
        return ""
    return "\n".join(text_of(paragraph) for paragraph in cell.findall(f"{A}txBody/{A}p"))


def _title_above(table: Element, rows: list[list[str]]) -> str | None:
    """The text of a first row that is one cell over all columns, with a table below it."""
    first = table.find(f"{A}tr")
    cells = [] if first is None else first.findall(f"{A}tc")
    is_one_cell = len(cells) > 1 and all(cell.get("hMerge") in ("1", "true") for cell in cells[1:])
    if not is_one_cell or len(rows) < 3 or max(len(row) for row in rows) > len(cells):
        return None
    return " ".join(rows[0][0].split()) or None


def _list(slides: list[int]) -> str:
    shown = ", ".join(str(number) for number in slides[:_SLIDES_NAMED])
    return f"{shown} …" if len(slides) > _SLIDES_NAMED else shown
