"""What a chart says in words: its title, and what it shows for those who can't see it."""

from collections.abc import Sequence

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.kind import Plot
from sanbo.agents.analysis.charts.scales import exact
from sanbo.agents.analysis.charts.sheet import cell_name
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.outcome import JsonCell, ResultTable
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import current_language, tell

_NAME_LENGTH = 30


def by_words(spec: Plot, unit: TimeUnit | None = None) -> str:
    """月別・店舗別, or “month and store”; of points only what tells them apart."""
    named = spec.groups()
    words = [tell(f"chart.time_by.{unit}")] if unit else []
    roles = ("facet", "color") if "y" in named else ("x", "by", "facet", "color")
    columns = [named[role] for role in roles if role in named and not (unit and role == "x")]
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


def alt_text(spec: Plot, table: ResultTable, *told: str) -> str:
    """The kind of chart, its title, and what it shows."""
    parts = (tell("chart.alt.head", kind=kind_name(spec), title=table.title), *told)
    return one_line(("" if current_language() == "ja" else " ").join(parts))


def places(table: ResultTable, at: int) -> str:
    count = len({row[at] for row in table.rows})
    return tell("chart.alt.places", column=table.columns[at].label, count=count)


def ends(
    table: ResultTable, groups: int, at: int, skipped: frozenset[JsonCell] = frozenset()
) -> list[str]:
    """The highest and the lowest of a column; その他 is no single thing to be one."""
    marks = [row for row in table.rows if isinstance(row[at], int | float)]
    marks = [row for row in marks if skipped.isdisjoint(row[:groups])] or marks
    ranked = sorted(marks, key=lambda row: float(row[at] or 0))
    first, last = _told(table, ranked[0], groups, at), _told(table, ranked[-1], groups, at)
    if len(ranked) == 1:
        return [tell("chart.alt.only", at=last)]
    if ranked[0][at] == ranked[-1][at]:
        column = table.columns[at]
        value = exact(float(ranked[0][at] or 0), column.kind, column.unit)
        return [tell("chart.alt.all", value=value)]
    return [tell("chart.alt.highest", at=last), tell("chart.alt.lowest", at=first)]


def _told(table: ResultTable, row: Sequence[JsonCell], groups: int, at: int) -> str:
    """新宿店、家電の1,234円; of a box 新宿店、中央値の1,234円."""
    column = table.columns[at]
    names = [cell_name(row[place], table.columns[place].kind) for place in range(groups)]
    if at > groups:
        names.append(column.label)
    shown = listed(list(dict.fromkeys(one_line(name, _NAME_LENGTH) for name in names)))
    value = exact(float(row[at] or 0), column.kind, column.unit)
    return tell("chart.alt.value_at", name=shown, value=value)
