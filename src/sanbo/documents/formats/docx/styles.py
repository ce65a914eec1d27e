"""What a Word style means for reading: heading level, numbering, hidden text, title."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.documents.formats.office.xml import Element, W, is_on, number_of, value_of

# Word keeps the English names of its own styles; other programs write the ones they show.
_HEADING_NAME = re.compile(
    r"(?:heading|見出し|标题|標題|제목|überschrift|titre|título|titolo|kop)\s*([1-9１-９])", re.I
)
_TITLE_NAMES = {"title", "表題", "タイトル"}
_CONTENTS_NAME = re.compile(r"(?:toc|目次)\s*[1-9１-９]", re.I)
_BODY_LEVEL = 9


@dataclass(frozen=True)
class Style:
    name: str
    based_on: str | None
    outline: int | None
    num_id: int | None
    num_level: int | None
    hidden: bool | None


class Styles:
    """The styles of one document; each question follows the chain of `based on`."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, Style] = {}
        self.default: str | None = None
        """The style of paragraphs that name none."""
        for element in [] if root is None else root.findall(f"{W}style"):
            style_id = element.get(f"{W}styleId") or ""
            self._styles[style_id] = _style(element)
            kind, default = element.get(f"{W}type"), element.get(f"{W}default")
            if kind == "paragraph" and default in ("1", "true", "on"):
                self.default = style_id

    def heading_level(self, style_id: str | None) -> int | None:
        for style in self._chain(style_id):
            if named := _HEADING_NAME.fullmatch(style.name):
                return int(named[1])
            if style.outline is not None:
                return level_of_outline(style.outline)
        return None

    def is_title(self, style_id: str | None) -> bool:
        return any(style.name.lower() in _TITLE_NAMES for style in self._chain(style_id))

    def is_contents(self, style_id: str | None) -> bool:
        return any(_CONTENTS_NAME.fullmatch(style.name) for style in self._chain(style_id))

    def is_caption(self, style_id: str | None) -> bool:
        return any(style.name.lower() in ("caption", "図表番号") for style in self._chain(style_id))

    def numbering(self, style_id: str | None) -> tuple[int | None, int | None]:
        """Number and level of the list that the style puts its paragraphs in."""
        num_id = level = None
        for style in self._chain(style_id):
            num_id = style.num_id if num_id is None else num_id
            level = style.num_level if level is None else level
        return num_id, level

    def hides(self, style_id: str | None) -> bool | None:
        """None where the style says nothing about it."""
        return next((s.hidden for s in self._chain(style_id) if s.hidden is not None), None)

    def _chain(self, style_id: str | None) -> Iterator[Style]:
        seen: set[str] = set()  # a damaged file may have a style based on itself
        while style_id is not None and style_id not in seen:
            seen.add(style_id)
            style = self._styles.get(style_id)
            if style is None:
                return
            yield style
            style_id = style.based_on


def level_of_outline(outline: int) -> int | None:
    """Outline levels count from 0, and 9 says that this is body text."""
    return outline + 1 if 0 <= outline < _BODY_LEVEL else None


def _style(element: Element) -> Style:
    vanish = element.find(f"{W}rPr/{W}vanish")
    return Style(
        name=value_of(element.find(f"{W}name")) or "",
        based_on=value_of(element.find(f"{W}basedOn")),
        outline=number_of(element.find(f"{W}pPr/{W}outlineLvl")),
        num_id=number_of(element.find(f"{W}pPr/{W}numPr/{W}numId")),
        num_level=number_of(element.find(f"{W}pPr/{W}numPr/{W}ilvl")),
        hidden=None if vanish is None else is_on(vanish),
    )
