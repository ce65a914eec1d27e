"""transforms.compute_features: new fields for rows, made from those they have."""

import math
import statistics
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.contract.schemas import schema_by_example
from sanbo.blocks.spec import Schema
from sanbo.blocks.transforms.feature import OF_DATES, OF_NUMBERS, OF_TEXTS, Feature
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.tables.rows import Row, Rows, known_as, require_field, value_at
from sanbo.tables.values import as_number, text_of

_MAKERS = {**OF_NUMBERS, **OF_DATES, **OF_TEXTS}
_SPELLINGS = {
    "sum": "add",
    "sub": "subtract",
    "minus": "subtract",
    "diff": "difference",
    "mul": "multiply",
    "product": "multiply",
    "div": "divide",
    "ratio": "divide",
    "growth": "change_rate",
    "running_total": "cumulative",
    "zscore": "z_score",
    "date_diff": "days_between",
    "count_same": "occurrences",
    "is_duplicate": "is_repeated",
    "company": "company_key",
}


class ComputeFeatures(Transform[Given]):
    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        if is_of_kinds(given.get("config")):
            return {}
        features, _ = read_features(given.get("config"))
        row = {feature.name: 1 for feature in features}
        return {"features": schema_by_example([row])} if row else {}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        if is_of_kinds(given.config):
            return _of_kinds(given)
        features, keep = read_features(given.config)
        rows = [dict(item) for item in given.items]
        empty: dict[str, JsonValue] = {}
        for feature in features:
            # A feature may be made of one that was made before it.
            for name in (*feature.operands, *feature.by):
                require_field(rows, name, f"config.{feature.name}")
            column = _MAKERS[feature.op](rows, feature)
            for row, value in zip(rows, column, strict=True):
                row[feature.name] = value
            empty[feature.name] = sum(value is None for value in column)
        made = [_kept(row, features, keep) for row in rows]
        summary: Row = {"count": len(made), "features": list[JsonValue](empty), "empty": empty}
        return {"features": made, "summary": summary}


class OfKind(Option):
    """Several figures of one field, which stand together under `features` of the row."""

    field: str
    name: str = ""
    ops: list[Literal["normalize", "ngram", "log", "zscore"]] = Field(default_factory=list[Any])
    n: int = Field(default=2, ge=1, le=20)


class Kinds(Option):
    text: list[OfKind] = Field(default_factory=list[OfKind])
    numeric: list[OfKind] = Field(default_factory=list[OfKind])


def is_of_kinds(config: JsonValue) -> bool:
    """`{text: [...], numeric: [...]}`; a feature may be called so, but is no list."""
    return isinstance(config, dict) and any(
        isinstance(config.get(kind), list) for kind in Kinds.model_fields
    )


def _of_kinds(given: Given) -> Mapping[str, Any]:
    kinds = read_as(Kinds, given.config, "config")
    made: list[Row] = [{} for _ in given.items]
    for one in kinds.text:
        for row, value in zip(made, _column(given.items, one), strict=True):
            row.update(_of_text(text_of(value), one))
    for one in kinds.numeric:
        numbers = [as_number(value) for value in _column(given.items, one)]
        for row, number, z in zip(made, numbers, z_scores(numbers), strict=True):
            row.update(_of_number(number, z, one))
    rows = [{**item, "features": row} for item, row in zip(given.items, made, strict=True)]
    return {"features": rows, "summary": {"count": len(rows)}}


def _column(items: Rows, one: OfKind) -> list[JsonValue]:
    field = known_as(list[JsonValue](items), one.field)
    return [value_at(item, field) for item in items]


def _of_text(text: str, one: OfKind) -> Row:
    name = one.name or one.field
    written = matching_form(text) if "normalize" in one.ops else text
    made: Row = {f"{name}_len": len(written)}
    if "ngram" in one.ops:
        last = max(len(written) - one.n, 0)
        made[f"{name}_ngram_{one.n}"] = [written[at : at + one.n] for at in range(last + 1)]
    return made


def _of_number(number: float | None, z: float | None, one: OfKind) -> Row:
    """Null where there is none: a logarithm of what is not above 0."""
    name = one.name or one.field
    made: Row = {f"{name}_raw": number}
    if "log" in one.ops:
        made[f"{name}_log"] = math.log(number) if number is not None and number > 0 else None
    if "zscore" in one.ops:
        made[f"{name}_z"] = z
    return made


def z_scores(numbers: list[int | float | None]) -> list[float | None]:
    known = [number for number in numbers if number is not None]
    spread = statistics.pstdev(known) if known else 0.0
    if not spread:
        return [None if number is None else 0.0 for number in numbers]
    middle = statistics.fmean(known)
    return [None if number is None else (number - middle) / spread for number in numbers]


Keep = Literal["all", "none"] | list[str]


class Config(Option):
    features: JsonValue
    keep: Keep = "all"
    """Which of the fields that were there stay."""


def read_features(config: JsonValue) -> tuple[list[Feature], Keep]:
    """`{features: [...], keep: all}`, a list of features, or `{name: {op, field}}`."""
    keep: Keep = "all"
    if isinstance(config, dict) and "features" in config:
        written = read_as(Config, config, "config")
        config, keep = written.features, written.keep
    if isinstance(config, dict):
        config = [
            {"name": name, **(one if isinstance(one, dict) else {"op": one})}
            for name, one in config.items()
        ]
    features = [_feature(each) for each in read_as(list[Feature], config, "config")]
    return features, keep


def _feature(written: Feature) -> Feature:
    plain = written.op.strip().lower()
    op = _SPELLINGS.get(plain, plain)
    if op not in _MAKERS:
        raise InvalidInput(
            "transform_feature_unknown", given=written.op, nearest=alternatives(op, sorted(_MAKERS))
        )
    name = written.name or "_".join((*written.operands, op))
    return written.model_copy(update={"op": op, "name": name})


def _kept(row: Row, features: list[Feature], keep: Keep) -> Row:
    if keep == "all":
        return row
    names = [*([] if keep == "none" else keep), *(feature.name for feature in features)]
    return {name: row.get(name) for name in names}
