"""Typed cells as columns in Arrow's format, each with its kind and unit beside it."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, cast

import pyarrow as pa

from sanbo.agents.analysis.execution.frames import TYPE_KEY, UNIT_KEY
from sanbo.agents.analysis.profile import ValueType
from sanbo.documents.columns import Cell
from sanbo.documents.tabular import Tabular
from sanbo.kernel.text import matching_form

_INT64 = range(-(2**63), 2**63)


def arrow_of(found: Tabular) -> pa.Table:
    fields: list[pa.Field[Any]] = []
    arrays: list[pa.Array[Any]] = []
    for column in found.columns:
        array, kind = array_of(column.cells, column.type)
        unit = "%" if kind == "percent" else column.unit
        arrays.append(array)
        fields.append(field_of(column.name, array.type, kind, unit_in(column.name) or unit))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def field_of(name: str, arrow_type: pa.DataType, kind: ValueType, unit: str) -> "pa.Field[Any]":
    return pa.field(name, arrow_type, metadata={TYPE_KEY: kind.encode(), UNIT_KEY: unit.encode()})


def array_of(cells: Sequence[Cell], kind: ValueType) -> tuple["pa.Array[Any]", ValueType]:
    match kind:
        case "empty":
            return pa.nulls(len(cells)), kind
        case "boolean":
            return pa.array(cells, pa.bool_()), kind
        case "date" | "datetime":
            moments = [_wall_time(cast("date | None", cell)) for cell in cells]
            return pa.array(moments, pa.timestamp("us")), kind
        case "time":
            return pa.array([None if cell is None else _clock(cell) for cell in cells]), kind
        case "text":
            return pa.array([None if cell is None else str(cell) for cell in cells], pa.string()), (
                kind
            )
        case "integer" | "currency" | "number" | "percent":
            return _numbers(cells, kind)


def _numbers(cells: Sequence[Cell], kind: ValueType) -> tuple["pa.Array[Any]", ValueType]:
    numbers = cast("Sequence[int | float | None]", cells)
    if all(number is None or isinstance(number, int) for number in numbers):
        if all(number is None or number in _INT64 for number in numbers):
            return pa.array(numbers, pa.int64()), kind
        kind = "number" if kind == "integer" else kind
    floats = [None if number is None else float(number) for number in numbers]
    return pa.array(floats, pa.float64()), kind


def _wall_time(moment: date | None) -> datetime | None:
    """As it is written: a zone beside it does not move the day it belongs to."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None)
    return None if moment is None else datetime.combine(moment, time())


def _clock(cell: Cell) -> str:
    if isinstance(cell, timedelta):
        seconds = int(cell.total_seconds())
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return cell.isoformat("auto") if isinstance(cell, time) else str(cell)


# Without letters that tell columns apart, 予算(A) and 実績(B), and min, which is a minimum too.
_UNITS = """
    円 銭 ドル ユーロ ポンド ウォン $ ¥ € £ 米ドル yen JPY USD EUR GBP CNY KRW dollars euros
    % パーセント ‰ ppm bps pt pts ポイント 点 points
    人 名 件 個 本 枚 台 回 冊 箱 袋 缶 杯 足 着 組 セット 式 社 店 店舗 戸 棟 室 席 床 頭 匹 羽 株
    口 票 泊 食 種類 ケース ロット 文字 頁 ページ 世帯 人日 人月 人・日 人・月
    people persons items pcs units times
    年 か月 ヶ月 カ月 ヵ月 ケ月 箇月 週間 日 日間 時間 分 分間 秒 秒間 ミリ秒
    years months weeks days hours hour hrs hr h minutes minute mins seconds sec ms
    歳 才 度 ℃ °C °F 度C
    t トン kg キロ キログラム g グラム mg μg
    km キロメートル m メートル cm センチ mm ミリ μm 尺 坪 畳 ha ヘクタール アール
    ㎡ m² m^2 平米 平方メートル km² ㎢ 平方キロメートル 平方km cm² m³ 立米 立方メートル cm³ cc
    L リットル dL mL kL
    kW MW GW Wh kWh MWh GWh mA Hz kHz MHz GHz kJ MJ cal kcal Pa hPa kPa MPa dB lx ルクス
    KB MB GB TB bps kbps Mbps Gbps t-CO2 kg-CO2 tCO2 kgCO2
    mph rpm mmHg mg/dL g/dL IU/L U/L
"""
_SCALES = ["十", "百", "千", "万", "十万", "百万", "千万", "億", "十億", "百億", "千億", "兆"]
_PER = ["年", "月", "週", "日", "時", "時間", "分", "秒", "h", "s", "人", "月間", "年間"]
_KNOWN = frozenset(map(matching_form, _UNITS.split()))
_PER_KNOWN = _KNOWN | frozenset(map(matching_form, _PER))
_SCALE = re.compile(f"(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})")
_BRACKETS_AT_END = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{1,20})[)）\]］]\s*$")
_LABEL = re.compile(r"^(?:単位|units?)\s*[:：は]?\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[・、,，;；\s]+")
_MOST_BRACKETS = 3


def unit_in(name: str) -> str:
    """金額（千円） and 金額（単位：千円、税込） are in 千円; empty where the brackets say else."""
    for _ in range(_MOST_BRACKETS):
        found = _BRACKETS_AT_END.search(name)
        if found is None:
            return ""
        inside = _LABEL.sub("", found[1].strip())
        for part in (inside, *_BETWEEN.split(inside)):
            if _is_unit(part):
                return part
        name = name[: found.start()]
    return ""


def _is_unit(word: str) -> bool:
    form = matching_form(word)
    if form in _KNOWN or _SCALE.fullmatch(form):
        return True
    above, *below = form.split("/")
    counted = above in _KNOWN or _SCALE.sub("", above, count=1) in _KNOWN
    return counted and all(part in _PER_KNOWN for part in below)
