"""The picture as Mermaid text, for documents and tickets that draw it themselves."""

from collections.abc import Iterator, Mapping
from typing import get_args

from sanbo.kernel.messages import Language, current_language, tell
from sanbo.plans.drawing.figure import NOT_BEGUN, SIGNS, ChangeStatus, Figure, Item, Mark
from sanbo.plans.drawing.layout import Direction
from sanbo.plans.drawing.look import LIGHT, printable
from sanbo.runs.model import Path

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
