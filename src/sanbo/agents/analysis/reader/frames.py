"""From tokens to what a question asks for, which operations are made of."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeVar, cast

from sanbo.agents.analysis.building.changes import hold_beside
from sanbo.agents.analysis.building.frame import (
    Against,
    Formula,
    Frame,
    Group,
    Growth,
    Having,
    Measure,
    Weekdays,
)
from sanbo.agents.analysis.building.shares import truth_of
from sanbo.agents.analysis.building.steps import (
    NotMeant,
    column_term,
    condition,
    difference_of,
    named_by,
    plain,
)
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.agents.analysis.mentions.times import WEEKDAYS, periods_of, sort_key
from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.reader.grammar import (
    AGGREGATES,
    ARITHMETIC,
    BETWEEN,
    METHODS,
    MOVES,
    NOT_SAID,
    TIMES,
    Column,
    Place,
    Token,
)
from sanbo.agents.analysis.reader.values import (
    QUOTES,
    amount_of,
    count_of,
    days_of,
    figure_of,
    month_of,
    number_in,
    value_called,
    year_of,
)
from sanbo.agents.analysis.spec.filters import AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.words import ROW_COUNT, Aggregate, PeriodUnit, TimeUnit

_T = TypeVar("_T")
_OPS = {"EQ": "==", "NE": "!=", "GT": ">", "GE": ">=", "LT": "<", "LE": "<="}
_SIGNS = {
    "ADD": ("add", "+"),
    "SUB": ("subtract", "−"),
    "MUL": ("multiply", "×"),
    "DIV": ("divide", "÷"),
    "LESS": ("subtract", "−"),
    "MORE": ("add", "+"),
}
_PERCENTAGE = re.compile("[%％率]|割合|pct|percent", re.IGNORECASE)
_METHODS = {
    "CORRELATION": "correlation",
    "OUTLIERS": "outliers",
    "DUPLICATES": "duplicates",
    "MISSING": "missingness",
    "DESCRIBE": "summary",
    "TEST": "test",
}
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_MOST_MONTHS = 24
_AGAINST: dict[str, Literal["previous", "year_before"]] = {
    "PREVIOUS": "previous",
    "YEAR": "year_before",
}
_NULLS = {"BLANK": "is_null", "FILLED": "not_null"}


class _Side(NamedTuple):
    """Of a calculation, or one as a whole."""

    name: str
    tree: dict[str, Any]
    columns: tuple[str, ...] = ()
    is_whole: bool = True

    @property
    def inner(self) -> str:
        return self.name if self.is_whole else f"({self.name})"


def frame_of(tokens: Sequence[Token], items: Sequence[Item], scene: Scene) -> Frame:
    """Raises `NotMeant` where a part can't be said of this table."""
    return _Reading(tokens, items, scene).frame()


class _Reading:
    def __init__(self, tokens: Sequence[Token], items: Sequence[Item], scene: Scene) -> None:
        self._tokens = list(reversed(tokens))
        self._items, self._scene = items, scene
        self._names = list(scene.columns)
        self._frame = Frame()
        self._calculations: dict[str, _Side] = {}
        """By their names."""
        self._is_rate = False
        """What is read tells a part of the rows, and leaves none out."""
        self._not_come: list[Filter] = []
        """Rows that are no part of a rate of one column against another."""
        self._is_derived = False
        """A condition that would be a step before becomes a column."""

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
                case said:
                    self._in_the_end(said)
        if frame.rate and (len(frame.groups) > 1 or frame.having):
            self._mean_of_truth(frame.rate)
        self._check_end()
        if frame.op == "missingness" and frame.groups:
            self._count_blanks()
        if frame.wants_rows and frame.chart in ("scatter", "hist", "box"):
            frame.wants_rows = False
        return frame

    def _check_end(self) -> None:
        """Averages of what each has are of one figure, totals of the first ones of groups."""
        frame = self._frame
        is_figure = not (frame.is_share or frame.op or frame.formula or frame.wants_rows)
        if frame.per is not None and not (is_figure and len(frame.measures) == 1):
            raise NotMeant
        if frame.is_total and not (frame.groups and not frame.wants_rows):
            raise NotMeant

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
        if said in NOT_SAID:
            raise NotMeant
        if said in METHODS:
            frame.op = _METHODS[said]
            while self._is_next(Column):
                frame.columns.append(self._column())
            return
        match said:
            case "SHARE":
                frame.is_share = True
                if not self._is_next("BY"):
                    frame.measures = [Measure(self._operand(), "sum")]
            case "RATE":
                frame.is_share = self._is_rate = self._is_derived = True
                (frame.rate,) = self._conditions()
                self._is_rate = False
                self._is_derived = True  # a step before would tell another part
                if isinstance(frame.rate, Compare):
                    frame.conditions += self._not_come
            case "ROWS":
                frame.wants_rows = True
                while self._is_next(Column, *ARITHMETIC):
                    frame.measures.append(Measure(self._operand()))
            case "RATIO" | "MINUS":
                self._of_two_totals("DIV" if said == "RATIO" else "SUB")
            case _:
                self._figure(said)
                while self._is_next("COUNT", *AGGREGATES):
                    self._figure(self._word())

    def _mean_of_truth(self, rate: Filter) -> None:
        """Which part of each of several groups: the average of a truth."""
        frame, made = self._frame, truth_of([rate])
        frame.measures, frame.is_share = [Measure(self._derived(_Side(*made)), "mean")], False
        frame.rate = None

    def _count_blanks(self) -> None:
        """Of one column, in each group."""
        frame = self._frame
        if len(frame.columns) != 1:
            raise NotMeant
        frame.conditions.append(condition(frame.columns[0], "is_null"))
        frame.op, frame.columns, frame.measures = None, [], [Measure(None, "count")]

    def _figure(self, said: str) -> None:
        frame = self._frame
        if said == "COUNT":
            frame.measures.append(Measure(None, "count"))
            return
        agg = cast("Aggregate", said.lower())
        frame.measures.append(Measure(self._operand(), agg))

    # ---- calculations ----

    def _operand(self) -> str:
        """A column, maybe one that is calculated first."""
        side = self._side()
        return side.name if side.tree["fn"] == "column" else self._derived(side)

    def _derived(self, side: _Side) -> str:
        self._calculations[side.name] = side
        self._frame.derived[side.name] = side.tree
        return side.name

    def _side(self) -> _Side:
        if self._is_next(Column):
            name = self._column()
            return _Side(name, column_term(name), (name,))
        if self._is_next(Place):
            item = self._place()
            value = plain(float(_meant(amount_of(item))))
            return _Side(item.text, {"fn": "constant", "value": value})
        sign = self._word()
        if sign in TIMES:
            value = plain(TIMES[sign])
            return _Side(f"{value}", {"fn": "constant", "value": value})
        if sign in BETWEEN:
            return self._between_times(self._column(), self._column(), BETWEEN[sign])
        return self._calculated(sign, self._side(), self._side())

    def _calculated(self, sign: str, first: _Side, second: _Side) -> _Side:
        columns = (*first.columns, *second.columns)
        fn, shown = _SIGNS[sign]
        is_part = sign in ("LESS", "MORE")
        if is_part or sign == "MUL":
            second = second._replace(tree=self._as_part(second, is_told=is_part))
        if is_part:
            one = {"fn": "constant", "value": 1}
            rest = {"fn": fn, "left": one, "right": second.tree}
            tree = {"fn": "multiply", "left": first.tree, "right": rest}
            return _Side(f"{first.inner}×(1{shown}{second.inner})", tree, columns, is_whole=False)
        tree = {"fn": fn, "left": first.tree, "right": second.tree}
        return _Side(f"{first.inner}{shown}{second.inner}", tree, columns, is_whole=False)

    def _as_part(self, side: _Side, *, is_told: bool) -> dict[str, Any]:
        """10, of a column of percentages, is a tenth; `is_told`: it is a part whatever its name."""
        known = self._scene.columns.get(side.name)
        if known is None or known.profile.type == "percent":
            return side.tree
        most, is_named = known.profile.maximum, _PERCENTAGE.search(known.name)
        if not isinstance(most, int | float) or most <= 1 or not (is_told or is_named):
            return side.tree
        return {"fn": "divide", "left": side.tree, "right": {"fn": "constant", "value": 100}}

    def _between_times(self, first: str, second: str, unit: str) -> _Side:
        """From what comes first, however it is asked."""
        if self._begins(first) > self._begins(second):
            first, second = second, first
        tree = {"fn": "date_difference", "start": column_term(first), "end": column_term(second)}
        told = tree if unit == "days" else {**tree, "unit": unit}
        return _Side(f"{first}–{second}", told, is_whole=False)

    def _begins(self, column: str) -> str:
        return str(self._scene.columns[column].profile.minimum)

    def _of_two_totals(self, how: str) -> None:
        """Of the sums of each group; of the second the different ones may be counted."""
        told = [self._total(), self._total()]
        (agg, first), (other, second) = told
        if agg == "NUNIQUE" or first == second:
            raise NotMeant
        sides = [
            _Side(name, column_term(name), is_whole=name not in self._calculations)
            for name in (first, second)
        ]
        made = self._calculated(how, *sides)
        counted = second if other == "NUNIQUE" else None
        self._frame.formula = Formula(made.name, made.tree, counted)

    def _total(self) -> tuple[str, str]:
        agg = self._word()
        return agg, ROW_COUNT if agg == "COUNT" else self._operand()

    # ---- groups, order ----

    def _groups(self) -> None:
        while self._is_next(Column):
            column = self._column()
            unit, width = self._unit(column), None
            if self._is_next("STEP"):
                self._word()
                width = self._number(column)
            self._frame.groups.append(Group(column, unit, width))

    def _unit(self, column: str) -> TimeUnit | None:
        """Of a column of times; a day where none is told."""
        if isinstance(self._tokens[-1], str) and self._tokens[-1].lower() in _UNITS:
            return cast("TimeUnit", self._word().lower())
        return "day" if self._scene.columns[column].is_date else None

    def _having(self) -> None:
        agg = self._word()
        of = None if agg == "COUNT" else self._operand()
        op = _OPS[self._word()]
        told = None if agg == "COUNT" else cast("Aggregate", agg.lower())
        if self._is_next("ALL"):
            self._word()
            limit: float | Literal["mean"] = "mean"
        else:
            limit = self._number(of)
        self._frame.having.append(Having(told, of, op, limit))

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
        if self._is_next(Column, *ARITHMETIC):
            self._ordered_by(self._operand())
        if self._is_next("EACH"):
            self._word()
            frame.each = self._column()
            if frame.each not in [group.column for group in frame.groups]:
                frame.groups.append(Group(frame.each))

    def _ordered_by(self, column: str) -> None:
        frame = self._frame
        known = self._scene.columns.get(column)
        if not frame.wants_rows:
            frame.order_by = column
        elif known is not None and known.is_date:
            frame.by_day = column
        else:
            frame.measures.insert(0, Measure(column))

    def _in_the_end(self, said: str) -> None:
        match said:
            case "CHANGE":
                self._change(self._word())
            case "LATEST" | "PERIODS":
                self._beside(said)
            case "RUNNING" | "ROLLING":
                self._along(said)
            case "PER":
                column = self._column()
                self._frame.per = Group(column, self._unit(column))
            case "TOTAL":
                self._frame.is_total = True
            case _:
                pass  # its end

    def _change(self, against: str) -> None:
        time = next((group for group in self._frame.groups if group.unit is not None), None)
        if time is None:
            raise NotMeant
        self._frame.groups.remove(time)
        self._frame.growth = Growth(cast("PeriodUnit", time.unit), _AGAINST[against])
        self._frame.groups.append(time)
        self._moves()

    def _beside(self, how: str) -> None:
        """The latest period beside the one before it, or one that is told beside an earlier one."""
        frame, is_turned = self._frame, False
        if how == "LATEST":
            column, unit = self._column(), cast("PeriodUnit", self._word().lower())
            frame.growth = Growth(unit, _AGAINST[self._word()])
        else:
            first = [self._place()]
            while not self._is_next("TO"):
                first.append(self._place())
            self._word()
            second, column = self._places()
            is_turned = self._are_turned(first, second, column)
            self._hold_beside(*((second, first) if is_turned else (first, second)), column)
        frame.dated = column
        self._moves()
        if is_turned and frame.direction:
            frame.direction = "decreased" if frame.direction == "increased" else "increased"

    def _are_turned(self, first: Sequence[Item], second: Sequence[Item], column: str) -> bool:
        """Higher in 2023 than in 2024: the one that is held against comes later."""
        told = [year_of(one) for one in (*first, *second)]
        if not self._is_next(*MOVES) or None in told:
            return False
        earlier, later = self._span(first, column), self._span(second, column)
        return sort_key(earlier[0]) > sort_key(later[0])

    def _hold_beside(self, first: Sequence[Item], second: Sequence[Item], column: str) -> None:
        later = self._span(second, column)
        earlier = self._span(first, column, later[0], _year_ahead(first[0], later[0]))
        if sort_key(earlier[1]) >= sort_key(later[0]) or self._is_beyond(later[0], column):
            raise NotMeant
        hold_beside(self._frame, column, earlier, later)

    def _is_beyond(self, period: str, column: str) -> bool:
        """After all that the column has."""
        last = str(self._scene.columns[column].profile.maximum)[:10]
        return sort_key(period) > sort_key(last)

    def _moves(self) -> None:
        """Only what rose, or fell."""
        if self._is_next(*MOVES):
            is_up = self._word() == "UP"
            self._frame.direction = "increased" if is_up else "decreased"

    def _along(self, along: str) -> None:
        """What is added up, or averaged, from one period to the next."""
        frame = self._frame
        if not any(group.unit for group in frame.groups):
            raise NotMeant
        if along == "RUNNING":
            frame.is_cumulative = True
        else:
            frame.rolling = int(self._number(None))

    # ---- conditions ----

    def _conditions(self) -> list[Filter]:
        made: list[Filter] = []
        while True:
            alternatives = [self._first_condition()]
            self._is_derived = True
            while self._is_next("OR"):
                self._word()
                alternatives.append(self._condition(self._word()))
            self._is_derived = self._is_rate
            if len(alternatives) > 1 or self._is_rate:
                made.append(_either([part for one in alternatives for part in self._apart(one)]))
            else:
                made += alternatives[0]
            if not self._is_condition():
                return made

    def _first_condition(self) -> list[Filter]:
        """What would be a step before is a column of its own where it is one of several."""
        left, kept = list(self._tokens), replace(self._frame)
        told = self._condition(self._word())
        if told or not self._is_next("OR"):
            return told
        self._tokens, self._is_derived = left, True
        self._frame.against, self._frame.weekdays = kept.against, kept.weekdays
        return self._condition(self._word())

    def _apart(self, told: Sequence[Filter]) -> Sequence[Filter]:
        """One condition, as one of several has to be, or a part of a rate."""
        if len(told) == 1:
            return told
        months = _months_between(told)
        return months or [condition(self._derived(_Side(*truth_of(told))), "==", value=True)]

    def _is_condition(self) -> bool:
        return self._is_next(*_OPS, *_NULLS, *_OTHERS)

    def _condition(self, said: str) -> list[Filter]:
        """Two of a span; none of what is a step before."""
        if said == "DATEIN":
            return self._between()
        if said == "DECADE":
            return self._decade(self._place(), self._column())
        found = self._one(said)
        return [] if found is None else [found]

    def _one(self, said: str) -> Filter | None:
        match said:
            case "COLS":
                made = self._against()
            case "MONTHIN":
                made = self._month_of_year()
            case "DAYSIN" | "DAYSOUT" if self._is_derived:
                column, days, op = self._weekdays(said)
                part = {"fn": "date_part", "of": column_term(column), "part": "weekday"}
                name = self._derived(_Side(named_by(column, "weekday"), part))
                made = condition(name, op, value=days)
            case "DAYSIN" | "DAYSOUT":
                if self._frame.weekdays is not None:
                    raise NotMeant
                self._frame.weekdays = self._weekdays(said)
                made = None
            case "GAP":
                op, days = _OPS[self._word()], _meant(days_of(self._place()))
                first, last = sorted((self._column(), self._column()), key=self._begins)
                made = self._held(last, op, first, days)
            case "BLANK" | "FILLED":
                made = condition(self._column(), _NULLS[said])
            case "YES" | "NO":
                made = self._answer(self._column(), is_true=said == "YES")
            case "POSITIVE" | "ZERO":
                made = condition(self._column(), ">" if said == "POSITIVE" else "==", value=0)
            case "IN" | "NOTIN":
                told, column = self._places()
                values = [self._value(item, column) for item in told]
                made = condition(column, "in" if said == "IN" else "not_in", value=values)
            case _:
                made = self._compared(said, self._place())
        return made

    def _answer(self, column: str, *, is_true: bool) -> Filter:
        """Yes or no; no is what has none, where only yes is ever filled in."""
        known = self._scene.columns[column]
        truth = known.truth(is_true)
        if truth is None and known.profile.type == "boolean":
            if not is_true and known.profile.distinct == 1 and known.profile.missing:
                return condition(column, "is_null")
            truth = is_true
        return condition(column, "==", value=_meant(truth))

    def _against(self) -> Filter | None:
        """Two columns held against each other; what is calculated, against nothing."""
        op, first, second = self._word(), self._side(), self._side()
        if first.tree["fn"] == second.tree["fn"] == "column":
            return self._held(first.name, _OPS[op], second.name)
        made = self._derived(self._calculated("SUB", first, second))
        return condition(made, _OPS[op], value=0)

    def _held(self, left: str, op: str, right: str, days: float | None = None) -> Filter | None:
        """One column against another: what one pair of them needs is a step of its own."""
        if not self._is_derived and self._frame.against is None:
            self._frame.against = Against(left, op, right, days)
            return None
        sides = [self._scene.columns[one] for one in (left, right)]
        name, tree = difference_of(left, right, is_dated=sides[0].is_date)
        # What has not come yet is neither late nor in time.
        self._not_come = [condition(one.name, "not_null") for one in sides if one.profile.missing]
        made = self._derived(_Side(name, tree, () if days else (left, right)))
        return condition(made, op, value=days or 0)

    def _weekdays(self, said: str) -> Weekdays:
        told, column = self._places()
        names = [sense.name for item in told for sense in item.senses]
        numbers = sorted({day for each in names for day in WEEKDAYS.get(each, ())})
        return Weekdays(column, numbers, "in" if said == "DAYSIN" else "not_in")

    def _compared(self, said: str, item: Item) -> Filter:
        if self._is_next(Column):
            return self._held_against(said, item, self._column())
        made = self._derived(self._side())
        return condition(made, _OPS[said], value=self._number_of(item, made))

    def _held_against(self, said: str, item: Item, column: str) -> Filter:
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

    def _between(self) -> list[Filter]:
        told, column = self._places()
        first, last = self._span(told, column)
        if first == last:
            return [condition(column, "==", value=first)]
        return [condition(column, ">=", value=first), condition(column, "<=", value=last)]

    def _span(
        self,
        told: Sequence[Item],
        column: str,
        before: str | None = None,
        year: int | None = None,
    ) -> tuple[str, str]:
        """From its first to its last period; `year`: of both, where none is told."""
        years = _years_of(told[0], told[-1]) if year is None else (year, year)
        last = self._period(told[-1], column, before, year=years[1])
        return self._period(told[0], column, last, years[0]), last

    def _decade(self, item: Item, column: str) -> list[Filter]:
        """30代 is 30 and more, below 40; 8万円台, below 9万円."""
        figure = figure_of(item)
        said, low = figure.value if figure else None, self._number_of(item, column)
        if not said or said.denominator != 1 or not low:
            raise NotMeant
        width = 10 ** (len(str(said)) - len(str(said).rstrip("0")))
        high = plain(float(Fraction(str(low)) * (said + width) / said))
        return [condition(column, ">=", value=low), condition(column, "<", value=high)]

    def _month_of_year(self) -> Filter:
        """July and August, of whatever year; from November to February."""
        told, column = self._places()
        first, last = (_meant(month_of(item)) for item in (told[0], told[-1]))
        months = [(first + step - 1) % 12 + 1 for step in range((last - first) % 12 + 1)]
        part = {"fn": "date_part", "of": column_term(column), "part": "month_of_year"}
        name = self._derived(_Side(named_by(column, "month_of_year"), part))
        return condition(name, "in", value=months)

    # ---- values ----

    def _period(
        self, item: Item, column: str, last: str | None = None, year: int | None = None
    ) -> str:
        """The newest; not after the `last` of several."""
        figure = figure_of(item)
        stated = figure.stated if figure else None
        profile = self._scene.columns[column].profile
        year = year or self._year_beside(item, profile)
        found = periods_of(stated, profile, year, is_japanese=item.is_japanese) if stated else ()
        if len(found) > 1:
            self._frame.is_year_open = True
        found = [one for one in found if last is None or sort_key(one) <= sort_key(last)]
        if not found:
            raise NotMeant
        return found[0]

    def _year_beside(self, item: Item, profile: ColumnProfile) -> int | None:
        """Q2 v Q4 2024, 2024年の4月と5月: what has none has the one that is told behind it, or
        before, if the column has dates of it."""
        at = next(at for at, one in enumerate(self._items) if one is item)
        first, last = (str(end)[:4] for end in (profile.minimum, profile.maximum))
        told = [(other, year_of(one)) for other, one in enumerate(self._items)]
        years = [(other, year) for other, year in told if year and first <= str(year) <= last]
        behind = next((year for other, year in years if other > at), None)
        before = next((year for other, year in reversed(years) if other < at), None)
        return behind if behind is not None else before

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
        if column in self._calculations:
            return self._limit_of(self._calculations[column], item)
        return _meant(number_in(item, self._scene.columns[column]))

    def _limit_of(self, side: _Side, item: Item) -> int | float:
        """In the unit of one of its columns; of what is divided, a plain number."""
        columns = () if side.tree["fn"] == "divide" else side.columns
        numbers = (number_in(item, self._scene.columns[name]) for name in columns)
        found = next((one for one in numbers if one is not None), None)
        return plain(float(_meant(amount_of(item)))) if found is None else found


def _meant(found: _T | None) -> _T:
    if found is None:
        raise NotMeant
    return found


_UNITS = frozenset(("year", "quarter", "month", "week", "day", "weekday", "hour"))
_OTHERS = (
    "IN", "NOTIN", "CONTAINS", "POSITIVE", "ZERO", "YES", "NO", "DECADE", "MONTHIN", "DATEIN",
    "DATEGT", "DATEGE", "DATELT", "DATELE", "DAYSIN", "DAYSOUT", "COLS", "GAP",
)  # fmt: skip


def _year_ahead(item: Item, later: str) -> int | None:
    """Of a month that has none, before a later one: 前年12月, 1月は12月と比べて."""
    month, found = month_of(item), _MONTH.match(later)
    if month is None or found is None or year_of(item) is not None:
        return None
    return int(found[1]) - (month >= int(found[2]))


def _years_of(first: Item, last: Item) -> tuple[int | None, int | None]:
    """Nov 2024 to Feb, Nov to Feb 2025: over the end of a year, where one of them tells it."""
    begins, ends = month_of(first), month_of(last)
    if begins is None or ends is None:
        return None, None
    is_over, told, other = begins > ends, year_of(first), year_of(last)
    if told is not None and other is None:
        return told, told + is_over
    if other is not None and told is None:
        return other - is_over, other
    return None, None


def _months_between(told: Sequence[Filter]) -> list[Filter]:
    """From one month to another; none where these are no months."""
    ends = [one for one in told if isinstance(one, Compare)]
    months = [_MONTH.fullmatch(str(end.value)) for end in ends]
    if [end.op for end in ends] != [">=", "<="] or not all(months):
        return []
    first, last = (int(found[1]) * 12 + int(found[2]) - 1 for found in months if found)
    if last - first >= _MOST_MONTHS:
        return []
    between = (f"{at // 12}-{at % 12 + 1:02}" for at in range(first, last + 1))
    return [condition(ends[0].col, "==", value=month) for month in between]


def _either(made: Sequence[Filter]) -> Filter:
    parts = [part for one in made for part in (one.any_of if isinstance(one, AnyOf) else (one,))]
    return AnyOf(any_of=tuple(parts)) if len(parts) > 1 else parts[0]
