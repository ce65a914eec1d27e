"""Operations in a row while they are made: each takes the table, or an earlier result.

Charts that were asked for, or that go with groups.

Operations of their own: distributions, tests, correlation, outliers.
"""

from typing import Any

from pydantic import TypeAdapter

from sanbo.agents.analysis.rules.frame import Chooser, Frame, Group, Measure
from sanbo.agents.analysis.rules.lexicon import without_unit
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Filter
from sanbo.agents.analysis.spec.operations import MOST_ROWS, AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Aggregate, TimeUnit, metric_name
from sanbo.kernel.messages import tell

Spec = AnalysisSpec | PlotSpec
_SPEC = TypeAdapter[Spec](AnySpec)
_FILTER: TypeAdapter[Filter] = TypeAdapter(Filter)
_NEARLY_ALL = 0.97
MOST_GROUPS = MOST_ROWS
MOST_BARS = 60
MOST_BESIDE = 4
"""Numbers that one chart shows."""


class NotMeant(Exception):
    """What was read can't be computed together."""


def require(*conditions: object) -> None:
    if not all(conditions):
        raise NotMeant


def column_term(name: str) -> dict[str, Any]:
    return {"fn": "column", "name": name}


def difference_of(left: str, right: str, *, is_dated: bool) -> tuple[str, dict[str, Any]]:
    """Of two columns: its name, and how it is calculated; the days from the right to the left."""
    sides = column_term(left), column_term(right)
    if is_dated:
        return f"{left}−{right}", {"fn": "date_difference", "start": sides[1], "end": sides[0]}
    return f"{left}−{right}", {"fn": "subtract", "left": sides[0], "right": sides[1]}


def named_by(column: str, unit: TimeUnit) -> str:
    """日付（曜日）: a part of a time as a column of its own."""
    return f"{column}（{tell(f'analysis_result.time_unit.{unit}')}）"


def condition(column: str, op: str, **against: object) -> Filter:
    return _FILTER.validate_python({"col": column, "op": op, **against})


def op_of(one: Filter) -> str:
    return "" if isinstance(one, AnyOf) else one.op


def plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def figure_fields(measure: Measure, field: str) -> dict[str, Any]:
    """A measure in the two fields that most operations have for it."""
    return {field: measure.column, "agg": measure.agg if measure.column else None}


def axis_fields(group: Group, field: str = "x") -> dict[str, Any]:
    return {field: group.column, f"{field}_unit": group.unit}


def metrics_of(measures: list[Measure]) -> dict[str, list[Aggregate]]:
    metrics: dict[str, list[Aggregate]] = {}
    for measure in measures:
        if measure.column is not None:
            metrics.setdefault(measure.column, []).append(measure.agg or "sum")
    return metrics


class Steps:
    def __init__(self, frame: Frame, scene: Scene, chooser: Chooser, first: int) -> None:
        self.frame = frame
        self.scene = scene
        self.choose = chooser.choose
        self._chooser = chooser
        self.made: list[Spec] = []
        self._first = first
        self._input = DATASET
        self._filters: tuple[Filter, ...] = tuple(frame.conditions)
        if stat := frame.options.get("stat_condition"):
            self._filters += (condition(*stat, stat="mean"),)

    # ---- adding ----

    def add(self, **fields: Any) -> str:
        """One more operation on what there is; conditions go with the first."""
        kind = "plot" if "kind" in fields else "analysis"
        data = {"type": kind, "input": self._input, "filters": self._filters, **fields}
        self.made.append(_SPEC.validate_python({k: v for k, v in data.items() if v is not None}))
        if kind == "analysis":
            self._filters = ()
        return f"r{self._first + len(self.made) - 1}"

    def beside(self, **fields: Any) -> None:
        """An operation on the same rows as the next one."""
        kept = self._filters
        self.add(**fields)
        self._filters = kept

    def step(self, **fields: Any) -> None:
        """An operation whose result the next one takes."""
        self._input = self.add(**fields)

    def _ranked(self, by: list[str], n: int, **fields: Any) -> None:
        ascending = bool(self.frame.ascending)
        self.add(**{"op": "top_rows", "by": by, "ascending": ascending, "n": n, **fields})

    def _taken(self, column: str) -> tuple[Filter, ...]:
        """The conditions on a column, which the operation itself is about."""
        taken = tuple(one for one in self._filters if getattr(one, "col", None) == column)
        self._filters = tuple(one for one in self._filters if one not in taken)
        return taken

    # ---- what was asked for ----

    @property
    def _time(self) -> Group | None:
        return next((group for group in self.frame.groups if group.unit is not None), None)

    @property
    def _names(self) -> list[str]:
        """Of the groups that are no periods."""
        return [group.column for group in self.frame.groups if group.unit is None]

    def _agg(self, column: str) -> Aggregate:
        known = self.scene.columns.get(column)
        if known is None:
            return "sum"
        if self.frame.chart in ("scatter", "hist", "box"):
            return "mean"
        options: list[tuple[Aggregate, float]] = [("sum", 0.4), ("mean", 0.6)]
        is_many = bool(self.frame.options.get("is_many"))
        if is_many and known.adds is not False and not known.is_either:
            options = [("sum", 0.0), ("mean", 1.0)]  # the most guests
        is_whole = self.frame.chart in ("pie", "area") or self.frame.is_stacked
        if known.is_amount or (is_whole and known.adds is not False):
            options = [("sum", 0.0), ("mean", 1.2)]
        elif known.adds is False and not (is_many and known.is_either):
            end: Aggregate = "min" if self.frame.ascending else "max"
            options = [("mean", 0.0), (end, 1.0) if self.frame.is_superlative else ("sum", 1.5)]
        return self.choose(f"agg:{column}", options)

    def _is_row(self, group: Group) -> bool:
        column = self.scene.profile.column(group.column)
        rows = self.scene.profile.rows
        return column is not None and column.distinct >= _NEARLY_ALL * (rows - column.missing)

    def _metric(self, measure: Measure | None = None) -> str:
        """The result's column that order and conditions look at."""
        if measure is None:
            by = self.frame.options.get("order_by")
            told = [one for one in self.frame.measures if one.column == by and by is not None]
            measure = (told or self.frame.measures)[0]
        if measure.column is None:
            return ROW_COUNT
        return metric_name(measure.column, measure.agg or "sum")

    def _sort(self) -> dict[str, Any] | None:
        if self.frame.ascending is None:
            return None
        return {"by": self._metric(), "ascending": self.frame.ascending}


class Plots(Steps):
    def _is_along(self, group: Group) -> bool:
        known = self.scene.columns.get(group.column)
        return group.unit is not None or (known is not None and known.is_year)

    def _natural_chart(self, numbers: list[str]) -> str:
        groups = self.frame.groups
        if any(map(self._is_along, groups)):
            return "line"
        is_told = self.frame.options.get("told_aggregates")
        if len(numbers) == 2 and len(groups) < 2 and not is_told:
            return "scatter"
        return "hist" if not groups and len(numbers) == 1 else "bar"

    def _chart(self) -> None:
        frame, groups, kind = self.frame, self.frame.groups, self.frame.chart or "any"
        measures = [measure for measure in frame.measures if measure.column is not None]
        numbers = list(dict.fromkeys(measure.column or "" for measure in measures))
        kind = self._natural_chart(numbers) if kind == "any" else kind
        if kind in ("hist", "bar") and not groups and not numbers:
            numbers = list(filter(None, [frame.options.get("counted_by")]))
            kind = "hist" if numbers else kind  # a histogram of the number of films by length
        if not groups and frame.colour and kind in ("bar", "line"):
            groups, frame.colour = [Group(frame.colour)], None
        if frame.chart in ("any", "bar") and not groups and len(numbers) == 1:
            kind = "hist"  # bars of one number: how often it is what
        first = groups[0].column if groups else None
        fields: dict[str, Any] = {"kind": kind, "color": frame.colour, "facet": frame.facet}
        match kind:
            case "heatmap":
                require(len(groups) == 2, len(frame.measures) == 1)
                fields = {"kind": kind, **axis_fields(groups[0]), **axis_fields(groups[1], "by")}
                fields |= figure_fields(frame.measures[0], "y")
            case "scatter":
                require(len(numbers) == 2)
                fields |= {"x": numbers[0], "y": numbers[1]}
                is_apart = frame.options.get("is_apart") and frame.facet is None
                fields |= {"facet": first} if is_apart else {"color": frame.colour or first}
            case "hist" if not numbers and len(groups) == 1:
                fields = {"kind": "bar", "x": first}
            case "hist":
                require(len(numbers) == 1)
                if frame.options.get("told_aggregates"):
                    names, metrics = [one.column for one in groups], metrics_of(frame.measures)
                    self.beside(op="groupby_agg", group_cols=names, metrics=metrics)
                fields |= {"x": numbers[0], "color": frame.colour or first}
                fields |= frame.options.get("steps", {})
            case "box":
                require(len(numbers) == 1)
                fields |= {"y": numbers[0], **(axis_fields(groups[0]) if groups else {})}
            case _ if len(measures) > 1:
                self._several(kind, measures)
                return
            case _:
                require(groups)
                fields |= self._bars(kind, groups)
        self.add(**fields)

    def _several(self, kind: str, measures: list[Measure]) -> None:
        """予算と実績を並べた棒グラフ: numbers of one unit beside each other."""
        frame, groups, columns = self.frame, self.frame.groups, self.scene.columns
        known = [columns[one.column] for one in measures if one.column in columns]
        require(len(groups) == 1, len(known) == len(measures) <= MOST_BESIDE, frame.limit is None)
        require(kind in ("bar", "line", "area"), not frame.colour, not frame.facet)
        require(len({(one.is_money, one.profile.unit) for one in known}) == 1)
        aggs = {one.agg for one in measures}
        require(len(aggs) == 1, not frame.is_stacked or aggs == {"sum"})
        require(frame.ascending is None, not frame.growth, not frame.having, not frame.is_share)
        group, metrics = groups[0], metrics_of(measures)
        if group.unit is None:
            self.step(op="groupby_agg", group_cols=[group.column], metrics=metrics)
        else:
            when = {"date_col": group.column, "unit": group.unit}
            self.step(op="resample", metrics=metrics, **when)
        names = [metric_name(name, agg) for name, aggs in metrics.items() for agg in aggs]
        is_japanese = not "".join(metrics).isascii()
        item, value = (
            ("項目" if is_japanese else "item"),
            "・".join(without_unit(name).strip() for name in metrics),
        )
        self.step(op="unpivot", columns=names, name=item, value_name=value)
        stacked = frame.is_stacked or None if kind == "bar" else None
        self.add(kind=kind, x=group.column, y=value, color=item, stacked=stacked)

    def _bars(self, kind: str, groups: list[Group]) -> dict[str, Any]:
        frame = self.frame
        axis = next(filter(self._is_along, groups), groups[0])
        others = [group.column for group in groups if group is not axis]
        require(len(others) <= 1, not (others and frame.colour))
        fields = {**axis_fields(axis), **figure_fields(frame.measures[0], "y")}
        fields["color"] = others[0] if others else frame.colour
        if kind == "bar":
            fields |= {"stacked": frame.is_stacked or None, "top_k": frame.limit}
            if frame.ascending is not None:
                fields["sort"] = "value_asc" if frame.ascending else "value_desc"
        return fields


_SUMMARY = ("count", "mean", "std", "min", "median", "max")


class Methods(Steps):
    def _special(self, op: str) -> None:  # noqa: PLR0912 - one after the other
        frame = self.frame
        known = self.scene.columns
        numbers = [one for one in frame.columns if one in known and known[one].is_measure]
        words = [name for name in frame.columns if name not in numbers] + self._names
        word = words[0] if words else None
        method = frame.options.get("method")
        match op:
            case "overview":
                self.add(op="dataset_overview")
            case "duplicates":
                self.add(op="duplicate_check", columns=frame.columns)
            case "missingness":
                self.add(op="missingness", columns=frame.columns)
            case "summary" if words and numbers:
                metrics = dict.fromkeys(numbers, _SUMMARY)
                self.add(op="groupby_agg", group_cols=words, metrics=metrics)
            case "summary":
                self.add(op="column_summary", columns=frame.columns)
            case "distribution" | "normality":
                self._distribution(op, numbers, words)
            case "outliers":
                require(len(numbers) == 1)
                threshold = frame.options.get("threshold")
                fields = {"method": method, "by": word, "threshold": threshold}
                self.add(op="outliers", column=numbers[0], **fields)
            case "correlation":
                require(len(numbers) != 1, numbers or not words)
                if word is not None and word not in frame.options.get("marked", ()):
                    self._chooser.cost += 0.5
                pairs = {"columns": numbers, "only_named": len(numbers) > 1 or None}
                also = frame.options.get("also_method")
                self.beside(op="correlation_matrix", method=method, by=word, **pairs)
                if also is not None:
                    self.beside(op="correlation_matrix", method=also, **pairs)
                if len(numbers) == 2:
                    is_apart = frame.options.get("is_apart") and frame.facet is None
                    marks = {"color": frame.colour, "facet": word}
                    if not is_apart:
                        marks = {"color": word or frame.colour, "facet": frame.facet}
                    self.add(kind="scatter", x=numbers[0], y=numbers[1], **marks)
            case "test":
                self._test(numbers, words)
            case "normalize":
                require(numbers)
                self.add(op="normalize", columns=numbers, method=method)
            case _:
                require(op == "cohort", self.scene.dates, words)
                self.add(op="cohort", id_col=word, date_col=self.scene.dates[0], as_share=True)

    def _distribution(self, op: str, numbers: list[str], words: list[str]) -> None:
        chart, steps = self.frame.chart, self.frame.options.get("steps", {})
        number, word = next(iter(numbers), None), next(iter(words), None)
        axes = {"y": number, "x": word} if chart == "box" else {"x": number, "color": word}
        if not numbers:
            require(words)
            self.beside(op="groupby_agg", group_cols=words, metrics={})
            if len(words) < 3 and all(self._is_drawn(one) for one in words):
                self.add(kind="bar", x=word, color=words[1] if len(words) > 1 else None)
        elif chart is not None:
            kind = "hist" if chart in ("any", "bar") else chart
            self.add(kind=kind, **axes, **(steps if kind == "hist" else {}))
        else:
            test = "shapiro" if op == "normality" else None
            columns = {"columns": numbers, "by": words}
            self.beside(op="distribution", normality=test, **columns)
            if len(numbers) == 1 and op == "distribution" and len(words) < 2:
                self.add(kind="hist", **axes, **steps)

    def _is_drawn(self, name: str) -> bool:
        column = self.scene.profile.column(name)
        return column is not None and 1 < column.distinct <= MOST_BARS

    def _test(self, numbers: list[str], words: list[str]) -> None:
        test, compared = self.frame.options.get("test"), self.frame.options.get("compared")
        groups = None
        if compared:
            words = [compared]
            taken = self._taken(compared)
            groups = next((one.value for one in taken if isinstance(one, Among)), None)
        if test == "chi2" or (not numbers and len(words) == 2):
            require(len(words) == 2)
            self.add(op="compare_groups", value_col=words[0], group_col=words[1], test="chi2")
            return
        require(len(numbers) == 1, len(words) == 1)
        fields = {"value_col": numbers[0], "group_col": words[0], "groups": groups}
        self.add(op="compare_groups", test=test, **fields)
