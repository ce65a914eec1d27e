"""The tokens of a reading, as they should be: the corpus's annotation over a question's places."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from sanbo.agents.analysis.reader.features import Features, features_of
from sanbo.agents.analysis.reader.grammar import Column, Grammar, Next, Place, Token
from sanbo.agents.analysis.rules.scene import Scene, scene_of
from sanbo.agents.analysis.rules.senses import Item
from sanbo.kernel.text import matching_form
from sanbo.language.moments import Moment

from .made_up import profile_of
from .notation import (
    NUMERIC,
    Alternatives,
    Condition,
    Figure,
    Having,
    Order,
    Table,
    Wanted,
    moment_of,
    wanted_of,
)

_OPS = {"=": "EQ", "!=": "NE", ">": "GT", ">=": "GE", "<": "LT", "<=": "LE"}
_CALCULATED = {"days": "DAYS", "+": "ADD", "-": "SUB", "*": "MUL", "/": "DIV"}
_SCALES = (1, 1000, 10000, 1e6, 1e8, 0.01, 100, 60, 1 / 60, 24, 7)
"""What a number may be written in: 5万, 3 %, an hour for 60 minutes."""
_QUOTES = "「」\"'"


class Lost(Exception):
    """What is asked for can't be said by these places: a weekday, a value in quite other words."""


class Example(NamedTuple):
    question: str
    features: Features
    tokens: tuple[Token, ...]
    may: tuple[Next, ...]
    """What else might have come in place of each."""


def examples_of(table: Table) -> Iterator[Example | str]:
    """A question that is lost is the reason why."""
    scene = scene_of(profile_of(table))
    for asked in table.questions:
        features = features_of(asked.text, scene)
        try:
            tokens = gold_tokens(wanted_of(asked.wanted, table), features.items, scene, table)
            may = _allowed(tokens, Grammar(features.items, scene))
        except Lost as lost:
            yield str(lost)
        else:
            yield Example(asked.text, features._replace(items=()), tokens, may)


def gold_tokens(
    wanted: Wanted, items: Sequence[Item], scene: Scene, table: Table
) -> tuple[Token, ...]:
    """Raises `Lost`."""
    if not items:
        raise Lost("empty")
    return tuple(_Tokens(items, scene, table).all(wanted))


def _allowed(tokens: Sequence[Token], grammar: Grammar) -> tuple[Next, ...]:
    may: list[Next] = []
    for at, token in enumerate(tokens):
        now = grammar.after(tokens[:at])
        if now is None or not now.admits(token):
            raise Lost("grammar")
        may.append(now)
    return tuple(may)


class _Tokens:
    def __init__(self, items: Sequence[Item], scene: Scene, table: Table) -> None:
        self._items, self._table = items, table
        self._names = list(scene.columns)
        self._spent: set[int] = set()
        """Numbers that are something already."""

    def all(self, wanted: Wanted) -> list[Token]:
        if wanted.what in ("ask", "refuse"):
            return ["ASK", "END"]
        where = sorted((self._either(one) for one in wanted.where), key=_order)
        made = self._what(wanted)
        if wanted.by:
            made.append("BY")
        for column, unit in wanted.by:
            made += [self._column(column), *([unit.upper()] if unit else [])]
        if where:
            made += ["WHERE", *chain.from_iterable(where)]
        if wanted.having:
            made += self._having(wanted.having)
        if wanted.order:
            made += self._ordered(wanted.order)
        if wanted.chart:
            made += ["CHART", wanted.chart.upper()]
        if wanted.change:
            made += ["CHANGE", wanted.change.upper()]
        return [*made, "END"]

    def _what(self, wanted: Wanted) -> list[Token]:
        columns = [self._column(one) for one in wanted.columns]
        figures = chain.from_iterable(self._figure(one) for one in wanted.figures)
        match wanted.what:
            case "figures":
                return [*figures]
            case "ratio":
                return ["RATIO", *figures]
            case "difference":
                return ["MINUS", *figures]
            case "share":
                return ["SHARE", *columns]
            case "rate":
                return ["RATE", *self._either(wanted.rate)]
            case _:
                return ["ROWS", *(columns if wanted.chart else [])]

    def _figure(self, figure: Figure) -> list[Token]:
        if figure.of is None:
            return ["COUNT"]
        aggregate = "NUNIQUE" if figure.aggregate == "distinct" else figure.aggregate.upper()
        if isinstance(figure.of, str):
            return [aggregate, self._column(figure.of)]
        how, first, second = figure.of
        return [aggregate, _CALCULATED[how], self._column(first), self._column(second)]

    def _having(self, having: Having) -> list[Token]:
        figure = self._figure(having.figure)
        limit = "ALL" if having.limit == "all" else self._number(having.limit)
        return ["HAVING", *figure, _OPS[having.op], limit]

    def _ordered(self, order: Order) -> list[Token]:
        made: list[Token] = [order.word.upper()]
        if order.count is not None:
            made.append("ONE" if order.count == 1 else self._number(str(order.count)))
        if order.column:
            made.append(self._column(order.column))
        return made

    # ---- conditions ----

    def _either(self, alternatives: Alternatives) -> list[Token]:
        first, *others = (self._condition(one) for one in alternatives)
        return [*first, *chain.from_iterable(["OR", *one] for one in others)]

    def _condition(self, one: Condition) -> list[Token]:
        column, kind = self._column(one.column), self._table.kind(one.column)
        made: list[Token]
        match one.op:
            case _ if one.against is not None:
                made = ["COLS", _OPS[one.op], column, self._column(one.against)]
            case "blank" | "filled" | "yes" | "no":
                made = [one.op.upper(), column]
            case "weekday":
                raise Lost("weekday")
            case "in" if kind == "date":
                ends = dict.fromkeys(self._when(end) for end in one.values)
                made = ["DATEIN", *ends, column]
            case "in" | "not in":
                made = self._one_of(one, column)
            case "contains":
                made = ["CONTAINS", self._text(one.values[0]), column]
            case "=" | "!=" if kind not in NUMERIC:
                made = [_OPS[one.op], self._value(one.column, one.values[0]), column]
            case _ if kind == "date":
                made = ["DATE" + _OPS[one.op], self._when(one.values[0]), column]
            case _:
                made = self._compared(one, column)
        return made

    def _one_of(self, one: Condition, column: Column) -> list[Token]:
        places = sorted({self._value(one.column, value) for value in one.values})
        if len(places) == 1:
            return ["EQ" if one.op == "in" else "NE", *places, column]
        return ["IN" if one.op == "in" else "NOTIN", *places, column]

    def _compared(self, one: Condition, column: Column) -> list[Token]:
        """What is above, or not, zero is mostly asked for without a number."""
        signs = {"=": "ZERO", "!=": "POSITIVE", ">": "POSITIVE"}
        try:
            return [_OPS[one.op], self._number(one.values[0]), column]
        except Lost:
            if float(one.values[0]) == 0 and one.op in signs:
                return [signs[one.op], column]
            raise

    # ---- columns and places ----

    def _column(self, told: str) -> Column:
        for is_joined in (False, True):
            names = [_spelt(name, is_joined=is_joined) for name in self._names]
            name = _spelt(told, is_joined=is_joined)
            if name in names:
                return Column(names.index(name))
        raise Lost("column")

    def _value(self, column: str, told: str) -> Place:
        name, wanted = self._names[self._column(column).at], matching_form(told)
        held = [
            (at, item, sense)
            for at, item in enumerate(self._items)
            for sense in item.senses
            if sense.value is not None and sense.value.column == name
        ]
        for at, _, sense in held:
            assert sense.value is not None
            if sense.kind == "value" and matching_form(str(sense.value.value)) == wanted:
                return Place(at)
        for at, item, _ in held:
            if matching_form(item.text) in wanted:
                return Place(at)
        for at, item in enumerate(self._items):
            is_free = item.sense.kind in ("literal", "unknown", "part")
            if is_free and matching_form(item.text).strip(_QUOTES) == wanted:
                return Place(at)
        raise Lost("value")

    def _text(self, told: str) -> Place:
        for at, item in enumerate(self._items):
            text = matching_form(item.text).strip(_QUOTES + "『』 ")
            if text == matching_form(told) and item.sense.kind != "column":
                return Place(at)
        raise Lost("text")

    def _number(self, told: str) -> Place:
        values = [_number_of(item) for item in self._items]
        for scale in _SCALES:
            wanted = float(told) * scale
            for at, value in enumerate(values):
                if value is None or at in self._spent:
                    continue
                if abs(value - wanted) < 1e-9 * max(1, abs(wanted)):
                    self._spent.add(at)
                    return Place(at)
        raise Lost("number")

    def _when(self, told: str) -> Place:
        """Where most of it is said; a year may be told elsewhere."""
        wanted = moment_of(told)
        found: list[tuple[int, int]] = []
        for at, item in enumerate(self._items):
            said = _moment_in(item)
            if said is not None and _may_be(said, wanted):
                same = [
                    said.year == wanted.year,
                    said.month == wanted.month,
                    said.day == wanted.day,
                ]
                found.append((-sum(same), at))
        if not found:
            raise Lost("when")
        return Place(min(found)[1])


def _spelt(name: str, *, is_joined: bool) -> str:
    form = matching_form(name)
    return form.replace(" ", "") if is_joined else form


def _number_of(item: Item) -> float | None:
    values = (sense.figure.value for sense in item.senses if sense.figure is not None)
    return next((float(value) for value in values if value is not None), None)


def _moment_in(item: Item) -> Moment | None:
    figures = (sense.figure for sense in item.senses if sense.figure is not None)
    return next((figure.moment for figure in figures if figure.stated is not None), None)


def _may_be(said: Moment, wanted: Moment) -> bool:
    if not any((said.year, said.month, said.day, said.quarter, said.half)):
        return False
    is_short = bool(said.year and said.year < 100 and wanted.year)
    of_year = (
        None in (said.year, wanted.year)
        or said.year == wanted.year
        or (is_short and (wanted.year or 0) % 100 == said.year)
    )
    is_rest_of_year = wanted.month is not None and said.month is None and said.year == wanted.year
    of_month = said.month == wanted.month or is_rest_of_year
    return of_year and of_month and (said.quarter, said.half) == (wanted.quarter, wanted.half)


def _order(tokens: Sequence[Token]) -> tuple[list[int], str]:
    """Conditions stand as the question tells them, those without a place last."""
    places = [token.at for token in tokens if isinstance(token, Place)]
    return places or [99], str(list(tokens))
