"""The page of the Word table: landscape A4, Japanese letters, page numbers."""

import re
from typing import Any

from docx.document import Document
from docx.enum.section import WD_ORIENT
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.shared import Mm, Pt

from sanbo.agents.comparison.outputs import word_xml as word
from sanbo.kernel.messages import Language, tell

_FONTS: dict[Language, tuple[str, str]] = {
    "ja": ("ＭＳ 明朝", "ＭＳ 明朝"),
    "en": ("Times New Roman", "ＭＳ 明朝"),
}
"""For Latin letters, and for Japanese ones."""
_SMALL = word.Letters(half_points=18)
_PAGE, _PAGES = "\x01", "\x02"


def set_up(document: Document, language: Language) -> None:
    _page(document)
    _letters(document, language)
    _properties(document, language)
    _footer(document, language)


def _page(document: Document) -> None:
    page = document.sections[0]
    page.orientation = WD_ORIENT.LANDSCAPE
    page.page_width, page.page_height = Mm(297), Mm(210)
    page.left_margin = page.right_margin = Mm(18)
    page.top_margin, page.bottom_margin = Mm(18), Mm(16)
    page.footer_distance = Mm(8)


def _letters(document: Document, language: Language) -> None:
    latin, japanese = _FONTS[language]
    style: Any = document.styles["Normal"]
    style.font.name = latin
    style.font.size = Pt(10)
    style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), japanese)
    style.paragraph_format.space_after = Pt(0)
    style.paragraph_format.line_spacing = 1.15
    styles: Any = document.styles.element
    for defaults in styles.iter(qn("w:rPrDefault")):
        for fonts in defaults.iter(qn("w:rFonts")):
            for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
                fonts.attrib.pop(qn(f"w:{theme}"), None)
        for spoken in defaults.iter(qn("w:lang")):
            spoken.set(qn("w:eastAsia"), "ja-JP")


def _properties(document: Document, language: Language) -> None:
    properties = document.core_properties
    properties.title = tell("comparison_outputs.table.title", language)
    properties.author = "Sanbo"
    properties.comments = ""
    properties.language = language


def _footer(document: Document, language: Language) -> None:
    told = tell("comparison_outputs.table.page", language, page=_PAGE, pages=_PAGES)
    fields = {_PAGE: word.field("PAGE"), _PAGES: word.field("NUMPAGES")}
    runs = "".join(
        fields.get(part) or word.run(part, _SMALL)
        for part in re.split(f"([{_PAGE}{_PAGES}])", told)
        if part
    )
    footer = document.sections[0].footer
    footer.is_linked_to_previous = False
    numbers: Any = footer.part.element
    for empty in list(numbers):
        numbers.remove(empty)
    numbers.append(parse_xml(word.alone(word.paragraph(runs, "center"))))
