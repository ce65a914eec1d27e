"""Expressions made ready to be asked of many values, such as the rows whose fields they name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from pydantic import JsonValue

from sanbo.tables.expressions.operations import (
    FUNCTIONS,
    MOST_ITEMS,
    MOST_STEPS,
    Failed,
    Value,
    finished,
    is_true,
    operate,
    word_for,
)
from sanbo.tables.expressions.syntax import (
    Bound,
    Call,
    Choice,
    Fields,
    Given,
    Items,
    Literal,
    Macro,
    MacroName,
    Member,
    Negative,
    Not,
    Operation,
    Template,
    Tree,
)
from sanbo.tables.rows import Row, known_as

ROW = "row"
"""The row itself, for fields that are no plain words: `row["税 率"]`."""


class RowNames:
    def __init__(self, row: Row, values: Mapping[str, JsonValue]) -> None:
        self.row = row
        self.missing: list[str] = []
        """What is neither a field nor a value: null."""
        self._values = values

    def value(self, given: Given, /) -> JsonValue:
        found: JsonValue
        name = given.root if given.root in self.row else known_as([self.row], given.root)
        if name in self.row:
            found = self.row[name]
        elif given.root in self._values:
            found = self._values[given.root]
        elif given.root == ROW:
            found = self.row
        else:
            self.missing.append(given.text)
            return None
        for key in given.keys:
            found = _below(found, key)
        return found

    def written(self, template: Template, /) -> str:
        return template.text


def _below(value: JsonValue, key: str | int) -> JsonValue:
    if isinstance(value, dict):
        return value.get(known_as([value], str(key)))
    if isinstance(value, list):
        place = int(key) if isinstance(key, str) and key.isdecimal() else key
        return value[place] if isinstance(place, int) and place < len(value) else None
    return None


class Names(Protocol):
    """What stands behind the names of an expression."""

    def value(self, given: Given, /) -> JsonValue: ...
    def written(self, template: Template, /) -> str: ...


@dataclass
class _Frame:
    names: Names
    null_is_zero: bool
    bound: dict[str, Value] = field(default_factory=dict[str, Value])
    left: int = MOST_STEPS

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise Failed("long", limit=MOST_STEPS)


_Ask = Callable[[_Frame], Value]


class Expression:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._ask = _compiled(tree)

    def value(self, names: Names, *, null_is_zero: bool = False) -> JsonValue:
        """`Failed` where the values do not allow it."""
        return finished(self._ask(_Frame(names, null_is_zero)))


def _compiled(tree: Tree) -> _Ask:  # noqa: PLR0911, PLR0912 - one for each kind
    match tree:
        case Literal(value):
            return lambda _frame: value
        case Given():
            return lambda frame: frame.names.value(tree)
        case Template():
            return lambda frame: frame.names.written(tree)
        case Bound(name):
            return lambda frame: frame.bound[name]
        case Member():
            return _member(tree)
        case Call():
            return _call(tree)
        case Macro():
            return _macro(tree)
        case Operation():
            return _operation(tree)
        case Not(of):
            asked = _compiled(of)
            return lambda frame: not is_true(asked(frame))
        case Negative(of):
            number = _compiled(of)
            return lambda frame: operate("-", 0, number(frame))
        case Choice(condition, yes, no):
            ask, one, other = _compiled(condition), _compiled(yes), _compiled(no)
            return lambda frame: one(frame) if is_true(ask(frame)) else other(frame)
        case Items(items):
            parts = [_compiled(each) for each in items]
            return lambda frame: [cast("JsonValue", part(frame)) for part in parts]
        case Fields():
            return _fields(tree)


def _operation(tree: Operation) -> _Ask:
    left, right, sign = _compiled(tree.left), _compiled(tree.right), tree.operator
    if sign == "&&":
        return lambda frame: is_true(left(frame)) and is_true(right(frame))
    if sign == "||":
        return lambda frame: is_true(left(frame)) or is_true(right(frame))
    if sign == "in":
        return lambda frame: _searched(frame, left(frame), right(frame))
    return lambda frame: operate(sign, left(frame), right(frame), null_is_zero=frame.null_is_zero)


def _searched(frame: _Frame, left: Value, right: Value) -> Value:
    if isinstance(right, list):
        frame.spend(len(right))
    return operate("in", left, right)


def _member(tree: Member) -> _Ask:
    of, key = _compiled(tree.of), _compiled(tree.key)

    def ask(frame: _Frame) -> Value:
        value, at = of(frame), key(frame)
        match value:
            case None:
                return None
            case dict():
                return value.get(str(at))
            case list():
                number = int(at) if isinstance(at, str) and at.isdecimal() else at
                if isinstance(number, bool) or not isinstance(number, int):
                    raise Failed("no_place", key=str(at))
                return value[number] if -len(value) <= number < len(value) else None
            case _:
                raise Failed("no_member", key=str(at), kind=word_for(value))

    return ask


def _fields(tree: Fields) -> _Ask:
    pairs = [(_compiled(key), _compiled(value)) for key, value in tree.fields]
    return lambda frame: {str(key(frame)): cast("JsonValue", of(frame)) for key, of in pairs}


def _call(tree: Call) -> _Ask:
    function, parts = FUNCTIONS[tree.name], [_compiled(each) for each in tree.arguments]

    def ask(frame: _Frame) -> Value:
        given = [part(frame) for part in parts]
        longest = max((len(x) for x in given if isinstance(x, list)), default=0)
        frame.spend(1 + longest)
        if function.takes_nothing or given[0] is not None:
            return function.run(*given)
        raise Failed("empty", operator=f"{tree.name}()")

    return ask


def _macro(tree: Macro) -> _Ask:
    over, body, name = _compiled(tree.over), _compiled(tree.body), tree.name

    def ask(frame: _Frame) -> Value:
        items = over(frame)
        if items is None:
            items = []
        if isinstance(items, dict):
            items = list[JsonValue](items)
        if not isinstance(items, list):
            raise Failed("no_list", kind=word_for(items))
        if len(items) > MOST_ITEMS:
            raise Failed("long", limit=MOST_ITEMS)

        def each(item: JsonValue) -> Value:
            frame.spend(1)
            frame.bound[name] = item
            return body(frame)

        return _REPEATED[tree.kind](items, each)

    return ask


_Each = Callable[[JsonValue], Value]


def _mapped(items: list[JsonValue], each: _Each) -> Value:
    return [cast("JsonValue", each(item)) for item in items]


def _filtered(items: list[JsonValue], each: _Each) -> Value:
    return [item for item in items if is_true(each(item))]


_REPEATED: dict[MacroName, Callable[[list[JsonValue], _Each], Value]] = {
    "map": _mapped,
    "filter": _filtered,
    "all": lambda items, each: all(is_true(each(item)) for item in items),
    "exists": lambda items, each: any(is_true(each(item)) for item in items),
    "exists_one": lambda items, each: sum(is_true(each(item)) for item in items) == 1,
}
