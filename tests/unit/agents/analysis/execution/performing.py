"""Specs executed as the sandbox does it: JSON and Arrow in, JSON and Arrow out."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import ipc
from pydantic import TypeAdapter

from sanbo.agents.analysis.execution.frames import Frame, read_frame, to_arrow
from sanbo.agents.analysis.execution.perform import execute
from sanbo.agents.analysis.outcome import Outcome, ResultTable
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.kernel.messages import Language, use_language

Kinds = Mapping[str, ValueType]
_SPEC = TypeAdapter[AnalysisSpec | PlotSpec](AnySpec)


def arrow_file(frame: pd.DataFrame, kinds: Kinds, units: Mapping[str, str] | None = None) -> bytes:
    return file_of(to_arrow(frame, kinds, units or {}))


def file_of(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


class Done:
    """What a spec gave: the outcome for a person, and the table for the next spec."""

    def __init__(self, outcome: Outcome, output: bytes) -> None:
        self.outcome = Outcome.model_validate_json(outcome.model_dump_json())
        self.output = output

    @property
    def frame(self) -> Frame:
        return read_frame(memoryview(self.output))

    @property
    def table(self) -> ResultTable:
        return self.outcome.tables[0]

    @property
    def cautions(self) -> str:
        return "\n".join(note.text for note in self.outcome.notes if note.kind == "caution")

    @property
    def conventions(self) -> str:
        return "\n".join(note.text for note in self.outcome.notes if note.kind == "convention")

    def column(self, name: str, table: int = 0) -> list[Any]:
        shown = self.outcome.tables[table]
        place = [column.name for column in shown.columns].index(name)
        return [row[place] for row in shown.rows]

    def row(self, number: int = 0, table: int = 0) -> dict[str, Any]:
        shown = self.outcome.tables[table]
        return dict(zip([column.name for column in shown.columns], shown.rows[number], strict=True))


def done(
    spec: Mapping[str, Any], data: bytes, language: Language = "ja", kind: str = "analysis"
) -> Done:
    output = io.BytesIO()
    asked = _SPEC.validate_python({"type": kind, **spec})
    with use_language(language):
        outcome, _ = execute(asked, memoryview(data), output)
    return Done(outcome, output.getvalue())


def sales() -> tuple[pd.DataFrame, Kinds]:
    """Shops, with what files have: gaps, a negative amount, a shop without a name."""
    rng = np.random.default_rng(7)
    count = 400
    shops = np.array(["新宿店", "渋谷店", "池袋店", "横浜店", None], dtype=object)
    frame = pd.DataFrame(
        {
            "日付": pd.date_range("2024-01-01", periods=count, freq="2D", unit="us"),
            "店舗": pd.Series(shops[rng.integers(0, 5, count)], dtype="str"),
            "カテゴリ": pd.Series(
                np.array(["食品", "家電", "衣料品"])[rng.integers(0, 3, count)], dtype="str"
            ),
            "売上": pd.array(rng.integers(1_000, 90_000, count), dtype="Int64"),
            "利益率": rng.normal(0.2, 0.1, count),
            "数量": rng.integers(1, 20, count),
            "会員": pd.array(rng.integers(0, 2, count) == 1, dtype="boolean"),
        }
    )
    frame.loc[rng.integers(0, count, 20), "売上"] = pd.NA
    frame.loc[rng.integers(0, count, 9), "利益率"] = np.nan
    frame.loc[rng.integers(0, count, 5), "会員"] = pd.NA
    frame.loc[3, "売上"] = -5_000
    frame.loc[5, "売上"] = 900_000
    kinds: Kinds = {
        "日付": "date",
        "店舗": "text",
        "カテゴリ": "text",
        "売上": "currency",
        "利益率": "percent",
        "数量": "integer",
        "会員": "boolean",
    }
    return frame, kinds


def sales_file() -> bytes:
    frame, kinds = sales()
    return arrow_file(frame, kinds, {"売上": "円", "数量": "個"})
