"""What a Word style means for reading: heading level, numbering, hidden or struck text, title."""

import re
from dataclasses import dataclass

from sanbo.documents.ooxml.xml import Element, W, is_on, number_of, value_of

# Word keeps the English names of its own styles; other programs write the ones they show.
_HEADING_NAME = re.compile(
    r"(?:heading|見出し|标题|標題|제목|überschrift|titre|título|titolo|kop)\s*([1-9１-９])", re.I
)
_TITLE_NAMES = {"title", "表題", "タイトル"}
_CONTENTS_NAME = re.compile(r"(?:toc|目次)\s*[1-9１-９]", re.I)
_CAPTION_NAMES = {"caption", "図表番号"}
_BODY_LEVEL = 9
HIDDEN = (f"{W}vanish",)
STRUCK = (f"{W}strike", f"{W}dstrike")


@dataclass(frozen=True)
class Style:
    """What a style says itself, or with all that it is based on."""

    heading: int | None
    says_level: bool
    is_title: bool
    is_contents: bool
    is_caption: bool
    num_id: int | None
    num_level: int | None
    hidden: bool | None
    struck: bool | None

    def on(self, base: "Style") -> "Style":
        return Style(
            heading=self.heading if self.says_level else base.heading,
            says_level=self.says_level or base.says_level,
            is_title=self.is_title or base.is_title,
            is_contents=self.is_contents or base.is_contents,
            is_caption=self.is_caption or base.is_caption,
            num_id=base.num_id if self.num_id is None else self.num_id,
            num_level=base.num_level if self.num_level is None else self.num_level,
            hidden=base.hidden if self.hidden is None else self.hidden,
            struck=base.struck if self.struck is None else self.struck,
        )


class Styles:
    """The styles of one document; each question follows the chain of `based on`."""

    def __init__(self, root: Element | None) -> None:
        self._own: dict[str, Style] = {}
        self._based_on: dict[str, str | None] = {}
        self._whole: dict[str, Style] = {}
        self.default: str | None = None
        """The style of paragraphs that name none."""
        for element in [] if root is None else root.findall(f"{W}style"):
            style_id = element.get(f"{W}styleId") or ""
            self._own[style_id] = _style(element)
            self._based_on[style_id] = value_of(element.find(f"{W}basedOn"))
            kind, default = element.get(f"{W}type"), element.get(f"{W}default")
            if kind == "paragraph" and default in ("1", "true", "on"):
                self.default = style_id

    def heading_level(self, style_id: str | None) -> int | None:
        return self._style(style_id).heading

    def is_title(self, style_id: str | None) -> bool:
        return self._style(style_id).is_title

    def is_contents(self, style_id: str | None) -> bool:
        return self._style(style_id).is_contents

    def is_caption(self, style_id: str | None) -> bool:
        return self._style(style_id).is_caption

    def numbering(self, style_id: str | None) -> tuple[int | None, int | None]:
        """Number and level of the list that the style puts its paragraphs in."""
        style = self._style(style_id)
        return style.num_id, style.num_level

    def hides(self, style_id: str | None) -> bool | None:
        """None where the style says nothing about it."""
        return self._style(style_id).hidden

    def strikes(self, style_id: str | None) -> bool | None:
        return self._style(style_id).struck

    def _style(self, style_id: str | None) -> Style:
        """Chains may be thousands of styles long: each style is put together once."""
        chain: list[str] = []
        seen: set[str] = set()  # a damaged file may have a style based on itself
        while style_id in self._own and style_id not in self._whole and style_id not in seen:
            seen.add(style_id)
            chain.append(style_id)
            style_id = self._based_on[style_id]
        whole = self._whole.get(style_id or "", _PLAIN)
        for below in reversed(chain):
            whole = self._own[below].on(whole)
            self._whole[below] = whole
        return whole


def level_of_outline(outline: int) -> int | None:
    """Outline levels count from 0, and 9 says that this is body text."""
    return outline + 1 if 0 <= outline < _BODY_LEVEL else None


def _style(element: Element) -> Style:
    name = value_of(element.find(f"{W}name")) or ""
    named = _HEADING_NAME.fullmatch(name)
    outline = number_of(element.find(f"{W}pPr/{W}outlineLvl"))
    level = None if outline is None else level_of_outline(outline)
    return Style(
        heading=int(named[1]) if named else level,
        says_level=named is not None or outline is not None,
        is_title=name.lower() in _TITLE_NAMES,
        is_contents=_CONTENTS_NAME.fullmatch(name) is not None,
        is_caption=name.lower() in _CAPTION_NAMES,
        num_id=number_of(element.find(f"{W}pPr/{W}numPr/{W}numId")),
        num_level=number_of(element.find(f"{W}pPr/{W}numPr/{W}ilvl")),
        hidden=turned_on(element.find(f"{W}rPr"), HIDDEN),
        struck=turned_on(element.find(f"{W}rPr"), STRUCK),
    )


def turned_on(properties: Element | None, switches: tuple[str, ...]) -> bool | None:
    """None where the properties say nothing about it."""
    if properties is None:
        return None
    said = [mark for name in switches if (mark := properties.find(name)) is not None]
    return any(is_on(mark) for mark in said) if said else None


_PLAIN = Style(None, False, False, False, False, None, None, None, None)
