"""A spec said back to a person as short phrases. Every field that changes the result is in one."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict

from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.binding import columns_of
from sanbo.agents.analysis.spec.expressions import (
    Arithmetic,
    Choose,
    Column,
    Comparison,
    Constant,
    DatePart,
)
from sanbo.agents.analysis.spec.filters import Among, AnyOf
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.phrases import (
    describe,
    is_timely,
    metric_text,
    period_text,
    shown_value,
    word,
)
from sanbo.agents.analysis.spec.plots import AnySpec, Plot, PlotSpec
from sanbo.agents.analysis.spec.words import (
    DATASET,
    ROW_COUNT,
    WEEKDAYS,
    Scalar,
    Sort,
    TimeUnit,
    metric_name,
)
from sanbo.kernel.messages import Language, has_text, tell, use_language

Role = Literal["step", "measure", "group", "condition", "period", "order", "limit", "chart"]
ROLES: tuple[Role, ...] = (
    "chart", "step", "measure", "group", "condition", "period", "order", "limit",
)  # fmt: skip
"""In the order in which they are said."""


class Chip(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: Role
    text: str
    path: tuple[str, ...]
    """JSON pointers to what it speaks of: /filters/0, /metrics/売上."""


def spoken(spec: op.AnalysisSpec | PlotSpec, language: Language) -> list[Chip]:
    with use_language(language):
        said = [*_of_all(spec), *(_of_plot(spec) if isinstance(spec, Plot) else _of(spec))]
        named = {pointer.split("/")[1] for chip in said for pointer in chip.path}
        chips = [*(chip for chip in said if chip.text), *_rest(spec, named)]
    return sorted(chips, key=lambda chip: ROLES.index(chip.role))


def _chip(role: Role, text: str, *path: str) -> Chip:
    return Chip(role=role, text=text, path=tuple(f"/{one}" for one in path))


def _silent(*path: str) -> Chip:
    """Fields of which nothing is to be said, because they have no part in this."""
    return _chip("step", "", *path)


# ---- any spec ----


def _of_all(spec: op.AnalysisSpec | PlotSpec) -> Iterator[Chip]:
    if spec.input != DATASET:
        yield _chip("step", word("input", input=spec.input), "input")
    yield _silent("input", "type", "filters")
    for number, one in enumerate(spec.filters):
        parts = one.any_of if isinstance(one, AnyOf) else (one,)
        role: Role = "period" if all(map(is_timely, parts)) else "condition"
        yield _chip(role, describe(one), f"filters/{number}")


def _rest(spec: op.AnalysisSpec | PlotSpec, named: set[str]) -> Iterator[Chip]:
    """Fields without a phrase of their own, where they are not as usual."""
    for name, field in type(spec).model_fields.items():
        value: object = getattr(spec, name)
        if name in named or value == field.get_default(call_default_factory=True):
            continue
        known = f"analysis_chip.field.{name}"
        label = tell(known) if has_text(known) else name
        role: Role = (
            "limit" if name.startswith("top_") else "chart" if isinstance(spec, Plot) else "step"
        )
        text = label if value is True else word("other", name=label, value=shown_value(value, name))
        yield _chip(role, word("without", name=label) if value is False else text, name)


# ---- operations ----


def _of(spec: op.AnalysisSpec) -> Iterator[Chip]:
    known = f"analysis_chip.op.{spec.op}"
    yield _chip("step", tell(known), "op") if has_text(known) else _silent("op")
    if spec.sample is not None:
        yield _chip("limit", word("sample", count=f"{spec.sample:,}"), "sample")
    yield from _measures(spec)
    yield from _groups(spec)
    yield from _order(spec)
    yield from _limit(spec)


def _each(role: Role, spec: BaseModel, field: str) -> Iterator[Chip]:
    """A chip for each of the columns in a field, or for its one."""
    value: str | Sequence[str] | None = getattr(spec, field)
    if isinstance(value, str):
        yield _chip(role, value, field)
    for number, name in enumerate(() if isinstance(value, str) else value or ()):
        yield _chip(role, name, f"{field}/{number}")
    yield _silent(field)


def _measures(spec: op.AnalysisSpec) -> Iterator[Chip]:  # noqa: PLR0912 - one for each
    match spec:
        case op.GroupbyAgg() | op.Resample():
            if not spec.metrics:
                yield _chip("measure", word("rows"), "metrics")
            for column, kinds in spec.metrics.items():
                for kind in dict.fromkeys(kinds):
                    text = metric_text(_called(column, spec), kind)
                    yield _chip("measure", text, f"metrics/{_escaped(column)}")
        case op.ShareRatio():
            yield _chip("measure", metric_text(spec.value_col, "sum"), "value_col")
            yield _chip("step", word("zeros"), "zeros") if spec.zeros else _silent("zeros")
        case op.Pivot():
            yield _chip("measure", metric_text(spec.value, spec.agg), "value", "agg")
        case op.ComparePeriods():
            yield _chip("measure", metric_text(spec.column, spec.agg), "column", "agg")
        case op.Cohort():
            counted = word("distinct", column=spec.id_col)
            text = counted if spec.value_col is None else metric_text(spec.value_col, "sum")
            yield _chip("measure", text, "value_col")
            if spec.as_share:
                yield _chip("step", word("as_share"), "as_share")
        case op.Cumulative():
            yield _chip(
                "measure", word(f"running.{spec.kind}", column=spec.column), "column", "kind"
            )
        case op.Lag():
            far = "change" if spec.periods == 1 else "change_from_afar"
            text = word(far, column=spec.column, count=spec.periods)
            yield _chip("measure", text, "column", "periods")
        case op.Rolling():
            what = metric_text(spec.column, spec.agg)
            text = word("window", what=what, count=spec.window)
            yield _chip("measure", text, "column", "agg", "window")
        case op.Derive():
            text = word("new_column", name=spec.name, what=_formula(spec.expression))
            if labels := _labels(spec.expression):
                labels_text = word("and").join(map(period_text, labels))
                text = word(
                    "sorted_into", column=columns_of(spec.expression)[0], labels=labels_text
                )
            yield _chip("measure", text, "name", "expression")
        case op.Cast():
            text = word("cast", column=spec.column, to=tell(f"analysis_result.cast.{spec.to}"))
            yield _chip("measure", text, "column", "to")
        case op.Unpivot():
            yield _silent("name", "value_name")
            yield from _each("measure", spec, "columns")
        case op.Outliers():
            yield _chip("measure", spec.column, "column")
        case op.CompareGroups():
            yield _chip("measure", spec.value_col, "value_col")
        case op.DatasetOverview():
            pass
        case _:
            yield from _each("measure", spec, "columns")


def _groups(spec: op.AnalysisSpec) -> Iterator[Chip]:
    match spec:
        case op.GroupbyAgg():
            yield from _each("group", spec, "group_cols")
        case op.ShareRatio():
            yield from _each("group", spec, "group_col")
            if spec.within is not None:
                yield _chip("group", word("within", column=spec.within), "within")
        case op.CompareGroups():
            yield from _each("group", spec, "group_col")
        case op.Pivot():
            for number, name in enumerate(spec.rows):
                unit = spec.row_unit if number == 0 else None
                yield _chip("group", _timely(name, unit), f"rows/{number}", "row_unit")
            across = word("across", what=_timely(spec.columns, spec.column_unit))
            yield _chip("group", across, "columns", "column_unit")
        case op.Resample() | op.Cohort():
            yield _chip("group", _timely(spec.date_col, spec.unit), "date_col", "unit")
            yield from _each("group", spec, "by" if isinstance(spec, op.Resample) else "id_col")
        case op.ComparePeriods():
            yield from _each("group", spec, "by")
            yield from _compared(spec)
        case op.TopRows():
            pass
        case _:
            if "by" in type(spec).model_fields:
                yield from _each("group", spec, "by")


def _timely(column: str, unit: TimeUnit | None) -> str:
    if unit is None:
        return column
    time = tell(f"analysis_result.time_unit.{unit}")
    if column == time:  # 月ごと, and not 月の月ごと
        return word("by_group", name=column)
    return word("by_time", column=column, unit=time)


def _compared(spec: op.ComparePeriods) -> Iterator[Chip]:
    unit = tell(f"analysis_result.time_unit.{spec.unit}")
    when = word("latest", unit=unit) if spec.period is None else period_text(spec.period)
    when = word("in_time.equal", column=spec.date_col, value=when)
    yield _chip("period", when, "date_col", "unit", "period")
    yield _chip("period", word(f"against.{spec.against}", unit=unit), "against", "unit")
    if spec.only is not None:
        yield _chip("condition", word(f"only.{spec.only}"), "only")


def _order(spec: op.AnalysisSpec) -> Iterator[Chip]:
    match spec:
        case op.TopRows() if spec.by:
            largest = "smallest_of" if spec.ascending else "largest_of"
            for number, name in enumerate(spec.by):
                text = word(largest, what=_called(name, spec))
                yield _chip("order", text, f"by/{number}", "ascending")
        case op.TopRows():
            yield _silent("by", "ascending")
        case op.GroupbyAgg() | op.Resample() if spec.sort is not None:
            yield _chip("order", _sorted(spec.sort, spec), "sort")
        case op.ComparePeriods() if spec.sort is not None:
            part, direction = spec.sort.split("_")
            largest = "largest_of" if direction == "desc" else "smallest_of"
            yield _chip("order", word(largest, what=word(f"change_part.{part}")), "sort")
        case op.Cumulative() | op.Lag() | op.Rolling() if spec.order_by is not None:
            yield _chip("order", word("along", column=spec.order_by), "order_by")
        case _:
            pass


def _called(column: str, spec: op.AnalysisSpec) -> str:
    """As people call what operations make."""
    if spec.input == DATASET or column not in ("share", ROW_COUNT):
        return column
    return word("share" if column == "share" else "rows")


def _sorted(sort: Sort, spec: op.GroupbyAgg | op.Resample) -> str:
    direction = "smallest" if sort.ascending else "largest"
    made = {
        metric_name(column, kind): metric_text(column, kind)
        for column, kinds in spec.metrics.items()
        for kind in kinds
    } or {ROW_COUNT: word("rows")}
    by = sort.by
    if by not in made and len(spec.metrics.get(by, ())) == 1:
        by = metric_name(by, spec.metrics[by][0])
    if by in made and len(made) == 1:
        return word(direction)
    return word(f"{direction}_of", what=made.get(by, by))


def _limit(spec: op.AnalysisSpec) -> Iterator[Chip]:
    match spec:
        case op.TopRows():
            count = f"{spec.n:,}"
            if spec.per is None and spec.n == op.MOST_ROWS:
                yield _chip("limit", word("all_rows"), "n")
            elif spec.per is None:
                yield _chip("limit", word("first_rows", count=count), "n")
            else:
                text = word("first_of_each", per=spec.per, count=count)
                yield _chip("limit", text, "n", "per")
        case op.ShareRatio() if spec.top_k is not None:
            yield _chip("limit", word("rest_gathered", count=f"{spec.top_k:,}"), "top_k")
        case op.GroupbyAgg() | op.Resample() | op.ComparePeriods() if spec.top_k is not None:
            yield _chip("limit", word("top", count=f"{spec.top_k:,}"), "top_k")
        case _:
            pass


def _labels(part: Any) -> list[str]:
    """Of what sorts rows into named sets, and does nothing else: 2024年度上期, 2024年度下期."""
    match part:
        case Constant() if isinstance(part.value, str):
            return [part.value]
        case Choose():
            then, others = _labels(part.then), _labels(part.otherwise)
            return [*others, *then] if then and (others or part.otherwise is None) else []
        case _:
            return []


_SIGNS = {
    "add": "+",
    "subtract": "−",
    "multiply": "×",
    "divide": "÷",
    "power": "^",
    "modulo": "mod",
}
_COMPARED = {"==": "=", "!=": "≠", ">": ">", ">=": "≥", "<": "<", "<=": "≤"}


def _formula(part: Any, *, inside: bool = False) -> str:
    """利益 ÷ 売上; functions by name with what they are given."""
    match part:
        case Column():
            return part.name
        case Constant():
            return f"“{part.value}”" if isinstance(part.value, str) else shown_value(part.value)
        case Arithmetic():
            left, right = (_formula(side, inside=True) for side in (part.left, part.right))
            text = f"{left} {_SIGNS[part.fn]} {right}"
            return f"({text})" if inside else text
        case Comparison():
            left, right = (_formula(side, inside=True) for side in (part.left, part.right))
            return f"({left} {_COMPARED[part.op]} {right})"
        case BaseModel():
            given = [_argument(part, name) for name in type(part).model_fields if name != "fn"]
            name = word(f"fn.{getattr(part, 'fn', '')}")
            return f"{name}({', '.join(text for text in given if text)})"
        case _:
            return str(part)


def _argument(part: BaseModel, name: str) -> str:
    value: Any = getattr(part, name)
    if value == type(part).model_fields[name].default:
        return ""
    if isinstance(value, tuple):
        value = "; ".join(_formula(one) for one in cast("tuple[Any, ...]", value))
    elif isinstance(value, BaseModel):
        value = _formula(value)
        if name in ("of", "condition"):
            return value
    else:
        value = shown_value(value, {"part": "x_unit"}.get(name, name))
    return f"{word(f'argument.{name}')}: {value}"


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


# ---- charts ----


def _of_plot(spec: Plot) -> Iterator[Chip]:
    """By what charts have in common; whatever else a kind has is said as its field and value."""
    fields = type(spec).model_fields
    kind: str = getattr(spec, "kind", "")
    known = f"analysis_chip.kind.{kind}"
    yield _chip("chart", tell(known) if has_text(known) else kind, "kind")
    x, y, unit = (getattr(spec, name, None) for name in ("x", "y", "x_unit"))
    if "agg" in fields:
        yield _chip("measure", metric_text(y, getattr(spec, "agg", None)), "y", "agg")
    elif y is not None:
        yield _chip("measure", y, "y")
    if x is not None:
        role: Role = "measure" if kind in _OF_NUMBERS else "group"
        yield _chip(role, _timely(x, unit), "x", *(("x_unit",) if unit else ()))
    if (sort := getattr(spec, "sort", None)) in ("value_desc", "value_asc"):
        yield _chip("order", word("largest" if sort == "value_desc" else "smallest"), "sort")
    top_k, usual = getattr(spec, "top_k", None), fields["top_k"].default if "top_k" in fields else 0
    if top_k is not None and top_k != usual:
        yield _chip("limit", word("top", count=f"{top_k:,}"), "top_k")


_OF_NUMBERS = frozenset({"hist", "scatter"})
"""Kinds whose `x` is measured, not grouped by."""


class ReadingChip(BaseModel):
    """A part of the reading: what it says, and which field of which operation it speaks of."""

    role: str
    label: str
    """何を, 何ごとに, 条件 …"""
    text: str
    step: int
    """The place of its operation in `specs`."""
    path: tuple[str, ...]


def chips_of(specs: Sequence[AnySpec], language: Language) -> list[ReadingChip]:
    return [
        ReadingChip(
            role=chip.role,
            label=tell(f"analysis_chip.role.{chip.role}", language),
            text=chip.text,
            step=step,
            path=chip.path,
        )
        for step, chips in enumerate(_said(specs, language))
        for chip in chips
    ]


def reading_text(specs: Sequence[AnySpec], language: Language) -> str:
    """売上金額の合計・店舗ごと・新宿店を除く; an arrow before what is made from a result."""
    between = tell("analysis_chip.between", language)
    text = ""
    known: set[tuple[str, str]] = set()
    for spec, chips in zip(specs, _said(specs, language), strict=True):
        is_made = spec.input != DATASET
        # A chart beside its table says the same once more.
        new = [chip for chip in chips if is_made or (chip.role, chip.text) not in known]
        known |= {(chip.role, chip.text) for chip in chips}
        said = between.join(_alone(chip, language) for chip in new)
        text += (" → " if is_made else between) * bool(text and said) + said
    return text


_EACH = ("/group_col", "/by", "/rows", "/x", "/date_col", "/id_col")


def _alone(chip: Chip, language: Language) -> str:
    """Without the label that says of a group that it is one."""
    if chip.role != "group" or not chip.path[0].startswith(_EACH):
        return chip.text
    if chip.text.endswith(tell("analysis_chip.by_group", language, name="")):
        return chip.text
    return tell("analysis_chip.by_group", language, name=chip.text)


def _said(specs: Sequence[AnySpec], language: Language) -> list[list[Chip]]:
    """Without the mention of the result before it, and with its columns in words."""
    return [
        [
            chip.model_copy(update={"text": _in_words(chip.text, specs[:step], language)})
            if spec.input != DATASET
            else chip
            for chip in spoken(_with_weekdays(spec, specs[:step], language), language)
            if chip.path != ("/input",)
        ]
        for step, spec in enumerate(specs)
    ]


def _with_weekdays(spec: AnySpec, before: Sequence[AnySpec], language: Language) -> AnySpec:
    """受付日が土曜日, where a column that was made of it is 6."""
    made = {
        one.name: one.expression.of.name
        for one in before
        if isinstance(one, op.Derive)
        and isinstance(one.expression, DatePart)
        and one.expression.part == "weekday"
        and isinstance(one.expression.of, Column)
    }
    names: dict[Scalar, Scalar] = {
        number: tell(f"analysis_result.weekday.{name}", language)
        for number, name in enumerate(WEEKDAYS, 1)
    }
    filters = tuple(
        Among(col=made[one.col], op=one.op, value=tuple(names.get(n, n) for n in one.value))
        if isinstance(one, Among) and one.col in made
        else one
        for one in spec.filters
    )
    return spec.model_copy(update={"filters": filters}) if made else spec


def _in_words(text: str, before: Sequence[AnySpec], language: Language) -> str:
    """売上_sum is what specs call it."""
    with use_language(language):
        made = {
            metric_name(column, kind): metric_text(column, kind)
            for spec in before
            if isinstance(spec, GroupbyAgg | Resample)
            for column, kinds in spec.metrics.items()
            for kind in kinds
        }
        made |= {
            f"{spec.column}_{part}": word(
                "part_of",
                column=made.get(spec.column, spec.column),
                part=word(f"change_part.{part}"),
            )
            for spec in before
            if isinstance(spec, op.Lag)
            for part in ("difference", "rate")
        }
    for name in sorted(made, key=len, reverse=True):
        text = text.replace(name, made[name])
    return text
