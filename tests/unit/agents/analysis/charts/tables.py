"""Tables to draw."""

from collections.abc import Mapping

import pandas as pd

from sanbo.agents.analysis.execution.frames import Frame, to_arrow
from sanbo.agents.analysis.profile import ValueType


def frame_of(
    data: Mapping[str, object],
    kinds: Mapping[str, ValueType],
    units: Mapping[str, str] | None = None,
) -> Frame:
    frame = pd.DataFrame(data)
    for name, kind in kinds.items():
        if kind in ("date", "datetime"):
            frame[name] = pd.to_datetime(frame[name]).astype("datetime64[us]")
    return Frame(to_arrow(frame, kinds, units or {}))


def sales() -> Frame:
    """Two shops, fourteen months, three categories; amounts in yen."""
    rows = [
        (f"{2024 + month // 12}-{month % 12 + 1:02}-10", shop, category, amount, rate)
        for month in range(14)
        for shop, factor in (("新宿店", 3), ("大阪店", 2))
        for category, amount, rate in (
            ("家電", 100_000 * factor + 1000 * month, 0.5),
            ("食品", 40_000 * factor - 500 * month, 0.25),
            ("衣料", -2_000 * factor, 1.25),
        )
    ]
    columns = zip(*rows, strict=True)
    names = ("日付", "店舗", "カテゴリ", "売上", "達成率")
    kinds: dict[str, ValueType] = {
        "日付": "date",
        "店舗": "text",
        "カテゴリ": "text",
        "売上": "currency",
        "達成率": "percent",
    }
    data = {name: list(values) for name, values in zip(names, columns, strict=True)}
    return frame_of(data, kinds, {"売上": "円", "達成率": "%"})


def names(count: int, text: str = "項目{}") -> Frame:
    data = {"名": [text.format(index) for index in range(count)], "値": list(range(1, count + 1))}
    return frame_of(data, {"名": "text", "値": "integer"})
