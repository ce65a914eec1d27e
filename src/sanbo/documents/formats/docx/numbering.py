"""Word's automatic numbers: `第1条` often stands nowhere in a contract's text, only here."""

import re
from dataclasses import dataclass, field

from sanbo.documents.formats.docx.styles import Styles
from sanbo.documents.ooxml.xml import Element, W, is_on, number_of, value_of
from sanbo.language.list_numbers import numeral

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
