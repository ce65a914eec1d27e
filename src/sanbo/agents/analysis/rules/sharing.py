"""Plans for shares: of groups, of one value, of what a condition leaves."""

import re

from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.measures import dated, group_axes, measures, names_rows, time_axis
from sanbo.agents.analysis.rules.reading import Axis
from sanbo.agents.analysis.spec.expressions import Choose, Column, Comparison, Constant, Expression
from sanbo.agents.analysis.spec.filters import Among, Compare, Filter
from sanbo.agents.analysis.spec.operations import Derive, Pivot, ShareRatio
from sanbo.agents.analysis.spec.plots import Bar, Pie
from sanbo.kernel.messages import tell

_OF_AMOUNTS = re.compile(
    r"構成比|シェア|内訳|構成|パレート|abc|占め|share|composition|breakdown|pareto|make-?up"
)


def share(draft: Draft) -> None:
    reading = draft.reading
    axes = list(group_axes(draft))
    unit = dated(draft)
    part = _part(draft)
    if part is None and not axes and not unit and not reading.values:  # 満足度4以上の割合
        bounds = [
            one
            for one in reading.filters
            if (isinstance(one, Compare) and draft.columns.is_numeric(one.col))
            or isinstance(one, Among)
        ]
        if bounds:
            _of_condition(draft, bounds)
            return
        named = [
            name
            for name in reading.columns_seen
            if draft.columns.roles.get(name) in ("category", "cycle", "year")
            and name not in [column for column, _ in reading.values]
        ]
        axes = [Axis(name) for name in named[:2]]
        if not axes:
            choices = draft.columns.dimensions[:6]
            if len(choices) != 1:
                raise NotClear(tell("analysis_rules.ask.share"), choices)
            axes = [Axis(choices[0])]
    value = _value(draft)
    filters = tuple(one for one in reading.filters if part is None or not _is_on(one, part))
    if part is not None:
        axes = [axis for axis in axes if axis.column != part]
        if axes or unit:
            _within(
                draft, time_axis(draft, unit) or axes[0] if unit else axes[0], part, value, filters
            )
            return
        draft.add(ShareRatio(input=draft.input, group_col=part, value_col=value, filters=filters))
        return
    if unit is not None:
        time = time_axis(draft, unit)
        if time is not None and time.unit is not None:
            if axes:
                draft.add(
                    Pivot(
                        input=draft.input,
                        rows=(time.column,),
                        row_unit=time.unit,
                        columns=axes[0].column,
                        value=value,
                        agg="sum" if value else "count",
                        share="row",
                        filters=filters,
                    )
                )
                _draw(draft, time, axes[0].column, value, filters)
                return
            axes = []
            raise NotClear(tell("analysis_rules.ask.share"), draft.columns.dimensions[:6])
    if not axes:
        raise NotClear(tell("analysis_rules.ask.share"), draft.columns.dimensions[:6])
    group, within = axes[0], None
    seen = [
        name
        for name in reading.columns_seen
        if draft.columns.roles.get(name) == "category"
        and name != group.column
        and not draft.columns.is_row_name(name)
        and name not in {column for column, _ in reading.values}
    ]
    if len(axes) == 1 and len(seen) == 1 and not reading.color and not reading.facet:
        axes = [axes[0], Axis(seen[0])]
    if len(axes) > 1:  # 地域別のカテゴリ構成比
        within, group = axes[0], axes[1]
    draft.add(
        ShareRatio(
            input=draft.input,
            group_col=group.column,
            value_col=value,
            within=within.column if within else None,
            filters=filters,
            top_k=reading.top,
        )
    )
    _draw(draft, within or group, group.column if within else None, value, filters)


def _part(draft: Draft) -> str | None:
    """The column of the value whose share is asked: キャンセルの割合."""
    reading = draft.reading
    if not reading.values or reading.share_of:
        return reading.share_of
    columns = {column for column, _ in reading.values}
    marked = {axis.column for axis in reading.axes}
    named = [
        name
        for name in reading.columns_seen
        if draft.columns.roles.get(name) == "category"
        and name not in columns
        and not draft.columns.is_row_name(name)
    ]
    if marked - columns or named or reading.unit:  # 新宿店のカテゴリ構成比
        return None
    return reading.values[-1][0]


def _is_on(condition: Filter, column: str) -> bool:
    return isinstance(condition, Compare | Among) and condition.col == column


def _value(draft: Draft) -> str | None:
    """What is summed; None counts rows."""
    reading, columns = draft.reading, draft.columns
    if reading.measures or (reading.formula and reading.formula.fn != "divide"):
        first = measures(draft, may_count="count" in reading.asks)[0]
        if first.column is None or first.aggregate in ("count", "nunique"):
            return None
        return first.column
    if "count" in reading.asks or names_rows(draft):
        return None
    if not _OF_AMOUNTS.search(reading.text.lower()) or not columns.amounts:
        draft.assume(tell("analysis_rules.assumed.share_of_rows"))
        return None
    return measures(draft)[0].column


def _within(
    draft: Draft, rows: Axis, part: str, value: str | None, filters: tuple[Filter, ...]
) -> None:
    """The share in each group or period."""
    draft.add(
        Pivot(
            input=draft.input,
            rows=(rows.column,),
            row_unit=rows.unit,
            columns=part,
            value=value,
            agg="sum" if value else "count",
            share="row",
            filters=filters,
        )
    )


def _draw(
    draft: Draft, axis: Axis, color: str | None, value: str | None, filters: tuple[Filter, ...]
) -> None:
    reading = draft.reading
    if not reading.wants_chart or reading.chart == "heatmap":
        return
    if reading.chart in (None, "pie") and color is None and axis.unit is None:
        draft.add(
            plot=Pie(
                input=draft.input,
                x=axis.column,
                y=value,
                agg="sum" if value else None,
                filters=filters,
                top_k=min(20, max(2, reading.top or 8)),
            )
        )
        return
    plot = Bar(
        input=draft.input,
        x=axis.column,
        x_unit=axis.unit,
        y=value,
        agg="sum" if value else None,
        color=color,
        filters=filters,
        stacked=color is not None,
        normalized=color is not None,
        horizontal=reading.is_horizontal,
        sort="none" if axis.unit else "value_desc",
    )
    draft.add(plot=plot)


def _meets(condition: Compare | Among) -> Expression:
    column = Column(name=condition.col)
    if isinstance(condition, Compare):
        return Comparison(left=column, op=condition.op, right=Constant(value=condition.value))
    first, *others = (
        Comparison(left=column, op="==", right=Constant(value=value)) for value in condition.value
    )
    test: Expression = first
    for other in others:
        test = Choose(condition=other, then=Constant(value=True), otherwise=test)
    return test


def _shown(condition: Compare | Among) -> str:
    if isinstance(condition, Compare):
        return f"{condition.col}{condition.op}{condition.value}"
    return f"{condition.col}=" + "/".join(str(value) for value in condition.value)


def _of_condition(draft: Draft, bounds: list[Compare | Among]) -> None:
    """満足度4以上の割合: rows that meet it against those that do not."""
    expression: Expression | None = None
    for one in reversed(bounds):
        test = _meets(one)
        expression = (
            test
            if expression is None
            else Choose(condition=test, then=expression, otherwise=Constant(value=False))
        )
    assert expression is not None
    words = " ".join(_shown(one) for one in bounds)
    name = draft.free(words[:200])
    others = tuple(one for one in draft.filters if one not in bounds)
    source = draft.add(Derive(input=draft.input, name=name, expression=expression))
    value = (
        draft.reading.measures[0].column
        if draft.reading.measures and draft.reading.measures[0].column != bounds[0].col
        else None
    )
    draft.add(ShareRatio(input=source, group_col=name, value_col=value, filters=others))
