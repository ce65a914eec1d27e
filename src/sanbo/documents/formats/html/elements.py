"""Which HTML elements are open: end tags that people leave out are put where browsers put them."""

from dataclasses import dataclass

VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
}  # fmt: skip
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu",
    "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "ul",
}  # fmt: skip
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
LISTS = ("ul", "ol", "menu", "dir")
CELLS = ("td", "th")
_SECTIONS = ("thead", "tbody", "tfoot")
_TABLE_PARTS = {*CELLS, *_SECTIONS, "table", "tr", "caption"}

# A start tag ends these elements, if they were opened after the nearest of those.
_ENDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "li": (("li",), LISTS),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
    "td": ((*CELLS, "caption"), ("table",)),
    "th": ((*CELLS, "caption"), ("table",)),
    "tr": ((*CELLS, "tr", "caption"), ("table",)),
    **{name: ((*_SECTIONS, "tr", *CELLS, "caption"), ("table",)) for name in _SECTIONS},
    "rt": (("rt", "rp"), ("ruby",)),
    "rp": (("rt", "rp"), ("ruby",)),
    "option": (("option",), ("select",)),
    # A menu that is never closed must not swallow the page.
    "main": (("nav",), ()),
    "article": (("nav",), ()),
    "footer": (("nav",), ()),
}


@dataclass(slots=True)
class Open:
    name: str
    skipped: bool = False
    """What it holds is not for readers."""
    number: int | None = None
    """Of an ordered list: the next item's number."""
    style: str = "decimal"
    outer: int = -1
    """Where the next element of the same name further out stands."""


class OpenElements:
    """A stack that finds the innermost element of a name at once, however deep a page nests."""

    def __init__(self) -> None:
        self.stack: list[Open] = []
        self._places: dict[str, int] = {}

    def push(self, element: Open) -> None:
        element.outer = self._places.get(element.name, -1)
        self._places[element.name] = len(self.stack)
        self.stack.append(element)

    def pop(self) -> Open:
        element = self.stack.pop()
        if element.outer < 0:
            del self._places[element.name]
        else:
            self._places[element.name] = element.outer
        return element

    def is_stray(self, name: str) -> bool:
        """A cell without a table: browsers drop its tag and keep its text."""
        return name in _TABLE_PARTS and name != "table" and "table" not in self._places

    def place(self, *names: str) -> int:
        """Where the innermost of these stands, or -1."""
        innermost = -1
        for name in names:
            if (place := self._places.get(name, -1)) > innermost:
                innermost = place
        return innermost

    def innermost(self, *names: str) -> Open | None:
        place = self.place(*names)
        return None if place < 0 else self.stack[place]

    def ended_by_start(self, name: str) -> int:
        """How many open elements a start tag ends."""
        place = -1
        if name in _ENDS:
            ended, bounds = _ENDS[name]
            place = self.place(*ended)
            if place <= self.place(*bounds):
                place = -1
        if name in BLOCKS:
            wall = self.place("table", *CELLS)
            for inner in ("p", "ruby"):
                if (at := self._places.get(inner, -1)) > wall:
                    place = at if place < 0 else min(place, at)
        return 0 if place < 0 else len(self.stack) - place

    def ended_by_end(self, name: str) -> int:
        """A cell is a wall: a stray `</div>` in it closes nothing outside."""
        place = self._places.get(name, -1)
        if place < 0:
            return 0
        wall = self.place("table") - 1 if name in _TABLE_PARTS else self.place("table", *CELLS)
        return len(self.stack) - place if place > wall else 0
