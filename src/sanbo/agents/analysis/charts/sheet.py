"""The sheet a chart is drawn on: columns of its table as Vega's fields, axes, legends, panels.

Fields are called c0, c1 …: a name from a table becomes text to be shown, and nothing else.

Numbers along an axis: in 万 or 億, as fine as needed, as a reader expects.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sanbo.agents.analysis.charts.kind import Plot
from sanbo.agents.analysis.outcome import CellKind, JsonCell, ResultTable, Vega
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import current_language, tell
from sanbo.language.moments import MONTHS

# From ten of them on: 15 万 reads better than 150,000, but 1.5 億 not better than 15,000 万.
_LARGE_JA = ((1e13, 1e12, "cho"), (1e9, 1e8, "oku"), (1e5, 1e4, "man"))
_LARGE_EN = ((2e12, 1e12, "trillion"), (2e9, 1e9, "billion"), (2e6, 1e6, "million"))
_COUNTS_IN_LARGE = re.compile(r"^(?:[十百千万億兆]|thousand|million|billion|k|m|bn)", re.IGNORECASE)
_YEAR = re.compile(r"年|year|fy", re.IGNORECASE)
_UNIT_WORDS = {"円": "yen", "千円": "thousand_yen", "百万円": "million_yen"}
_SMALLEST_WRITTEN_OUT, _LARGEST_WRITTEN_OUT = 1e-6, 1e15


@dataclass(frozen=True)
class Scale:
    """What a value is divided by to be shown, and the unit it then has."""

    divisor: float = 1.0
    unit: str = ""
    is_grouped: bool = True
    """Thousands are separated; years are not."""

    def written(self, value: float) -> str:
        """1,234,567円."""
        number = value / self.divisor
        if number and not _SMALLEST_WRITTEN_OUT <= abs(number) < _LARGEST_WRITTEN_OUT:
            text = f"{number:.4g}"
        else:
            text = f"{number:,.{_decimals(number)}f}"
            text = text if self.is_grouped else text.replace(",", "")
        # Words in Latin letters stand after a space, 円 and % right after the number.
        is_word = self.unit[:1].isascii() and self.unit[:1].isalpha()
        return f"{text} {self.unit}" if is_word else f"{text}{self.unit}"


def scale_for(values: Iterable[float], kind: CellKind, unit: str, name: str = "") -> Scale:
    """For all of these values, which stand along one axis."""
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    if kind == "share":
        return Scale(0.01, "%")
    is_year = kind == "integer" and _YEAR.search(name) and min(finite, default=0) >= 1000
    if is_year and largest < 3000:
        return Scale(is_grouped=False)
    shown = shown_unit(unit)
    if unit == "%" or _COUNTS_IN_LARGE.match(shown):
        return Scale(unit=shown)
    for least, divisor, word in _LARGE_JA if current_language() == "ja" else _LARGE_EN:
        if largest >= least:
            return Scale(divisor, tell(f"chart.large.{word}", unit=shown).strip())
    return Scale(unit=shown)


def exact(value: float, kind: CellKind, unit: str) -> str:
    """A single value in words: 1,234,567円, 12.5%."""
    scale = Scale(0.01, "%") if kind == "share" else Scale(unit=shown_unit(unit))
    return scale.written(value)


def shown_unit(unit: str) -> str:
    """Units of money by their word where English is read."""
    if current_language() == "en" and unit in _UNIT_WORDS:
        return tell(f"chart.unit_word.{_UNIT_WORDS[unit]}")
    return unit


def _decimals(number: float) -> int:
    """Whole and large numbers have none, others about four digits that count."""
    size = abs(number)
    if size >= 1000 or math.isclose(number, round(number), abs_tol=1e-12):
        return 0
    places = min(max(3 - math.floor(math.log10(size)), 1), 10)
    return len(f"{number:.{places}f}".rstrip("0").partition(".")[2])


SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""What the spec is written in; a name, which nothing fetches."""
WIDTH, HEIGHT = 680, 380
PANEL_WIDTH, PANEL_HEIGHT = 250, 170
_LONGEST_NAME = 300
_LETTER = 6.5
"""Pixels of a half-width letter on an axis."""
_MOST_LEVEL = 16
"""Names below an axis that are not turned, if they fit."""
_MOST_TURNED = 24
"""Periods whose names are all there, if need be turned."""
_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
_PERIOD = re.compile(r"(?:FY)?\d{4}(?:-(?:\d{2}|[HQ]\d|W\d{2}))?(?:-\d{2}[ \d:]*)?", re.ASCII)
_TIMES: tuple[tuple[float, str, str, str | None], ...] = (
    (3 * 366, "%Y年", "%Y", "year"),
    (90, "%Y年%-m月", "%b %Y", "month"),
    (2, "%Y年%-m月%-d日", "%b %-d, %Y", None),
    (0, "%-m月%-d日 %H:%M", "%b %-d %H:%M", None),
)
"""From so many days on: the form of a date in Japanese and in English, and what ticks stand at."""


def cell_name(cell: JsonCell, kind: str = "text") -> str:
    """A value as a person reads it below an axis: 2025年4月, はい, （空欄）."""
    if cell is None:
        return tell("analysis_result.blank")
    if isinstance(cell, bool):
        return tell("analysis_report.yes" if cell else "analysis_report.no")
    if isinstance(cell, int | float):
        return f"{cell * 100:.6g}%" if kind == "share" else f"{cell:.10g}"
    if (month := _MONTH.fullmatch(cell)) and current_language() == "ja":
        return tell("chart.month", year=month[1], month=int(month[2]))
    return one_line(cell, _LONGEST_NAME)


def letters(text: str) -> int:
    """In half-width ones: 売上 is 4 wide, ABC is 3."""
    return sum(2 if unicodedata.east_asian_width(each) in "WFA" else 1 for each in text)


class Sheet:
    """Of one chart: `place(role)` finds a column, the other methods encode it."""

    def __init__(self, spec: Plot, table: ResultTable) -> None:
        self.spec = spec
        self.table = table
        self.roles = list(spec.groups())
        self.value = len(self.roles)
        """The column of what is measured: the first after those that tell marks apart."""
        self._shown: dict[int, list[Any]] = {}
        self._added: dict[str, list[Any]] = {}

    @property
    def is_single(self) -> bool:
        return "facet" not in self.roles

    def place(self, role: str) -> int | None:
        return self.roles.index(role) if role in self.roles else None

    def cells(self, place: int) -> list[JsonCell]:
        return [row[place] for row in self.table.rows]

    def numbers(self, place: int) -> list[float]:
        found = (cell for cell in self.cells(place) if isinstance(cell, int | float))
        return [float(cell) for cell in found]

    # ---- names -----------------------------------------------------------------------------

    def names(self, place: int) -> list[str]:
        """The different ones of a column, in the order of the table; no two look the same."""
        kind = self.table.columns[place].kind
        shown: dict[JsonCell, str] = {}
        taken: set[str] = set()
        for cell in self.cells(place):
            if cell not in shown:
                name, number = self._name(place, cell, kind) or " ", 1
                while (unique := name if number == 1 else f"{name} ({number})") in taken:
                    number += 1
                shown[cell] = unique
                taken.add(unique)
        self._shown[place] = [shown[cell] for cell in self.cells(place)]
        return list(shown.values())

    def _name(self, place: int, cell: JsonCell, kind: str) -> str:
        """Of a place in a cycle: 4月, 9時."""
        unit = getattr(self.spec, f"{self.roles[place]}_unit", None)
        if not isinstance(cell, int) or unit not in (
            "month_of_year",
            "day_of_month",
            "hour_of_day",
        ):
            return cell_name(cell, kind)
        if unit == "month_of_year":
            return tell(f"analysis_result.month.{MONTHS[cell - 1]}")
        if unit == "day_of_month":
            return tell("analysis_result.day_of_month", day=cell)
        return tell("analysis_result.hour_of_day", hour=cell)

    def is_period(self, place: int) -> bool:
        """Whether its values have an order of their own, such as time has."""
        if self.table.columns[place].kind != "text":
            return True
        cells = self.cells(place)
        unit = getattr(self.spec, "x_unit", None)
        return unit is not None or all(_PERIOD.fullmatch(str(cell)) for cell in cells)

    def fits(self, names: list[str], width: int = WIDTH) -> bool:
        longest = max(map(letters, names), default=0) + 2
        return longest * len(names) * _LETTER <= width

    def nominal(self, place: int, **more: Any) -> Vega:
        """Places with names, evenly apart."""
        names = self.names(place)
        width = WIDTH if self.is_single else PANEL_WIDTH
        is_level = len(names) <= _MOST_LEVEL and self.fits(names, width)
        may_skip = len(names) > _MOST_TURNED and self.is_period(place)
        axis: Vega = {"labelAngle": 0 if is_level else -40, "labelOverlap": may_skip}
        return self._encoded(place, "nominal", axis=axis, sort=names, **more)

    def down(self, place: int) -> Vega:
        """Names down the side, below the name of their column."""
        title = {"titleAngle": 0, "titleAlign": "right", "titleX": -6, "titleY": -8}
        axis = {**title, "titleBaseline": "bottom", "labelLimit": 320}
        return self._encoded(place, "nominal", axis=axis, sort=self.names(place))

    def colour(self, place: int, names: list[str] | None = None) -> Vega:
        scale = {"domain": names or self.names(place)}
        return self._encoded(place, "nominal", scale=scale, legend={"symbolOpacity": 1})

    # ---- numbers and moments ---------------------------------------------------------------

    def scale(self, place: int) -> Scale:
        column = self.table.columns[place]
        return scale_for(self.numbers(place), column.kind, column.unit, column.label)

    def number(self, place: int, *, title: str | None = None, **more: Any) -> Vega:
        """With its ticks in 万 or 億 where that reads better, which the title says."""
        scale = self.scale(place)
        axis = {"labelExpr": _ticks(scale), "labelOverlap": True, "tickCount": 6}
        told = _with_unit(title or self.title(place), scale.unit)
        return self._encoded(place, "quantitative", title=told, axis=axis, **more)

    def shade(self, place: int, **more: Any) -> Vega:
        """A number as a colour or a size, which a legend explains."""
        scale = self.scale(place)
        title = _with_unit(self.title(place), scale.unit)
        legend = {"labelExpr": _ticks(scale, ".4~r")}
        return self._encoded(place, "quantitative", title=title, legend=legend, **more)

    def moment(self, place: int, **more: Any) -> Vega:
        """As local times: a day without a time would be read as one of Greenwich."""
        cells = [str(cell).replace(" ", "T") for cell in self.cells(place)]
        self._shown[place] = [cell if "T" in cell else f"{cell}T00:00:00" for cell in cells]
        found = [datetime.fromisoformat(cell) for cell in self._shown[place]]
        days = (max(found) - min(found)).days if found else 0
        _, japanese, english, interval = next(each for each in _TIMES if days >= each[0])
        axis: Vega = {"format": japanese if current_language() == "ja" else english}
        if interval and days < 20 * 366:
            axis["tickCount"] = interval
        axis["labelOverlap"] = True
        return self._encoded(place, "temporal", axis=axis, **more)

    def along(self, place: int, *, most_named: int = 12) -> Vega:
        """What a line runs along: time, numbers, or names in their order."""
        kind = self.table.columns[place].kind
        cells = self.cells(place)
        if kind in ("date", "datetime") and None not in cells:
            return self.moment(place)
        is_number = kind in ("integer", "number", "share") and None not in cells
        if is_number and len(set(cells)) > most_named:
            return self.number(place, scale={"zero": False})
        return self.nominal(place)

    def written(self, place: int) -> Vega:
        """The numbers themselves, as text beside their marks."""
        scale = self.scale(place)
        sizes = [abs(value / scale.divisor) for value in self.numbers(place)]
        largest = max(sizes, default=0)
        digits = 0 if largest >= 1000 or all(size == int(size) for size in sizes) else 1
        digits = digits + 1 if digits and largest < 10 else digits
        end = "%" if scale.unit == "%" else ""
        texts = [
            f"{cell / scale.divisor:,.{digits}f}{end}" if isinstance(cell, int | float) else ""
            for cell in self.cells(place)
        ]
        return {"field": self.added("text", texts), "type": "nominal"}

    def added(self, name: str, values: Iterable[Any]) -> str:
        """A field beside those of the table: what is written, and in which order."""
        self._added[name] = list(values)
        return name

    def show(self, place: int, names: list[str]) -> None:
        """Other names for a column's cells, row by row."""
        self._shown[place] = names

    def stacked(self, place: int) -> Vega:
        """On each other in the order of their names, from below, or clockwise from above."""
        names = {name: number for number, name in enumerate(self.names(place))}
        order = [names[name] for name in self._shown[place]]
        return {"field": self.added("order", order), "type": "quantitative"}

    # ---- the whole -------------------------------------------------------------------------

    def title(self, place: int) -> str:
        return one_line(self.table.columns[place].label, _LONGEST_NAME)

    def tooltip(self) -> list[Vega]:
        """Everything that the table says of a mark."""
        return [self._told(place) for place in range(len(self.table.columns))]

    def chart(self, view: Mapping[str, Any], **sizes: Any) -> Vega:
        """With its data and title; one panel for each value of `facet`."""
        facet = self.place("facet")
        names = [] if facet is None else self.names(facet)
        width, height = (WIDTH, HEIGHT) if facet is None else (PANEL_WIDTH, PANEL_HEIGHT)
        drawn = {"width": width, "height": height, **sizes, **view}
        whole: Vega = {
            "$schema": SCHEMA,
            "title": {"text": one_line(self.table.title, _LONGEST_NAME)},
            "data": {"values": self._values()},
        }
        if facet is None:
            return {**whole, **drawn}
        panels = self._encoded(facet, "nominal", sort=names, header={"title": None})
        columns = {1: 1, 2: 2, 4: 2}.get(len(names), 3)
        return {**whole, "facet": panels, "columns": columns, "spec": drawn}

    def _values(self) -> list[Vega]:
        columns = [
            self._shown.get(place, self.cells(place)) for place in range(len(self.table.columns))
        ]
        keys = [*(f"c{place}" for place in range(len(columns))), *self._added]
        rows = zip(*columns, *self._added.values(), strict=True)
        return [dict(zip(keys, map(_plain, row), strict=True)) for row in rows]

    def _told(self, place: int) -> Vega:
        column = self.table.columns[place]
        told = self._encoded(place, "nominal", title=_with_unit(self.title(place), column.unit))
        forms = {"integer": ",d", "number": ",.6~f", "share": ".1%"}
        if place not in self._shown and column.kind in forms:
            told |= {"type": "quantitative", "format": forms[column.kind]}
        return told

    def _encoded(self, place: int, kind: str, **more: Any) -> Vega:
        return {"field": f"c{place}", "type": kind, "title": self.title(place), **more}


def _ticks(scale: Scale, digits: str = ".10~g") -> str:
    """Made of numbers of our own alone."""
    divided = "datum.value" if scale.divisor == 1 else f"datum.value / {scale.divisor:g}"
    return f"format({divided}, '{',' if scale.is_grouped else ''}{digits}')"


def _with_unit(text: str, unit: str) -> str:
    """売上（万円）, 売上（合計・万円）."""
    for end, mark in (("）", "・"), (")", ", ")):
        if unit and text.endswith(end):
            return text if unit in text else f"{text[:-1]}{mark}{unit}{end}"
    return tell("chart.with_unit", text=text, unit=unit) if unit else text


def _plain(cell: JsonCell) -> JsonCell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
