"""What groups, charts and columns made of groups say: the largest, the smallest, the course."""

from collections.abc import Mapping, Sequence

from sanbo.agents.analysis.conclusions.tables import (
    Named,
    Reading,
    Scope,
    holders,
    largest,
    short,
    smallest,
)
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.plots import Aggregated, Line, PlotSpec
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


PREPARING = (op.Derive, op.Cast, op.Impute, op.Dedup)
"""Steps that only make another table."""


def finding_before(result: ResultView, by_id: Mapping[str, ResultView]) -> ResultView | None:
    """The nearest result that says something itself; None where there is only the dataset."""
    seen: set[str] = set()
    current: ResultView | None = result
    while current is not None and isinstance(current.spec, PREPARING):
        if current.result_id in seen:
            return None
        seen.add(current.result_id)
        current = by_id.get(current.spec.input)
    return current


def derived(
    spec: op.Derive, source: op.AnalysisSpec | PlotSpec, reading: Reading, scope: Scope
) -> list[str]:
    """Nothing, where it was not computed from groups, or is no number."""
    if isinstance(source, op.GroupbyAgg):
        names = list(dict.fromkeys(source.group_cols))
    elif isinstance(source, op.Resample):
        names = list(dict.fromkeys((source.date_col, *source.by)))
    else:
        return []
    keys = [at for name in names if (at := reading.position(name)) is not None]
    place = reading.position(spec.name)
    if place is None or place in keys or len(keys) < len(names):
        return []
    is_time = isinstance(source, op.Resample)
    rows = reading.named(place, keys, is_time=is_time)
    if not rows:
        return []
    what = short(spec.name)
    if not keys:
        said = tell("analysis_conclusion.is", what=what, value=rows[0].value)
        return [tell("analysis_conclusion.are", what=scope.about(said))]
    labels = [reading.label(at) for at in keys]
    if isinstance(source, op.Resample):
        labels[0] = tell(f"analysis_conclusion.unit.{source.unit}")
    by = tell("analysis_conclusion.key_separator").join(labels)
    subject = by_groups(by, scope.about(what))
    how = "high" if getattr(spec.expression, "fn", "") == "divide" else "wide"
    if isinstance(source, op.Resample) and is_course(source, len(keys), len(rows), reading):
        return course(subject, rows, how)
    return [extremes(subject, rows, reading, how=how, by="" if is_time else by)]


def drawn(titles: tuple[str, ...]) -> list[str]:
    return [tell("analysis_conclusion.drawn", title=short(title)) for title in titles]


def chart(spec: PlotSpec, reading: Reading, scope: Scope) -> list[str]:
    """Of charts that put rows together; a histogram or a scatter is for the eye."""
    if not isinstance(spec, Aggregated) or len(reading.names) < 2:
        return []
    place = len(reading.names) - 1
    keys = list(range(place))
    rows = reading.named(place, keys, is_time=spec.x_unit is not None)
    if not rows:
        return []
    subject = scope.about(reading.label(place))
    how = degree(spec.agg or ("sum" if spec.y else None))
    is_time = spec.x_unit is not None or reading.column(0).kind in ("date", "datetime")
    if isinstance(spec, Line) and is_time and len(keys) == 1 and len(rows) > 1:
        return [] if reading.table.is_cut else course(subject, rows, how)
    by = tell("analysis_conclusion.key_separator").join(reading.label(at) for at in keys)
    subject = by_groups(by, subject)
    return [extremes(subject, rows, reading, how=how, by=by)]
