from datetime import date, datetime
from io import BytesIO
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading import dataset_id_of, load
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.kernel.problems import UnsupportedFormat

SHA = "0" * 64
CSV = """日付,店舗,売上（千円）,利益率,会員,出社,コード
2025-04-01,新宿店,"1,200",12.5%,はい,9:05,0012
2025-04-02,大阪店,▲300,3%,いいえ,10:30,0034
2025-04-03,新宿店,,8%,はい,,0056
""".encode()


def loaded(data: bytes, name: str = "売上.csv", sheet: str = "") -> tuple[DatasetProfile, pa.Table]:
    output = BytesIO()
    job = LoadJob(name=name, sheet=sheet, sha256=SHA)
    profile = load(job, memoryview(data), output)
    return profile, ipc.open_file(output.getvalue()).read_all()


def test_columns_have_the_types_and_units_that_offices_mean() -> None:
    profile, table = loaded(CSV)
    assert {column.name: (column.type, column.unit) for column in profile.columns} == {
        "日付": ("date", ""),
        "店舗": ("text", ""),
        "売上（千円）": ("integer", "千円"),
        "利益率": ("percent", "%"),
        "会員": ("boolean", ""),
        "出社": ("time", ""),
        "コード": ("text", ""),
    }
    assert table.column("売上（千円）").to_pylist() == [1200, -300, None]
    assert table.column("利益率").to_pylist() == [0.125, 0.03, 0.08]
    assert table.column("日付").to_pylist()[0] == datetime(2025, 4, 1)
    assert table.column("コード").to_pylist() == ["0012", "0034", "0056"]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("診察料(税込)", ""),
        ("診察料（税抜）", ""),
        ("売上(注1)", ""),
        ("売上（速報）", ""),
        ("売上(2024年)", ""),
        ("予算(A)", ""),
        ("金額（千円）", "千円"),
        ("金額（円）（税込）", "円"),
        ("金額（単位：百万円・税抜）", "百万円"),
        ("体重(ＫＧ)", "ＫＧ"),
        ("電力量[kwh]", "kwh"),
        ("面積（m²）", "m²"),
        ("面積(㎡)", "㎡"),
        ("気温（℃）", "℃"),
        ("速度(km/h)", "km/h"),
        ("人口（千人）", "千人"),
        ("price (USD)", "USD"),
    ],
)
def test_only_a_unit_in_the_brackets_of_a_name_is_taken_for_one(name: str, unit: str) -> None:
    profile, _ = loaded(f"店舗,{name}\n新宿店,12\n大阪店,15\n".encode())
    column = profile.column(name)
    assert column is not None
    assert column.unit == unit


def test_the_profile_counts_what_is_missing_and_lists_the_commonest_words_first() -> None:
    profile, _ = loaded(CSV)
    shop, sales = profile.column("店舗"), profile.column("売上（千円）")
    assert shop is not None
    assert sales is not None
    assert (shop.values, shop.is_whole, shop.distinct) == (("新宿店", "大阪店"), True, 2)
    assert (sales.missing, sales.minimum, sales.maximum) == (1, -300, 1200)
    assert profile.rows == 3
    assert profile.sample[0][:3] == ("2025-04-01", "新宿店", 1200)


def test_the_same_table_has_the_same_id_and_another_sheet_another_one() -> None:
    profile, _ = loaded(CSV)
    assert profile.dataset_id == dataset_id_of(SHA, "")
    assert dataset_id_of(SHA, "四月") != dataset_id_of(SHA, "五月")


def test_a_parquet_file_becomes_the_few_kinds_that_analyses_know() -> None:
    frame = pd.DataFrame(
        {
            "日時": pd.date_range("2025-04-01 09:00", periods=3, tz="Asia/Tokyo"),
            "区分": pd.Categorical(["甲", "乙", "甲"]),
            "金額": [1.5, None, 3.0],
            "数": pd.array([1, 2, 3], dtype="int32"),
            "日付の文字": ["2025-04-01", "2025-04-02", None],
            "一覧": [[1], [2], [3]],
        }
    )
    data = BytesIO()
    frame.to_parquet(data)
    profile, table = loaded(data.getvalue(), "売上.parquet")
    assert {column.name: column.type for column in profile.columns} == {
        "日時": "datetime",
        "区分": "text",
        "金額": "number",
        "数": "integer",
        "日付の文字": "date",
        "一覧": "text",
    }
    assert table.column("日時").to_pylist()[0] == datetime(2025, 4, 1, 9)  # as it is written there
    assert table.column("日付の文字").to_pylist() == [
        datetime.combine(date(2025, 4, 1), datetime.min.time()),
        datetime.combine(date(2025, 4, 2), datetime.min.time()),
        None,
    ]


@pytest.mark.parametrize("data", [b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_a_damaged_parquet_file_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat) as refused:
        loaded(data, "壊れた.parquet")
    assert "壊れた.parquet" in refused.value.problem.message


def parquet_of(column: "pa.Array[Any]") -> bytes:
    data = BytesIO()
    pq.write_table(pa.table({"列": column}), data)
    return data.getvalue()


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("ms"), pa.date64()])
def test_moments_that_no_calendar_has_are_empty_and_said(kind: pa.DataType) -> None:
    numbers = pa.array([86_400_000, 2**60 // 86_400_000 * 86_400_000], pa.int64())
    profile, table = loaded(parquet_of(numbers.view(kind)), "日.parquet")
    assert table.column("列").null_count == 1
    assert "9999" in profile.warnings[0]


def test_the_last_day_of_the_calendar_stays() -> None:
    days = pa.array([date(9999, 12, 31), date(1, 1, 1), None])
    profile, table = loaded(parquet_of(days), "日.parquet")
    assert [day and day.date() for day in table.column("列").to_pylist()] == days.to_pylist()
    assert profile.warnings == ()


def test_texts_that_are_none_and_zones_that_are_nowhere_are_refused() -> None:
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    text = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    nowhere = pa.array([1], pa.int64()).view(pa.timestamp("us", "../../etc/passwd"))
    for column in (text, nowhere):
        with pytest.raises(UnsupportedFormat):
            loaded(parquet_of(cast("Any", column)), "偽.parquet")


def test_nobody_can_find_a_file_with_the_id_of_another() -> None:
    assert len(dataset_id_of(SHA, "")) >= len("ds_") + 32  # 128 bits


def test_large_whole_numbers_stay_exact() -> None:
    rows = "\n".join(f"{n},{10**14 * 9 + n}" for n in range(1, 5))
    profile, table = loaded(f"番号,金額\n{rows}\n".encode())
    assert profile.columns[1].type == "integer"
    assert table.column("金額").to_pylist()[0] == 10**14 * 9 + 1
