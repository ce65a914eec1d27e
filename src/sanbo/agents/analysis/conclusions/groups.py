"""What groups and periods say: the largest, the smallest, the course."""

from collections.abc import Sequence

from sanbo.agents.analysis.conclusions.reading import (
    Named,
    Reading,
    holders,
    largest,
    short,
    smallest,
)
from sanbo.agents.analysis.conclusions.scope import Scope
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.words import Aggregate, Metrics, TimeUnit
from sanbo.kernel.messages import current_language, tell

LISTED = 5
"""Rows that are named one by one."""
MOST_METRICS = 3
_MANY: frozenset[str] = frozenset({"sum", "count", "nunique"})
_WIDE: frozenset[str] = frozenset({"std", "var"})
_OWN_COUNTERS = ("店舗", "地域", "部門", "支店", "拠点", "都市", "都道府県", "品目", "部署")
_OWN_WORDS = ("性別", "種別", "類別", "区別", "識別", "個別", "選別")
"""That end in 別 by themselves; in 地域別 it says already that it is by 地域."""
_CYCLES: frozenset[TimeUnit] = frozenset(
    {"month_of_year", "day_of_month", "weekday", "hour_of_day"}
)


def metric_pairs(metrics: Metrics) -> list[tuple[str, Aggregate]]:
    return [(column, one) for column, kinds in metrics.items() for one in dict.fromkeys(kinds)]


def measure(column: str, aggregate: Aggregate) -> str:
    """売上の合計."""
    return tell(f"analysis_conclusion.measure.{aggregate}", column=short(column))


def by_groups(by: str, what: str) -> str:
    """店舗別の売上; 性別ごとの売上 and 地域別の売上, never 性別別."""
    kind = "by"
    if by.endswith("別"):
        kind = "by_each" if by.endswith(_OWN_WORDS) else "by_named"
    return tell(f"analysis_conclusion.{kind}", by=by, what=what)


def degree(aggregate: str | None) -> str:
    """Sums are many or few, averages high or low, spreads wide or narrow."""
    if aggregate is None or aggregate in _MANY:
        return "many"
    return "wide" if aggregate in _WIDE else "high"


def groupby_agg(spec: GroupbyAgg, reading: Reading, scope: Scope) -> list[str]:
    pairs = metric_pairs(spec.metrics)
    keys = list(range(len(dict.fromkeys(spec.group_cols))))
    first = len(keys)
    if not keys:
        return [_whole(pairs, reading, scope)]
    by = tell("analysis_conclusion.key_separator").join(reading.label(place) for place in keys)
    said: list[str] = []
    for place in range(first, min(len(reading.names), first + MOST_METRICS)):
        column, aggregate = pairs[place - first] if pairs else ("", None)
        what = measure(column, aggregate) if aggregate else tell("analysis_conclusion.row_count")
        rows = reading.named(place, keys)
        if not rows:
            kind = "no_values" if all(one is None for one in reading.cells(place)) else "in_table"
            said.append(tell(f"analysis_conclusion.{kind}", what=reading.label(place)))
            continue
        subject = by_groups(by, scope.about(what))
        sorted_by = _sorted_by(spec, reading, place)
        if spec.top_k is not None and place == first:
            said.append(_listed(subject, rows, reading, ascending=sorted_by is True))
        else:
            said.append(
                extremes(subject, rows, reading, how=degree(aggregate), ascending=sorted_by, by=by)
            )
    return said


def _whole(pairs: Sequence[tuple[str, Aggregate]], reading: Reading, scope: Scope) -> str:
    row = reading.rows[0] if reading.rows else ()
    said = [
        tell(
            "analysis_conclusion.is",
            what=measure(*pairs[place]) if pairs else tell("analysis_conclusion.row_count"),
            value=reading.value(place, cell) or tell("analysis_conclusion.nothing"),
        )
        for place, cell in enumerate(row[: 2 * MOST_METRICS])
    ]
    return tell(
        "analysis_conclusion.are", what=scope.about(tell("analysis_conclusion.comma").join(said))
    )


def _sorted_by(spec: GroupbyAgg | Resample, reading: Reading, place: int) -> bool | None:
    """Whether ascending; None where the rows are in no order of this column."""
    first_metric = _keys(spec)
    if spec.sort is None:
        return False if spec.top_k is not None and place == first_metric else None
    name = reading.names[place]
    is_it = spec.sort.by == name or (place == first_metric and name.startswith(f"{spec.sort.by}_"))
    return spec.sort.ascending if is_it else None


def _keys(spec: GroupbyAgg | Resample) -> int:
    if isinstance(spec, GroupbyAgg):
        return len(dict.fromkeys(spec.group_cols))
    return 1 + len([name for name in dict.fromkeys(spec.by) if name != spec.date_col])


def _listed(subject: str, rows: Sequence[Named], reading: Reading, *, ascending: bool) -> str:
    """The first ones, as they were asked for."""
    shown = rows[:LISTED]
    items = tell("analysis_conclusion.comma").join(
        tell("analysis_conclusion.item", name=row.name, value=row.value) for row in shown
    )
    kind = "bottom" if ascending else "top"
    if len(shown) == len(rows) == reading.table.row_count:
        return tell(f"analysis_conclusion.listed.{kind}", what=subject, items=items)
    return tell(
        f"analysis_conclusion.listed.{kind}_first", what=subject, items=items, count=len(shown)
    )


def extremes(
    subject: str,
    rows: Sequence[Named],
    reading: Reading,
    *,
    how: str,
    ascending: bool | None = None,
    by: str = "",
) -> str:
    """Largest and smallest; of a table that is cut only the end that is surely in it."""
    blank = tell("analysis_conclusion.blank")
    is_pure = all(row.name != blank for row in rows)  # （空欄） is no store
    count = counted(reading.table.row_count, by if is_pure else "")
    if reading.table.is_cut:
        if ascending is None:
            return tell("analysis_conclusion.many_groups", what=subject, count=count)
        end = rows[0]
        names = holders(rows, end.number)
        kind = f"{how}_least" if ascending else f"{how}_most"
        return tell(
            f"analysis_conclusion.one_end.{kind}",
            what=subject, name=names, value=end.value, count=count,
        )  # fmt: skip
    if len(rows) == 1:
        return tell(
            "analysis_conclusion.only", what=subject, name=rows[0].name, value=rows[0].value
        )
    top, bottom = largest(rows), smallest(rows)
    if top.number == bottom.number:
        return tell("analysis_conclusion.all_equal", what=subject, value=top.value, count=count)
    return tell(
        f"analysis_conclusion.extremes.{how}",
        what=subject,
        top=holders(rows, top.number),
        top_value=top.value,
        bottom=holders(rows, bottom.number),
        bottom_value=bottom.value,
        count=count,
    )


def counted(count: int, by: str) -> str:
    """全4店舗, all 4 groups."""
    own = next((word for word in _OWN_COUNTERS if by.endswith(word)), None)
    if own and current_language() == "ja":
        return tell("analysis_conclusion.count_own", count=f"{count:,}", counter=own)
    return tell("analysis_conclusion.count", count=f"{count:,}")


# ---- by time ----


def resample(spec: Resample, reading: Reading, scope: Scope) -> list[str]:
    pairs = metric_pairs(spec.metrics)
    first = _keys(spec)
    keys = list(range(first))
    unit = tell(f"analysis_conclusion.unit.{spec.unit}")
    by = tell("analysis_conclusion.key_separator").join(
        [unit, *(reading.label(place) for place in keys[1:])]
    )
    said: list[str] = []
    for place in range(first, min(len(reading.names), first + MOST_METRICS)):
        column, aggregate = pairs[place - first] if pairs else ("", None)
        what = measure(column, aggregate) if aggregate else tell("analysis_conclusion.row_count")
        rows = reading.named(place, keys, is_time=True)
        if not rows:
            kind = "no_values" if all(one is None for one in reading.cells(place)) else "in_table"
            said.append(tell(f"analysis_conclusion.{kind}", what=reading.label(place)))
            continue
        subject = by_groups(by, scope.about(what))
        ascending = _sorted_by(spec, reading, place)
        how = degree(aggregate)
        if spec.top_k is not None and place == first and ascending is not None:
            said.append(_listed(subject, rows, reading, ascending=ascending))
            continue
        if is_course(spec, first, len(rows), reading):
            said += course(subject, rows, how)
        else:
            said.append(extremes(subject, rows, reading, how=how, ascending=ascending))
    return said


def is_course(spec: Resample, keys: int, rows: int, reading: Reading) -> bool:
    """Whether the rows follow each other in time, all of them."""
    in_time = keys == 1 and spec.sort is None and spec.unit not in _CYCLES
    return in_time and not reading.table.is_cut and rows > 1


def course(subject: str, rows: Sequence[Named], how: str) -> list[str]:
    """From the first to the last, then the highest and the lowest on the way."""
    start, end = rows[0], rows[-1]
    moved = "same" if start.number == end.number else "up" if start.number < end.number else "down"
    said = [
        tell(
            f"analysis_conclusion.course.{moved}",
            what=subject,
            first=start.name,
            first_value=start.value,
            last=end.name,
            last_value=end.value,
        )
    ]
    top, bottom = largest(rows), smallest(rows)
    if top.number != bottom.number:
        said.append(
            tell(
                f"analysis_conclusion.peak.{how}",
                top=holders(rows, top.number),
                top_value=top.value,
                bottom=holders(rows, bottom.number),
                bottom_value=bottom.value,
            )
        )
    return said
