"""A plan drawn as SVG, PNG or Mermaid, with how far each node has come.

SVG and PNG are drawn in a process of their own: a thread would hold the interpreter for seconds,
and with it a server that draws. The Japanese font is Sanbo's own: no system font is needed.
"""

import math
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Literal, get_args

import resvg_py

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.kernel.problems import TimedOut, Unexpected
from sanbo.plans.drawing.figure import NOT_BEGUN, SIGNS, ChangeStatus, Figure, Item, Mark, figure_of
from sanbo.plans.drawing.layout import LIGHT, Direction, Theme, printable
from sanbo.plans.drawing.svg import svg_of
from sanbo.plans.model import Graph, Plan
from sanbo.runs.model import Path

SHARP = 2.0
"""Pixels a point, so that it can be printed."""
MOST_PIXELS = 40_000_000
JAPANESE = "Noto Sans CJK JP"
_PACKAGE, _FILE = "noto_cjk_sans_jp_regular", "NotoSansCJKjp-Regular.otf"
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def png_of(svg: str, paper: str = LIGHT.paper) -> bytes:
    """Of a picture with fixed colours (`theme="light"`); a huge one gets fewer pixels a point."""
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        background=paper,
        zoom=_zoom(svg),
        skip_system_fonts=True,
        font_files=list(fonts()),
        font_family=JAPANESE,
        sans_serif_family=JAPANESE,
    )


def _zoom(svg: str) -> float:
    found = _SIZE.search(svg)
    points = float(found[1]) * float(found[2]) if found else 1.0
    return min(SHARP, math.sqrt(MOST_PIXELS / max(points, 1.0)))


@cache
def fonts() -> tuple[str, ...]:
    spec = find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return tuple(str(FilePath(folder) / _FILE) for folder in folders)


INDENT = "  "
_SPECIAL = frozenset("\"'<>&#;`\\{}[]()|")


def mermaid_of(
    figure: Figure,
    states: Mapping[Path, Mark] | None = None,
    *,
    language: Language | None = None,
    direction: Direction = "down",
) -> str:
    writer = _Writer(figure, states, language or current_language())
    lines = [f"flowchart {'TD' if direction == 'down' else 'LR'}", *writer.figure(figure, INDENT)]
    if states is not None:
        lines += writer.colours()
    return "\n".join(lines) + "\n"


class _Writer:
    def __init__(
        self, figure: Figure, states: Mapping[Path, Mark] | None, language: Language
    ) -> None:
        self.states = states
        self.language: Language = language
        # Names of our own: a node's id may be a word of Mermaid's, or hold its signs.
        self.items = tuple(figure.everything())
        self.names = {id(item): f"n{number}" for number, item in enumerate(self.items, 1)}

    def figure(self, figure: Figure, indent: str) -> Iterator[str]:
        for item in figure.items:
            yield from self.item(item, indent)
        for link in figure.links:
            source, target = figure.items[link.source], figure.items[link.target]
            arrow = "-->" if link.kind == "data" else "-.->"
            if link.kind == "condition":
                arrow += f"|{_quoted(tell('plan_drawing.condition', self.language))}|"
            yield f"{indent}{self.names[id(source)]} {arrow} {self.names[id(target)]}"

    def item(self, item: Item, indent: str) -> Iterator[str]:
        name, label = self.names[id(item)], _quoted(*self.label(item))
        if item.inside is not None and item.inside.items:
            yield f"{indent}subgraph {name}[{label}]"
            yield from self.figure(item.inside, indent + INDENT)
            yield f"{indent}end"
        elif item.kind == "form":
            yield f"{indent}{name}([{label}])"
        elif item.kind == "block":
            yield f"{indent}{name}[{label}]"
        else:
            yield f"{indent}{name}[[{label}]]"

    def label(self, item: Item) -> Iterator[str]:
        sign, progress = "", ""
        if self.states is not None:
            state = self.states.get(item.path, NOT_BEGUN)
            sign, progress = f"{SIGNS[state.status]} ", state.progress and f" {state.progress}"
        yield f"{sign}{item.title}{progress}"
        if item.kind != "block":
            yield f"({tell(f'plan_drawing.{item.kind}', self.language)}) {item.about}"
        elif item.about:
            yield item.about
        if item.condition:
            yield f"{tell('plan_drawing.condition', self.language)} {item.condition}"

    def colours(self) -> Iterator[str]:
        said = {state.status for state in (self.states or {}).values()}
        for status, fill in LIGHT.fills.items():
            if status in get_args(ChangeStatus) and status not in said:
                continue
            edge = LIGHT.edges[status]
            yield f"{INDENT}classDef {status} fill:{fill},stroke:{edge},color:{LIGHT.text}"
        for item in self.items:
            state = self.states.get(item.path, NOT_BEGUN) if self.states else NOT_BEGUN
            yield f"{INDENT}class {self.names[id(item)]} {state.status}"


def _quoted(*lines: str) -> str:
    return '"' + "<br/>".join(map(_escaped, lines)) + '"'


def _escaped(text: str) -> str:
    """Letters that Mermaid or HTML could take for their own are written by number."""
    return "".join(
        f"#{ord(letter)};" if letter in _SPECIAL else letter for letter in printable(text)
    )


def draw(
    plan: Plan,
    statuses: Mapping[Path, Mark] | None = None,
    language: Language | None = None,
    *,
    called: Mapping[str, Graph] | None = None,
    direction: Direction = "down",
    theme: Theme = "auto",
) -> str:
    """SVG. `statuses` by path of node ids, loop items left out: `("each_file", "analyze")`."""
    figure = figure_of(plan, called, language)
    title = text_of(plan.title, language) or plan.id
    return svg_of(
        figure, statuses, title=title, language=language, direction=direction, theme=theme
    )


def draw_png(
    plan: Plan,
    statuses: Mapping[Path, Mark] | None = None,
    language: Language | None = None,
    *,
    called: Mapping[str, Graph] | None = None,
    direction: Direction = "down",
) -> bytes:
    svg = draw(plan, statuses, language, called=called, direction=direction, theme="light")
    return png_of(svg)


def draw_mermaid(
    plan: Plan,
    statuses: Mapping[Path, Mark] | None = None,
    language: Language | None = None,
    *,
    called: Mapping[str, Graph] | None = None,
    direction: Direction = "down",
) -> str:
    figure = figure_of(plan, called, language)
    return mermaid_of(figure, statuses, language=language, direction=direction)


MOST_SECONDS = 60.0
_AT_ONCE = threading.Semaphore(2)


@dataclass(frozen=True)
class Drawing:
    kind: Literal["svg", "png"]
    plan: Plan
    called: Mapping[str, Plan]
    states: Mapping[Path, Mark] | None
    language: Language
    direction: Direction
    theme: Theme

    def drawn(self) -> bytes:
        if self.kind == "png":
            return draw_png(
                self.plan,
                self.states,
                self.language,
                called=self.called,
                direction=self.direction,
            )
        svg = draw(
            self.plan,
            self.states,
            self.language,
            called=self.called,
            direction=self.direction,
            theme=self.theme,
        )
        return svg.encode()

    def drawn_apart(self, seconds: float = MOST_SECONDS) -> bytes:
        """Blocks, without holding the interpreter."""
        command = [sys.executable, "-P", "-c", f"import {__name__} as made; made.main()"]
        try:
            with _AT_ONCE:
                done = subprocess.run(  # noqa: S603 - our own module
                    command,
                    check=False,
                    input=pickle.dumps(self),
                    capture_output=True,
                    timeout=seconds,
                )
        except subprocess.TimeoutExpired:
            raise TimedOut("plan_picture_slow", seconds=seconds) from None
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace")[-2000:]
            raise Unexpected("plan_picture_failed", details={"reason": reason})
        return done.stdout


def main() -> None:
    """Of that process: it is given a drawing by the one that started it."""
    drawing: Drawing = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own process
    sys.stdout.buffer.write(drawing.drawn())
