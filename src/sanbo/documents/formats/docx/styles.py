"""What Word's styles make of a paragraph: a heading, its level, and the number in front of it."""

import re
from dataclasses import dataclass, field

from sanbo.documents.ooxml.xml import Element, W, is_on, number_of, value_of
from sanbo.language.numerals import numeral

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


_LEVELS = 9
_MAX_LABEL = 100
_PLACE = re.compile("%([1-9])")


@dataclass(frozen=True)
class Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    suffix: str = "tab"
    restart: int | None = None
    """Goes back to its start after a paragraph of this level (from 1) or above; 0: never."""
    legal: bool = False
    """Shows the numbers of the levels above in plain digits."""
    style: str | None = None


@dataclass
class _List:
    """One numbering with its own counters, shared by all `w:num` that point to it."""

    levels: dict[int, Level]
    counters: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


@dataclass(frozen=True)
class _Num:
    abstract: str
    starts: dict[int, int]
    levels: dict[int, Level]


class Numbering:
    """Hands out labels in document order: asking for a label counts it."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._lists: dict[str, _List] = {}
        self._nums: dict[int, _Num] = {}
        self._links: dict[str, str] = {}
        self._begun: set[int] = set()
        self._styles = styles
        if root is None:
            return
        for element in root.findall(f"{W}abstractNum"):
            key = element.get(f"{W}abstractNumId") or ""
            self._lists[key] = _List(_levels(element))
            if link := value_of(element.find(f"{W}numStyleLink")):
                self._links[key] = link
        for element in root.findall(f"{W}num"):
            number = _integer(element.get(f"{W}numId"))
            if number is not None:
                self._nums[number] = _num(element)

    def label(self, num_id: int, level: int | None, style: str | None) -> str | None:
        """The number with what follows it, empty for a bullet, None where there is no list."""
        num = self._nums.get(num_id)
        numbered = None if num is None else self._list_of(num)
        if num is None or numbered is None:
            return None
        levels = {**numbered.levels, **num.levels}
        at = self._level(levels, level, style)
        shown = levels.get(at)
        if shown is None:
            return None
        if num_id not in self._begun:
            self._begun.add(num_id)
            for overridden in num.starts:
                numbered.counters[overridden] = None
        self._count(numbered.counters, levels, num.starts, at)
        if shown.format == "bullet":
            return ""
        return _rendered(numbered.counters, levels, at)

    def _list_of(self, num: _Num) -> _List | None:
        """Follows a list that is defined through a list style."""
        key, seen = num.abstract, {num.abstract}
        while key in self._links:
            linked = self._nums.get(self._styles.numbering(self._links[key])[0] or 0)
            if linked is None or linked.abstract in seen:
                break
            key = linked.abstract
            seen.add(key)
        return self._lists.get(key)

    @staticmethod
    def _level(levels: dict[int, Level], level: int | None, style: str | None) -> int:
        """Where the paragraph says none, the level that is tied to its style: headings do this."""
        if level is None:
            level = next((n for n, entry in levels.items() if style and entry.style == style), 0)
        return min(max(level, 0), _LEVELS - 1)

    @staticmethod
    def _count(
        counters: list[int | None], levels: dict[int, Level], starts: dict[int, int], at: int
    ) -> None:
        current = counters[at]
        start = starts.get(at, levels[at].start)
        counters[at] = start if current is None else current + 1
        for deeper in range(at + 1, _LEVELS):
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or at < restart:
                counters[deeper] = None


def _rendered(counters: list[int | None], levels: dict[int, Level], at: int) -> str:
    shown = levels[at]

    def number(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        entry = levels.get(place, Level())
        count = counters[place]
        style = "decimal" if shown.legal and place != at else entry.format
        return numeral(entry.start if count is None else count, style)

    text = _PLACE.sub(number, shown.text)[:_MAX_LABEL]
    return text if shown.suffix == "nothing" or not text.strip() else f"{text} "


def _levels(element: Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for level in element.findall(f"{W}lvl"):
        at = _integer(level.get(f"{W}ilvl"))
        if at is not None and 0 <= at < _LEVELS:
            levels[at] = _one_level(level)
    return levels


def _one_level(element: Element) -> Level:
    start = number_of(element.find(f"{W}start"))
    formats = [value_of(entry) or "decimal" for entry in element.iter(f"{W}numFmt")]
    # A custom format such as "001, 002, …" comes with a plain one for older programs.
    known = [name for name in formats if name != "custom"]
    return Level(
        start=1 if start is None else start,
        format=known[0] if known else "decimal",
        text=value_of(element.find(f"{W}lvlText")) or "",
        suffix=value_of(element.find(f"{W}suff")) or "tab",
        restart=number_of(element.find(f"{W}lvlRestart")),
        legal=is_on(element.find(f"{W}isLgl")),
        style=value_of(element.find(f"{W}pStyle")),
    )


def _num(element: Element) -> _Num:
    starts: dict[int, int] = {}
    levels: dict[int, Level] = {}
    for override in element.findall(f"{W}lvlOverride"):
        at = _integer(override.get(f"{W}ilvl"))
        if at is None or not 0 <= at < _LEVELS:
            continue
        start = number_of(override.find(f"{W}startOverride"))
        if start is not None:
            starts[at] = start
        if (level := override.find(f"{W}lvl")) is not None:
            levels[at] = _one_level(level)
    return _Num(value_of(element.find(f"{W}abstractNumId")) or "", starts, levels)


def _integer(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
