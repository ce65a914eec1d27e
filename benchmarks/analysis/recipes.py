"""The numbers that an answer must hold, computed with plain pandas from the file itself."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from analysis.expectations import Conditions, Recipe, Rows, Test
from scipy import stats as scipy_stats

stats: Any = scipy_stats  # its stubs leave most results unknown


class Figure(NamedTuple):
    labels: tuple[tuple[str, ...], ...]
    """All stand beside the number; each in one of its spellings."""
    values: tuple[float, ...]
    """One of them: a share may be written 0.25 or 25."""


class Expected(NamedTuple):
    figures: list[Figure]
    is_ordered: bool = False
    most_rows: int | None = None
    """A table with more than the rows asked for is no answer."""
    most_cells: int | None = None


# A small whole number stands in many tables by chance; asked for alone, it stands nearly alone.
CELLS_OF_A_COUNT = 8


# ---- which rows ----


def keep(frame: pd.DataFrame, conditions: Conditions, *, any_of: bool = False) -> pd.DataFrame:
    if not conditions:
        return frame
    held = [_holds(frame, *condition) for condition in conditions]
    mask: Any = np.logical_or.reduce(held) if any_of else np.logical_and.reduce(held)
    return cast("pd.DataFrame", frame[mask])


_CONDITIONS: dict[str, Callable[[Any, Any], Any]] = {
    "is": lambda cells, value: cells == value,
    "not": lambda cells, value: cells.notna() & (cells != value),
    "over": lambda cells, value: cells > value,
    "at_least": lambda cells, value: cells >= value,
    "under": lambda cells, value: cells < value,
    "at_most": lambda cells, value: cells <= value,
    "in": lambda cells, value: cells.isin(value),
    "has": lambda cells, value: cells.str.contains(value, regex=False, na=False).astype(bool),
    "empty": lambda cells, _: cells.isna(),
}


def _holds(frame: pd.DataFrame, column: Any, op: Any, value: Any = None) -> Any:
    cells = cast("Any", frame)[column]
    if value is not None and cells.dtype.kind == "M":
        value = pd.Timestamp(value)
    return _CONDITIONS[op](cells, value)


# ---- what they are grouped by ----

WEEKDAYS = [
    ("月", "Monday"),
    ("火", "Tuesday"),
    ("水", "Wednesday"),
    ("木", "Thursday"),
    ("金", "Friday"),
    ("土", "Saturday"),
    ("日", "Sunday"),
]


def period(moment: pd.Timestamp, unit: str) -> tuple[str, ...]:
    """The period's spellings; the first sorts by time."""
    year, month = moment.year, moment.month
    quarter = (month - 1) // 3 + 1
    fiscal, fiscal_quarter = (year if month > 3 else year - 1), (month - 4) % 12 // 3 + 1
    week, monday = moment.isocalendar(), moment - pd.Timedelta(days=moment.weekday())
    ja, en = WEEKDAYS[moment.weekday()]
    return {
        "year": (f"{year}", f"{year}年"),
        "quarter": (f"{year}-Q{quarter}", f"{year}年第{quarter}四半期", f"{year}年Q{quarter}"),
        "month": (f"{year}-{month:02}", f"{year}年{month}月", f"{year}-{month:02}-01"),
        "week": (f"{week.year}-W{week.week:02}", f"{monday:%Y-%m-%d}"),
        "day": (f"{moment:%Y-%m-%d}",),
        "fiscal_year": (f"FY{fiscal}", f"{fiscal}年度", f"{fiscal}"),
        "fiscal_quarter": (f"FY{fiscal}-Q{fiscal_quarter}", f"{fiscal}年度Q{fiscal_quarter}"),
        "weekday": (str(moment.weekday() + 1), ja, f"{ja}曜", f"{ja}曜日", en, en[:3]),
    }[unit]


YES_AND_NO = {"Yes": ("True", "はい", "○"), "No": ("False", "いいえ", "×")}
STEP = "≥"
"""Before the lower end of a step: its label begins with that number, however it goes on."""


def _spellings(value: object, unit: str) -> tuple[str, ...] | None:
    if value is None or pd.isna(cast("Any", value)):
        return None
    if unit.isdecimal():
        return (f"{STEP}{int(cast('float', value) // int(unit) * int(unit)):04}",)
    if unit:
        return period(cast("pd.Timestamp", value), unit)
    if isinstance(value, float) and value.is_integer():
        return (str(int(value)),)
    return (str(value), *YES_AND_NO.get(str(value), ()))


def _grouped(frame: pd.DataFrame, group: Sequence[str]) -> dict[tuple[Any, ...], pd.DataFrame]:
    """Rows by the spellings of their group, in order; those without one are left out."""
    keys: list[tuple[tuple[str, ...] | None, ...]] = []
    columns = [entry.partition("@")[::2] for entry in group]
    for cells in zip(*(frame[name] for name, _ in columns), strict=True):
        units = [unit for _, unit in columns]
        keys.append(tuple(_spellings(cell, unit) for cell, unit in zip(cells, units, strict=True)))
    places: dict[tuple[Any, ...], list[int]] = {}
    for place, key in enumerate(keys):
        if None not in key:
            places.setdefault(key, []).append(place)
    return {key: frame.iloc[places[key]] for key in sorted(places)}


# ---- one number of some rows ----


def _outlying(cells: Any) -> float:
    low, high = cells.quantile(0.25), cells.quantile(0.75)
    reach = 1.5 * (high - low)
    return ((cells < low - reach) | (cells > high + reach)).sum()


_AGGREGATES: dict[str, Callable[[Any], float]] = {
    "count": lambda cells: cells.notna().sum(),
    "sum": lambda cells: cells.sum(),
    "mean": lambda cells: cells.mean(),
    "median": lambda cells: cells.median(),
    "min": lambda cells: cells.min(),
    "max": lambda cells: cells.max(),
    "std": lambda cells: cells.std(ddof=1),
    "q25": lambda cells: cells.quantile(0.25),
    "q75": lambda cells: cells.quantile(0.75),
    "nunique": lambda cells: cells.nunique(),
    "outliers": _outlying,
}


def _value(frame: pd.DataFrame, recipe: Recipe) -> float:
    if recipe.ratio:
        above, below = recipe.ratio
        return float(frame[above].sum() / frame[below].sum())
    if recipe.column is None:
        return len(frame)
    return float(_AGGREGATES[recipe.agg](frame[recipe.column]))


def _prepared(frame: pd.DataFrame, recipe: Recipe) -> pd.DataFrame:
    if recipe.dedup:
        frame = frame.drop_duplicates()
    for name, by in recipe.fill.items():
        frame = frame.assign(**{name: frame[name].fillna(_AGGREGATES[by](frame[name]))})
    for name, (left, op, right) in recipe.derive.items():
        a, b = frame[left], frame[right]
        made = {"plus": a + b, "minus": a - b, "times": a * b, "over": a / b}[op]
        frame = frame.assign(**{name: made})
    return frame


# ---- the whole ----


def evaluate(recipe: Recipe, table: pd.DataFrame) -> Expected:
    whole = _prepared(table, recipe)
    frame = keep(keep(whole, recipe.filter), recipe.any_of, any_of=True)
    if recipe.rows:
        return _first_rows(frame, recipe.rows)
    if recipe.each:
        labels = [str(cell) for cell in frame[recipe.each]]
        return Expected([Figure(((label,),), ()) for label in labels], most_rows=len(labels))
    if recipe.group:
        return _of_groups(frame, recipe)
    is_row_count = recipe.column is None and recipe.then is None and not _is_special(recipe)
    return Expected(
        _of_all(frame, recipe, whole), most_cells=CELLS_OF_A_COUNT if is_row_count else None
    )


def _is_special(recipe: Recipe) -> bool:
    ways = (recipe.missing, recipe.overview, recipe.correlation, recipe.test, recipe.ratio)
    return any(ways) or recipe.agg == "duplicates"


def _of_all(frame: pd.DataFrame, recipe: Recipe, whole: pd.DataFrame) -> list[Figure]:
    if recipe.missing:
        return [Figure(((name,),), (float(frame[name].isna().sum()),)) for name in recipe.missing]
    if recipe.overview:
        return [Figure((), (float(count),)) for count in whole.shape]
    if recipe.correlation:
        a, b = recipe.correlation
        return [Figure(((a,), (b,)), (float(cast("Any", frame[a]).corr(frame[b])),))]
    if recipe.test:
        values = _p_values(frame, recipe.test)
    elif recipe.agg == "duplicates":
        on = [recipe.column] if recipe.column else None
        values = (float(frame.duplicated(on).sum()), float(frame.duplicated(on, keep=False).sum()))
    elif recipe.then == "part":
        known = int(cast("Any", whole)[recipe.filter[0][0]].notna().sum())
        values = _percent(len(frame) / len(whole), len(frame) / known)
    else:
        values = (_value(frame, recipe),)
    return [Figure((), values)]


def _of_groups(frame: pd.DataFrame, recipe: Recipe) -> Expected:
    values = {key: _value(rows, recipe) for key, rows in _grouped(frame, recipe.group).items()}
    if recipe.then == "mean":
        return Expected([Figure((), (sum(values.values()) / len(values),))])
    if recipe.then == "mean_by_first":
        firsts = sorted({key[0] for key in values})
        parts = {first: [v for key, v in values.items() if key[0] == first] for first in firsts}
        return Expected(
            [Figure((first,), (sum(part) / len(part),)) for first, part in parts.items()]
        )
    if recipe.order:
        is_falling = recipe.order == "desc"
        values = dict(sorted(values.items(), key=lambda item: item[1], reverse=is_falling))
    figures = _then(values, recipe)
    if recipe.only:
        figures = [
            figure for figure in figures if any(recipe.only in label for label in figure.labels)
        ]
    most = recipe.top if recipe.top and recipe.top > 1 else None
    return Expected(figures[: recipe.top], is_ordered=recipe.order is not None, most_rows=most)


def _then(values: dict[tuple[Any, ...], float], recipe: Recipe) -> list[Figure]:
    figures: list[Figure] = []
    so_far = 0.0
    all_values = list(values.values())
    total = sum(all_values)
    for number, (key, value) in enumerate(values.items()):
        so_far += value
        match recipe.then:
            case "share":
                if recipe.within:
                    place = recipe.group.index(recipe.within)
                    total = sum(v for other, v in values.items() if other[place] == key[place])
                figures.append(Figure(key, _percent(value / total)))
            case "cumulative":
                figures.append(Figure(key, (so_far,)))
            case "cumulative_share":
                figures.append(Figure(key, _percent(so_far / total)))
            case "growth":
                if number >= recipe.periods:
                    rate = value / all_values[number - recipe.periods] - 1
                    figures.append(Figure(key, _percent(rate, rate + 1)))
            case _:
                figures.append(Figure(key, (value,)))
    return [figure for figure in figures if not any(pd.isna(value) for value in figure.values)]


def _percent(*shares: float) -> tuple[float, ...]:
    return tuple(float(written) for share in shares for written in (share, share * 100))


def _first_rows(frame: pd.DataFrame, rows: Rows) -> Expected:
    chosen = frame.sort_values(rows.by, ascending=rows.order == "asc", kind="stable").head(rows.n)
    others = [name for name in rows.show if name != rows.by]
    figures = [
        Figure(tuple((str(row[name]),) for name in others), (float(row[rows.by]),))
        for _, row in chosen.iterrows()
    ]
    return Expected(figures, is_ordered=True, most_rows=rows.n if rows.n > 1 else None)


def _p_values(frame: pd.DataFrame, test: Test) -> tuple[float, ...]:
    """Of each test that a statistician could have taken here."""
    if not pd.api.types.is_numeric_dtype(frame[test.value]):
        return (
            float(stats.chi2_contingency(pd.crosstab(frame[test.value], frame[test.group]))[1]),
        )
    names: Any = test.groups or sorted(frame[test.group].dropna().unique())
    samples = [frame.loc[frame[test.group] == name, test.value].dropna() for name in names]
    if len(samples) > 2:
        return (float(stats.f_oneway(*samples)[1]), float(stats.kruskal(*samples)[1]))
    return (
        float(stats.ttest_ind(*samples, equal_var=False)[1]),
        float(stats.ttest_ind(*samples)[1]),
        float(stats.mannwhitneyu(*samples)[1]),
    )
