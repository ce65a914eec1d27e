"""What a chart says in words: its title, and what it shows for those who can't see it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.kind import Plot
from sanbo.agents.analysis.charts.scales import exact
from sanbo.agents.analysis.charts.sheet import cell_name
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.outcome import JsonCell, ResultTable
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import current_language, tell

_MOST_NAMES = 8
_NAME_LENGTH = 30


def by_words(spec: Plot, unit: TimeUnit | None = None) -> str:
    """月別・店舗別, or “month and store”."""
    named = spec.groups()
    words = [tell(f"chart.time_by.{unit}")] if unit else []
    order = [role for role in ("x", "by", "facet", "color") if role in named]
    columns = [named[role] for role in order if not (unit and role == "x")]
    return tell("chart.and").join((*words, *map(_by_column, dict.fromkeys(columns))))


def _by_column(name: str) -> str:
    """店舗別, but 性別 as it is."""
    return name if name.endswith("別") else tell("chart.by_column", column=name)


def bare_name(column: str, unit: str) -> str:
    """Without a unit that stands in the name already: 単価(円) is 単価."""
    for ending in (f"（{unit}）", f"({unit})", f"[{unit}]", f"【{unit}】"):
        if unit and column.endswith(ending) and len(column) > len(ending):
            return column.removesuffix(ending).rstrip()
    return column


def distribution_title(column: str, unit: str, by: str) -> str:
    what = bare_name(column, unit)
    if by:
        return tell("chart.title.distribution_by", what=what, by=by)
    return tell("chart.title.distribution", what=what)


def kind_name(spec: Plot) -> str:
    return KINDS[spec.kind].words[current_language()][0]


@dataclass(frozen=True)
class Mark:
    """One of them: its names and what it measures."""

    names: tuple[JsonCell, ...]
    value: float


def aggregated_alt(spec: Plot, table: ResultTable, skipped: frozenset[JsonCell]) -> str:
    """The kind of chart, how much is in it, its ends; その他 is no single thing to be one."""
    roles = list(spec.groups())
    count = len(roles)
    parts = [tell("chart.alt.head", kind=kind_name(spec), title=table.title)]
    for place, role in enumerate(roles):
        column = table.columns[place]
        found = list(dict.fromkeys(row[place] for row in table.rows))
        if role == "x":
            parts.insert(1, tell("chart.alt.places", column=column.label, count=len(found)))
        else:
            names = _names([cell_name(cell, column.kind) for cell in found])
            parts.append(tell("chart.alt.split", column=column.label, names=names))
    values = ((row[:count], row[count]) for row in table.rows)
    marks = [Mark(names, float(value)) for names, value in values if isinstance(value, int | float)]
    parts += _ends(table, [mark for mark in marks if skipped.isdisjoint(mark.names)] or marks)
    return sentences(parts)


def _ends(table: ResultTable, marks: Sequence[Mark]) -> list[str]:
    def told(mark: Mark) -> str:
        kinds = [column.kind for column in table.columns]
        cells = zip(mark.names, kinds, strict=False)
        names = dict.fromkeys(_short(cell_name(*each)) for each in cells)
        return tell("chart.alt.value_at", name=listed(list(names)), value=value(mark))

    def value(mark: Mark) -> str:
        column = table.columns[len(mark.names)]
        return exact(mark.value, column.kind, column.unit)

    highest = max(marks, key=lambda mark: mark.value)
    lowest = min(marks, key=lambda mark: mark.value)
    if len(marks) == 1:
        return [tell("chart.alt.only", at=told(highest))]
    if highest.value == lowest.value:
        return [tell("chart.alt.all", value=value(highest))]
    return [
        tell("chart.alt.highest", at=told(highest)),
        tell("chart.alt.lowest", at=told(lowest)),
    ]


def sentences(parts: Sequence[str]) -> str:
    return one_line(("" if current_language() == "ja" else " ").join(parts))


def _names(labels: Sequence[str]) -> str:
    shown = listed([_short(label) for label in labels[:_MOST_NAMES]])
    more = len(labels) - _MOST_NAMES
    return tell("chart.alt.and_more", names=shown, count=more) if more > 0 else shown


def _short(label: str) -> str:
    return one_line(label, _NAME_LENGTH)
