"""How a picture looks: colours by status for light and dark screens, and how wide texts are."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

from sanbo.kernel.text import TURNS
from sanbo.plans.drawing.figure import ChangeStatus, NodeStatus

Theme = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class Colours:
    paper: str
    text: str
    muted: str
    line: str
    frame: str
    chip: str
    chip_text: str
    fills: dict[NodeStatus | ChangeStatus, str]
    edges: dict[NodeStatus | ChangeStatus, str]
    """Of boxes, and of the signs and words of their status."""


LIGHT = Colours(
    paper="#ffffff",
    text="#1f2328",
    muted="#59636e",
    line="#6e7781",
    frame="#f6f8fa",
    chip="#ddf4ff",
    chip_text="#0550ae",
    fills={
        "pending": "#ffffff",
        "running": "#ddf4ff",
        "waiting": "#fff8c5",
        "succeeded": "#dafbe1",
        "failed": "#ffebe9",
        "skipped": "#f0f1f3",
        "same": "#ffffff",
        "added": "#dafbe1",
        "removed": "#ffebe9",
        "changed": "#fff8c5",
    },
    edges={
        "pending": "#59636e",
        "running": "#0550ae",
        "waiting": "#7d4e00",
        "succeeded": "#116329",
        "failed": "#b31d28",
        "skipped": "#59636e",
        "same": "#59636e",
        "added": "#116329",
        "removed": "#b31d28",
        "changed": "#7d4e00",
    },
)
DARK = Colours(
    paper="#0d1117",
    text="#e6edf3",
    muted="#9aa4af",
    line="#8b949e",
    frame="#151b23",
    chip="#122d4d",
    chip_text="#9ecbff",
    fills={
        "pending": "#0d1117",
        "running": "#122d4d",
        "waiting": "#3a2d05",
        "succeeded": "#12351f",
        "failed": "#4a1a1a",
        "skipped": "#22272e",
        "same": "#0d1117",
        "added": "#12351f",
        "removed": "#4a1a1a",
        "changed": "#3a2d05",
    },
    edges={
        "pending": "#9aa4af",
        "running": "#79c0ff",
        "waiting": "#e3b341",
        "succeeded": "#56d364",
        "failed": "#ff9a92",
        "skipped": "#9aa4af",
        "same": "#9aa4af",
        "added": "#56d364",
        "removed": "#ff9a92",
        "changed": "#e3b341",
    },
)


def rules(colours: Colours, scope: str) -> str:
    """The same colours as a style sheet, which goes before the attributes that the picture has."""
    lines = [
        f"{scope} .text{{fill:{colours.text}}}",
        f"{scope} .muted{{fill:{colours.muted}}}",
        f"{scope} .wire{{stroke:{colours.line}}}",
        f"{scope} .tip{{fill:{colours.line}}}",
        f"{scope} .chip{{fill:{colours.chip};stroke:{colours.chip_text}}}",
        f"{scope} .chip-text{{fill:{colours.chip_text}}}",
    ]
    for status, fill in colours.fills.items():
        edge = colours.edges[status]
        lines += [
            f"{scope} .{status}>.face{{fill:{fill};stroke:{edge}}}",
            f"{scope} .{status}>.sign{{fill:{edge}}}",
            f"{scope} .{status}>.sign-on{{fill:{fill}}}",
        ]
    lines.append(f"{scope} .pending>.frame{{fill:{colours.frame}}}")
    return "".join(lines)


_NOT_FIRST = frozenset(
    "、。，．・：；？！ー～…‥）〕］｝〉》」』】ゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョヵヶ,.:;?!)]}%”’"
)
_NOT_LAST = frozenset("（〔［｛〈《「『【([{“‘¥＄$")
_NARROW = frozenset("ijlftrI.,:;!|'`()[]{} ")
_BROAD = frozenset("mwMW@%")
ELLIPSIS = "…"


def printable(text: str) -> str:
    """On one line, without what XML forbids or what turns the direction of reading."""
    kept = "".join(
        letter if unicodedata.category(letter)[0] != "Z" else " "
        for letter in text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
        if unicodedata.category(letter) not in ("Cc", "Cs", "Cn") and letter not in TURNS
    )
    return " ".join(kept.split())


def width(text: str, size: float) -> float:
    return size * sum(map(_width, text))


def _width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WFA":
        return 1.0
    if unicodedata.combining(letter):
        return 0.0
    if letter in _NARROW:
        return 0.36
    if letter in _BROAD:
        return 0.92
    return 0.7 if letter.isupper() else 0.6


def wrapped(text: str, size: float, room: float, most: int) -> list[str]:
    """At most `most` lines that fit into `room`; what is left out shows as an ellipsis."""
    lines: list[str] = []
    rest = printable(text)
    while rest:
        if len(lines) == most - 1 and width(rest, size) > room:
            return [*lines, shortened(rest, size, room)]
        end = _line_end(rest, size, room)
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return lines


def shortened(text: str, size: float, room: float) -> str:
    if width(text, size) <= room:
        return text
    while text and width(text + ELLIPSIS, size) > room:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def _line_end(text: str, size: float, room: float) -> int:
    used, fits = 0.0, 0
    for letter in text:
        used += size * _width(letter)
        if used > room:
            break
        fits += 1
    if fits == len(text):
        return fits
    fits = max(fits, 1)
    for end in range(fits, fits // 2, -1):
        if _may_break(text[end - 1], text[end]):
            return end
    return fits


def _may_break(before: str, after: str) -> bool:
    if before == " " or after == " ":
        return True
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    if before in "/_.-":
        return True
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in (before, after))
