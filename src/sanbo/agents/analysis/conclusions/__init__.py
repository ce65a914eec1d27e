"""The conclusion without a model: a few sentences on each result, from its tables alone."""

from collections.abc import Mapping

from sanbo.agents.analysis.conclusions import compositions, groups, looking, ordering, statistics
from sanbo.agents.analysis.conclusions.groups import chart, derived, drawn, finding_before
from sanbo.agents.analysis.conclusions.looking import prepared
from sanbo.agents.analysis.conclusions.periods import average_of_periods, partly_covered
from sanbo.agents.analysis.conclusions.tables import RATIO, Reading, Scope, scope_of
from sanbo.agents.analysis.decision import ResultView, View
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.plots import Plot, PlotSpec
from sanbo.agents.analysis.spec.words import metric_name
from sanbo.agents.analysis.stated_numbers import Grounds, grounds_of, unfounded
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import current_language, tell, use_language

__all__ = ["conclude"]

MOST_SENTENCES = 4
"""On one result."""


def conclude(view: View, grounds: Grounds | None = None) -> str:
    """Every number in it is one of the results'; a sentence that fails this check is left out.

    `grounds`: those of the view, where they are known.
    """
    with use_language(view.language):
        done = view.done or view.results[-1:]
        grounds = grounds or grounds_of(view)
        paragraphs = [
            [one for one in sentences if not unfounded(one, grounds)]
            for sentences in _paragraphs(done, {one.result_id: one for one in view.results}, view)
        ]
        said = [_joined(sentences) for sentences in paragraphs if sentences]
        if said:
            return "\n\n".join(said)
        return tell("analysis_conclusion.see_tables" if done else "analysis_conclusion.no_results")


def _joined(sentences: list[str]) -> str:
    return ("" if current_language() == "ja" else " ").join(map(_begun, sentences))


def _begun(sentence: str) -> str:
    """English sentences begin with a capital, but a column's name stays as it is."""
    starts = sentence.startswith(("the ", "a ", "an ", "each "))
    return sentence[0].upper() + sentence[1:] if starts else sentence


def _paragraphs(
    done: tuple[ResultView, ...], by_id: Mapping[str, ResultView], view: View
) -> list[list[str]]:
    used = {one.spec.input for one in done if not isinstance(one.spec, Plot)}
    analyses = [one for one in done if not isinstance(one.spec, Plot)]
    finals = _finals([one for one in analyses if one.result_id not in used], by_id, done)
    steps = [sentence for one in analyses for sentence in prepared(one)]
    paragraphs = [steps] if steps else []
    units = _units(view)
    paragraphs += [_finding(one, by_id, units, view)[:MOST_SENTENCES] for one in finals]
    for one in done:
        if isinstance(one.spec, Plot):
            paragraphs.append(_chart(one, by_id, units, is_alone=not finals))
    return paragraphs


def _finals(
    last: list[ResultView], by_id: Mapping[str, ResultView], done: tuple[ResultView, ...]
) -> list[ResultView]:
    """The results to speak of; behind a step that only prepares, the one it was made from."""
    finals: dict[str, ResultView] = {}
    for one in last:
        found = finding_before(one, by_id)
        if found is None or found not in done:
            continue
        if _derived(one, found, Scope()):
            found = one
        finals.setdefault(found.result_id, found)
    return list(finals.values())


def _derived(result: ResultView, before: ResultView | None, scope: Scope) -> list[str]:
    if not isinstance(result.spec, op.Derive) or before is None or not result.tables:
        return []
    return derived(result.spec, before.spec, Reading(result.tables[0]), scope)


def _units(view: View) -> dict[str, str]:
    """A column of percentages holds ratios, whatever its unit says."""
    columns = view.dataset.columns if view.dataset else ()
    return {one.name: RATIO if one.type == "percent" else one.unit for one in columns}


def _chart(
    result: ResultView,
    by_id: Mapping[str, ResultView],
    units: Mapping[str, str],
    *,
    is_alone: bool,
) -> list[str]:
    said: list[str] = []
    if is_alone and result.tables:
        spec: PlotSpec = result.spec  # pyright: ignore[reportAssignmentType]
        scope = scope_of(result, by_id, units)
        said = _with_where(chart(spec, Reading(result.tables[0]), scope), scope)
        said = _in_words(said, result, by_id)
    return [*said, *drawn(result.figure_titles)]


def _finding(
    result: ResultView, by_id: Mapping[str, ResultView], units: Mapping[str, str], view: View
) -> list[str]:
    tables = [Reading(table) for table in result.tables]
    if not tables:
        return []
    scope = scope_of(result, by_id, units)
    source = by_id.get(result.spec.input)
    said = average_of_periods(result, source, tables[0], scope) if source else []
    said = said or _derived(result, finding_before(result, by_id), scope)
    said = said or _by_operation(result, tables, scope, units)
    if isinstance(result.spec, op.Resample):
        said = [*said, *partly_covered(result.spec, view.dataset, tables[0])]
    return _in_words(_with_where(said, scope), result, by_id)


def _in_words(said: list[str], result: ResultView, by_id: Mapping[str, ResultView]) -> list[str]:
    """Columns that an earlier result made are called by what they are: 売上の合計, not 売上_sum."""
    source = by_id.get(result.spec.input)
    words: dict[str, str] = {}
    while source is not None and source.result_id not in words:
        if isinstance(source.spec, op.GroupbyAgg | op.Resample):
            for column, kind in groups.metric_pairs(source.spec.metrics):
                words[plain(metric_name(column, kind))] = groups.measure(column, kind)
        words.setdefault(source.result_id, source.result_id)
        source = by_id.get(source.spec.input)
    for name in sorted(words, key=len, reverse=True):
        said = [one.replace(name, words[name]) for one in said]
    return said


def _with_where(said: list[str], scope: Scope) -> list[str]:
    return [*said, scope.where] if said and scope.where else said


def _by_operation(  # noqa: PLR0911, PLR0912 - one case for each operation
    result: ResultView, tables: list[Reading], scope: Scope, units: Mapping[str, str]
) -> list[str]:
    first = tables[0]
    match result.spec:
        case op.DatasetOverview():
            return looking.dataset_overview(tables)
        case op.Missingness():
            return looking.missingness(first)
        case op.ColumnSummary():
            return looking.column_summary(tables)
        case op.DuplicateCheck() as spec:
            return looking.duplicate_check(spec, first)
        case op.TopRows() as spec:
            return ordering.top_rows(spec, first, scope)
        case op.GroupbyAgg() as spec:
            return groups.groupby_agg(spec, first, scope)
        case op.ShareRatio() as spec:
            return compositions.share_ratio(spec, first, scope)
        case op.Pivot() as spec:
            return compositions.pivot(spec, first, scope)
        case op.Resample() as spec:
            return groups.resample(spec, first, scope)
        case op.Cumulative() as spec:
            return ordering.cumulative(spec, first, scope)
        case op.Lag() as spec:
            return ordering.lag(spec, first, scope)
        case op.Distribution() as spec:
            return statistics.distribution(spec, first, units, scope)
        case op.Outliers() as spec:
            return statistics.outliers(spec, tables, scope)
        case op.CorrelationMatrix():
            return statistics.correlation_matrix(tables)
        case op.CompareGroups() as spec:
            return statistics.compare_groups(spec, tables, scope)
        case _:
            return []
