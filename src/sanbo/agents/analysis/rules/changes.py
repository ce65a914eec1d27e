"""Time against time as operations: two periods, or each beside the one before."""

from collections.abc import Sequence
from typing import Any

from sanbo.agents.analysis.rules.frame import Measure
from sanbo.agents.analysis.rules.steps import (
    MOST_GROUPS,
    Steps,
    column_term,
    condition,
    figure_fields,
    metrics_of,
    require,
)
from sanbo.agents.analysis.spec.filters import Compare

_IN_A_YEAR = {"month": 12, "quarter": 4}


def _compared(column: str, op: str, value: str) -> dict[str, Any]:
    right = {"fn": "constant", "value": value}
    return {"fn": "compare", "left": column_term(column), "op": op, "right": right}


class Changes(Steps):
    def _growth(self) -> None:
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        if not self.scene.dates:  # years that stand as numbers: 1970, 1971
            require(growth.unit == "year", self.scene.years, frame.measures, not frame.direction)
            year = self.scene.years[0]
            require(set(self._names) <= {year}, not self._taken(year))
            metrics = metrics_of(frame.measures[:1])
            self.step(op="groupby_agg", group_cols=[year], metrics=metrics)
            self.add(op="lag", column=self._metric(), order_by=year)
            return
        time, others, measure = self._time, self._names, self._grown()
        column = (
            time.column
            if time
            else self.choose("date", self.scene.date_options(self.frame.options["said"]))
        )
        said = [one for one in self._filters if isinstance(one, Compare) and one.col == column]
        period = next((one for one in said if one.op == "=="), None)
        is_one = period is not None and (growth.unit.endswith("year") or len(str(period.value)) > 4)
        if is_one and time is not None and time.unit == growth.unit:
            time = None  # 2025年度 against the year before: two, and no series
        if spans := frame.options.get("spans"):
            self._between(column, measure, others, spans)
            return
        is_series = time is not None or frame.is_trend
        is_alone = not others and period is None
        if not is_series and is_alone and frame.direction is None:
            is_series = self.choose("growth", [(True, 0.2), (False, 0.5)])
        if is_series or (frame.direction and is_alone):
            self._series(column, measure, others)
            return
        self._filters = tuple(one for one in self._filters if one is not period)
        only = frame.direction if others and self._is_sought else None
        is_least = frame.ascending or frame.direction == "decreased"
        is_ranked = frame.ascending is not None or frame.is_superlative
        sort = f"{self._change}_{'asc' if is_least else 'desc'}" if is_ranked else None
        self.add(
            op="compare_periods",
            date_col=column,
            unit=growth.unit,
            by=others,
            against=growth.against,
            period=str(period.value) if period is not None else None,
            only=only,
            top_k=frame.limit,
            sort=sort,
            **figure_fields(measure, "column"),
        )

    @property
    def _is_sought(self) -> bool:
        """Which regions grew; by how much sales grew in each region is told of all of them."""
        marked = self.frame.options.get("marked", ())
        groups = [group.column for group in self.frame.groups]
        is_each = bool(groups) and all(name in marked for name in groups)
        return not is_each or self.frame.options.get("is_sought", False)

    @property
    def _change(self) -> str:
        return "rate" if self.frame.options.get("is_rate") else "difference"

    def _between(
        self, column: str, measure: Measure, others: list[str], spans: Sequence[tuple[str, str]]
    ) -> None:
        """上期と下期: two periods that may lie anywhere, as values of a column."""
        labels = [start if start == end else f"{start}〜{end}" for start, end in spans]
        name = f"{column}（{', '.join(labels)}）"
        tree: dict[str, Any] | None = None
        for (start, end), label in zip(spans, labels, strict=True):
            then: dict[str, Any] = {"fn": "constant", "value": label}
            if start != end:
                then = {"fn": "if", "condition": _compared(column, "<=", end), "then": then}
            begun = _compared(column, "==" if start == end else ">=", start)
            rest = {} if tree is None else {"otherwise": tree}
            tree = {"fn": "if", "condition": begun, "then": then, **rest}
        held, self._filters = self._filters, ()
        self.step(op="derive", name=name, expression=tree)
        self._filters = (*held, condition(name, "in", value=labels))
        self._beside(name, measure, others, labels[1])

    def _beside(self, column: str, measure: Measure, others: list[str], later: str) -> None:
        """One value of a column beside another, in each group."""
        frame = self.frame
        metrics = metrics_of([measure])
        self.step(op="groupby_agg", group_cols=[*others, column], metrics=metrics)
        metric = self._metric(measure)
        self.step(op="lag", column=metric, order_by=column, by=others)
        self._filters = (condition(column, "==", value=later),)
        change = f"{metric}_{self._change}"
        if frame.direction is not None and others and self._is_sought:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (condition(change, op, value=0),)
        is_ranked = frame.ascending is not None or frame.is_superlative
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([change] if is_ranked else [], n, ascending=is_least)

    def _grown(self) -> Measure:
        """What grows, where nothing says so: a number that adds up, or rows."""
        frame, columns = self.frame, self.scene.columns
        if frame.measures and not frame.is_count_guessed:
            # 燃料費が減った月は何回: of the number, and the months are counted by whoever looks.
            return min(frame.measures, key=lambda measure: measure.column is None)
        adding = [name for name in self.scene.measures if columns[name].adds is not False]
        first = 0.0 if len(adding) == 1 else 0.5
        options = [(name, first + 0.2 * n) for n, name in enumerate(adding[:2])]
        name = self.choose("grown", [*options, ("", 1.0 if options else 0.0)])
        return Measure(name, "sum") if name else Measure(None, "count")

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
        is_sought = frame.direction is not None and self._is_sought and not is_ranked
        if not (asked or is_sought or is_ranked):
            self.add(op="lag", **lag)
            return
        self.step(op="lag", **lag)
        change = f"{metric}_{self._change}"
        self._filters = asked
        if is_sought:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (condition(change, op, value=0),)
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = (frame.limit or 1) if is_ranked else MOST_GROUPS
        self._ranked([change] if is_ranked else [], n, ascending=is_least)
