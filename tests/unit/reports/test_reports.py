"""Every kind of part in every file: tables as tables, numbers as numbers, no word that acts."""

import base64
from html.parser import HTMLParser
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from typing_extensions import override

from sanbo.agents.analysis.export.csv_files import csv_bytes
from sanbo.kernel.problems import InvalidInput
from sanbo.reports.content import Report, name_of, with_all_rows, written
from sanbo.reports.excel_cells import sheet_title
from sanbo.reports.names import ReportFormat, format_of
from sanbo.runs.model import Artifact
from sanbo.runs.parts import (
    READING,
    RECIPE,
    Column,
    Fact,
    Facts,
    Figure,
    Files,
    Progress,
    Score,
    SourceItem,
    Sources,
    Table,
    Text,
    Trouble,
)
from tests.examples import examples
from tests.unit.agents.analysis.report_content import table as result_table
from tests.unit.reports.made import excel, report, word, word_rows

FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
PICTURE = Artifact(artifact_id="png", name="図.png", media_type="image/png", size=1)
HOSTILE = '=HYPERLINK("http://e.example","x")'


def _table(*rows: tuple[Any, ...], **given: Any) -> Table:
    columns = (
        Column(name="店舗"),
        Column(name="売上", kind="number", unit="円", decimals=0),
        Column(name="構成比", kind="share", decimals=1),
        Column(name="日付", kind="date"),
    )
    return Table(id="table", columns=columns, rows=rows, total_rows=len(rows), **given)


def _all() -> Report:
    return report(
        Facts(id=READING, title="質問の読み方", items=(Fact(label="何を", value="売上の合計"),)),
        Text(id="answer", markdown="新宿店が**最も多い**です。[1]\n\n- 大阪店は2位です。"),
        _table(("新宿店", 1234567, 0.25, "2026-04-01"), title="店舗別の売上"),
        Figure(id="figure", title="売上の推移", picture=PICTURE, description="折れ線グラフ"),
        Score(
            id="score", title="確信度", value=0.94, level="自動で回答", explanation=("一致します",)
        ),
        Sources(
            id="sources",
            title="出典",
            items=(
                SourceItem(mark="1", document="規程.md", quote="宿泊費は1万円", note="照合済み"),
            ),
        ),
        Trouble(
            id="warning",
            title="読み取り",
            problem=InvalidInput("report_not_yet").problem,
            is_warning=True,
        ),
        Text(
            id=RECIPE, title="再現のしかた", markdown='```json\n{"op": "sum"}\n```', is_aside=True
        ),
        Progress(id="progress", title="手順", steps=()),
        Files(id="files", title="成果物", items=(PICTURE,)),
        Text(id="report", title="レポート", markdown="# 二度目", document=PICTURE, is_aside=True),
        pictures={"png": DOT},
    )


TOLD = ("売上の合計", "最も多い", "大阪店は2位", "94%", "一致します", "宿泊費は1万円", "照合済み")


def _text_of(form: ReportFormat, made: Report) -> str:
    if form == "docx":
        opened = word(made)
        lines = [paragraph.text for paragraph in opened.paragraphs]
        lines += [
            cell
            for number in range(len(opened.tables))
            for row in word_rows(opened, number)
            for cell in row
        ]
        return "\n".join(lines)
    if form == "xlsx":
        cells = [
            cell.value
            for sheet in excel(made).worksheets
            for row in sheet.iter_rows()
            for cell in row
        ]
        return "\n".join(str(cell) for cell in cells)
    return written(made, form).decode()


@pytest.mark.parametrize("form", FORMATS)
def test_every_part_is_told_once_in_every_file(form: ReportFormat) -> None:
    text = _text_of(form, _all())
    for words in (*TOLD, '"op"' if form != "html" else "&quot;op&quot;", "まだ終わっていない"):
        assert text.count(words) == 1, words
    for words in ("手順", "成果物", "二度目"):
        assert words not in text


def test_the_workbook_has_a_sheet_for_each_table_picture_and_the_way_it_came_about() -> None:
    opened = excel(_all())
    assert opened.sheetnames == [
        *("概要", "店舗別の売上", "図 売上の推移", "出典", "読み方と再現手順")
    ]
    sheet = opened["店舗別の売上"]
    assert [cell.value for cell in sheet[4]] == ["店舗", "売上（円）", "構成比", "日付"]
    assert [(cell.value, cell.number_format) for cell in sheet[5]][1:3] == [
        (1234567, "#,##0"),
        (0.25, "0.0%"),
    ]
    assert f"{sheet['D5'].value:%Y-%m-%d}" == "2026-04-01"
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A5", "A4:D5")
    assert sheet["A4"].font.b
    assert sheet.column_dimensions["B"].width > 9
    assert len(opened["図 売上の推移"]._images) == 1
    told = [cell.value for row in opened["読み方と再現手順"].iter_rows() for cell in row]
    assert "何を" in told
    assert '{"op": "sum"}' in told
    assert sheet_title("規程", ["規程"]) == "規程 (2)"
    assert sheet_title("A" * 40, ["a" * 31]) == "A" * 27 + " (2)"
    assert sheet_title("'//'", []) == "1"


def test_word_has_tables_pictures_and_headings() -> None:
    opened = word(_all())
    assert len(opened.inline_shapes) == 1
    assert ("店舗", "売上（円）", "構成比", "日付") in word_rows(opened, 1)
    assert ("新宿店", "1,234,567", "25.0%", "2026-04-01") in word_rows(opened, 1)
    headings = [
        paragraph.text for paragraph in opened.paragraphs if paragraph.style.name == "Heading 1"
    ]
    assert headings == [
        *("質問の読み方", "表1　店舗別の売上", "図1　売上の推移", "確信度", "出典"),
        *("注意", "再現のしかた"),
    ]


class _Page(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(page)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        assert not any(name.startswith("on") for name, _ in attrs)


HOSTILE_WORDS = ("<script>x</script>", "![x](http://e.example/a.png)", "[x](javascript:1)", HOSTILE)


@settings(max_examples=examples(30))
@given(st.sampled_from(HOSTILE_WORDS) | st.text(max_size=30), st.sampled_from(FORMATS))
def test_no_word_acts_or_breaks_a_file(words: str, form: ReportFormat) -> None:
    made = report(
        Facts(id="facts", title=words, items=(Fact(label=words, value=words),)),
        Text(id="text", markdown=words),
        _table((words, 1, 0.5, words), title=words),
        Sources(id="sources", items=(SourceItem(mark=words, document=words, quote=words),)),
        title=words or "x",
    )
    if form == "xlsx":
        for sheet in excel(made).worksheets:
            for row in sheet.iter_rows():
                assert all(cell.data_type != "f" for cell in row)
    elif form == "docx":
        assert len(word(made).tables) == 2
    elif form == "html":
        page = _Page(written(made, form).decode())
        assert not {"script", "a", "iframe", "link", "object"} & set(page.tags)
        assert all(each.startswith("data:image/") for each in page.addresses)
    else:
        drawn = MarkdownIt("commonmark", {"html": True}).render(written(made, form).decode())
        assert not {"script", "img", "a"} & set(_Page(drawn).tags)
    assert "/" not in name_of(made, form)


def test_cells_that_begin_like_formulas_are_texts_and_say_so() -> None:
    rows = [(f"{sign}1+1", -5, 0.1, "x") for sign in "=+-@＝＋－＠"]
    sheet = excel(report(_table(*rows, title="式"))).worksheets[1]
    for at, row in enumerate(rows, start=5):
        cell = sheet[f"A{at}"]
        assert (cell.value, cell.data_type, cell.quotePrefix) == (row[0], "inlineStr", True) or (
            cell.value,
            cell.data_type,
            cell.quotePrefix,
        ) == (row[0], "s", True)
        assert (sheet[f"B{at}"].value, sheet[f"B{at}"].data_type) == (-5, "n")


def test_rows_that_the_part_leaves_out_come_from_its_file_as_they_were() -> None:
    cells = [("=1+1", 5), ("-", -5), ("x", 10**16), ("", 1)]
    first = Table(
        id="t",
        columns=(Column(name="店舗"), Column(name="売上", kind="number")),
        rows=(cells[0],),
        total_rows=len(cells),
    )
    whole = with_all_rows(first, csv_bytes(result_table(*cells)))
    assert whole.rows == tuple((name or None, number) for name, number in cells)
    sheet = excel(report(whole)).worksheets[1]
    assert [row[0].value for row in sheet.iter_rows(min_row=5)] == ["=1+1", "-", "x", None]
    assert sheet["B7"].value == str(10**16)


def test_files_are_named_after_their_subject() -> None:
    assert name_of(report(title="月別の売上は？"), "docx") == "表の分析_月別の売上は.docx"
    assert name_of(report(title="../a"), "md") == "表の分析_a.md"
    for name, form in (("a.DOCX", "docx"), ("b.htm", "html"), ("c.pdf", None), ("docx", "docx")):
        assert format_of(name) == form
