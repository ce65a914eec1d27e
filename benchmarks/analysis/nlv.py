"""The NLV corpus: chart requests in English, each with the chart that its author had in mind.

A request counts as matched when the last chart of the last answer agrees with the intended one in
its kind, columns, aggregate, grouping and time unit:

- bars over bins with a count are a histogram, drawn as `hist` or as bars over steps;
- scatter plots may have their axes swapped; bars may lie or stand;
- in grouped bars (a panel for each of one column, bars for another) it does not matter which of
  the two groups is inside the other, nor whether colours or panels tell them apart;
- bars stacked by colour may stand side by side unless the request says "stack"; grouped bars
  show means, which can't be stacked;
- a colour that repeats the axis or the panel says nothing and is left out on both sides;
- where an intended chart contradicts itself (a sum under the title AVG), either aggregate counts;
- a year that is a plain number may be an axis as it is or by year; order, bins, titles and
  colours of the marks do not count;
- an answer without a chart is not matched, even when its table has the right numbers.
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from analysis.asking import Answered, Conversation, Product
from analysis.drawn import BINNED, Drawn, drawn


class Request(NamedTuple):
    turns: list[str]
    vis: str
    dataset: str


class Intended(NamedTuple):
    kind: str
    x: str
    unit: str | None
    y: str | None
    aggregates: set[str]
    """Empty: values as they are."""
    color: str | None
    facet: str | None


class Judged(NamedTuple):
    request: Request
    reason: str
    """What does not agree; empty where all does."""
    answered: Answered
    found: Drawn | None


_UNITS = {"yearmonth": "month", "year": "year"}


def read_corpus(folder: Path) -> tuple[list[Request], dict[str, Intended]]:
    with (folder / "NLV_Corpus.csv").open(encoding="utf-8", newline="") as file:
        requests = [
            Request(
                [turn.strip() for turn in row["Utterance Set"].split("|") if turn.strip()]
                if row["sequential"] == "y"
                else [row["Utterance Set"].strip()],
                row["visId"],
                row["dataset"].lower(),
            )
            for row in csv.DictReader(file)
        ]
    charts = json.loads((folder / "vlSpecs.json").read_text("utf-8"))
    return requests, {name: _intended(chart) for name, chart in charts.items()}


def _intended(chart: Any) -> Intended:
    encoding = chart["encoding"]
    x, y = encoding["x"], encoding["y"]
    mark: str = chart["mark"]["type"]
    aggregates = {y["aggregate"]} if "aggregate" in y else set[str]()
    title = str(y.get("axis", {"title": ""}).get("title"))
    for word, aggregate in (("AVG", "mean"), ("SUM", "sum")):
        if word in title:
            aggregates.add(aggregate)
    color = encoding.get("color", {}).get("field")
    return Intended(
        kind="hist" if x.get("bin") else "scatter" if mark == "point" else mark,
        x=x["field"],
        unit=_UNITS.get(x.get("timeUnit", "")),
        y=y.get("field"),
        aggregates=aggregates,
        color=None if color == x["field"] else color,
        facet=encoding.get("column", {}).get("field"),
    )


def judge(
    product: Product, folder: Path, charts: Mapping[str, Intended], request: Request
) -> Judged:
    intended = charts[f"{request.dataset}-{request.vis}"]
    conversation = Conversation("en")
    table = folder / f"{request.dataset}.csv"
    answered = [product.ask(table, turn, conversation) for turn in request.turns][-1]
    if not answered.plots:
        reason = "no chart" if answered.kind == "report" else answered.kind
        return Judged(request, reason, answered, None)
    found = drawn(answered.plots[-1], answered.steps)
    says_stacked = any("stack" in turn.lower() for turn in request.turns)
    reason = _difference(intended, found, says_stacked=says_stacked)
    return Judged(request, reason, answered, found)


def _difference(wanted: Intended, found: Drawn, *, says_stacked: bool) -> str:
    kind = "hist" if found.kind == "bar" and found.x.unit == BINNED else found.kind
    if kind != wanted.kind:
        return f"kind: {found.kind} instead of {wanted.kind}"
    if kind == "scatter":
        columns_agree = {found.x.column, found.y.column} == {wanted.x, wanted.y}
    elif kind == "hist" or wanted.y is None:
        columns_agree = found.x.column in (wanted.x, wanted.facet)
    else:
        columns_agree = found.x.column in (wanted.x, wanted.facet) and found.y.column == wanted.y
    if not columns_agree:
        return "columns"
    if not _groups_agree(wanted, found, says_stacked=says_stacked):
        return "grouping"
    if kind == "hist":
        return ""
    if wanted.aggregates and found.y.agg not in wanted.aggregates:
        return f"aggregate: {found.y.agg}"
    units = {wanted.unit} if wanted.unit else {None, "year"}
    return "" if kind == "scatter" or found.x.unit in units else f"time unit: {found.x.unit}"


def _groups_agree(wanted: Intended, found: Drawn, *, says_stacked: bool) -> bool:
    if wanted.kind == "bar" and wanted.facet:
        return found.groups == {wanted.x, wanted.facet} and not found.is_stacked
    color = found.color.column if found.color else None
    facet = found.facet.column if found.facet else None
    if wanted.kind == "bar" and wanted.color and says_stacked and not found.is_stacked:
        return False
    return (color, facet) == (wanted.color, wanted.facet)
