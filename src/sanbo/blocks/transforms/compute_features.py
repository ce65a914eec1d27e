"""transforms.compute_features: new fields for rows, made from those they have."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.contract.schemas import schema_by_example
from sanbo.blocks.spec import Schema
from sanbo.blocks.transforms.feature import OF_DATES, OF_TEXTS, Feature
from sanbo.blocks.transforms.feature_numbers import OF_NUMBERS
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, require_field

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
        features, _ = read_features(given.get("config"))
        row = {feature.name: 1 for feature in features}
        return {"features": schema_by_example([row])} if row else {}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
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
        summary: Row = {"rows": len(made), "features": list[JsonValue](empty), "empty": empty}
        return {"features": made, "summary": summary}


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
