from datetime import date, datetime
from io import BytesIO

import pandas as pd
import pyarrow as pa
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


def test_large_whole_numbers_stay_exact() -> None:
    rows = "\n".join(f"{n},{10**14 * 9 + n}" for n in range(1, 5))
    profile, table = loaded(f"番号,金額\n{rows}\n".encode())
    assert profile.columns[1].type == "integer"
    assert table.column("金額").to_pylist()[0] == 10**14 * 9 + 1
