"""Time against time as operations: two periods, or each beside the one before."""

from typing import Any

from sanbo.agents.analysis.building.frame import Frame, Growth, Measure, Span
from sanbo.agents.analysis.building.steps import (
    MOST_GROUPS,
    Steps,
    column_term,
    condition,
    figure_fields,
    metrics_of,
    require,
)
from sanbo.agents.analysis.mentions.times import apart, whole
from sanbo.agents.analysis.spec.filters import Compare

_IN_A_YEAR = {"month": 12, "quarter": 4}


def hold_beside(frame: Frame, date: str, earlier: Span, later: Span) -> None:
    """The later period by the earlier."""
    ends = [start if start == end else whole(start, end) for start, end in (earlier, later)]
    found = apart(*(end for end in ends if end)) if all(ends) else None
    if found is None or (found.periods not in (1, found.in_year)):
        frame.growth = Growth(found.unit if found else "month", "previous")
        frame.spans = earlier, later
        return
    is_year = found.periods == found.in_year and not found.unit.endswith("year")
    frame.growth = Growth(found.unit, "year_before" if is_year else "previous")
    frame.conditions.append(Compare(col=date, op="==", value=ends[1] or later[1]))


def _compared(column: str, op: str, value: str) -> dict[str, Any]:
    right = {"fn": "constant", "value": value}
    return {"fn": "compare", "left": column_term(column), "op": op, "right": right}


class Changes(Steps):
    def _growth(self) -> None:
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        time, others = self._time, self._names
        column = time.column if time else frame.dated
        require(column, frame.measures)
        assert column is not None
        # 燃料費が減った月は何回: of the number, and the months are counted by whoever looks.
        measure = min(frame.measures, key=lambda one: one.column is None)
        said = [one for one in self._filters if isinstance(one, Compare) and one.col == column]
        period = next((one for one in said if one.op == "=="), None)
        is_one = period is not None and (growth.unit.endswith("year") or len(str(period.value)) > 4)
        if is_one and time is not None and time.unit == growth.unit:
            time = None  # 2025年度 against the year before: two, and no series
        if frame.spans:
            self._between(column, measure, others, frame.spans)
            return
        is_alone = not others and period is None and frame.dated is None
        if time is not None or is_alone:
            self._series(column, measure, others)
            return
        self._filters = tuple(one for one in self._filters if one is not period)
        is_least = frame.ascending or frame.direction == "decreased"
        is_ranked = frame.ascending is not None or frame.is_superlative
        sort = f"difference_{'asc' if is_least else 'desc'}" if is_ranked else None
        self.add(
            op="compare_periods",
            date_col=column,
            unit=growth.unit,
            by=others,
            against=growth.against,
            period=str(period.value) if period is not None else None,
            only=frame.direction if others else None,
            top_k=frame.limit,
            sort=sort,
            **figure_fields(measure, "column"),
        )

    def _between(
        self, column: str, measure: Measure, others: list[str], spans: tuple[Span, Span]
    ) -> None:
        """上期と下期: two periods that may lie anywhere, as values of a column."""
        labels = [start if start == end else f"{start}〜{end}" for start, end in spans]
        tree: dict[str, Any] | None = None
        for (start, end), label in zip(spans, labels, strict=True):
            then: dict[str, Any] = {"fn": "constant", "value": label}
            if start != end:
                then = {"fn": "if", "condition": _compared(column, "<=", end), "then": then}
            begun = _compared(column, "==" if start == end else ">=", start)
            rest = {} if tree is None else {"otherwise": tree}
            tree = {"fn": "if", "condition": begun, "then": then, **rest}
        assert tree is not None
        name = self.derive(f"{column}（{', '.join(labels)}）", tree)
        self._filters = (*self._filters, condition(name, "in", value=labels))
        self._beside(name, measure, others, labels[1])

    def _beside(self, column: str, measure: Measure, others: list[str], later: str) -> None:
        """One value of a column beside another, in each group."""
        frame = self.frame
        metrics = metrics_of([measure])
        self.step(op="groupby_agg", group_cols=[*others, column], metrics=metrics)
        metric = self._metric(measure)
        self.step(op="lag", column=metric, order_by=column, by=others)
        self._filters = (condition(column, "==", value=later),)
        change = f"{metric}_difference"
        if frame.direction is not None and others:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (condition(change, op, value=0),)
        is_ranked = frame.ascending is not None or frame.is_superlative
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([change] if is_ranked else [], n, ascending=is_least)

    def _series(self, column: str, measure: Measure, others: list[str]) -> None:
        """Each period beside the one before; only those that rose or fell, or the largest step."""
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        is_year = growth.against == "year_before"
        back = _IN_A_YEAR.get(growth.unit, 1) if is_year else 1
        # What a period is compared with may lie before the asked ones: they are chosen afterwards.
        asked = self._taken(column)
        when = {"date_col": column, "unit": growth.unit, "by": others}
        self.step(op="resample", metrics=metrics_of([measure]), **when)
        metric = self._metric(measure)
        lag = {"column": metric, "order_by": column, "by": others, "periods": back}
        is_ranked = frame.is_superlative or frame.limit is not None
        is_sought = frame.direction is not None and not is_ranked
        if not (asked or is_sought or is_ranked):
            self.add(op="lag", **lag)
            return
        self.step(op="lag", **lag)
        change = f"{metric}_difference"
        self._filters = asked
        if is_sought:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (condition(change, op, value=0),)
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = (frame.limit or 1) if is_ranked else MOST_GROUPS
        self._ranked([change] if is_ranked else [], n, ascending=is_least)
