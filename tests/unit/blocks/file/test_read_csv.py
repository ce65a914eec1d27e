"""CSV as offices export it, as rows."""

import base64
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput, NotFound, PermissionDenied
from tests.unit.blocks.computing import Computed, compute

BANK = '取引日,摘要,お支払金額,お預り金額,店番\n令和6年5月31日,ｱｵﾊﾞｼﾖｳﾃﾝ,,"￥110,000",001\n'


def _file(data: bytes, name: str = "明細.csv") -> dict[str, str]:
    return {"name": name, "base64": base64.b64encode(data).decode()}


def _read(data: bytes, **options: Any) -> Computed:
    given = {"bytes": _file(data), "types": "auto", "has_header": "auto", **options}
    return compute("file.read_csv", given)


@pytest.mark.parametrize("encoding", ["cp932", "utf-8-sig", "euc_jp", "utf-16"])
def test_the_encoding_is_found_out(encoding: str) -> None:
    made = _read(BANK.encode(encoding))
    (row,) = made["rows"]
    assert row["取引日"] == "2024-05-31"
    assert row["お預り金額"] == 110000
    assert row["お支払金額"] is None
    assert row["店番"] == "001"
    assert made["summary"]["types"]["店番"] == "text"


def test_everything_can_stay_text() -> None:
    made = _read(BANK.encode("cp932"), types="text", encoding="Shift_JIS")
    (row,) = made["rows"]
    assert row["お預り金額"] == "￥110,000"
    assert row["取引日"] == "令和6年5月31日"


def test_titles_tabs_and_missing_headers_are_read() -> None:
    made = _read("売上一覧\n\n日付\t金額\n2024/4/1\t100\n2024/4/2\t△50\n".encode())
    assert made["rows"] == [
        {"日付": "2024-04-01", "金額": 100},
        {"日付": "2024-04-02", "金額": -50},
    ]
    assert made["summary"]["title"] == "売上一覧"
    assert made["summary"]["delimiter"] == "\t"
    bare = _read(b"1,2\n3,4\n", has_header=False)
    assert bare["rows"] == [{"0": 1, "1": 2}, {"0": 3, "1": 4}]
    assert _read(b"a\tb\n1\t2\n", delimiter="tab", has_header=True)["rows"] == [{"a": 1, "b": 2}]


def test_a_cell_unlike_the_others_is_kept_and_told() -> None:
    lines = "\n".join(f"{number},{number * 10}" for number in range(1, 80))
    made = _read(f"番号,金額\n{lines}\n80,未定\n".encode())
    assert made["rows"][-1] == {"番号": 80, "金額": "未定"}
    (warning,) = made["summary"]["warnings"]
    assert "81行目" in warning["message"]
    assert warning["hint"]


def test_files_of_the_workspace_are_named_by_path(tmp_path: Path) -> None:
    (tmp_path / "2024").mkdir()
    (tmp_path / "2024" / "入金.csv").write_text("a,b\n1,2\n", "utf-8")
    for path in ("2024/入金.csv", "2024\\入金.csv", "./2024/入金.csv"):
        made = compute("file.read_csv", {"path": path, "types": "auto"}, workspace_files=tmp_path)
        assert made["rows"] == [{"a": 1, "b": 2}]
    with pytest.raises(NotFound) as missing:
        compute("file.read_csv", {"path": "2024/入金.cvs"}, workspace_files=tmp_path)
    assert "2024/入金.csv" in missing.value.problem.hint


@pytest.mark.parametrize(
    "path",
    [
        "../secret.csv",
        "/etc/passwd",
        "a/../../secret.csv",
        "C:\\secret.csv",
        "~/x",
        "link.csv",
        "\0",
    ],
)
def test_no_path_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n", "utf-8")
    (files / "link.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(PermissionDenied) as refused:
        compute("file.read_csv", {"path": path}, workspace_files=files)
    assert refused.value.problem.text_id == "block_path_outside"
    with pytest.raises(PermissionDenied):
        compute("file.read_csv", {"path": path})


def test_what_can_not_be_read_is_told_with_what_to_do() -> None:
    given: dict[str, Any] = {"bytes": _file(b"a\n1\n"), "path": "a.csv"}
    for values, text_id in (
        ({}, "block_one_of_two"),
        (given, "block_one_of_two"),
        ({"bytes": _file(b"PK\x03\x04xxxx")}, "block_csv_is_workbook"),
        ({"bytes": _file(b"\xef\xbb\xbf \r\n")}, "block_csv_empty"),
        ({"bytes": _file(b"a\n"), "encoding": "klingon"}, "text_encoding_unusable"),
        ({"bytes": _file(b"a\n"), "delimiter": "ab"}, "tables_delimiter"),
    ):
        with pytest.raises(InvalidInput) as refused:
            compute("file.read_csv", values)
        assert refused.value.problem.text_id == text_id


def test_many_rows_are_no_burden() -> None:
    rows = "\n".join(f'{n},2024-05-{n % 28 + 1:02},"{n:,}"' for n in range(20_000))
    made = _read(f"番号,日付,金額\n{rows}\n".encode("cp932"))
    assert made["summary"]["rows"] == 20_000
    assert made["rows"][-1]["金額"] == 19_999


def test_a_header_without_any_row_is_a_header() -> None:
    made = _read("日付,摘要,金額\r\n".encode("cp932"))
    assert made["rows"] == []
    assert made["summary"]["columns"] == ["日付", "摘要", "金額"]
    assert len(_read("2024/5/1,家賃,1000\n".encode())["rows"]) == 1


TOTALS = "支店,担当,金額\n東京,合田,100\n大阪,計良,300\n小計,,400\n福岡,原,50\n合計,,450\n"


def test_rows_that_add_up_others_are_told_and_left_out_where_that_is_asked_for() -> None:
    made = _read(TOTALS.encode())
    assert len(made["rows"]) == 5, "rows are rows unless the plan says otherwise"
    (warning,) = made.warnings
    assert "4行目「小計」、6行目「合計」" in warning.message
    assert "totals: drop" in warning.hint
    without = _read(TOTALS.encode(), totals="drop")
    assert [row["支店"] for row in without["rows"]] == ["東京", "大阪", "福岡"]
    assert without["summary"]["total_rows"] == [4, 6]
    assert without["summary"]["rows"] == 3
    assert not without.warnings


def test_a_row_that_says_total_and_adds_up_nothing_stays() -> None:
    made = _read("支店,金額\n東京,100\n大阪,300\n合計,7\n".encode(), totals="drop")
    assert [row["金額"] for row in made["rows"]] == [100, 300, 7]
