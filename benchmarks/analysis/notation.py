"""What a question of the corpus asks for, as its author wrote it down (`corpus/README.md`)."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from sanbo.language.moments import Moment

AGGREGATES = ("sum", "mean", "median", "max", "min", "std", "distinct")
UNITS = ("year", "quarter", "month", "week", "day", "weekday", "hour")
AGAINST = ("previous", "year")
CHARTS = ("bar", "line", "pie", "scatter", "hist", "box", "heatmap", "area")
METHODS = ("correlation", "outliers", "duplicates", "missing", "describe", "test")
SIGNS = ("+", "-", "*", "/", "less", "more")
BETWEEN = ("days", "hours", "minutes")
DATED = ("date", "time")
"""A day; a day with a clock time."""
ORDERED = (">", ">=", "<", "<=")
EQUAL = ("=", "!=")
NUMERIC = ("number", "money")
_POINT = r"\d{4}(-Q[1-4]|-\d\d(-\d\d)?)?|\d\d"
_PERIOD = rf"(\d{{4}}-H[12]|{_POINT})(\.\.({_POINT}))?"
_NUMBER = r"-?[\d.]+"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NotationError(Exception):
    """What is written is none of what may be."""


class Asked(NamedTuple):
    text: str
    wanted: str
    """In this notation."""
    before: tuple[str, ...] = ()
    """Questions of the same conversation."""


class Table(NamedTuple):
    name: str
    columns: dict[str, str | tuple[str, ...]]
    """Each with its kind, or with its values where there are few."""
    questions: tuple[Asked, ...]

    def kind(self, column: str) -> str:
        kind = self.columns[column]
        return kind if isinstance(kind, str) else "text"


class Calculated(NamedTuple):
    """Of each row."""

    how: str
    first: "Operand"
    second: "Operand"


class Number(NamedTuple):
    """Of the question: 10 %, 1.1."""

    text: str


Operand = str | Calculated | Number


class Figure(NamedTuple):
    aggregate: str
    of: str | Calculated | None
    """None: the rows are counted."""


class Condition(NamedTuple):
    op: str
    column: str | Calculated
    values: tuple[str, ...] = ()
    against: str | Calculated | None = None
    """What it is held against; with `values`, so many days lie between the two."""


Alternatives = tuple[Condition, ...]
"""One of them has to hold."""


class Group(NamedTuple):
    column: str
    unit: str | None
    step: str | None = None
    """In bands of so much."""


class Having(NamedTuple):
    figure: Figure
    op: str
    limit: str


class Order(NamedTuple):
    word: str
    count: int | None = None
    column: str | Calculated | None = None
    each: str | None = None
    """So many of each of its values."""


class Beside(NamedTuple):
    """One period held against another: the latest one, or one that is told."""

    column: str
    unit: str | None = None
    """Of the latest one, with `against`; else the two that are told."""
    against: str = "previous"
    earlier: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


class Wanted(NamedTuple):
    what: str
    """figures, ratio, difference, share, rate, rows, ask, refuse, one of the methods, or other:
    none of these words."""
    figures: tuple[Figure, ...] = ()
    columns: tuple[str | Calculated, ...] = ()
    rate: Alternatives = ()
    by: tuple[Group, ...] = ()
    where: tuple[Alternatives, ...] = ()
    having: Having | None = None
    order: Order | None = None
    chart: str | None = None
    change: "str | Beside | None" = None
    moves: str | None = None
    """up, down: only what rose or fell."""
    per: Group | None = None
    """The average of what these have each."""
    is_total: bool = False
    """What the first ones come to."""
    along: str | None = None
    """running, or so many periods that are averaged."""


def read_tables(path: Path) -> list[Table]:
    with path.open(encoding="utf-8") as file:
        return [_table(one) for one in yaml.load(file, Loader=_LOADER)]


def _table(told: Mapping[str, Any]) -> Table:
    columns = cast("Mapping[Any, str | list[Any]]", told["columns"])
    return Table(
        name=told["table"],
        columns={
            str(name): kind if isinstance(kind, str) else tuple(str(value) for value in kind)
            for name, kind in columns.items()
        },
        questions=tuple(
            Asked(str(one["q"]), str(one["r"]), tuple(map(str, one.get("before", ()))))
            for one in told["questions"]
        ),
    )


def moment_of(told: str) -> Moment:
    """2024, 2024-Q2, 2024-H1, 2024-04, 2024-04-01, or 04 alone."""
    first, *rest = told.split("-")
    if len(first) == 2:
        return Moment(month=int(first))
    year, part = int(first), rest[0] if rest else ""
    if part.startswith("Q"):
        return Moment(year, quarter=int(part[1:]))
    if part.startswith("H"):
        return Moment(year, half=int(part[1:]))
    return Moment(year, *(int(one) for one in rest))


def wanted_of(told: str, table: Table) -> Wanted:
    """Raises `NotationError`."""
    return _Notation(table).read(told)


class _Notation:
    def __init__(self, table: Table) -> None:
        self._table = table
        self._names = sorted(table.columns, key=len, reverse=True)

    def read(self, told: str) -> Wanted:
        head, *rest = (part.strip() for part in told.split(" | "))
        wanted = self._what(head)
        for part in rest:
            wanted = self._with(wanted, part)
        if wanted.what == "share" and not wanted.by:
            raise NotationError("share needs by")
        return wanted

    def _what(self, head: str) -> Wanted:
        word, _, rest = head.partition(" ")
        match word:
            case "ask" | "refuse" if not rest:
                return Wanted(word)
            case "other":
                return Wanted(word)
            case "share":
                return Wanted("share", columns=(self._operand(rest),) if rest else ())
            case "rate":
                return Wanted("rate", rate=self._alternatives(rest))
            case "rows" | _ if word in ("rows", *METHODS):
                columns = self._split(rest) if rest else ()
                read = self._operand if word == "rows" else self._column
                return Wanted(word, columns=tuple(map(read, columns)))
            case _:
                return self._two(head) or Wanted("figures", self._figures(head))

    def _with(self, wanted: Wanted, part: str) -> Wanted:
        word, _, rest = part.partition(" ")
        told: dict[str, Any]
        match word:
            case "by":
                told = {"by": tuple(self._group(one) for one in self._split(rest))}
            case "where":
                told = {"where": tuple(self._alternatives(one) for one in rest.split(" ; "))}
            case "having":
                told = {"having": self._having(rest)}
            case "desc" | "asc" | "top" | "bottom":
                told = {"order": self._order(word, rest)}
            case "chart" if rest in CHARTS:
                told = {"chart": rest}
            case "change":
                told = {"change": rest if rest in AGAINST else self._beside(rest)}
            case "up" | "down" if not rest and wanted.change:
                told = {"moves": word}
            case "per":
                told = {"per": self._group(rest)}
            case "total" if not rest and wanted.order and wanted.order.count:
                told = {"is_total": True}
            case "running" if not rest:
                told = {"along": word}
            case "rolling" if rest.isdecimal():
                told = {"along": rest}
            case _:
                raise NotationError(f"no such part: {part!r}")
        return wanted._replace(**told)

    # ---- columns ----

    def _column(self, told: str) -> str:
        name = told.strip()
        if name not in self._table.columns:
            raise NotationError(f"no column {name!r}")
        return name

    def _begun(self, told: str) -> tuple[str, str]:
        """The column that it begins with, and the rest."""
        for name in self._names:
            if told.startswith(name) and told[len(name) : len(name) + 1] in (*" ,;)(/*+-|", ""):
                return name, told[len(name) :].strip()
        raise NotationError(f"no column at the start of {told!r}")

    def _split(self, told: str) -> list[str]:
        """At commas, but for those in names and in brackets."""
        parts, depth, at = [""], 0, 0
        while at < len(told):
            begins = at == 0 or told[at - 1] in " (,"
            name = next((one for one in self._names if begins and told.startswith(one, at)), None)
            step = name or told[at]
            depth += (step == "(") - (step == ")")
            if step == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += step
            at += len(step)
        return [part.strip() for part in parts]

    # ---- figures, groups, order ----

    def _figures(self, told: str) -> tuple[Figure, ...]:
        return tuple(self._figure(one) for one in self._split(told))

    def _figure(self, told: str) -> Figure:
        if told == "count":
            return Figure("count", None)
        aggregate, _, rest = told.partition(" ")
        if aggregate not in AGGREGATES:
            raise NotationError(f"no figure {told!r}")
        rest = rest.strip()
        if rest in self._table.columns:
            return Figure(aggregate, rest)
        if not rest.startswith(("(", *(f"{unit}(" for unit in BETWEEN))):
            raise NotationError(f"no column {rest!r}")
        return Figure(aggregate, self._operand(rest))

    def _operand(self, told: str) -> str | Calculated:
        """A column, or a calculation that is the whole text."""
        found, rest = self._read_operand(told.strip())
        if rest or isinstance(found, Number):
            raise NotationError(f"no column and no calculation: {told!r}")
        return found

    def _read_operand(self, told: str) -> tuple[Operand, str]:
        """What it begins with, and what is behind."""
        found = re.match(rf"({'|'.join(BETWEEN)})\(", told)
        if found and told not in self._table.columns:
            first, rest = self._begun(told[found.end() :].strip())
            second, rest = self._begun(rest.removeprefix(",").strip())
            return Calculated(found[1], first, second), _closed(rest)
        if told.startswith("(") and not any(told.startswith(name) for name in self._names):
            made, rest = self._read_operand(told[1:].strip())
            while not rest.startswith(")"):
                sign = next((one for one in SIGNS if rest.startswith(one)), None)
                if sign is None:
                    raise NotationError(f"no sign at the start of {rest!r}")
                second, rest = self._read_operand(rest[len(sign) :].strip())
                made = Calculated(sign, made, second)
            if isinstance(made, Number):
                raise NotationError(f"nothing is calculated: {told!r}")
            return made, _closed(rest)
        if found := re.match(r"\d[\d.]*%?(?=[ )]|$)", told):
            return Number(found[0]), told[found.end() :].strip()
        return self._begun(told)

    def _two(self, told: str) -> Wanted | None:
        found = re.match(r"(.+?) ([/-]) ((?:sum|count|distinct|mean)\b.*)$", told)
        if found is None:
            return None
        try:
            both = self._figure(found[1]), self._figure(found[3])
        except NotationError:  # a sign within a column's name
            return None
        return Wanted("ratio" if found[2] == "/" else "difference", both)

    def _group(self, told: str) -> Group:
        found = re.match(r"(\w+)\((.+)\)$", told)
        if found and found[1] in UNITS and told not in self._table.columns:
            return Group(self._column(found[2]), found[1])
        if found and found[1] == "step" and told not in self._table.columns:
            column, _, width = found[2].rpartition(",")
            if not re.fullmatch(_NUMBER, width.strip()):
                raise NotationError(f"no width: {told!r}")
            return Group(self._column(column), None, width.strip())
        return Group(self._column(told), None)

    def _having(self, told: str) -> Having:
        found = re.match(rf"(.+) (>=|<=|>|<|=) ({_NUMBER}|all)$", told)
        if not found:
            raise NotationError(f"no limit on groups: {told!r}")
        return Having(self._figure(found[1].strip()), found[2], found[3])

    def _order(self, word: str, told: str) -> Order:
        found = re.search(r"(?:^| )each (.+)$", told)
        group = found[1] if found and found[1] in self._table.columns else None
        told = told[: found.start()] if found and group else told
        if word in ("desc", "asc"):
            return Order(word, column=self._operand(told) if told else None)
        count, _, column = told.strip().partition(" ")
        if not count.isdecimal():
            raise NotationError(f"{word} how many: {told!r}")
        is_figure = column.strip().split(" ")[0] in (*AGGREGATES, "count", "")
        return Order(word, int(count), None if is_figure else self._operand(column), group)

    def _beside(self, told: str) -> Beside:
        column, rest = self._begun(told)
        unit, _, against = rest.partition(" ")
        if unit in UNITS and against in AGAINST:
            return Beside(column, unit, against)
        earlier, _, later = rest.partition(" to ")
        if not (re.fullmatch(_PERIOD, earlier) and re.fullmatch(_PERIOD, later)):
            raise NotationError(f"no two periods: {told!r}")
        spans = (tuple(earlier.split("..")), tuple(later.split("..")))
        return Beside(column, earlier=spans[0], later=spans[1])

    # ---- conditions ----

    def _alternatives(self, told: str) -> Alternatives:
        return tuple(self._condition(one.strip()) for one in told.split(" or "))

    def _condition(self, told: str) -> Condition:
        if told.startswith("days(") and told not in self._table.columns:
            return self._between(told)
        if (found := re.match(r"month\((.+)\) in (\d+(?:\.\.\d+)?)$", told)) is not None:
            ends = tuple(f"{int(end):02}" for end in found[2].split(".."))
            return Condition("month", self._column(found[1]), ends)
        column, rest = self._read_operand(told)
        if not isinstance(column, str):
            return self._on_calculated(told, column, rest)
        return self._on_column(told, column, rest)

    def _on_column(self, told: str, column: str, rest: str) -> Condition:
        if rest in ("blank", "filled", "yes", "no"):
            return Condition(rest, column)
        found = re.match(r"(not in|in|contains|weekday|decade|!=|>=|<=|=|>|<)\s*(.+)$", rest)
        if not found:
            raise NotationError(f"no condition {told!r}")
        op, value = found[1], found[2].strip()
        is_calculated = value.startswith("(") and value not in self._table.columns
        if op in (*ORDERED, *EQUAL) and (is_calculated or value in self._table.columns):
            return Condition(op, column, against=self._operand(value))
        if op == "in" and self._table.kind(column) in DATED:
            if not re.fullmatch(_PERIOD, value):
                raise NotationError(f"no period {value!r}")
            return Condition(op, column, tuple(value.split("..")))
        if op in ("in", "not in", "weekday"):
            return Condition(op, column, tuple(one.strip() for one in value.split(",")))
        self._check(op, column, value)
        return Condition(op, column, (value,))

    def _on_calculated(self, told: str, operand: Operand, rest: str) -> Condition:
        found = re.match(r"(>=|<=|>|<)\s*(.+)$", rest)
        if isinstance(operand, Number) or not found:
            raise NotationError(f"no condition {told!r}")
        op, value = found[1], found[2].strip()
        if re.fullmatch(_NUMBER, value):
            return Condition(op, operand, (value,))
        return Condition(op, operand, against=self._operand(value))

    def _between(self, told: str) -> Condition:
        found = re.match(rf"days\((.+)\) (>=|<=|>|<|=) ({_NUMBER})$", told)
        if not found:
            raise NotationError(f"no limit on days: {told!r}")
        first, second = self._begun(found[1].strip())
        last = self._column(second.removeprefix(","))
        return Condition(found[2], first, (found[3],), last)

    def _check(self, op: str, column: str, value: str) -> None:
        known, kind = self._table.columns[column], self._table.kind(column)
        if op in ORDERED and kind in DATED:
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                raise NotationError(f"no date {value!r}")
        elif op in (*ORDERED, "decade") or (op in EQUAL and kind in NUMERIC):
            if not re.fullmatch(_NUMBER, value):
                raise NotationError(f"no number {value!r}")
        elif op in EQUAL and not isinstance(known, str) and value not in known:
            raise NotationError(f"{value!r} is no value of {column}")


def _closed(rest: str) -> str:
    if not rest.startswith(")"):
        raise NotationError(f"no bracket at the start of {rest!r}")
    return rest[1:].strip()
