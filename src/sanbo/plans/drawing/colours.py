"""Colours by status, for light and for dark screens; all texts reach a contrast of 4.5 to 1."""

from dataclasses import dataclass
from typing import Literal

from sanbo.plans.drawing.states import NodeStatus

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
    fills: dict[NodeStatus, str]
    edges: dict[NodeStatus, str]
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
    },
    edges={
        "pending": "#59636e",
        "running": "#0550ae",
        "waiting": "#7d4e00",
        "succeeded": "#116329",
        "failed": "#b31d28",
        "skipped": "#59636e",
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
    },
    edges={
        "pending": "#9aa4af",
        "running": "#79c0ff",
        "waiting": "#e3b341",
        "succeeded": "#56d364",
        "failed": "#ff9a92",
        "skipped": "#9aa4af",
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
