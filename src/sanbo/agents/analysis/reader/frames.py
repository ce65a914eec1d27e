"""From tokens to what a question asks for, which operations are made of."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar, cast

from sanbo.agents.analysis.reader.grammar import (
    AGGREGATES,
    ARITHMETIC,
    NOT_SAID,
    Column,
    Place,
    Token,
)
from sanbo.agents.analysis.reader.values import (
    QUOTES,
    count_of,
    days_of,
    figure_of,
    number_in,
    value_called,
)
from sanbo.agents.analysis.rules.frame import Formula, Frame, Group, Growth, Having, Measure
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.rules.senses import Item
from sanbo.agents.analysis.rules.steps import NotMeant, column_term, condition
from sanbo.agents.analysis.rules.times import WEEKDAYS, periods_of, sort_key
from sanbo.agents.analysis.spec.filters import AnyOf, Filter
from sanbo.agents.analysis.spec.words import Aggregate, PeriodUnit, TimeUnit

_T = TypeVar("_T")
_OPS = {"EQ": "==", "NE": "!=", "GT": ">", "GE": ">=", "LT": "<", "LE": "<="}
_SIGNS = {
    "ADD": ("add", "+"),
    "SUB": ("subtract", "−"),
    "MUL": ("multiply", "×"),
    "DIV": ("divide", "÷"),
}
YEAR_IS_OPEN = "is_year_open"
"""Of a frame whose month stands in several years."""
_NULLS = {"BLANK": "is_null", "FILLED": "not_null"}


def frame_of(tokens: Sequence[Token], items: Sequence[Item], scene: Scene) -> Frame:
    """Raises `NotMeant` where a part can't be said of this table."""
    return _Reading(tokens, items, scene).frame()


class _Reading:
    def __init__(self, tokens: Sequence[Token], items: Sequence[Item], scene: Scene) -> None:
        self._tokens = list(reversed(tokens))
        self._items, self._scene = items, scene
        self._names = list(scene.columns)
        self._frame = Frame()
        self._has_span = False
        """Two conditions were made of one: from a time, and up to another."""

    def frame(self) -> Frame:
        frame = self._frame
        self._what(self._word())
        while self._tokens:
            match self._word():
                case "BY":
                    self._groups()
                case "WHERE":
                    frame.conditions += self._conditions()
                case "HAVING":
                    self._having()
                case "DESC" | "ASC" | "TOP" | "BOTTOM" as order:
                    self._order(order)
                case "CHART":
                    frame.chart = self._word().lower()
                case "CHANGE":
                    self._change(self._word())
                case _:
                    pass  # its end
        if frame.wants_rows and frame.chart in ("scatter", "hist", "box"):
            frame.wants_rows = False
        return frame

    # ---- tokens ----

    def _word(self) -> str:
        return cast("str", self._tokens.pop())

    def _column(self) -> str:
        token = self._tokens.pop()
        if not isinstance(token, Column):
            raise NotMeant
        return self._names[token.at]

    def _place(self) -> Item:
        return self._items[cast("Place", self._tokens.pop()).at]

    def _is_next(self, *kinds: type | str) -> bool:
        told = self._tokens[-1] if self._tokens else "END"
        return any(
            told == kind if isinstance(kind, str) else isinstance(told, kind) for kind in kinds
        )

    # ---- what is told ----

    def _what(self, said: str) -> None:
        frame = self._frame
        match said:
            case _ if said in NOT_SAID:
                raise NotMeant
            case "SHARE":
                frame.is_share = True
                frame.options["is_share_of_groups"] = True
                if self._is_next(Column):
                    frame.measures = [Measure(self._column(), "sum")]
            case "RATE":
                frame.is_share = True
                made = self._conditions()
                if self._has_span:
                    raise NotMeant
                frame.conditions += made
                frame.options["parts"] = [name for one in made for name in _columns(one)]
            case "ROWS":
                frame.wants_rows = True
                while self._is_next(Column):
                    frame.measures.append(Measure(self._column()))
            case "RATIO" | "MINUS":
                self._of_two_totals("DIV" if said == "RATIO" else "SUB")
            case _:
                self._figure(said)
                while self._is_next("COUNT", *AGGREGATES):
                    self._figure(self._word())

    def _figure(self, said: str) -> None:
        frame = self._frame
        if said == "COUNT":
            frame.measures.append(Measure(None, "count"))
            return
        agg = cast("Aggregate", said.lower())
        if not self._is_next(*ARITHMETIC):
            frame.measures.append(Measure(self._column(), agg))
            return
        if frame.formula is not None:
            raise NotMeant
        how, first, second = self._word(), self._column(), self._column()
        frame.formula = Formula(*self._calculated(how, first, second), level="rows")
        frame.options["agg_of_formula"] = agg

    def _calculated(self, how: str, first: str, second: str) -> tuple[str, dict[str, Any]]:
        if how == "DAYS" and self._begins(first) > self._begins(second):
            first, second = second, first  # from the day that comes first, however it is asked
        sides = column_term(first), column_term(second)
        if how == "DAYS":
            name = f"{first}–{second}"
            return name, {"fn": "date_difference", "start": sides[0], "end": sides[1]}
        fn, sign = _SIGNS[how]
        return f"{first}{sign}{second}", {"fn": fn, "left": sides[0], "right": sides[1]}

    def _begins(self, column: str) -> str:
        return str(self._scene.columns[column].profile.minimum)

    def _of_two_totals(self, how: str) -> None:
        """Of the sums of each group; of the second the different ones may be counted."""
        told: list[tuple[str, str]] = []
        for _ in range(2):
            agg = self._word()
            if agg not in ("SUM", "NUNIQUE") or self._is_next(*ARITHMETIC):
                raise NotMeant
            told.append((agg, self._column()))
        (agg, first), (other, second) = told
        if agg != "SUM" or first == second:
            raise NotMeant
        name, tree = self._calculated(how, first, second)
        counted = second if other == "NUNIQUE" else None
        self._frame.formula = Formula(name, tree, level="sums", counted=counted)

    # ---- groups, order ----

    def _groups(self) -> None:
        while self._is_next(Column):
            column = self._column()
            is_timed = isinstance(self._tokens[-1], str) and self._tokens[-1].lower() in _UNITS
            unit = cast("TimeUnit", self._word().lower()) if is_timed else None
            if unit is None and self._scene.columns[column].is_date:
                unit = "day"
            self._frame.groups.append(Group(column, unit))

    def _having(self) -> None:
        agg = self._word()
        column = None if agg == "COUNT" else self._column()
        op = _OPS[self._word()]
        told = None if agg == "COUNT" else cast("Aggregate", agg.lower())
        if self._is_next("ALL"):
            self._word()
            limit: float | Literal["mean"] = "mean"
        else:
            limit = self._number(column)
        self._frame.having.append(Having(told, column, op, limit))

    def _order(self, order: str) -> None:
        frame = self._frame
        frame.ascending = order in ("ASC", "BOTTOM")
        if self._is_next("ONE"):
            self._word()
            frame.is_superlative = True
        elif order in ("TOP", "BOTTOM"):
            frame.limit = int(self._number(None))
            if frame.limit < 1:
                raise NotMeant
        if not self._is_next(Column):
            return
        column = self._column()
        if frame.wants_rows and self._scene.columns[column].is_date:
            frame.options |= {"by_day": column, "is_rows": True}
        elif frame.wants_rows:
            frame.measures.insert(0, Measure(column))
            frame.options["is_rows"] = True
        else:
            frame.options["order_by"] = column

    def _change(self, against: str) -> None:
        time = next((group for group in self._frame.groups if group.unit is not None), None)
        if time is None:
            raise NotMeant
        self._frame.groups.remove(time)
        is_year = against == "YEAR"
        self._frame.growth = Growth(
            cast("PeriodUnit", time.unit), "year_before" if is_year else "previous"
        )
        self._frame.groups.append(time)

    # ---- conditions ----

    def _conditions(self) -> list[Filter]:
        made: list[Filter] = []
        one = self._condition(self._word())
        while True:
            alternatives = [one] if one is not None else []
            while self._is_next("OR"):
                self._word()
                other = self._condition(self._word())
                if other is None or one is None:
                    raise NotMeant
                alternatives.append(other)
            if len(alternatives) > 1 and self._has_span:
                raise NotMeant
            made += alternatives if len(alternatives) < 2 else [_either(alternatives)]
            if not self._is_condition():
                return made
            one = self._condition(self._word())

    def _is_condition(self) -> bool:
        return self._is_next(*_OPS, *_NULLS, *_OTHERS)

    def _condition(self, said: str) -> Filter | None:
        """None of what is a step before."""
        match said:
            case "COLS" | "GAP" | "DAYSIN" | "DAYSOUT":
                self._step(said)
                made = None
            case "BLANK" | "FILLED":
                made = condition(self._column(), _NULLS[said])
            case "YES" | "NO":
                column = self._column()
                truth = _meant(self._scene.columns[column].truth(said == "YES"))
                made = condition(column, "==", value=truth)
            case "POSITIVE" | "ZERO":
                made = condition(self._column(), ">" if said == "POSITIVE" else "==", value=0)
            case "DATEIN":
                made = self._between()
            case "IN" | "NOTIN":
                told, column = self._places()
                values = [self._value(item, column) for item in told]
                made = condition(column, "in" if said == "IN" else "not_in", value=values)
            case _:
                made = self._compared(said, self._place(), self._column())
        return made

    def _step(self, said: str) -> None:
        """Two columns held against each other, the days between them, days of the week."""
        options = self._frame.options
        name = "days" if said.startswith("DAYS") else "against"
        if name in options:
            raise NotMeant
        if said == "COLS":
            op = _OPS[self._word()]
            options[name] = (self._column(), op, self._column(), None)
        elif said == "GAP":
            op, days = _OPS[self._word()], _meant(days_of(self._place()))
            first, last = sorted((self._column(), self._column()), key=self._begins)
            options[name] = (last, op, first, days)
        else:
            told, column = self._places()
            names = [sense.name for item in told for sense in item.senses]
            numbers = sorted({day for each in names for day in WEEKDAYS.get(each, ())})
            options[name] = (column, numbers, "in" if said == "DAYSIN" else "not_in")

    def _compared(self, said: str, item: Item, column: str) -> Filter:
        if said == "CONTAINS":
            return condition(column, "contains", value=item.text.strip(QUOTES))
        if said.startswith("DATE"):
            return condition(column, _OPS[said[4:]], value=self._period(item, column))
        is_equal = said in ("EQ", "NE")
        if is_equal and (part := self._part_of_several(item, column)) is not None:
            return condition(column, "contains" if said == "EQ" else "not_contains", value=part)
        value = self._value(item, column) if is_equal else self._number_of(item, column)
        return condition(column, _OPS[said], value=value)

    def _places(self) -> tuple[list[Item], str]:
        """Of the question, and the column that they are of."""
        told = [self._place()]
        while self._is_next(Place):
            told.append(self._place())
        return told, self._column()

    def _between(self) -> Filter:
        told, column = self._places()
        last = self._period(told[-1], column)
        first = self._period(told[0], column, last)
        if first == last:
            return condition(column, "==", value=first)
        self._has_span = True
        self._frame.conditions.append(condition(column, ">=", value=first))
        return condition(column, "<=", value=last)

    # ---- values ----

    def _period(self, item: Item, column: str, last: str | None = None) -> str:
        """The newest; not after the `last` of several."""
        figure = figure_of(item)
        stated = figure.stated if figure else None
        profile = self._scene.columns[column].profile
        found = periods_of(stated, profile, is_japanese=item.is_japanese) if stated else ()
        if len(found) > 1:
            self._frame.options[YEAR_IS_OPEN] = True
        found = [one for one in found if last is None or sort_key(one) <= sort_key(last)]
        if not found:
            raise NotMeant
        return found[0]

    def _value(self, item: Item, column: str) -> str | int | float | bool:
        for sense in item.senses:
            if sense.kind == "value" and sense.value and sense.value.column == column:
                return sense.value.value
        known = self._scene.columns[column]
        if known.is_measure or known.is_year:
            return self._number_of(item, column)
        return _meant(value_called(item, known))

    def _part_of_several(self, item: Item, column: str) -> str | None:
        """東京, of 東京都港区 and 東京都北区."""
        if value_called(item, self._scene.columns[column]) is not None:
            return None
        parts = (sense.value for sense in item.senses if sense.kind == "part" and sense.value)
        return next((part.value for part in parts if part.column == column), None)

    def _number(self, column: str | None) -> int | float:
        return self._number_of(self._place(), column)

    def _number_of(self, item: Item, column: str | None) -> int | float:
        if column is None:
            return _meant(count_of(item))
        return _meant(number_in(item, self._scene.columns[column]))


def _meant(found: _T | None) -> _T:
    if found is None:
        raise NotMeant
    return found


_UNITS = frozenset(("year", "quarter", "month", "week", "day", "weekday", "hour"))
_OTHERS = (
    "IN", "NOTIN", "CONTAINS", "POSITIVE", "ZERO", "YES", "NO", "DATEIN", "DATEGT", "DATEGE",
    "DATELT", "DATELE", "DAYSIN", "DAYSOUT", "COLS", "GAP",
)  # fmt: skip


def _either(made: Sequence[Filter]) -> Filter:
    parts = [part for one in made for part in (one.any_of if isinstance(one, AnyOf) else (one,))]
    return AnyOf(any_of=tuple(parts))


def _columns(one: Filter) -> list[str]:
    return [part.col for part in one.any_of] if isinstance(one, AnyOf) else [one.col]
