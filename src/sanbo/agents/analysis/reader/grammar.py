"""What a reading can be at all: which token may stand behind which, for a given table.

A reading is a row of tokens: words (`COUNT`, `BY`, `WHERE` …), places of the question and columns.
"""

from collections.abc import Collection, Generator, Sequence
from typing import NamedTuple

from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.rules.senses import Item


class Place(NamedTuple):
    """A stretch of the question."""

    at: int


class Column(NamedTuple):
    at: int


Token = str | Place | Column

AGGREGATES = ("SUM", "MEAN", "MEDIAN", "MAX", "MIN", "STD", "NUNIQUE")
ARITHMETIC = ("ADD", "SUB", "MUL", "DIV", "DAYS")
COMPARED = ("GT", "GE", "LT", "LE")
CONDITIONS = (
    "EQ", "NE", "IN", "NOTIN", "CONTAINS", *COMPARED, "POSITIVE", "ZERO", "BLANK", "FILLED",
    "YES", "NO", "DATEIN", "DATEGT", "DATEGE", "DATELT", "DATELE", "COLS",
)  # fmt: skip
UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "WEEKDAY", "HOUR")
CHARTS = ("BAR", "LINE", "PIE", "SCATTER", "HIST", "BOX", "HEATMAP", "AREA")
_TAIL = ("BY", "WHERE", "HAVING", "DESC", "ASC", "TOP", "BOTTOM", "CHART", "CHANGE", "END")
_ENDS = ("CHART", "CHANGE", "END")
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


_Tokens = Generator[Next, Token, None]
_Rest = Generator[Next, Token, Token]


class Grammar:
    def __init__(self, items: Sequence[Item], scene: Scene) -> None:
        columns = [known.profile for known in scene.columns.values()]
        at = {column.name: place for place, column in enumerate(columns)}
        numbered = list(enumerate(columns))
        self.numbers = frozenset(n for n, one in numbered if one.type in NUMERIC | {"duration"})
        self.dates = frozenset(n for n, one in numbered if one.type in TEMPORAL)
        self.truths = frozenset(n for n, one in numbered if one.type == "boolean")
        self.all = frozenset(range(len(columns)))
        self.texts = self.all - self.numbers - self.dates
        self.named = frozenset(n for n, one in numbered if one.is_identifier)
        self.values = [
            frozenset(at[one.value.column] for one in item.senses if one.value is not None)
            for item in items
        ]
        """Of each place the columns that have it as a value."""
        kinds = [{sense.kind for sense in item.senses[:2]} for item in items]
        self.figures = _places(kinds, {"number", "when"})
        self.written = _places([{item.sense.kind} for item in items], _TEXTS)
        self.parts = _places([{item.sense.kind} for item in items], _PARTS)
        self.valued = frozenset(place for place, held in enumerate(self.values) if held)

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
        said = yield _words("COUNT", *AGGREGATES, "RATIO", "MINUS", "SHARE", "RATE", "ROWS", "ASK")
        if said == "ASK":
            yield _words("END")
            return
        said = yield from self._what(said)
        if said == "BY":
            said = yield from self._groups()
        if said == "WHERE":
            said = yield _words(*CONDITIONS)
            while said in CONDITIONS:
                yield from self._condition(said)
                said = yield _words("OR", *CONDITIONS, *_TAIL[2:])
                if said == "OR":
                    said = yield _words(*CONDITIONS)
        if said == "HAVING":
            if (yield _words("COUNT", *AGGREGATES)) != "COUNT":
                yield Next(frozenset(), columns=self.all)
            yield _words("EQ", *COMPARED)
            yield Next(frozenset(("ALL",)), places=self.figures)
            said = yield _words(*_TAIL[3:])
        if said in ("DESC", "ASC", "TOP", "BOTTOM"):
            if said in ("TOP", "BOTTOM"):
                yield Next(frozenset(("ONE",)), places=self.figures)
            said = yield Next(frozenset(_ENDS), columns=self.all)
            if isinstance(said, Column):
                said = yield _words(*_ENDS)
        if said == "CHART":
            yield _words(*CHARTS)
            said = yield _words("CHANGE", "END")
        if said == "CHANGE":
            yield _words("PREVIOUS", "YEAR")
            yield _words("END")

    def _what(self, said: Token) -> _Rest:
        match said:
            case "RATIO" | "MINUS":
                for _ in range(2):
                    yield from self._figure((yield _words("COUNT", *AGGREGATES)))
                return (yield _words(*_TAIL))
            case "SHARE":
                said = yield Next(frozenset(("BY",)), columns=self.numbers)
                return (yield _words("BY")) if isinstance(said, Column) else said
            case "RATE":
                said = "OR"
                while said == "OR":
                    yield from self._condition((yield _words(*CONDITIONS)))
                    said = yield _words("OR", *_TAIL)
                return said
            case "ROWS":
                while True:
                    said = yield Next(frozenset(_TAIL), columns=self.all)
                    if not isinstance(said, Column):
                        return said
            case _:
                while said == "COUNT" or said in AGGREGATES:
                    yield from self._figure(said)
                    said = yield _words("COUNT", *AGGREGATES, *_TAIL)
                return said

    def _figure(self, said: Token) -> _Tokens:
        if said == "COUNT":
            return
        if said == "NUNIQUE":
            yield Next(frozenset(), columns=self.all)
            return
        fitting = self.numbers | self.truths | self.dates
        how = yield Next(frozenset(ARITHMETIC), columns=fitting)
        if isinstance(how, str):
            yield from self._pair(self.dates if how == "DAYS" else self.numbers)

    def _pair(self, fitting: frozenset[int]) -> _Tokens:
        first = yield Next(frozenset(), columns=fitting)
        assert isinstance(first, Column)
        yield Next(frozenset(), columns=fitting - {first.at})

    def _groups(self) -> _Rest:
        seen: set[int] = set()
        said = yield Next(frozenset(), columns=self.all)
        while isinstance(said, Column):
            seen.add(said.at)
            units = UNITS if said.at in self.dates else ()
            said = yield Next(frozenset((*units, *_TAIL[1:])), columns=self.all - seen)
            if said in UNITS:
                said = yield Next(frozenset(_TAIL[1:]), columns=self.all - seen)
        return said

    def _condition(self, said: Token) -> _Tokens:
        match said:
            case "EQ" | "NE":
                place = yield Next(frozenset(), self.valued | self.figures | self.written)
                assert isinstance(place, Place)
                fitting = self.values[place.at] | (
                    self.numbers if place.at in self.figures else frozenset()
                )
                yield Next(frozenset(), columns=fitting or self.texts)
            case "IN" | "NOTIN":
                yield from self._several()
            case "CONTAINS":
                yield Next(frozenset(), self.parts)
                yield Next(frozenset(), columns=self.texts - self.named)
            case "POSITIVE" | "ZERO":
                yield Next(frozenset(), columns=self.numbers)
            case "BLANK" | "FILLED":
                yield Next(frozenset(), columns=self.all)
            case "YES" | "NO":
                yield Next(frozenset(), columns=self.truths)
            case "DATEIN":
                first = yield Next(frozenset(), self.figures)
                assert isinstance(first, Place)
                last = yield Next(frozenset(), self.figures - {first.at}, self.dates)
                if isinstance(last, Place):
                    yield Next(frozenset(), columns=self.dates)
            case "COLS":
                yield _words("EQ", "NE", *COMPARED)
                yield from self._pair(self.numbers | self.dates)
            case _:
                yield Next(frozenset(), self.figures)
                is_date = str(said).startswith("DATE")
                yield Next(frozenset(), columns=self.dates if is_date else self.numbers)

    def _several(self) -> _Tokens:
        seen: list[int] = []
        may = self.valued | self.written | self.figures
        said = yield Next(frozenset(), may)
        while isinstance(said, Place):
            seen.append(said.at)
            held = [self.values[place] or self.all for place in seen]
            columns = frozenset.intersection(*held) or self.all
            said = yield Next(frozenset(), may - {*seen}, columns if len(seen) > 1 else frozenset())


def _words(*words: str) -> Next:
    return Next(frozenset(words))


def _places(kinds: Sequence[Collection[str]], wanted: Collection[str]) -> frozenset[int]:
    return frozenset(at for at, held in enumerate(kinds) if any(one in wanted for one in held))
