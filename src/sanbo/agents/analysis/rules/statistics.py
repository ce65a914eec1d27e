"""Plans of statistics: distributions, boxes, correlations, tests."""

from dataclasses import replace

from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.grouping import aggregate
from sanbo.agents.analysis.rules.measures import assumed, group_axes, listed, time_axis
from sanbo.agents.analysis.rules.reading import Axis, Measure, Reading
from sanbo.agents.analysis.spec.operations import (
    CompareGroups,
    CorrelationMatrix,
    Distribution,
    GroupbyAgg,
)
from sanbo.agents.analysis.spec.plots import Bar, Box, Hist, Scatter
from sanbo.agents.analysis.spec.words import Sort
from sanbo.kernel.messages import tell


def distribution(draft: Draft) -> None:
    """Of a number with its histogram (or boxes by group), of words how often each stands there."""
    reading = draft.reading
    named = [one.column for one in reading.measures if one.column]
    numbers = [one for one in named if one in draft.made or draft.columns.is_numeric(one)]
    words = [
        name
        for name in reading.columns_seen
        if draft.columns.roles.get(name) in ("category", "id", "year", "cycle")
    ]
    few = [name for name in numbers if name in draft.columns and draft.columns.is_few(name)]
    tells_apart = (
        reading.color or reading.facet or reading.axes or words or reading.chart == "stacked"
    )
    if numbers and few == numbers and tells_apart:
        words = [*few, *words, *(axis.column for axis in reading.axes if axis.column not in words)]
        numbers = []
    if not numbers and words:
        _frequencies(draft, words)
        return
    if not numbers:
        axis = next(
            (
                axis.column
                for axis in reading.axes
                if draft.columns.roles.get(axis.column) in ("level", "amount")
            ),
            None,
        )
        numbers = (
            [axis]
            if axis
            else [one.column for one in assumed(draft, may_count=False) if one.column]
        )
    by = next(
        (
            name
            for name in (reading.color, reading.facet, *(axis.column for axis in reading.axes))
            if name
            and name not in numbers
            and draft.columns.roles.get(name) in ("category", "cycle", "year", "id")
        ),
        None,
    )
    plot = None
    if reading.chart == "box":
        plot = Box(
            input=draft.input,
            y=numbers[0],
            x=by,
            filters=draft.filters,
            facet=reading.facet if reading.facet != by else None,
        )
    elif not reading.wants_table_only:
        color = reading.color or (by if reading.facet is None else None)
        plot = Hist(
            input=draft.input,
            x=numbers[0],
            color=color,
            facet=reading.facet,
            bins=reading.bins,
            filters=draft.filters,
        )
    draft.add(
        Distribution(
            input=draft.input,
            columns=tuple(dict.fromkeys(numbers)),
            by=(by,) if by else (),
            filters=draft.filters,
        ),
        plot,
        is_asked=reading.wants_chart,
    )


def _frequencies(draft: Draft, words: list[str]) -> None:
    reading = draft.reading
    color = next((name for name in (reading.color, *words[1:]) if name and name != words[0]), None)
    groups = (words[0], *((color,) if color else ()))
    plot = Bar(
        input=draft.input,
        x=words[0],
        color=color,
        facet=reading.facet if reading.facet not in groups else None,
        sort="value_desc",
        filters=draft.filters,
        stacked=color is not None,
    )
    step = GroupbyAgg(
        input=draft.input, group_cols=groups, filters=draft.filters, sort=Sort(by="count")
    )
    draft.add(step, None if reading.wants_table_only else plot, is_asked=reading.wants_chart)


def boxes(draft: Draft) -> None:
    reading = draft.reading
    found = [one.column for one in reading.measures if one.column] or [
        one.column for one in assumed(draft, may_count=False) if one.column
    ]
    axes = group_axes(draft)
    by: Axis | None = axes[0] if axes else None
    if by is None:
        seen = [
            name
            for name in reading.columns_seen
            if draft.columns.roles.get(name) in ("category", "cycle", "year")
        ]
        by = Axis(seen[0]) if seen else None
    if by is None and reading.unit:
        by = time_axis(draft, reading.unit)
    color = next((axis.column for axis in axes if by and axis.column != by.column), None)
    plot = Box(
        input=draft.input,
        y=found[0],
        x=by.column if by else None,
        x_unit=by.unit if by else None,
        color=color,
        filters=draft.filters,
    )
    is_plain = by is None or by.unit is None
    step = (
        Distribution(
            input=draft.input,
            columns=(found[0],),
            by=(by.column,) if by else (),
            filters=draft.filters,
        )
        if is_plain
        else None
    )
    draft.add(step, plot)


def correlation(draft: Draft) -> None:
    reading = draft.reading
    numbers = tuple(
        dict.fromkeys(
            one.column
            for one in reading.measures
            if one.column and (one.column in draft.made or draft.columns.is_numeric(one.column))
        )
    )
    groups = [axis.column for axis in group_axes(draft)]
    words = [
        name
        for name in reading.columns_seen
        if draft.columns.roles.get(name) in ("category", "cycle", "year") and name not in groups
    ]
    if len(numbers) < 2 and (groups or words) and reading.chart != "scatter":
        _of_words(draft, numbers, [*groups, *words])
        return
    method = reading.method if reading.method in ("spearman", "kendall") else "pearson"
    step = CorrelationMatrix(
        input=draft.input,
        columns=numbers,
        only_named=len(numbers) > 1,
        method=method,
        filters=draft.filters,
    )  # pyright: ignore[reportArgumentType]
    plot = None
    if len(numbers) == 2 or (len(numbers) > 2 and reading.chart == "scatter"):
        facet, color = _told_apart(draft, [*groups, *words])
        plot = Scatter(
            input=draft.input,
            x=numbers[0],
            y=numbers[1],
            color=color,
            facet=facet,
            size=numbers[2] if len(numbers) > 2 else None,
            filters=draft.filters,
        )
    if len(draft.columns.measures) < 2:
        raise NotClear(tell("analysis_rules.ask.no_number"))
    if reading.chart == "scatter" and len(numbers) < 2:
        others = tuple(
            name
            for name in draft.columns.measures
            if name not in numbers and draft.columns.is_numeric(name)
        )
        raise NotClear(tell("analysis_rules.ask.second_number", columns=listed(others)), others[:6])
    draft.add(step, None if reading.wants_table_only else plot, is_asked=reading.wants_chart)


MOST_PANELS = 8


def _told_apart(draft: Draft, groups: list[str]) -> tuple[str | None, str | None]:
    """Panels and colours of points: for each of a few groups a panel, for many a colour."""
    reading = draft.reading
    facet, color = reading.facet, reading.color
    rest = [name for name in groups if name not in (facet, color)]
    marked = {axis.column for axis in reading.axes}
    for name in rest:
        wants_panel = "panels" in reading.asks or (
            name in marked and draft.columns[name].distinct <= MOST_PANELS
        )
        if facet is None and wants_panel and not (color and "panels" not in reading.asks):
            facet = name
        elif color is None:
            color = name
    return facet, color


def _of_words(draft: Draft, numbers: tuple[str, ...], words: list[str]) -> None:
    """性別と年収の関係: the number by the words; two columns of words: a test of their tie."""
    if numbers:
        if "trend" not in draft.reading.asks and all(
            draft.columns.roles.get(word) == "category" for word in words
        ):
            draft.assume(tell("analysis_rules.assumed.relation_by_group"))
        draft.reading = _regrouped(draft, numbers, words)
        aggregate(draft)
        return
    if len(words) >= 2:
        draft.add(
            CompareGroups(
                input=draft.input,
                value_col=words[0],
                group_col=words[1],
                test="chi2",
                filters=draft.filters,
            )
        )
        return
    draft.add(CorrelationMatrix(input=draft.input, filters=draft.filters))


def _regrouped(draft: Draft, numbers: tuple[str, ...], words: list[str]) -> Reading:
    return replace(
        draft.reading,
        axes=tuple(Axis(word) for word in words),
        measures=tuple(
            one if one.aggregate else Measure(one.column, "mean")
            for one in draft.reading.measures
            if one.column in numbers
        ),
    )


def test(draft: Draft) -> None:
    reading = draft.reading
    axes = [axis.column for axis in group_axes(draft)]
    words = [
        name
        for name in reading.columns_seen
        if draft.columns.roles.get(name) in ("category", "cycle", "year") and name not in axes
    ]
    groups = [
        *axes,
        *words,
        *dict.fromkeys(
            column for column, _ in reading.values if column not in axes and column not in words
        ),
    ]
    numbers = [one.column for one in reading.measures if one.column and one.column not in groups]
    if not groups:
        raise NotClear(
            tell("analysis_rules.ask.group", columns=listed(draft.columns.dimensions)),
            draft.columns.dimensions[:6],
        )
    if not numbers and len(groups) > 1:
        draft.add(
            CompareGroups(
                input=draft.input,
                value_col=groups[0],
                group_col=groups[1],
                test="chi2",
                filters=draft.filters,
            )
        )
        return
    if not numbers:
        numbers = [one.column for one in assumed(draft, may_count=False) if one.column]
    values = tuple(value for column, value in reading.values if column == groups[0])
    named = values if len(values) > 1 else ()
    filters = tuple(
        one for one in draft.filters if not (named and getattr(one, "col", None) == groups[0])
    )
    plot = (
        Box(input=draft.input, x=groups[0], y=numbers[0], filters=draft.filters)
        if reading.wants_chart
        else None
    )
    draft.add(
        CompareGroups(
            input=draft.input,
            value_col=numbers[0],
            group_col=groups[0],
            groups=named,
            test=reading.test or "auto",
            filters=filters,
        ),
        plot,
    )  # pyright: ignore[reportArgumentType]
