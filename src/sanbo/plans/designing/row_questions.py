"""A sentence about rows, read as one question: where that reading is sure, its operations are the
steps. What it leaves open is read clause by clause, as before.
"""

import re
from collections.abc import Sequence
from typing import Any

from sanbo.agents.analysis.building.frame import Frame
from sanbo.agents.analysis.building.steps import Spec
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.reading import Reading
from sanbo.agents.analysis.reader.readings import read_question
from sanbo.agents.analysis.spec.operations import Derive, GroupbyAgg, Resample, TopRows
from sanbo.agents.analysis.spec.words import ROW_COUNT, metric_name
from sanbo.plans.designing import row_steps
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_reading import (
    AGGREGATES,
    Condition,
    Order,
    as_question,
    block_condition,
    of_rows,
)

_EMPTY = re.compile(r"\(\s*\)")
"""売上明細（CSV）を, without the format."""
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_UNITS = frozenset(("month", "year", "quarter", "fiscal_year", "weekday"))


def answered(draft: Draft, rows: Rows, text: str) -> Rows | None:
    """What a text in plain form asks for, as further steps; None where another look is needed."""
    if rows.profile is None:
        return None
    said = _EMPTY.sub(" ", as_question(text))
    sure = read_question(said, rows.profile).sure if said else None
    if sure is not None and any(map(scene_of(rows.profile).is_entity, _grouped_by(sure.specs))):
        sure = read_question(of_rows(said), rows.profile).sure  # each row is one of them
    if sure is None:
        return None
    specs = [one for one in sure.specs if one.type == "analysis"]
    frame = sure.frame
    # 支店別に集計: of what? Two columns against each other: one condition says it, and no column.
    # What stands in brackets is a remark, which no reading of a question is made for.
    is_grouped = any(isinstance(one, GroupbyAgg | Resample) for one in specs)
    is_guessed = is_grouped and not _is_told(frame, said, rows.profile)
    is_first = is_grouped and (frame.is_superlative or frame.wants_rows)
    is_else = is_first or frame.against is not None or ("(" in said and frame.formula is None)
    is_chain = len({one.input for one in specs}) == len(specs)
    can_be = is_chain and all(map(_can_be_step, specs)) and _says_something(specs)
    return _steps(draft, rows, specs, sure) if can_be and not is_guessed and not is_else else None


def _grouped_by(specs: Sequence[Spec]) -> list[str]:
    return [name for one in specs if isinstance(one, GroupbyAgg) for name in one.group_cols]


def _is_told(frame: Frame, said: str, profile: DatasetProfile) -> bool:
    """Whether each figure is named, or that rows are counted."""
    items = items_of(said, scene_of(profile))
    words = {item.sense.name for item in items if item.sense.kind == "word"}
    columns = {one.name for item in items for one in item.senses if one.kind == "column"}
    counts = not words.isdisjoint(("count", "people", "shops", "distinct"))
    return frame.formula is not None or all(
        counts if one.column is None else one.column in columns | frame.derived.keys()
        for one in frame.measures
    )


def _can_be_step(spec: Spec) -> bool:
    if any(block_condition(one) is None for one in spec.filters):
        return False
    match spec:
        case TopRows():
            return spec.per is None and len(spec.by) < 2
        case GroupbyAgg():
            return bool(spec.group_cols)
        case Resample():
            return spec.unit in _UNITS
        case Derive():
            return _expression(spec.expression.model_dump(), {}) is not None
        case _:
            return False


def _says_something(specs: Sequence[Spec]) -> bool:
    """More than that there are rows."""
    first = specs[0] if specs else None
    return first is not None and not (
        isinstance(first, TopRows) and not first.filters and not first.by and len(specs) == 1
    )


def _steps(draft: Draft, rows: Rows, specs: Sequence[Spec], reading: Reading) -> Rows:
    names: dict[str, str] = {}
    """Of figures: as the reading calls them, and as the plan does."""
    for spec in specs:
        conditions = [made for one in spec.filters if (made := block_condition(one)) is not None]
        if conditions:
            rows = row_steps.keep(draft, rows, [_renamed(one, names) for one in conditions])
        match spec:
            case Derive():
                expression = _expression(spec.expression.model_dump(), names) or ""
                rows = row_steps.compute(draft, rows, {spec.name: expression})
            case GroupbyAgg() | Resample():
                rows = _grouped(draft, rows, spec, names)
            case TopRows() if spec.by:
                order = Order(names.get(spec.by[0], spec.by[0]), not spec.ascending)
                rows = row_steps.sort(draft, rows, order)
                if reading.frame.limit or reading.frame.is_superlative:
                    rows = row_steps.limit(draft, rows, reading.frame.limit or 1)
            case TopRows() if reading.frame.limit:
                rows = row_steps.limit(draft, rows, reading.frame.limit)
            case _:
                pass
    return rows


def _grouped(draft: Draft, rows: Rows, spec: GroupbyAgg | Resample, names: dict[str, str]) -> Rows:
    if isinstance(spec, Resample):
        groups = [*((name, None) for name in spec.by), (spec.date_col, spec.unit)]
    else:
        groups = [(name, None) for name in spec.group_cols]
    measures: list[tuple[str | None, str]] = []
    for column, aggregates in spec.metrics.items():
        for one in aggregates:
            is_rows = one == "count"  # of a column that is grouped by: the rows
            op = AGGREGATES.get(one, one)
            measures.append((None, "count") if is_rows else (column, op))
            names[metric_name(column, one)] = (
                draft.say("measure.count") if is_rows else draft.say(f"measure.{op}", column=column)
            )
    names[ROW_COUNT] = draft.say("measure.count")
    rows = row_steps.group(draft, rows, groups, list(dict.fromkeys(measures)))
    if spec.sort is not None:
        order = Order(names.get(spec.sort.by, spec.sort.by), not spec.sort.ascending)
        rows = row_steps.sort(draft, rows, order)
    return row_steps.limit(draft, rows, spec.top_k) if spec.top_k else rows


def _renamed(condition: Condition, names: dict[str, str]) -> Condition:
    if "any" in condition:
        return {"any": [_renamed(one, names) for one in condition["any"]]}
    return {**condition, "field": names.get(condition["field"], condition["field"])}


def _expression(tree: dict[str, Any], names: dict[str, str]) -> str | None:
    match tree["fn"]:
        case "column":
            return row_steps.column_expression(names.get(tree["name"], tree["name"]))
        case "constant":
            return row_steps.literal(tree["value"])
        case "add" | "subtract" | "multiply" | "divide" as fn:
            left, right = (_expression(tree[side], names) for side in ("left", "right"))
            return None if left is None or right is None else f"({left} {_SIGNS[fn]} {right})"
        case _:
            return None
