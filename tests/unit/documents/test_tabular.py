from collections.abc import Sequence
from datetime import date
from io import BytesIO

import pytest
from openpyxl import Workbook

from sanbo.documents.file_table import Tabular, find_table, tabular_of
from sanbo.documents.model import Source
from sanbo.kernel.problems import NotFound, UnsupportedFormat

CSV = '日付,店舗,売上\n2025-04-01,新宿店,"1,200円"\n2025-04-02,大阪店,▲300円\n2025-04-03,,500円\n'


def tabular_at(source: Source, sheet: str = "") -> Tabular:
    return tabular_of(find_table(source, sheet))


def read(text: str, name: str = "表.csv", encoding: str = "utf-8") -> Tabular:
    return tabular_at(Source(name=name, data=text.encode(encoding)))


def workbook(**sheets: Sequence[Sequence[object]]) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    data = BytesIO()
    book.save(data)
    return data.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_a_csv_file_has_typed_columns_in_any_encoding(encoding: str) -> None:
    table = read(CSV, encoding=encoding)
    assert [(column.name, column.type) for column in table.columns] == [
        ("日付", "date"),
        ("店舗", "text"),
        ("売上", "currency"),
    ]
    assert table.columns[0].cells[0] == date(2025, 4, 1)
    assert list(table.columns[1].cells) == ["新宿店", "大阪店", None]
    assert list(table.columns[2].cells) == [1200, -300, 500]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        (("1,200円", "300円"), "円"),
        (("¥1,200", "￥300"), "円"),
        (("$1,234.50", "$3.00"), "$"),
        (("€5.00", "€6.50"), "€"),
        (("100円", "$5.00"), ""),
    ],
)
def test_money_is_in_the_currency_that_its_cells_name(cells: tuple[str, ...], unit: str) -> None:
    table = read("品名,金額\n" + "\n".join(f'品{n},"{c}"' for n, c in enumerate(cells * 3)) + "\n")
    assert (table.columns[1].type, table.columns[1].unit) == ("currency", unit)


def test_american_dates_are_dates() -> None:
    table = read("Order Date,Sales\n12/30/17,1\n1/5/18,2\n2/6/18,3\n")
    assert table.columns[0].type == "date"
    assert table.columns[0].cells[0] == date(2017, 12, 30)


def test_a_workbook_gives_its_first_sheet_with_a_table_and_names_the_others() -> None:
    data = workbook(
        表紙=[["売上報告書"]],
        四月=[["店舗", "売上"], ["新宿店", 100], ["大阪店", 200]],
        五月=[["店舗", "売上"], ["新宿店", 300], ["大阪店", 400]],
    )
    found = find_table(Source(name="売上.xlsx", data=data))
    assert (found.sheet, found.sheets) == ("四月", ("四月", "五月"))
    other = tabular_at(Source(name="売上.xlsx", data=data), "五月")
    assert list(other.columns[1].cells) == [300, 400]


def test_a_sheet_that_is_not_there_is_refused_with_those_that_are() -> None:
    data = workbook(四月=[["店舗", "売上"], ["新宿店", 100], ["大阪店", 200]])
    with pytest.raises(NotFound) as refused:
        tabular_at(Source(name="売上.xlsx", data=data), "六月")
    assert "四月" in refused.value.problem.message


def test_of_two_tables_on_a_sheet_the_larger_is_used_and_the_other_can_be_chosen() -> None:
    small: list[list[object]] = [["区分", "値"], ["税率", 0.1], ["件数", 2], [], []]
    large: list[list[object]] = [[f"店{n}", n * 100, n] for n in range(1, 9)]
    rows: list[list[object]] = [*small, ["店舗", "売上", "数量"], *large]
    table = tabular_at(Source(name="二つ.xlsx", data=workbook(表=rows)))
    assert [column.name for column in table.columns] == ["店舗", "売上", "数量"]
    found = find_table(Source(name="二つ.xlsx", data=workbook(表=rows)))
    assert (found.sheet, found.others, found.sheets) == ("表", ("表#1",), ("表", "表#1"))
    other = find_table(Source(name="二つ.xlsx", data=workbook(表=rows)), "表#1")
    assert (other.names, other.sheet, other.others) == (["区分", "値"], "表#1", ("表",))


def test_a_table_without_a_header_gets_names_and_a_warning() -> None:
    table = read("2025-04-01,新宿店,100\n2025-04-02,大阪店,200\n2025-04-03,新宿店,300\n")
    assert [column.name for column in table.columns] == ["列1", "列2", "列3"]
    assert [warning.problem.text_id for warning in table.warnings] == ["tabular_no_header"]


def test_cells_of_another_kind_are_named_and_count_as_empty() -> None:
    rows = "\n".join(f"2025-04-{day:02d},{day * 100}" for day in range(1, 31))
    table = read(f"日付,売上\n{rows}\n2025-05-01,調査中\n")
    assert list(table.columns[1].cells)[-1] is None
    (warning,) = table.warnings
    assert "調査中" in warning.problem.message
    assert "32" in warning.problem.message  # the line of the file


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("空.csv", b""),
        ("見出しだけ.csv", "日付,売上,数量\n".encode()),
        ("報告.pdf", b"%PDF-1.7\n"),
        ("写真.png", b"\x89PNG\r\n\x1a\n"),
    ],
)
def test_what_is_no_table_is_refused_with_a_hint(name: str, data: bytes) -> None:
    with pytest.raises(UnsupportedFormat) as refused:
        tabular_at(Source(name=name, data=data))
    assert refused.value.problem.hint
