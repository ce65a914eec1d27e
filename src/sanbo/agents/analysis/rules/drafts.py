"""A plan in the making: steps that name each other, and what was assumed on the way."""

from dataclasses import dataclass, field

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.reading import Axis, Contrast, Formula, Measure, Reading
from sanbo.agents.analysis.rules.scene import Table
from sanbo.agents.analysis.spec.expressions import (
    Arithmetic,
    Choose,
    Column,
    Comparison,
    Constant,
    DateDifference,
    DatePart,
    Expression,
    Numeric,
    Scale,
)
from sanbo.agents.analysis.spec.filters import Among, Compare, Filters
from sanbo.agents.analysis.spec.operations import AnalysisSpec, Cast, Dedup, Derive, Impute
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, Aggregate, Metrics, metric_name
from sanbo.kernel.messages import tell


@dataclass(frozen=True, slots=True)
class Step:
    """An input `$0` is the result of the plan's first step."""

    analysis: AnalysisSpec | None = None
    plot: PlotSpec | None = None
    is_asked: bool = True
    """Whether the person wants the plot; one that just helps may fail."""


@dataclass(frozen=True, slots=True)
class Plan:
    steps: tuple[Step, ...]
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """What must be asked; `choices` are the answers that are offered."""

    question: str
    choices: tuple[str, ...] = ()


class NotClear(Exception):
    def __init__(self, question: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(question)
        self.unclear = Unclear(question, choices)


@dataclass
class Draft:
    reading: Reading
    table: Table
    steps: list[Step] = field(default_factory=list[Step])
    assumptions: list[str] = field(default_factory=list[str])
    input: str = DATASET
    made: dict[str, str] = field(default_factory=dict[str, str])
    """Columns that earlier steps add, with the role of their numbers."""

    @property
    def columns(self) -> Columns:
        return self.table.columns

    @property
    def filters(self) -> Filters:
        return self.reading.filters

    def assume(self, text: str) -> None:
        if text not in self.assumptions:
            self.assumptions.append(text)

    def add(
        self,
        analysis: AnalysisSpec | None = None,
        plot: PlotSpec | None = None,
        *,
        is_asked: bool = True,
    ) -> str:
        """Gives what later steps name as their input."""
        self.steps.append(Step(analysis, plot, is_asked))
        return f"${len(self.steps) - 1}"

    def done(self) -> Plan:
        return Plan(
            tuple(self.steps), tuple(dict.fromkeys((*self.reading.assumptions, *self.assumptions)))
        )

    # ---- steps that make the table ready ----

    def prepare(self) -> None:
        reading = self.reading
        if "without_duplicates" in reading.asks:
            self.input = self.add(Dedup(input=self.input))
        if reading.fill and (
            named := tuple(dict.fromkeys(one.column for one in reading.measures if one.column))
        ):
            self.input = self.add(
                Impute(
                    input=self.input,
                    columns=named,
                    method=reading.fill.method,
                    value=reading.fill.value,
                )
            )
        for measure in reading.measures:
            if (
                measure.column
                and self.columns.roles.get(measure.column) == "clock"
                and measure.column not in self.made
            ):
                self.input = self.add(Cast(input=self.input, column=measure.column, to="minutes"))
                self.made[measure.column] = "level"
                self.assume(tell("analysis_rules.assumed.minutes", column=measure.column))
        if reading.duration:
            lasting = reading.duration
            span = DateDifference(
                start=Column(name=lasting.start), end=Column(name=lasting.end), unit=lasting.unit
            )
            self.input = self.add(Derive(input=self.input, name=lasting.name, expression=span))
            self.made[lasting.name] = "level"
        if reading.formula and reading.formula.fn in ("subtract", "multiply", "add"):
            self._derive(reading.formula)

    def only_contrasted(self, contrast: Contrast) -> Filters:
        """A derived yes or no, and the condition on it."""
        left, right = Column(name=contrast.left), contrast.right
        if right is None:  # above the mean is where the z-score is above 0
            shown = tell("analysis_rules.aggregate.mean")
            score = Scale(fn="zscore", of=left)
            test = Comparison(left=score, op=contrast.op, right=Constant(value=0))
            self.assume(tell("analysis_rules.assumed.average_of_all", column=contrast.left))
        else:
            shown = right
            test = Comparison(left=left, op=contrast.op, right=Column(name=right))
        name = self.free(f"{contrast.left} {contrast.op} {shown}"[:190])
        self.input = self.add(Derive(input=self.input, name=name, expression=test))
        return (Compare(col=name, op="==", value=True),)

    def only_weekdays(self, date_column: str) -> Filters:
        """A derived column of weekdays, and the condition on it."""
        name = self.free(tell("analysis_rules.name.weekday"))
        part = DatePart(of=Column(name=date_column), part="weekday")
        self.input = self.add(Derive(input=self.input, name=name, expression=part))
        return (Among(col=name, op="in", value=tuple(self.reading.weekdays)),)

    def weekends(self, date_column: str) -> str:
        """A derived column that tells weekends from weekdays."""
        name = self.free(tell("analysis_rules.name.weekend"))
        number = DatePart(of=Column(name=date_column), part="weekday")
        late = Comparison(left=number, op=">=", right=Constant(value=6))
        words = (
            Constant(value=tell("analysis_rules.name.is_weekend")),
            Constant(value=tell("analysis_rules.name.is_weekday")),
        )
        choice = Choose(condition=late, then=words[0], otherwise=words[1])
        self.input = self.add(Derive(input=self.input, name=name, expression=choice))
        self.made[name] = "class"
        return name

    def _derive(self, formula: Formula) -> None:
        name = self.free(formula.name)
        expression = Arithmetic(
            fn=formula.fn, left=Column(name=formula.left), right=Column(name=formula.right)
        )
        self.input = self.add(Derive(input=self.input, name=name, expression=expression))
        self.made[name] = "amount"
        sign = {"subtract": "-", "multiply": "×", "add": "+", "divide": "÷"}[formula.fn]
        shown = f"{formula.left} {sign} {formula.right}"
        if name != shown:
            self.assume(tell("analysis_rules.assumed.formula", name=name, formula=shown))

    def classes(self, axis: Axis) -> str:
        """A column with the lower end of each class."""
        width = axis.width or self.usual_width(axis.column)
        name = self.free(tell("analysis_rules.name.classes", column=axis.column))
        number = int(width) if width == int(width) else width
        ratio = Arithmetic(fn="divide", left=Column(name=axis.column), right=Constant(value=number))
        lower: Expression = Arithmetic(
            fn="multiply", left=Numeric(fn="floor", of=ratio), right=Constant(value=number)
        )
        self.input = self.add(Derive(input=self.input, name=name, expression=lower))
        self.assume(tell("analysis_rules.assumed.classes", column=axis.column, width=f"{number:,}"))
        self.made[name] = "class"
        return name

    def usual_width(self, column: str) -> float:
        """A round number that gives about eight classes."""
        profile = self.columns[column]
        low, high = profile.minimum, profile.maximum
        if not isinstance(low, int | float) or not isinstance(high, int | float) or high <= low:
            return 10.0
        rough = (high - low) / 8
        power = 10.0 ** len(str(int(rough))) / 10 if rough >= 1 else 0.1
        return next((power * step for step in (1, 2, 5) if power * step >= rough), power * 10)

    def free(self, name: str) -> str:
        taken = {*self.columns.roles, *self.made}
        found, number = name, 2
        while found in taken:
            found, number = f"{name}{number}", number + 1
        return found

    # ---- numbers ----

    def aggregate_of(self, measure: Measure) -> Aggregate:
        assert measure.column is not None
        if measure.aggregate:
            return measure.aggregate
        if self.made.get(measure.column) == "amount":
            return "sum"
        usual = (
            self.columns.usual_aggregate(measure.column)
            if measure.column in self.columns
            else "sum"
        )
        self.assume(
            tell(
                "analysis_rules.assumed.aggregate",
                column=measure.column,
                aggregate=tell(f"analysis_rules.aggregate.{usual}"),
            )
        )
        return usual

    def metrics(self, measures: tuple[Measure, ...]) -> Metrics:
        found: dict[str, tuple[Aggregate, ...]] = {}
        for measure in measures:
            if measure.column is None:
                continue
            aggregate = self.aggregate_of(measure)
            if aggregate not in found.get(measure.column, ()):
                found[measure.column] = (*found.get(measure.column, ()), aggregate)
        return found


def first_metric(metrics: Metrics) -> str:
    """The column of the result that sorting goes by."""
    for column, aggregates in metrics.items():
        return metric_name(column, aggregates[0])
    return "count"
