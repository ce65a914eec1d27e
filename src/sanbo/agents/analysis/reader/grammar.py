"""What a reading can be at all: which token may stand behind which, for a given table.

A reading is a row of tokens: words (`COUNT`, `BY`, `WHERE` …), places of the question and columns.
"""

from collections.abc import Collection, Generator, Sequence
from typing import NamedTuple

from sanbo.agents.analysis.mentions.figures import is_named_by, kind_of
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.agents.analysis.mentions.times import WEEKDAYS
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL
from sanbo.agents.analysis.reader.values import (
    amount_of,
    count_of,
    days_of,
    figure_of,
    month_of,
    number_in,
    value_called,
)


class Place(NamedTuple):
    """A stretch of the question."""

    at: int


class Column(NamedTuple):
    at: int


Token = str | Place | Column

AGGREGATES = ("SUM", "MEAN", "MEDIAN", "MAX", "MIN", "STD", "NUNIQUE")
ARITHMETIC = ("ADD", "SUB", "MUL", "DIV", "LESS", "MORE", "DAYS", "HOURS", "MINUTES")
"""A calculation is a sign and its two sides: columns, numbers of the question, calculations."""
BETWEEN = {"DAYS": "days", "HOURS": "hours", "MINUTES": "minutes"}
"""How long it is from one time to another."""
EITHER_WAY = ("ADD", "MUL", *BETWEEN)
"""Their columns stand in the order of the table, behind a calculation and before a number."""
_ALIKE = ("ADD", "SUB")
"""Of money and money, not of money and pieces."""
_MOST_SIGNS = 5
TIMES = {"TWICE": 2.0, "HALF": 0.5}
"""What is multiplied by where no number stands."""
METHODS = ("CORRELATION", "OUTLIERS", "DUPLICATES", "MISSING", "DESCRIBE", "TEST")
COMPARED = ("GT", "GE", "LT", "LE")
CONDITIONS = (
    "EQ", "NE", "IN", "NOTIN", "CONTAINS", *COMPARED, "POSITIVE", "ZERO", "BLANK", "FILLED",
    "YES", "NO", "DECADE", "MONTHIN", "DATEIN", "DATEGT", "DATEGE", "DATELT", "DATELE", "DAYSIN",
    "DAYSOUT", "COLS", "GAP",
)  # fmt: skip
UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "WEEKDAY", "HOUR")
NOT_SAID = ("ASK", "OTHER")
"""What has to be asked back about, and what is none of these words."""
CHARTS = ("BAR", "LINE", "PIE", "SCATTER", "HIST", "BOX", "HEATMAP", "AREA")
MOVES = ("UP", "DOWN")
_BEFORE = ("PREVIOUS", "YEAR")
_PERIODS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY")
_HEAD = ("BY", "WHERE", "HAVING", "DESC", "ASC", "TOP", "BOTTOM")
_TOLD_PERIODS = 2
_TEXTS = frozenset(("literal", "unknown", "part", "value", "glue", "column", "word"))
_PARTS = frozenset(("literal", "unknown", "part"))


class Next(NamedTuple):
    """What may come."""

    words: frozenset[str]
    places: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()

    def admits(self, token: Token) -> bool:
        if isinstance(token, Place):
            return token.at in self.places
        return token.at in self.columns if isinstance(token, Column) else token in self.words


class _Calculation(NamedTuple):
    sign: str
    last: Token | None
    """Its second side, where that is a column."""


_Tokens = Generator[Next, Token, None]
_Rest = Generator[Next, Token, Token]
_Operand = Generator[Next, Token, Column | _Calculation]


class Grammar:
    def __init__(self, items: Sequence[Item], scene: Scene) -> None:
        self._items, self._known = items, list(scene.columns.values())
        columns = [known.profile for known in self._known]
        at = {column.name: place for place, column in enumerate(columns)}
        numbered = list(enumerate(columns))
        self.numbers = frozenset(n for n, one in numbered if one.type in NUMERIC | {"duration"})
        self.dates = frozenset(n for n, one in numbered if one.type in TEMPORAL)
        self._clocks = frozenset(n for n, one in numbered if one.type == "datetime")
        answers = [one.truth(is_true=True) is not None for one in scene.columns.values()]
        kinds = [kind_of(one) if n in self.numbers else "" for n, one in enumerate(self._known)]
        self._alike = [self._like(n, kinds) for n in range(len(columns))]
        """Of each column what may be added to it, or held against it."""
        self._held_together = frozenset(n for n, others in enumerate(self._alike) if others)
        self.truths = frozenset(n for n, one in numbered if answers[n] or one.type == "boolean")
        self.all = frozenset(range(len(columns)))
        self.texts = self.all - self.numbers - self.dates
        self.named = frozenset(n for n, one in numbered if one.is_identifier)
        self.values = [
            frozenset(at[one.value.column] for one in item.senses if one.value is not None)
            for item in items
        ]
        """Of each place the columns that have it as a value."""
        senses = [{sense.kind for sense in item.senses[:2]} for item in items]
        self.figures = _places(senses, {"number", "when"})
        self._counts = frozenset(at for at in self.figures if count_of(items[at]) is not None)
        self.written = _places([{item.sense.kind} for item in items], _TEXTS)
        self.parts = _places([{item.sense.kind} for item in items], _PARTS)
        names = [{sense.name for sense in item.senses if sense.kind == "word"} for item in items]
        self.weekdays = _places(names, WEEKDAYS)
        self.lengths = frozenset(at for at in self.figures if days_of(items[at]) is not None)
        self._months = frozenset(at for at in self.figures if month_of(items[at]) is not None)
        self._amounts = frozenset(at for at in self.figures if amount_of(items[at]) is not None)
        valued = frozenset(place for place, held in enumerate(self.values) if held)
        may_be_held = sorted(valued | self.figures | self.written)
        self._held = {at: held for at in may_be_held if (held := self._columns_with(at))}
        self._numbered = frozenset(at for at in self.figures if self._counted_in(at))
        self._plain = self._plain_conditions()
        self._arithmetic = tuple(sign for sign in ARITHMETIC if self._is_calculable(sign))
        self._compared = self._numbered | (self._amounts if self._arithmetic else frozenset())
        self._conditions = tuple(word for word in CONDITIONS if self._is_possible(word))
        dated = ("LATEST",) if self.dates else ()
        told = ("PERIODS",) if dated and len(self.figures) >= _TOLD_PERIODS else ()
        self._along = ("CHANGE", "RUNNING", "ROLLING", "PER", *dated, *told)
        """What is done with figures in the end."""
        self._ends = ("CHART", *self._along, "END")
        self._tail = (*_HEAD, *self._ends)

    def after(self, tokens: Sequence[Token]) -> Next | None:
        """None where no reading begins so."""
        rest = self._reading()
        now = next(rest)
        for token in tokens:
            if not now.admits(token):
                return None
            try:
                now = rest.send(token)
            except StopIteration:
                return Next(frozenset())
        return now

    def _reading(self) -> _Tokens:
        whats = ("COUNT", *AGGREGATES, "RATIO", "MINUS", "SHARE", "RATE", "ROWS", *METHODS)
        said = yield _words(*whats, *NOT_SAID)
        if said in NOT_SAID:
            yield _words("END")
            return
        said = yield from self._what(said)
        if said == "BY":
            said = yield from self._groups()
        if said == "WHERE":
            said = yield from self._where()
        if said == "HAVING":
            said = yield from self._limit()
        if said in ("DESC", "ASC", "TOP", "BOTTOM"):
            said = yield from self._order(said)
        if said == "CHART":
            yield _words(*CHARTS)
            said = yield _words(*self._along, "END")
        if said != "END":
            yield from self._in_the_end(said)

    def _in_the_end(self, said: Token) -> _Tokens:
        """Each period beside another, added up, averaged; the average, or the total, of groups."""
        match said:
            case "CHANGE":
                yield _words(*_BEFORE)
            case "LATEST":
                yield Next(frozenset(), columns=self.dates)
                yield _words(*_PERIODS)
                yield _words(*_BEFORE)
            case "PERIODS":
                yield from self._told_periods()
            case "PER":
                column = yield Next(frozenset(), columns=self.all)
                if _at(column) in self.dates:
                    yield _words(*_PERIODS)
            case "ROLLING":
                yield Next(frozenset(), self._counts)
            case _:
                pass
        is_moved = said in ("CHANGE", "LATEST", "PERIODS")
        if (yield _words(*(MOVES if is_moved else ()), "END")) in MOVES:
            yield _words("END")

    def _told_periods(self) -> _Tokens:
        """The earlier one, from its first to its last, and the later one."""
        first = yield Next(frozenset(), self.figures)
        said = yield Next(frozenset(("TO",)), self.figures - {_at(first)})
        if isinstance(said, Place):
            yield _words("TO")
        later = yield Next(frozenset(), self.figures - {_at(first)})
        if isinstance((yield Next(frozenset(), self.figures - {_at(later)}, self.dates)), Place):
            yield Next(frozenset(), columns=self.dates)

    def _order(self, said: Token) -> _Rest:
        """By a column or a calculation of rows; so many of each."""
        is_some = said in ("TOP", "BOTTOM")
        if is_some:
            yield Next(frozenset(("ONE",)), places=self._counts)
        ends = ("EACH", "TOTAL", *self._ends) if is_some else self._ends
        said = yield Next(frozenset((*ends, *self._arithmetic)), columns=self.all)
        if isinstance(said, Column) or said in ARITHMETIC:
            yield from self._rest_of(said)
            said = yield _words(*ends)
        if said == "EACH":
            yield Next(frozenset(), columns=self.all)
            said = yield _words(*self._ends)
        return said

    def _limit(self) -> _Rest:
        """On groups."""
        agg = yield _words("COUNT", *AGGREGATES)
        places = self._counts
        if agg == "NUNIQUE":
            yield Next(frozenset(), columns=self.all)
        elif agg != "COUNT":
            column = yield from self._operand(self.numbers)
            if isinstance(column, Column):
                places = frozenset(at for at in self._numbered if column.at in self._counted_in(at))
            else:
                places = self._amounts
        yield _words("EQ", *COMPARED)
        yield Next(frozenset(("ALL",)), places)
        return (yield _words(*self._tail[3:]))

    def _what(self, said: Token) -> _Rest:
        match said:
            case "RATIO" | "MINUS":
                yield from self._two_totals(is_minus=said == "MINUS")
                return (yield _words(*self._tail))
            case "SHARE":
                said = yield Next(frozenset(("BY", *self._arithmetic)), columns=self.numbers)
                if said == "BY":
                    return said
                yield from self._rest_of(said)
                return (yield _words("BY"))
            case "RATE":
                said = "OR"
                while said == "OR":
                    yield from self._condition((yield _words(*self._conditions)), frozenset())
                    said = yield _words("OR", *self._tail)
                return said
            case "ROWS":
                left = self.all
                while True:
                    said = yield Next(frozenset((*self._arithmetic, *self._tail)), columns=left)
                    if isinstance(said, Column):
                        left -= {said.at}
                    elif said in ARITHMETIC:
                        yield from self._rest_of(said)
                    else:
                        return said
            case _:
                is_figure = said not in METHODS
                return (yield from self._figures(said) if is_figure else self._looked_at(said))

    def _two_totals(self, *, is_minus: bool) -> _Tokens:
        """Of something else each; the second may be how many different ones there are."""
        if (yield _words("SUM") if is_minus else _words("SUM", "COUNT")) == "COUNT":
            yield _words("NUNIQUE")
            yield Next(frozenset(), columns=self.all)
            return
        first = yield from self._operand(self.numbers)
        if (yield _words("SUM", "NUNIQUE")) == "SUM":
            is_alike = is_minus and isinstance(first, Column)
            others = self._alike[_at(first)] if is_alike else self.numbers
            yield from self._operand(others - _places_of(first))
        else:
            yield Next(frozenset(), columns=self.all - _places_of(first))

    def _looked_at(self, method: Token) -> _Rest:
        """Any of the columns, or all; two numbers at least where they are held together."""
        left = self.all if method in ("DUPLICATES", "MISSING", "DESCRIBE") else self.numbers
        ends = frozenset(("BY", "WHERE", "CHART", "END"))
        is_one = method in ("OUTLIERS", "TEST")
        said = yield Next(frozenset() if is_one else ends, columns=left)
        is_first = method == "CORRELATION"
        while isinstance(said, Column):
            left = frozenset() if is_one else left - {said.at}
            said = yield Next(frozenset() if is_first else ends, columns=left)
            is_first = False
        return said

    def _figures(self, said: Token) -> _Rest:
        """None of them twice."""
        seen: dict[Token, frozenset[int]] = {}
        while said == "COUNT" or said in AGGREGATES:
            figure = yield from self._figure(said, seen.get(said, frozenset()))
            seen[said] = seen.get(said, frozenset()) | _places_of(figure)
            further = [one for one in ("COUNT", *AGGREGATES) if one != "COUNT" or one not in seen]
            said = yield _words(*further, *self._tail)
        return said

    def _figure(self, said: Token, out: frozenset[int]) -> _Rest:
        """Its column, where it is of one."""
        if said == "COUNT":
            return said
        if said == "NUNIQUE":
            return (yield Next(frozenset(), columns=self.all - out))
        fitting = (
            self.numbers | self.truths | (self.dates if said in ("MAX", "MIN") else frozenset())
        )
        found = yield from self._operand(fitting - out)
        return found if isinstance(found, Column) else said

    # ---- calculations ----

    def _operand(self, columns: frozenset[int]) -> _Operand:
        """One of these columns, or a calculation."""
        said = yield Next(frozenset(self._arithmetic), columns=columns)
        return (yield from self._rest_of(said))

    def _rest_of(self, said: Token) -> _Operand:
        if isinstance(said, Column):
            return said
        assert isinstance(said, str)
        return (yield from self._calculation(said, [_MOST_SIGNS - 1]))

    def _calculation(self, sign: str, left: list[int]) -> _Operand:
        """`left`: how many more signs there may be."""
        if sign in BETWEEN:
            yield from self._pair(self._of_times(sign), is_ordered=True)
            return _Calculation(sign, None)
        first = yield from self._side(left, self._first_sides(sign))
        if isinstance(first, Column):
            columns = self._second_sides(sign, first.at)
        elif first.sign == sign and sign in EITHER_WAY and isinstance(first.last, Column):
            columns = frozenset(at for at in self.numbers if at > _at(first.last))
        else:
            columns = self.numbers
        is_nested = not isinstance(first, Column) or sign not in EITHER_WAY
        words = tuple(TIMES) if sign == "MUL" else ()
        second = yield from self._side(left if is_nested else [0], columns, self._amounts, words)
        return _Calculation(sign, second if isinstance(second, Column) else None)

    def _side(
        self,
        left: list[int],
        columns: frozenset[int],
        places: frozenset[int] = frozenset(),
        words: tuple[str, ...] = (),
    ) -> _Operand:
        signs = self._arithmetic if left[0] else ()
        said = yield Next(frozenset((*signs, *words)), places, columns)
        if isinstance(said, Column):
            return said
        if said not in ARITHMETIC:
            return _Calculation("", None)
        assert isinstance(said, str)
        left[0] -= 1
        return (yield from self._calculation(said, left))

    def _first_sides(self, sign: str) -> frozenset[int]:
        """Columns behind which something can stand."""
        if self._amounts or sign == "MUL":
            return self.numbers
        return frozenset(at for at in self.numbers if self._second_sides(sign, at))

    def _second_sides(self, sign: str, first: int) -> frozenset[int]:
        others = self._alike[first] if sign in _ALIKE else self.numbers - {first}
        return frozenset(at for at in others if at > first or sign not in EITHER_WAY)

    def _is_calculable(self, sign: str) -> bool:
        if sign in BETWEEN:
            return len(self._of_times(sign)) > 1
        return bool(self._first_sides(sign))

    def _of_times(self, sign: str) -> frozenset[int]:
        return self.dates if sign == "DAYS" else self._clocks

    def _pair(
        self, fitting: frozenset[int], *, is_ordered: bool = False, is_alike: bool = False
    ) -> _Tokens:
        def others(first: int) -> frozenset[int]:
            kept = fitting & self._alike[first] if is_alike else fitting - {first}
            return frozenset(at for at in kept if at > first or not is_ordered)

        first = yield Next(frozenset(), columns=frozenset(filter(others, fitting)))
        yield Next(frozenset(), columns=others(_at(first)))

    def _like(self, at: int, kinds: Sequence[str]) -> frozenset[int]:
        """Dates with dates; money with money, and with what does not tell what it is."""
        own = kinds[at]
        fitting = self.dates if at in self.dates else self.numbers if at in self.numbers else ()
        return frozenset(n for n in fitting if n != at and (not own or kinds[n] in ("", own)))

    def _groups(self) -> _Rest:
        seen: set[int] = set()
        dated: set[int] = set()
        said = yield Next(frozenset(), columns=self.all)
        while isinstance(said, Column):
            if said.at not in self.dates or said.at in dated:  # by weekday and hour
                seen.add(said.at)
            dated.add(said.at)
            units = UNITS if said.at in self.dates else ()
            widths = frozenset(at for at in self._numbered if said.at in self._counted_in(at))
            bands = ("STEP",) if widths else ()
            said = yield Next(frozenset((*units, *bands, *self._tail[1:])), columns=self.all - seen)
            if said == "STEP":
                yield Next(frozenset(), widths)
            if said in UNITS or said == "STEP":
                said = yield Next(frozenset(self._tail[1:]), columns=self.all - seen)
        return said

    def _where(self) -> _Rest:
        """All of them hold: a column has one value at a time."""
        said = yield _words(*self._conditions)
        told: frozenset[int] = frozenset()
        while said in CONDITIONS:
            equal = yield from self._condition(said, told)
            further = self._but_for(told | _places_of(equal))
            said = yield _words("OR", *further, *self._tail[2:])
            if said == "OR":
                said = yield _words(*self._but_for(told))
            else:
                told |= _places_of(equal)
        return said

    def _but_for(self, told: frozenset[int]) -> list[str]:
        """What more conditions there may be, where these columns have a value."""
        is_left = any(held - told for held in self._held.values())
        return [word for word in self._conditions if word != "EQ" or is_left]

    def _condition(self, said: Token, told: frozenset[int]) -> _Rest:
        """The column that has to have one value; `told`: those of which one was told."""
        match said:
            case str() if said in self._plain:
                places, columns = self._plain[said]
                if places is not None:
                    yield Next(frozenset(), places)
                yield Next(frozenset(), columns=columns)
            case "EQ" | "NE":
                out = told if said == "EQ" else frozenset[int]()
                places = frozenset(at for at, held in self._held.items() if held - out)
                place = yield Next(frozenset(), places)
                column = yield Next(frozenset(), columns=self._held[_at(place)] - out)
                return column if said == "EQ" else said
            case "IN" | "NOTIN":
                yield from self._several()
            case "DATEIN" | "MONTHIN":
                places = self.figures if said == "DATEIN" else self._months
                first = yield Next(frozenset(), places)
                last = yield Next(frozenset(), places - {_at(first)}, self.dates)
                if isinstance(last, Place):
                    yield Next(frozenset(), columns=self.dates)
            case "DAYSIN" | "DAYSOUT":
                yield from self._weekdays()
            case "COLS":
                yield _words("EQ", "NE", *COMPARED)
                first = yield from self._operand(self._held_together)
                others = self._alike[first.at] if isinstance(first, Column) else self.numbers
                yield from self._operand(others)
            case "GAP":
                yield _words(*COMPARED)
                yield Next(frozenset(), self.lengths)
                yield from self._pair(self.dates, is_ordered=True)
            case "DECADE":
                place = yield Next(frozenset(), self._numbered)
                yield Next(frozenset(), columns=self._counted_in(_at(place)))
            case _:
                place = yield Next(frozenset(), self._compared)
                signs = self._arithmetic if _at(place) in self._amounts else ()
                columns = self._counted_in(_at(place))
                of = yield Next(frozenset(signs), columns=columns)
                yield from self._rest_of(of)
        return said

    def _plain_conditions(self) -> dict[str, tuple[frozenset[int] | None, frozenset[int]]]:
        """On a column alone, or on a place and a column, whichever they are."""
        dated = ("DATEGT", "DATEGE", "DATELT", "DATELE")
        return {
            "CONTAINS": (self.parts, self.texts - self.named),
            **dict.fromkeys(dated, (self.figures, self.dates)),
            **dict.fromkeys(("POSITIVE", "ZERO"), (None, self.numbers)),
            **dict.fromkeys(("BLANK", "FILLED"), (None, self.all)),
            **dict.fromkeys(("YES", "NO"), (None, self.truths)),
        }

    def _is_possible(self, said: str) -> bool:
        """Of this question and this table."""
        if said in self._plain:
            places, columns = self._plain[said]
            return bool(columns) and places != frozenset()
        needed: dict[str, Sequence[Collection[int]]] = {
            **dict.fromkeys(("EQ", "NE", "IN", "NOTIN"), (self._held,)),
            **dict.fromkeys(("DAYSIN", "DAYSOUT"), (self.weekdays, self.dates)),
            **dict.fromkeys(COMPARED, (self._compared,)),
            "DATEIN": (self.figures, self.dates),
            "MONTHIN": (self._months, self.dates),
            "DECADE": (self._numbered,),
            "GAP": (self.lengths, self.dates - {min(self.dates, default=0)}),
        }
        return all(needed.get(said, ()))

    def _columns_with(self, at: int) -> frozenset[int]:
        """Those that may have this place as a value."""
        held = self.values[at]
        if at in self.figures:
            return held | self._counted_in(at)
        item = self._items[at]
        called = (n for n in self.texts if value_called(item, self._known[n]) is not None)
        return held.union(called)

    def _counted_in(self, at: int) -> frozenset[int]:
        """The columns of numbers that this place may be one of, by its unit."""
        item = self._items[at]
        held = [n for n in self.numbers if number_in(item, self._known[n]) is not None]
        figure = figure_of(item)
        named = [n for n in held if figure and is_named_by(figure, self._known[n])]
        return frozenset(named or held)

    def _weekdays(self) -> _Tokens:
        seen: set[int] = set()
        said = yield Next(frozenset(), self.weekdays)
        while isinstance(said, Place):
            seen.add(said.at)
            said = yield Next(frozenset(), self.weekdays - seen, self.dates)

    def _several(self) -> _Tokens:
        seen: list[int] = []
        may = frozenset(self._held)
        said = yield Next(frozenset(), may)
        while isinstance(said, Place):
            seen.append(said.at)
            columns = frozenset.intersection(*(self._held[at] for at in seen))
            further = frozenset(at for at in may if at > said.at)
            said = yield Next(frozenset(), further, columns if len(seen) > 1 else frozenset())


def _words(*words: str) -> Next:
    return Next(frozenset(words))


def _places(kinds: Sequence[Collection[str]], wanted: Collection[str]) -> frozenset[int]:
    return frozenset(at for at, held in enumerate(kinds) if any(one in wanted for one in held))


def _at(token: Token | _Calculation) -> int:
    assert isinstance(token, Place | Column)
    return token.at


def _places_of(figure: Token | _Calculation) -> frozenset[int]:
    return frozenset((figure.at,)) if isinstance(figure, Column) else frozenset()
