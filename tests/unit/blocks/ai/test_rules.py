"""Invoices of many layouts, read by labels and types alone; what is not sure is left open."""

import io
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.ai.material import document_of_text
from sanbo.blocks.ai.rule_extraction import extract_records
from sanbo.blocks.ai.shapes import shape_of
from sanbo.blocks.ai.values import as_amount, as_date, find_date
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from tests.examples import examples

JAPANESE: dict[str, Any] = {
    "請求元": "string",
    "請求先": "string",
    "請求金額": "number",
    "請求日": "date",
    "支払期限": "date",
    "請求書番号": "string",
    "登録番号": "string",
    "消費税": "number",
    "小計": "number",
    "口座番号": "string",
}
ENGLISH: dict[str, Any] = {
    "vendor": "string",
    "customer": "string",
    "total_amount": "number",
    "invoice_date": "date",
    "due_date": "date",
    "invoice_number": "string",
    "tax": "number",
    "subtotal": "number",
}

LETTER = """\
請求書
No. 2026-114
2026年10月5日

株式会社 北川製作所
経理部 御中

〒530-0001 大阪市北区1-1-1
南野デザイン合同会社
TEL 06-1111-2222

合計金額　￥38,500（税込）

ロゴ制作　1式　35,000円
消費税（10%）　3,500円

【お振込先】見本銀行 梅田支店 普通預金 0012345
"""
WIDE = """\
御　請　求　書
青空商事株式会社　御中
                         発行日：令和８年９月３０日
                         ㈱やまと印刷
                         〒100-0001 東京都千代田区1-1
ご請求額　　￥５５，０００－（税込）
お支払期日　令和8年10月31日(土)
登録番号：T9876543210987
小計 50,000
消費税 10% 5,000
合計 55,000
"""
TABLE = """\
| 項目 | 内容 |
| --- | --- |
| 請求書番号 | S-0088 |
| 発行日 | R8.9.30 |
| お支払期限 | R8.10.31 |
| 税抜金額 | 200,000 |
| 消費税額 | 20,000 |
| ご請求金額 | 220,000 |

東洋商会株式会社 御中

発行元：西部電機株式会社（登録番号T1111111111111）
"""
STATEMENT = """\
前回ご請求額  110,000  ご入金額  110,000  繰越金額  0
今回お買上額  50,000  消費税  5,000  今回ご請求額  55,000
締日 2026年9月30日   お支払期限 2026年10月末日
"""
BRITISH = """\
ACME Supplies Ltd.
12 High Street, London
INVOICE #4471
Invoice date: 03/04/2026
Payment due: 2026-05-03
Billed to
Sunrise Foods Inc.
Subtotal: GBP 400.00
VAT (20%): GBP 80.00
TOTAL DUE: GBP 480.00
"""
AMERICAN = """\
INVOICE

Bill To: Blue Sky Trading Co., Ltd.
From: Green Works LLC
Invoice No. GW-2231        Date: May 31, 2026
Due Date  30 June 2026

Subtotal   $1,000.00
Sales Tax (10%)  $100.00
Total Due  $1,100.00
"""


def read(name: str, data: str | bytes, schema: dict[str, Any]) -> dict[str, Any]:
    source = Source(name=name, data=data.encode() if isinstance(data, str) else data)
    [record] = extract_records(extract(source), shape_of(schema))
    return record.values


@pytest.mark.parametrize(
    ("name", "text", "schema", "expected"),
    [
        (
            "手紙.txt",
            LETTER,
            JAPANESE,
            {
                "請求元": "南野デザイン合同会社",
                "請求先": "株式会社 北川製作所",
                "請求金額": 38500,
                "請求書番号": "2026-114",
                "消費税": 3500,
                "口座番号": "0012345",
            },
        ),
        (
            "全角.txt",
            WIDE,
            JAPANESE,
            {
                "請求元": "㈱やまと印刷",
                "請求先": "青空商事株式会社",
                "請求金額": 55000,
                "請求日": "2026-09-30",
                "支払期限": "2026-10-31",
                "登録番号": "T9876543210987",
                "消費税": 5000,
                "小計": 50000,
            },
        ),
        (
            "表.md",
            TABLE,
            JAPANESE,
            {
                "請求元": "西部電機株式会社",
                "請求先": "東洋商会株式会社",
                "請求金額": 220000,
                "請求日": "2026-09-30",
                "支払期限": "2026-10-31",
                "請求書番号": "S-0088",
                "登録番号": "T1111111111111",
                "消費税": 20000,
                "小計": 200000,
            },
        ),
        (
            "月締め.txt",
            STATEMENT,
            JAPANESE,
            {"請求金額": 55000, "支払期限": "2026-10-31", "消費税": 5000},
        ),
        (
            "british.txt",
            BRITISH,
            ENGLISH,
            {
                "vendor": "ACME Supplies Ltd.",
                "customer": "Sunrise Foods Inc.",
                "total_amount": 480,
                "due_date": "2026-05-03",
                "invoice_number": "4471",
                "tax": 80,
                "subtotal": 400,
            },
        ),
        (
            "american.txt",
            AMERICAN,
            ENGLISH,
            {
                "vendor": "Green Works LLC",
                "customer": "Blue Sky Trading Co., Ltd.",
                "total_amount": 1100,
                "invoice_date": "2026-05-31",
                "due_date": "2026-06-30",
                "invoice_number": "GW-2231",
                "tax": 100,
                "subtotal": 1000,
            },
        ),
    ],
)
def test_an_invoice_is_read_and_nothing_is_made_up(
    name: str, text: str, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = {field: value for field, value in read(name, text, schema).items() if value is not None}
    assert found == expected


def test_a_workbook_is_read_by_its_cells_and_its_lines() -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for place, value in {
        "A1": "請求書",
        "A3": "株式会社青空商事 御中",
        "F3": "請求日",
        "G3": "2026年9月30日",
        "F6": "有限会社みどり工業",
        "A8": "ご請求金額",
        "C8": 121000,
        "A9": "お支払期限",
        "C9": date(2026, 10, 31),
        "A11": "品名",
        "B11": "数量",
        "C11": "単価",
        "D11": "金額",
        "A12": "保守",
        "B12": 1,
        "C12": 100000,
        "D12": 100000,
        "A13": "部品",
        "B13": 2,
        "C13": 5000,
        "D13": 10000,
        "C15": "合計",
        "D15": 110000,
        "A19": "振込先：みどり銀行 本店 普通 1234567",
    }.items():
        sheet[place] = value
    data = io.BytesIO()
    book.save(data)
    schema = JAPANESE | {"明細": [{"品名": "string", "数量": "integer", "金額": "number"}]}
    found = read("請求書.xlsx", data.getvalue(), schema)
    assert found["請求金額"] == 121000
    assert found["支払期限"] == "2026-10-31"
    assert (found["請求元"], found["請求先"]) == ("有限会社みどり工業", "株式会社青空商事")
    assert found["口座番号"] == "1234567"
    assert found["明細"] == [
        {"品名": "保守", "数量": 1, "金額": 100000},
        {"品名": "部品", "数量": 2, "金額": 10000},
    ]


def test_what_the_paper_says_twice_in_different_ways_is_left_open_and_told() -> None:
    text = "株式会社A 御中\n請求金額 100,000円\n請求金額 200,000円\n"
    document = extract(Source(name="a.txt", data=text.encode()))
    [record] = extract_records(document, shape_of({"請求金額": "number"}))
    assert record.values["請求金額"] is None
    assert record.conflicts[0].values == [100000, 200000]


def test_the_other_side_is_told_only_where_there_is_one() -> None:
    document = extract(Source(name="a.txt", data=WIDE.encode()))
    [record] = extract_records(document, shape_of({"取引先": "string"}))
    assert record.values["取引先"] is None
    assert record.conflicts[0].values == ["青空商事株式会社", "㈱やまと印刷"]
    assert read("b.txt", "取引先：東洋商会\n", {"取引先": "string"}) == {"取引先": "東洋商会"}


def test_booleans_choices_and_counts_are_read_by_their_labels() -> None:
    text = "源泉徴収：有\n区分：更新\n件数：12件\n税率：10%\n備考：特になし\n"
    schema: dict[str, Any] = {
        "源泉徴収": "bool",
        "区分": {"enum": ["新規", "更新"]},
        "件数": "integer",
        "税率": "number",
        "備考": "string",
        "一致": "bool",
    }
    assert read("a.txt", text, schema) == {
        "源泉徴収": True,
        "区分": "更新",
        "件数": 12,
        "税率": 0.1,
        "備考": "特になし",
        "一致": None,
    }


def test_the_sample_invoices_are_read_whole() -> None:
    samples = Path("src/sanbo/service/samples/plans/invoice_reconciliation/invoices.zip")
    wanted = {"請求書番号", "請求先", "請求金額", "請求日", "支払期限"}
    shape = shape_of({name: JAPANESE[name] for name in wanted})
    with zipfile.ZipFile(samples) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        for name in names:
            document = extract(Source(name=name, data=archive.read(name)))
            [record] = extract_records(document, shape)
            assert None not in record.values.values(), name
            assert str(record.values["請求書番号"]) in name
    assert len(names) >= 6


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("¥110,000-", 110000),
        ("△1,000", -1000),
        ("金 110,000 円也", 110000),
        ("１１０，０００円（税込）", 110000),
        ("￥110,000（うち消費税 ￥10,000）", 110000),
        ("1億2,000万円", 120000000),
        ("1,234.50 USD", 1234.5),
        ("03-1234-5678", None),
        ("2026年5月31日", None),
        ("1,000円と2,000円", None),
        ("10%", None),
        ("T1234567890123", None),
    ],
)
def test_amounts_as_papers_write_them(text: str, value: float | None) -> None:
    found = as_amount(text)
    assert (found.value if found else None) == value


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("令和６年　５月　１日", date(2024, 5, 1)),
        ("R6.5.1", date(2024, 5, 1)),
        ("2026年5月31日(日)まで", date(2026, 5, 31)),
        ("20260531", date(2026, 5, 31)),
        ("May 31, 2026", date(2026, 5, 31)),
        ("05/31/2026", date(2026, 5, 31)),
        ("2026年2月末日", date(2026, 2, 28)),
        ("05/06/2026", None),
        ("5月31日", None),
        ("2026年13月1日", None),
    ],
)
def test_dates_as_papers_write_them(text: str, day: date | None) -> None:
    assert as_date(text) == day


LETTERS = "請求金額合計消費税：: 　0123456789,.円¥-年月日令和/\t\n()（）"


@settings(max_examples=examples(60))
@given(st.text(alphabet=LETTERS, max_size=80))
def test_no_text_breaks_the_rules(text: str) -> None:
    document = document_of_text("a.txt", text)
    for record in extract_records(document, shape_of(JAPANESE)):
        if record.values["請求金額"] is not None:  # whatever it found stands there
            assert record.sources["請求金額"].position is not None
    find_date(text)
