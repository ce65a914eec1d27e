"""What a chart says in words: titles, axis labels, and what it shows for those who can't see it."""

from collections.abc import Sequence

import numpy as np

from sanbo.agents.analysis.charts.grouped import Cube, Grouped
from sanbo.agents.analysis.charts.look import one_line, shortened
from sanbo.agents.analysis.charts.measures import Measure, bare_name
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import current_language, tell


def by_words(
    x: str | None, unit: TimeUnit | None, color: str | None = None, facet: str | None = None
) -> str:
    """月別・店舗別, or “month and store”."""
    axis = None
    if x is not None:
        axis = tell(f"chart.time_by.{unit}") if unit else _by_column(x)
    others = [
        _by_column(name) for name in dict.fromkeys((facet, color)) if name is not None and name != x
    ]
    return tell("chart.and").join([*([axis] if axis else []), *others])


def _by_column(name: str) -> str:
    """店舗別, but 性別 as it is."""
    return name if name.endswith("別") else tell("chart.by_column", column=name)


def aggregated_title(measure: Measure, by: str, family: str) -> str:
    match family:
        case "line":
            return tell("chart.title.line", what=measure.label, by=by)
        case "pie" | "share":
            return tell("chart.title.share", what=measure.label, by=by)
        case _:
            return tell("chart.title.bar", what=measure.label, by=by)


def distribution_title(column: str, unit: str, by: str) -> str:
    what = bare_name(column, unit)
    if by:
        return tell("chart.title.distribution_by", what=what, by=by)
    return tell("chart.title.distribution", what=what)


def axis_name(column: str, unit: TimeUnit | None) -> str:
    """日付（月）."""
    if unit is None:
        return column
    return tell("chart.with_unit", text=column, unit=tell(f"chart.time_word.{unit}"))


_MOST_NAMES = 8
_NAME_WIDTH = 60


def aggregated_alt(family: str, title: str, grouped: Grouped) -> str:
    """The kind of chart, how much is in it, its ends."""
    parts = [tell("chart.alt.head", kind=tell(f"chart.kind.{family}"), title=title)]
    parts.append(tell("chart.alt.places", column=grouped.x.column, count=len(grouped.x)))
    for levels in (grouped.color, grouped.facet):
        if levels.column and levels.column != grouped.x.column:
            parts.append(tell("chart.alt.split", column=levels.column, names=_names(levels.labels)))
    values = _without_rest(grouped)
    highest, lowest = int(np.nanargmax(values)), int(np.nanargmin(values))
    if np.isfinite(values).sum() == 1:
        parts.append(tell("chart.alt.only", at=_where(grouped, highest)))
    elif values.flat[highest] == values.flat[lowest]:
        parts.append(tell("chart.alt.all", value=grouped.measure.exact(values.flat[highest])))
    else:
        parts.append(tell("chart.alt.highest", at=_where(grouped, highest)))
        parts.append(tell("chart.alt.lowest", at=_where(grouped, lowest)))
    return sentences(parts)


def _without_rest(grouped: Grouped) -> Cube:
    """その他 is no single thing that could be the largest."""
    values = grouped.values.copy()
    if grouped.x.has_rest:
        values[:, :, -1] = np.nan
    if grouped.color.has_rest:
        values[:, -1, :] = np.nan
    return values if np.isfinite(values).any() else grouped.values


def sentences(parts: Sequence[str]) -> str:
    return ("" if current_language() == "ja" else " ").join(parts)


def _names(labels: tuple[str, ...]) -> str:
    shown = listed([_name(label) for label in labels[:_MOST_NAMES]])
    more = len(labels) - _MOST_NAMES
    return tell("chart.alt.and_more", names=shown, count=more) if more > 0 else shown


def _name(label: str) -> str:
    return shortened(one_line(label), _NAME_WIDTH)


def _where(grouped: Grouped, flat: int) -> str:
    """新宿店（家電）が1,234円."""
    panel, colour, place = np.unravel_index(flat, grouped.values.shape)
    names = [_name(grouped.x.labels[int(place)])]
    if grouped.color.column and grouped.color.column != grouped.x.column:
        names.append(_name(grouped.color.labels[int(colour)]))
    if grouped.facet.column and grouped.facet.column != grouped.x.column:
        names.append(_name(grouped.facet.labels[int(panel)]))
    value = grouped.measure.exact(float(grouped.values.flat[flat]))
    return tell("chart.alt.value_at", name=listed(names), value=value)
