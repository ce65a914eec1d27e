"""Reads HTML pages: what a visitor would read, without scripts, menus and hidden parts."""

import re

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.encodings import Decoded, decode_declared
from sanbo.documents.formats.html.elements import (
    BLOCKS,
    CELLS,
    HEADINGS,
    LISTS,
    VOID,
    End,
    HtmlRow,
    HtmlTable,
    Open,
    OpenElements,
    Start,
    Text,
    cell,
    is_chosen,
    text_of_void,
    tokens,
)
from sanbo.documents.model import Document, Role, Source
from sanbo.kernel.problems import UnsupportedFormat
from sanbo.language.numerals import numeral

_SKIPPED = {
    "applet", "audio", "button", "canvas", "datalist", "frameset", "iframe", "map", "nav",
    "noembed", "noframes", "noscript", "object", "script", "style",
    "svg", "template", "title", "video", "annotation", "annotation-xml",
}  # fmt: skip
_OVER_KANJI = {"rt", "rp", "rtc"}
_STRUCK = {"del", "s", "strike"}
_STRUCK_STYLE = re.compile(r"text-decoration(?:-line)?\s*:[^;:]*line-through", re.I)
_SET_OFF = {"option", "textarea"}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I)
_CHARSET = re.compile(
    rb"""<meta[^>]{0,300}?charset\s*+=\s*+(?:["']\s*+)?([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*+=\s*+["']([\w.:-]+)""",
    re.I,
)
_DECLARED_WITHIN = 4096
_LINE_BREAK = "\v"
_NUMBER_STYLES = {
    "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"
}  # fmt: skip

_WIDE = "\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f"
# Japanese lines that were wrapped in the source go on without a space.
_WRAPPED = re.compile(rf"(?<=[{_WIDE}])[ \t\r\f]*\n[ \t\n\r\f]*(?=[{_WIDE}])")
_SPACES = re.compile(r"[ \t\n\r\f]+")
_AROUND_BREAK = re.compile(rf" {{0,99}}{_LINE_BREAK} *")


def read(source: Source) -> Document:
    builder = DocumentBuilder(source.name, "html")
    reader = HtmlReader(builder)
    page = page_text(source.data)
    if page.replaced:
        builder.warn(UnsupportedFormat("text_bytes_replaced", count=page.replaced))
    reader.read(page.text)
    if not builder.length:
        raise UnsupportedFormat("document_without_text", name=source.name)
    builder.title = reader.title
    return builder.build()


def page_text(data: bytes, charset: str | None = None) -> Decoded:
    """By the encoding that the mail or page declares if the bytes agree, else by what they show."""
    if charset is None and (declared := _CHARSET.search(data[:_DECLARED_WITHIN])):
        charset = (declared[1] or declared[2]).decode("ascii")
    return decode_declared(data, charset)


def add_page(builder: DocumentBuilder, page: str) -> None:
    """Adds what a page says to a document of another kind."""
    HtmlReader(builder).read(page)


class HtmlReader:
    """Turns tags and texts into blocks as they go by."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self.title: str | None = None
        self._builder = builder
        self._open = OpenElements()
        self._pieces: list[str] = []
        self._skipping = 0
        self._struck = 0
        self._struck_is_counted = True
        self._label = ""
        self._term_waits = False
        self._tables: list[HtmlTable] = []
        self._cell: dict[str, str] | None = None
        """Attributes of the data cell that is being read."""

    def read(self, page: str) -> None:
        in_title = False
        for token in tokens(page):
            if isinstance(token, Start):
                in_title = token.name == "title" and not self._open.innermost("svg")
                self._start(token)
            elif isinstance(token, End):
                in_title = False
                self._end(token.name)
            elif in_title and self.title is None:
                self.title = " ".join(token.text.split()) or None
            elif not self._skipping:
                self._text(token)
            elif not self._struck_is_counted and token.text.strip():
                self._struck += 1
                self._struck_is_counted = True
        self._close(len(self._open.stack))
        self._flush()
        if self._struck:
            self._builder.warn(UnsupportedFormat("struck_text_left_out", count=self._struck))

    def _text(self, token: Text) -> None:
        text = token.text.replace(_LINE_BREAK, " ").replace("\u00ad", "")
        if self._open.place("pre", "textarea") >= 0:
            text = text.replace("\r\n", "\n").replace("\n", _LINE_BREAK)
        self._pieces.append(text)

    def _start(self, tag: Start) -> None:
        name = tag.name
        self._close(self._open.ended_by_start(name))
        if name == "br":
            self._pieces.append(_LINE_BREAK)
        if name in BLOCKS and not self._skipping and not (name == "dd" and self._term_waits):
            self._break()
        self._term_waits = False
        if self._open.is_stray(name):
            return
        attributes = tag.attributes() if tag.raw_attributes else {}
        if name in VOID:
            if not self._skipping and not _is_skipped(name, attributes):
                self._pieces.append(text_of_void(name, attributes).replace(_LINE_BREAK, " "))
            return
        element = Open(name, skipped=self._skips(name, attributes))
        if element.skipped and not self._skipping:
            self._struck_is_counted = not _is_struck(name, attributes)
        self._open.push(element)
        self._skipping += element.skipped
        if not self._skipping:
            self._begin(element, attributes)

    def _skips(self, name: str, attributes: dict[str, str]) -> bool:
        if name in _OVER_KANJI:  # a stray one would hide the rest of the page
            return self._open.place("ruby") >= 0
        if name == "option" and self._open.place("select") >= 0 and not is_chosen(attributes):
            return True
        return _is_skipped(name, attributes) or _is_struck(name, attributes)

    def _begin(self, element: Open, attributes: dict[str, str]) -> None:
        name = element.name
        if name in HEADINGS or name == "table":
            self._dissolve_table()
        if name == "table":
            self._tables.append(HtmlTable(attributes.get("role") in ("presentation", "none")))
        elif name == "tr" and self._tables:
            self._tables[-1].rows.append(HtmlRow(self._open.place("thead") > self._table_place()))
        elif name in (*CELLS, "caption") and self._tables and not self._tables[-1].is_layout:
            self._cell = attributes
        elif name in _SET_OFF:
            self._pieces.append(" ")
        elif name == "ol":
            start = attributes.get("start", "").strip()[:6]
            element.number = int(start) if re.fullmatch(r"-?[0-9]+", start) else 1
            element.style = _NUMBER_STYLES.get(attributes.get("type", ""), "decimal")
            if "reversed" in attributes:  # counts down from a number that comes at the end
                element.number = None
        elif name == "li":
            self._number_item(attributes)

    def _number_item(self, attributes: dict[str, str]) -> None:
        within = self._open.innermost(*LISTS)
        self._label = ""
        if within is None or within.number is None:
            return
        value = attributes.get("value", "").strip()[:6]
        if re.fullmatch(r"-?[0-9]+", value):
            within.number = int(value)
        self._label = f"{numeral(within.number, within.style)}. "
        within.number += 1

    def _end(self, name: str) -> None:
        if name == "br":
            self._pieces.append(_LINE_BREAK)
        self._close(self._open.ended_by_end(name))

    def _close(self, count: int) -> None:
        for _ in range(count):
            name = self._open.stack[-1].name
            if not self._skipping and name in BLOCKS:
                self._finish(name)
            elif not self._skipping and name in _SET_OFF:
                self._pieces.append(" ")
            self._skipping -= self._open.pop().skipped

    def _finish(self, name: str) -> None:
        if name in (*CELLS, "caption") and self._cell is not None:
            self._finish_cell(name, self._cell)
        elif name == "dt" and self._cell is None:
            self._pieces.append(_LINE_BREAK)  # the term and its definition belong together
            self._term_waits = True
        elif name == "table" and self._tables:
            self._flush()
            self._finish_table(self._tables.pop())
        else:
            self._break()

    def _finish_cell(self, name: str, attributes: dict[str, str]) -> None:
        table = self._tables[-1]
        text = self._take()
        self._cell = None
        if name == "caption":
            table.caption = " ".join(text.split()) or None
            return
        if not table.rows:
            table.rows.append(HtmlRow(in_head=False))
        table.rows[-1].cells.append(cell(text, attributes, is_header=name == "th"))

    def _finish_table(self, table: HtmlTable) -> None:
        if table.is_layout:
            return
        if table.has_one_column():
            for text in (table.caption or "", *table.texts()):
                self._builder.paragraph(text)
            return
        columns, rows = table.grid()
        self._builder.table(rows, columns=columns, title=table.caption)

    def _dissolve_table(self) -> None:
        """A table that holds a heading or a table places things on the page: no data in columns."""
        if not self._tables or self._tables[-1].is_layout:
            return
        table = self._tables[-1]
        table.is_layout = True
        current = self._take() if self._cell is not None else ""
        self._cell = None
        for text in (table.caption or "", *table.texts(), current):
            self._builder.paragraph(text)
        table.rows.clear()

    def _table_place(self) -> int:
        return self._open.place("table")

    def _break(self) -> None:
        """A block begins or ends: a new line within a data cell, else a new block."""
        if self._cell is not None:
            self._pieces.append(_LINE_BREAK)
        elif self._pieces:
            self._flush()

    def _flush(self) -> None:
        text = self._take()
        if not text:
            return
        heading = self._open.innermost(*HEADINGS)
        if heading is not None:
            self._builder.heading(text, HEADINGS[heading.name])
        else:
            self._builder.paragraph(text, role=self._role())

    def _role(self) -> Role:
        if self._open.place("pre") >= 0:
            return "code"
        return "list_item" if self._open.place("li", "dt", "dd") >= 0 else "body"

    def _take(self) -> str:
        text = "".join(self._pieces)
        self._pieces.clear()
        if self._open.place("pre") < 0 or self._cell is not None:
            text = _SPACES.sub(" ", _WRAPPED.sub("", text))
            text = _AROUND_BREAK.sub(_LINE_BREAK, text)
        text = text.replace(_LINE_BREAK, "\n").replace("\xa0", " ").strip()
        if text and self._label:
            text, self._label = self._label + text, ""
        return text


def _is_skipped(name: str, attributes: dict[str, str]) -> bool:
    return (
        name in _SKIPPED
        or "hidden" in attributes
        or attributes.get("role") == "navigation"
        or (name == "dialog" and "open" not in attributes)
        or bool(_HIDDEN_STYLE.search(attributes.get("style", "")))
    )


def _is_struck(name: str, attributes: dict[str, str]) -> bool:
    return name in _STRUCK or bool(_STRUCK_STYLE.search(attributes.get("style", "")))
