"""The tokens of a reading, as they should be: the corpus's annotation over a question's places."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from sanbo.agents.analysis.mentions.scene import ANSWERS, Scene, scene_of
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.agents.analysis.mentions.times import WEEKDAYS
from sanbo.agents.analysis.reader.choices import is_choice
from sanbo.agents.analysis.reader.features import Features, conversation, features_of
from sanbo.agents.analysis.reader.grammar import (
    EITHER_WAY,
    TIMES,
    Column,
    Grammar,
    Next,
    Place,
    Token,
)
from sanbo.agents.analysis.reader.values import amount_of, days_of, number_in, value_called
from sanbo.kernel.text import matching_form
from sanbo.language.moments import Moment

from .made_up import profile_of
from .notation import (
    DATED,
    NUMERIC,
    Alternatives,
    Beside,
    Calculated,
    Condition,
    Figure,
    Group,
    Having,
    Number,
    Operand,
    Order,
    Table,
    Wanted,
    moment_of,
    wanted_of,
)

_OPS = {"=": "EQ", "!=": "NE", ">": "GT", ">=": "GE", "<": "LT", "<=": "LE"}
_SIGNS = {
    "days": "DAYS", "hours": "HOURS", "minutes": "MINUTES",
    "+": "ADD", "-": "SUB", "*": "MUL", "/": "DIV", "less": "LESS", "more": "MORE",
}  # fmt: skip
_SCALES = (1, 1000, 10000, 1e6, 1e8, 0.01, 100, 60, 1 / 60, 24, 7, 1e-3, 1e-6)
"""What a number may be written in: 5万, 3 %, an hour for 60 minutes."""
_WEEKDAYS = (*("mon", "tue", "wed", "thu", "fri", "sat", "sun"), *"月火水木金土日")
_QUOTES = "「」\"'"


class Lost(Exception):
    """What is asked for can't be said by these places: a weekday, a value in quite other words."""


class Example(NamedTuple):
    question: str
    features: Features
    tokens: tuple[Token, ...]
    may: tuple[Next, ...]
    """What else might have come in place of each."""


_UNSAID: tuple[Token, ...] = ("OTHER", "END")


def examples_of(table: Table) -> Iterator[Example]:
    """Of what can't be said by the places of a question there is one thing to learn: that."""
    scene = scene_of(profile_of(table))
    for asked in table.questions:
        text = conversation((*asked.before, asked.text))
        features = features_of(text, scene)
        wanted, grammar = wanted_of(asked.wanted, table), Grammar(features.items, scene)
        try:
            tokens = gold_tokens(wanted, features.items, scene, table)
            may = _allowed(tokens, grammar)
        except Lost:
            tokens = _UNSAID
            may = _allowed(tokens, grammar)
        yield Example(text, features._replace(items=()), tokens, may)


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
        self._items, self._scene, self._table = items, scene, table
        self._names = list(scene.columns)
        self._spent: set[int] = set()
        """Numbers that are something already."""
        self._told: set[int] = set()
        """Times that are."""

    def all(self, wanted: Wanted) -> list[Token]:
        if wanted.what in ("ask", "refuse", "other"):
            return ["OTHER" if wanted.what == "other" else "ASK", "END"]
        where = sorted((self._either(one) for one in wanted.where), key=_order)
        made = self._what(wanted)
        if wanted.by:
            made.append("BY")
        for group in wanted.by:
            made += self._group(group)
        if where:
            made += ["WHERE", *chain.from_iterable(where)]
        if wanted.having:
            made += self._having(wanted.having)
        if wanted.order:
            made += self._ordered(wanted.order)
        if wanted.chart:
            made += ["CHART", wanted.chart.upper()]
        return [*made, *self._in_the_end(wanted), "END"]

    def _in_the_end(self, wanted: Wanted) -> list[Token]:
        made: list[Token] = []
        if isinstance(wanted.change, Beside):
            made += self._beside(wanted.change)
        elif wanted.change:
            made += ["CHANGE", wanted.change.upper()]
        if wanted.moves:
            made.append(wanted.moves.upper())
        if wanted.per:
            made += ["PER", *self._group(wanted.per)]
        if wanted.is_total:
            made.append("TOTAL")
        if wanted.along == "running":
            made.append("RUNNING")
        elif wanted.along:
            made += ["ROLLING", self._number(wanted.along)]
        return made

    def _group(self, group: Group) -> list[Token]:
        column = self._column(group.column)
        if group.step:
            return [column, "STEP", self._number(group.step, column)]
        return [column, group.unit.upper()] if group.unit else [column]

    def _what(self, wanted: Wanted) -> list[Token]:
        columns = [*chain.from_iterable(self._operand(one) for one in wanted.columns)]
        figures = chain.from_iterable(self._figure(one) for one in wanted.figures)
        match wanted.what:
            case "figures":
                made = [*figures]
            case "ratio":
                made = ["RATIO", *figures]
            case "difference":
                made = ["MINUS", *figures]
            case "rate":
                made = ["RATE", *self._either(wanted.rate)]
            case "rows":
                made = ["ROWS", *(columns if wanted.chart else self._calculated(wanted))]
            case _:  # shares, methods
                made = [wanted.what.upper(), *columns]
        return made

    def _calculated(self, wanted: Wanted) -> list[Token]:
        """All columns are shown, but for those that are not there."""
        told = (self._operand(one) for one in wanted.columns if isinstance(one, Calculated))
        return [*chain.from_iterable(told)]

    def _figure(self, figure: Figure) -> list[Token]:
        if figure.of is None:
            return ["COUNT"]
        aggregate = "NUNIQUE" if figure.aggregate == "distinct" else figure.aggregate.upper()
        return [aggregate, *self._operand(figure.of)]

    def _operand(self, told: Operand) -> list[Token]:
        if isinstance(told, str):
            return [self._column(told)]
        if isinstance(told, Number):
            return [self._times(told.text)]
        sign = _SIGNS[told.how]
        if sign == "DIV" and isinstance(told.second, Number):  # half of it
            with suppress(Lost):
                half = self._times(f"{100 / float(told.second.text):g}%")
                return ["MUL", *self._operand(told.first), half]
        if sign not in EITHER_WAY:
            return [sign, *self._operand(told.first), *self._operand(told.second)]
        sides = [self._operand(one) for one in _chained(told)]
        return [*[sign] * (len(sides) - 1), *chain.from_iterable(sorted(sides, key=_of_sides))]

    def _times(self, told: str) -> Token:
        number = told.removesuffix("%")
        wanted = float(number) / (1 if number == told else 100)
        try:
            return self._amount(wanted)
        except Lost:
            words = (word for word, value in TIMES.items() if value == wanted)
            if word := next(words, None):
                return word
            raise

    def _amount(self, wanted: float) -> Place:
        """What is multiplied by."""
        for at, item in enumerate(self._items):
            found = amount_of(item)
            if found is not None and abs(float(found) - wanted) < 1e-9:
                return Place(at)
        raise Lost("amount")

    def _having(self, having: Having) -> list[Token]:
        figure, op = self._figure(having.figure), having.op
        try:
            limit = "ALL" if having.limit == "all" else self._number(having.limit)
        except Lost:  # more than once, where two or more is written
            beside = {">=": (">", -1), ">": (">=", 1)}.get(op)
            if beside is None or having.figure.aggregate not in ("count", "distinct"):
                raise
            op, limit = beside[0], self._number(str(int(having.limit) + beside[1]))
        return ["HAVING", *figure, _OPS[op], limit]

    def _ordered(self, order: Order) -> list[Token]:
        made: list[Token] = [order.word.upper()]
        if order.count is not None:
            made.append("ONE" if order.count == 1 else self._number(str(order.count)))
        if order.column:
            made += self._operand(order.column)
        if order.each:
            made += ["EACH", self._column(order.each)]
        return made

    def _beside(self, beside: Beside) -> list[Token]:
        column = self._column(beside.column)
        if beside.unit:
            return ["LATEST", column, beside.unit.upper(), beside.against.upper()]
        earlier, later = (
            [*dict.fromkeys(self._when(end) for end in span)]
            for span in (beside.earlier, beside.later)
        )
        return ["PERIODS", *earlier, "TO", *later, column]

    # ---- conditions ----

    def _either(self, alternatives: Alternatives) -> list[Token]:
        first, *others = (self._condition(one) for one in alternatives)
        return [*first, *chain.from_iterable(["OR", *one] for one in others)]

    def _condition(self, one: Condition) -> list[Token]:
        if not isinstance(one.column, str) or isinstance(one.against, Calculated):
            return self._on_calculated(one)
        return self._on_column(one, one.column)

    def _on_column(self, one: Condition, name: str) -> list[Token]:
        column, kind = self._column(name), self._table.kind(name)
        other = one.against if isinstance(one.against, str) else None
        made: list[Token]
        match one.op:
            case _ if other is not None and one.values:
                limit = self._length(one.values[0])
                both = sorted((column, self._column(other)))
                made = ["GAP", _OPS[one.op], limit, *both]
            case _ if other is not None:
                made = ["COLS", _OPS[one.op], column, self._column(other)]
            case "blank" | "filled" | "yes" | "no":
                made = [one.op.upper(), column]
            case "weekday":
                made = [*self._weekdays(one.values), column]
            case "decade":
                made = ["DECADE", self._number(one.values[0], column), column]
            case "month" | "=" | "in" if kind in DATED:
                ends = dict.fromkeys(self._when(end) for end in one.values)
                made = ["MONTHIN" if one.op == "month" else "DATEIN", *ends, column]
            case "in" | "not in":
                made = self._one_of(one, name)
            case "contains":
                made = ["CONTAINS", self._text(one.values[0]), column]
            case "=" | "!=" if kind not in NUMERIC:
                made = self._equal(one, name)
            case _ if kind in DATED:
                made = ["DATE" + _OPS[one.op], self._when(one.values[0]), column]
            case _:
                made = self._compared(one, column)
        return made

    def _on_calculated(self, one: Condition) -> list[Token]:
        if one.against is not None:
            sides = (*self._operand(one.column), *self._operand(one.against))
            return ["COLS", _OPS[one.op], *sides]
        wanted = float(one.values[0])
        try:
            place = self._amount(wanted)
        except Lost:
            place = self._number(one.values[0])
        return [_OPS[one.op], place, *self._operand(one.column)]

    def _equal(self, one: Condition, name: str) -> list[Token]:
        """A value; or yes or no where the column has only these, and neither of them is said."""
        column = self._column(name)
        try:
            return [_OPS[one.op], self._value(name, one.values[0]), column]
        except Lost:
            known = self._scene.columns[self._names[column.at]]
            for is_true, words in ANSWERS.items():
                if known.truth(is_true) is not None and one.values[0].casefold() in words:
                    return ["YES" if is_true == (one.op == "=") else "NO", column]
            if not one.values[0].isdecimal():
                raise
            return self._compared(one, column)

    def _weekdays(self, told: Sequence[str]) -> list[Token]:
        wanted = {_WEEKDAYS.index(matching_form(day)[:3]) % 7 + 1 for day in _days(told)}
        said = [
            (at, {*WEEKDAYS[sense.name]})
            for at, item in enumerate(self._items)
            for sense in item.senses
            if sense.kind == "word" and sense.name in WEEKDAYS
        ]
        for op, days in (("DAYSIN", wanted), ("DAYSOUT", {*range(1, 8)} - wanted)):
            places = [at for at, one in said if one <= days]
            if set().union(*(one for at, one in said if at in places)) == days:
                return [op, *(Place(at) for at in dict.fromkeys(places))]
        raise Lost("weekday")

    def _one_of(self, one: Condition, name: str) -> list[Token]:
        column = self._column(name)
        places = sorted({self._valued(name, value) for value in one.values})
        if len(places) == 1:
            return ["EQ" if one.op == "in" else "NE", *places, column]
        return ["IN" if one.op == "in" else "NOTIN", *places, column]

    def _compared(self, one: Condition, column: Column) -> list[Token]:
        """What is above, or not, zero is mostly asked for without a number."""
        signs = {"=": "ZERO", "!=": "POSITIVE", ">": "POSITIVE"}
        try:
            return [_OPS[one.op], self._number(one.values[0], column), column]
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
        """Where it is said, in full or in part; else the one that may be meant."""
        name, wanted = self._names[self._column(column).at], matching_form(told)
        held = [
            (at, item, sense.value.value if sense.kind == "value" else None)
            for at, item in enumerate(self._items)
            for sense in item.senses
            if sense.value is not None and sense.value.column == name
        ]
        same = [
            (at, item)
            for at, item, value in held
            if value is not None and matching_form(str(value)) == wanted
        ]
        for at, item in same:
            if not is_choice(item):
                return Place(at)
        for at, item, _ in held:
            if not is_choice(item) and matching_form(item.text) in wanted:
                return Place(at)
        known = self._scene.columns[name]
        for at, item in enumerate(self._items):
            called = None if is_choice(item) else value_called(item, known)
            if called is not None and matching_form(called) == wanted:
                return Place(at)
        if not same:
            raise Lost("value")
        return Place(same[0][0])

    def _valued(self, column: str, told: str) -> Place:
        try:
            return self._value(column, told)
        except Lost:
            if not told.isdecimal():
                raise
            return self._number(told)

    def _text(self, told: str) -> Place:
        for at, item in enumerate(self._items):
            text = matching_form(item.text).strip(_QUOTES + "『』 ")
            if text == matching_form(told) and item.sense.kind != "column":
                return Place(at)
        raise Lost("text")

    def _length(self, told: str) -> Place:
        """Of a time between two dates."""
        found = (at for at, item in enumerate(self._items) if days_of(item) == float(told))
        place = next(found, None)
        if place is None:
            raise Lost("length")
        return Place(place)

    def _number(self, told: str, column: Column | None = None) -> Place:
        """Where it stands; of a column, where it does in the column's unit."""
        wanted = float(told)
        values = [_number_of(item) for item in self._items]
        found = [
            at
            for scale in _SCALES
            for at, value in enumerate(values)
            if value is not None and abs(value - wanted * scale) < 1e-9 * max(1, wanted * scale)
        ]
        if column is not None:
            known = self._scene.columns[self._names[column.at]]
            held = [(at, number_in(self._items[at], known)) for at in found]
            same = [at for at, value in held if value is not None and abs(value - wanted) < 1e-9]
            found = same or [at for at, value in held if value is not None]
        if not found:
            raise Lost("number")
        place = next((at for at in found if at not in self._spent), found[0])  # both over 90
        self._spent.add(place)
        return Place(place)

    def _when(self, told: str) -> Place:
        """Where most of it is said; a year may be told elsewhere."""
        wanted = moment_of(told)
        found: list[tuple[int, bool, int]] = []
        for at, item in enumerate(self._items):
            said = _moment_in(item)
            if said is not None and _may_be(said, wanted):
                same = [
                    said.year == wanted.year,
                    said.month == wanted.month,
                    said.day == wanted.day,
                ]
                found.append((-sum(same), at in self._told, at))
        if not found:
            raise Lost("when")
        place = min(found)[-1]  # Apr to May 2024 or Apr to May 2025
        self._told.add(place)
        return Place(place)


def _chained(told: Calculated) -> list[Operand]:
    """A + B + C."""
    sides: list[Operand] = []
    for one in (told.first, told.second):
        if isinstance(one, Calculated) and one.how == told.how:
            sides += _chained(one)
        else:
            sides.append(one)
    return sides


def _of_sides(tokens: Sequence[Token]) -> tuple[int, int]:
    """Calculations first, then columns in their order, then numbers."""
    first = tokens[0]
    if isinstance(first, Place) or first in TIMES:
        return 2, 0
    return (1, first.at) if isinstance(first, Column) else (0, 0)


def _days(told: Sequence[str]) -> list[str]:
    """Raises `Lost`."""
    days = [day.removesuffix("曜日").removesuffix("曜") for one in told for day in one.split(",")]
    if not all(matching_form(day.strip())[:3] in _WEEKDAYS for day in days):
        raise Lost("weekday")
    return [day.strip() for day in days]


def _spelt(name: str, *, is_joined: bool) -> str:
    form = matching_form(name)
    return form.replace(" ", "") if is_joined else form


def _number_of(item: Item) -> float | None:
    figures = [sense.figure for sense in item.senses if sense.figure is not None]
    for figure in figures:
        if figure.value is not None:
            return float(figure.value)
        if figure.moment.year and figure.moment.only == figure.moment.year:
            return float(figure.moment.year)  # of a column of years
    return None


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
