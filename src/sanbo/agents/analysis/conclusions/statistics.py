"""What statistics say, in plain words: what lies far out, what goes together, what differs."""

from collections.abc import Mapping, Sequence

from sanbo.agents.analysis.conclusions.groups import extremes
from sanbo.agents.analysis.conclusions.ordering import row_name
from sanbo.agents.analysis.conclusions.tables import (
    RATIO,
    Reading,
    Row,
    Scope,
    holders,
    largest,
    short,
    smallest,
)
from sanbo.agents.analysis.spec.operations import (
    CompareGroups,
    Distribution,
    Outliers,
)
from sanbo.kernel.messages import tell

MOST_ROWS = 3
_LEAST_P = 0.001
_STRENGTHS = ((0.7, "strong"), (0.4, "moderate"), (0.2, "weak"))
_SKEWED = 0.5
_SIGNIFICANT = 0.05


def p_text(p: float) -> str:
    return "p < 0.001" if p < _LEAST_P else f"p = {p:.3f}"


def outliers(spec: Outliers, tables: Sequence[Reading], scope: Scope) -> list[str]:
    if not tables or not tables[0].rows:
        return []
    summary = tables[0]
    what = scope.about(short(spec.column))
    if not any(summary.number(row, "outliers") for row in summary.rows):
        none = tell("analysis_conclusion.outliers.none", what=what)
        return [none] if spec.by else [none, *_bounds(summary, summary.rows[0])]
    if spec.by:
        place = summary.position("outliers") or 0
        subject = tell("analysis_conclusion.outliers.by", by=short(spec.by), what=what)
        said = [
            extremes(subject, summary.named(place, [0]), summary, how="many", by=short(spec.by))
        ]
    else:
        row = summary.rows[0]
        count, share = summary.at(row, "outliers"), summary.at(row, "outlier_share")
        said = [
            tell("analysis_conclusion.outliers.some", what=what, count=count, share=share),
            *_bounds(summary, row),
        ]
    return [*said, *_most_extreme(spec, tables)]


def _bounds(summary: Reading, row: Row) -> list[str]:
    lower, upper = summary.at(row, "lower"), summary.at(row, "upper")
    if not lower or not upper:
        return []
    return [tell("analysis_conclusion.outliers.bounds", lower=lower, upper=upper)]


def _most_extreme(spec: Outliers, tables: Sequence[Reading]) -> list[str]:
    if len(tables) < 2 or not tables[1].rows:
        return []
    rows = tables[1]
    place = rows.position(spec.column)
    if place is None:
        return []
    value = rows.value(place, rows.rows[0][place])
    name = row_name(rows, rows.rows[0], [place])
    if not name:
        return [tell("analysis_conclusion.outliers.extreme_nameless", value=value)]
    return [tell("analysis_conclusion.outliers.extreme", name=name, value=value)]


def correlation_matrix(tables: Sequence[Reading]) -> list[str]:
    pairs = next((one for one in tables if "r" in one.names and "column_1" in one.names), None)
    if pairs is None:
        return []
    row = next((row for row in pairs.rows if pairs.number(row, "r") is not None), None)
    if row is None:
        return [tell("analysis_conclusion.correlation.none")]
    r, p = pairs.number(row, "r") or 0.0, pairs.number(row, "p")
    strength = next((word for least, word in _STRENGTHS if abs(r) >= least), "hardly")
    if strength != "hardly":
        strength += "_positive" if r > 0 else "_negative"
    kind = "only" if len(pairs.rows) == 1 else "strongest"
    said = tell(
        f"analysis_conclusion.correlation.{kind}",
        one=pairs.at(row, "column_1"),
        other=pairs.at(row, "column_2"),
        r=f"{r:.3f}",
        strength=tell(f"analysis_conclusion.strength.{strength}"),
        p="" if p is None else tell("analysis_conclusion.correlation.p", p=p_text(p)),
        n=pairs.at(row, "n"),
    )
    is_sure = strength == "hardly" or (p is not None and p < _SIGNIFICANT)
    doubt = [] if is_sure else [tell("analysis_conclusion.correlation.unsure")]
    return [said, *doubt, tell("analysis_conclusion.correlation.not_causal")]


def distribution(
    spec: Distribution, reading: Reading, units: Mapping[str, str], scope: Scope
) -> list[str]:
    said: list[str] = []
    for row in reading.rows[:MOST_ROWS]:
        column = reading.text(row, "column")
        unit = units.get(column, "")
        unit = "" if unit == RATIO else unit
        what = scope.about(short(column))
        if spec.by:
            what = tell("analysis_conclusion.of", whose=reading.at(row, spec.by[0]), what=what)
        if reading.number(row, "mean") is None:
            said.append(tell("analysis_conclusion.no_values", what=what))
            continue
        said.append(
            tell(
                "analysis_conclusion.distribution.centre",
                what=what,
                mean=reading.at(row, "mean", unit),
                std=reading.at(row, "std", unit) or tell("analysis_conclusion.nothing"),
                low=reading.at(row, "min", unit),
                high=reading.at(row, "max", unit),
            )
        )
        said += _shape(spec, reading, row)
    return said


def _shape(spec: Distribution, reading: Reading, row: Row) -> list[str]:
    skewness, p = reading.number(row, "skewness"), reading.number(row, "normality_p")
    if skewness is None or p is None:
        return []
    skewed = "even" if abs(skewness) < _SKEWED else "right" if skewness > 0 else "left"
    normal = "not_normal" if p < spec.alpha else "maybe_normal"
    return [
        tell(
            f"analysis_conclusion.distribution.{skewed}_{normal}",
            skewness=f"{skewness:.2f}",
            p=p_text(p),
        )
    ]


def compare_groups(spec: CompareGroups, tables: Sequence[Reading], scope: Scope) -> list[str]:
    if not tables or not tables[0].rows:
        return []
    finding, row = tables[0], tables[0].rows[0]
    p = finding.number(row, "p")
    if p is None:
        return [tell("analysis_conclusion.test.none")]
    is_words = len(tables) > 1 and "mean" not in tables[1].names
    what = "related" if is_words else "differ"
    verdict = "yes" if p < spec.alpha else "no"
    said = [
        tell(
            f"analysis_conclusion.test.{what}_{verdict}",
            value=scope.about(short(spec.value_col)),
            group=short(spec.group_col),
            test=finding.at(row, "test"),
            alpha=f"{spec.alpha * 100:g}%",
            p=p_text(p),
        )
    ]
    return said if is_words else [*said, *_means(spec, tables[1:])]


def _means(spec: CompareGroups, tables: Sequence[Reading]) -> list[str]:
    if not tables:
        return []
    groups = tables[0]
    place = groups.position("mean")
    rows = [] if place is None else groups.named(place, [0])
    if len(rows) < 2 or groups.table.is_cut:
        return []
    top, bottom = largest(rows), smallest(rows)
    if top.number == bottom.number:
        return []
    return [
        tell(
            "analysis_conclusion.test.means",
            value=short(spec.value_col),
            top=holders(rows, top.number),
            top_value=top.value,
            bottom=holders(rows, bottom.number),
            bottom_value=bottom.value,
        )
    ]  # fmt: skip
