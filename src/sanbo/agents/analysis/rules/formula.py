"""Figures that a question defines: 粗利率は（単価－原価）÷単価, 利益を売上で割る, a / b."""

from typing import Any, NamedTuple

from sanbo.agents.analysis.rules.frame import Formula
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.lexicon import RATIO

_SIGNS = {
    "÷": "divide", "/": "divide", "×": "multiply", "*": "multiply", "-": "subtract",
    "−": "subtract", "–": "subtract", "ー": "subtract", "+": "add",
}  # fmt: skip
_WORDS = {"divide": "divide", "minus": "subtract", "times": "multiply", "plus": "add"}
_STRENGTH = {"add": 1, "subtract": 1, "multiply": 2, "divide": 2}
_SHOWN = {"divide": "÷", "subtract": "−", "multiply": "×", "add": "＋"}
_DEFINES = frozenset(("は", "=", "(", ":", "is", "とは", "、"))


class _Read(NamedTuple):
    tree: dict[str, Any]
    end: int
    """After its last item."""


def read_formula(items: Items) -> None:
    if not _signed(items) and not _told(items) and not _differences(items):
        _ratios(items)


# ---- with signs ----


def _signed(items: Items) -> bool:
    for start in range(len(items.all)):
        read = _Parser(items).expression(start, 1)
        if read is not None:
            sums = [at for at in range(start, read.end) if items.is_word(at, "sum")]
            name = _name(items, start)
            for at in range(start, read.end):
                items.use(at, "measure")
            level = "sums" if sums else "open"
            items.frame.formula = Formula(name or _shown(read.tree), read.tree, level)
            return True
    return False


class _Parser:
    def __init__(self, items: Items) -> None:
        self._items = items

    def expression(self, at: int, strength: int) -> _Read | None:
        """Operators that bind at least so strongly; None where none joins two numbers."""
        left = self._operand(at)
        if left is None:
            return None
        joined = False
        while (sign := self._sign(left.end)) is not None and _STRENGTH[sign[0]] >= strength:
            function, after = sign
            right = self.expression(after, _STRENGTH[function] + 1) or self._operand(after)
            if right is None:
                break
            tree = {"fn": function, "left": left.tree, "right": right.tree}
            left, joined = _Read(tree, right.end), True
        return left if joined else None

    def _operand(self, at: int) -> _Read | None:
        items = self._items
        at = self._over(at)
        if at >= len(items.all):
            return None
        if items.all[at].text == "(":
            return self._inside(at + 1)
        if items.is_word(at, "sum") and not items.all[at].is_japanese:
            at = self._over(at + 1)
        if at >= len(items.all) or not _is_number(items, at):
            return None
        tree = {"fn": "column", "name": items.all[at].sense.name}
        end = self._over(at + 1)
        if end < len(items.all) and items.is_word(end, "sum") and items.all[end].is_japanese:
            return _Read(tree, end + 1)
        return _Read(tree, at + 1)

    def _inside(self, at: int) -> _Read | None:
        """Up to the bracket that closes it."""
        read = self.expression(at, 1) or self._operand(at)
        if read is None:
            return None
        end = self._over(read.end)
        is_closed = end < len(self._items.all) and self._items.all[end].text == ")"
        return _Read(read.tree, end + 1) if is_closed else None

    def _sign(self, at: int) -> tuple[str, int] | None:
        items = self._items
        at = self._over(at)
        if at >= len(items.all):
            return None
        item = items.all[at]
        if item.text in _SIGNS:
            return _SIGNS[item.text], at + 1
        if item.sense.kind == "word" and item.sense.name in _WORDS and not item.is_japanese:
            return _WORDS[item.sense.name], at + 1
        return None

    def _over(self, at: int) -> int:
        while at < len(self._items.all) and self._items.all[at].text in ("の", "the", "of"):
            at += 1
        return at


def _is_number(items: Items, at: int) -> bool:
    is_column = items.all[at].sense.kind == "column"
    return is_column and items.known(at).is_measure and not items.is_used(at)


# ---- in words ----


def _told(items: Items) -> bool:
    """単価から原価を引いて単価で割る: what stands before each verb is joined by it."""
    stack: list[tuple[dict[str, Any], int]] = []
    used: list[int] = []
    made: dict[str, Any] | None = None
    for at, item in enumerate(items.all):
        if _is_number(items, at):
            stack.append(({"fn": "column", "name": item.sense.name}, at))
        is_verb = item.sense.kind == "word" and item.sense.name in _WORDS and item.is_japanese
        if not is_verb or item.text in _SIGNS or len(stack) < 2:
            continue
        (second, second_at), (first, first_at) = stack.pop(), stack.pop()
        if items.next_text(second_at) == "から" or items.next_text(first_at) == "で":
            first, second = second, first
        made = {"fn": _WORDS[item.sense.name], "left": first, "right": second}
        stack.append((made, at))
        used += [first_at, second_at, at]
    if made is None:
        return False
    name = _name(items, min(used))
    for at in used:
        items.use(at, "measure")
    items.frame.formula = Formula(name or _shown(made), made, "open")
    return True


def _differences(items: Items) -> bool:
    """単価と原価の差, the difference between price and cost: row by row."""
    for at in items.words("difference"):
        columns = [place for place in range(len(items.all)) if _is_number(items, place)]
        if items.all[at].is_japanese:
            columns = [place for place in columns if at - 5 <= place < at][-2:]
        else:
            columns = [place for place in columns if at < place <= at + 6][:2]
        if len(columns) == 2 and items.are_joined(*columns):
            left, right = ({"fn": "column", "name": items.all[one].sense.name} for one in columns)
            tree = {"fn": "subtract", "left": left, "right": right}
            for place in (*columns, at):
                items.use(place, "measure")
            items.frame.formula = Formula(_shown(tree), tree, "open")
            return True
    return False


def _ratios(items: Items) -> None:
    """粗利率, where its two numbers are there: of sums, in each group."""
    for at in items.free("word"):
        name = items.all[at].sense.name
        if not name.startswith(RATIO):
            continue
        over, under = name.removeprefix(RATIO).split("/")
        columns = [items.column_of_concept(concept) for concept in (over, under)]
        if over == "sales" and columns[0] is None:
            columns[0] = items.column_of_concept("actual")
        if None in columns:
            continue
        items.use(at, "measure")
        items.take("mean", "divide", "minus", "sum", role="measure")
        for place in items.free("column"):
            if items.all[place].sense.name in columns:
                items.use(place, "measure")
        left, right = ({"fn": "column", "name": column} for column in columns)
        tree = {"fn": "divide", "left": left, "right": right}
        items.frame.formula = Formula(_shown(tree), tree, "sums")


def _name(items: Items, start: int) -> str | None:
    """What is so defined; it counts as read wherever it stands."""
    at = start - 1
    while at >= 0 and (items.all[at].text in _DEFINES or items.all[at].sense.kind == "glue"):
        at -= 1
    if at < 0 or at == start - 1:
        return None
    name = items.all[at].text
    kind = items.all[at].sense.kind
    is_name = kind in ("unknown", "column") or items.all[at].sense.name.startswith(RATIO)
    if not is_name or items.is_used(at):
        return None
    for place, item in enumerate(items.all):
        if item.text == name:
            items.use(place, "measure")
    return name


def _shown(tree: dict[str, Any]) -> str:
    if tree["fn"] == "column":
        return tree["name"]
    parts = [
        f"({_shown(tree[side])})" if tree[side]["fn"] != "column" else _shown(tree[side])
        for side in ("left", "right")
    ]
    return _SHOWN[tree["fn"]].join(parts)
