"""Reads presentations slide by slide: titles, texts, tables, charts, diagrams and notes."""

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.formats.pptx.shapes import Layouts, P, Shape, paragraphs_of, shapes_of, text_of
from sanbo.documents.model import Document, Source
from sanbo.documents.ooxml.drawings import chart_tables, diagram_texts
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import DGM, A, C, Element, R
from sanbo.documents.table_heads import first_row_names_columns
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat

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
