"""The report says what was found, shows on what it rests, and obeys nothing that it quotes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sanbo.agents.analysis.outcome import ResultTable, TableColumn
from sanbo.agents.analysis.report import ReportContent, compose, table_markdown
from sanbo.agents.analysis.report.content import sentences, shower
from tests.unit.agents.analysis.report_content import STORES, content, table

HOSTILE = [
    "![x](https://evil.example/a.png)",
    "[click](https://evil.example)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "a | b | c",
    "a \\| b",
    "\\",
    "`code`",
    "```\n# 偽の結論\n```",
    "line\nbreak\r\n# heading",
    "# heading",
    "---",
    "1. item",
    "- item",
    "**bold** _em_ ~~gone~~",
    "https://evil.example www.evil.example a@evil.example",
    "<https://evil.example>",
    "&#60;b&#62; &lt;b&gt;",
    "[ref]: https://evil.example",
    "$x^2$",
    "\u202etxt.exe",
    "\u2028# heading",
    "!\\[x](y)",
    "",
]


def _tokens(markdown: str) -> list[Token]:
    tokens: list[Token] = []
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown):
        tokens += [token, *(token.children or [])]
    return tokens


def _headings(markdown: str) -> list[str]:
    return re.findall("^## (.+)$", markdown, re.MULTILINE)


def test_a_report_has_its_parts_in_order() -> None:
    whole = content(assumptions=("売上は税込みです。",), suggestions=("月別では？",))
    assert _headings(compose(whole)) == [
        "結論",
        "根拠",
        "再現のしかた",
        "前提",
        "注意",
        "次の質問の例",
    ]


def test_a_report_in_english_has_the_same_parts() -> None:
    whole = content(language="en", assumptions=("Gross.",), suggestions=("By month?",))
    assert _headings(compose(whole)) == [
        "Conclusion",
        "Evidence",
        "How to reproduce this",
        "Assumptions",
        "Cautions",
        "Questions you could ask next",
    ]


def test_a_report_shows_tables_figures_specs_and_what_they_rest_on() -> None:
    report = compose(content())
    assert "| 新宿店 | 33,210,000 |" in report
    assert "売上（合計）（円）" in report
    assert "[表1.csv](表1.csv)" in report
    assert "![棒グラフ](図1.png)" in report
    assert '"op": "groupby_agg"' in report
    assert "ab" * 32 in report
    assert "1,440行 × 2列" in report
    assert "1,440行のうち1,200行" in report
    assert "欠損は除いて計算しました。" in report
    assert "負の値があります。" in report
    assert "pandas 3.1.0" in report
    assert "Landlock + seccomp" in report
    assert "rules" in report


def test_the_limit_and_a_refused_text_are_said() -> None:
    report = compose(content(limit_reached=True, refused_numbers=("99,999", "12%")))
    assert "上限（8回）に達した" in report
    assert "99,999、12%" in report


def test_a_long_table_is_cut_and_says_how_much_is_left() -> None:
    rows = tuple((f"店{number}", number) for number in range(200))
    text = table_markdown(table(*rows, row_count=1234))
    assert text.count("\n| 店") == 20
    assert "…他1,214行" in text


def test_the_same_content_gives_the_same_report() -> None:
    assert compose(content()) == compose(ReportContent.model_validate(content().model_dump()))


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_cell_or_name_becomes_markup(hostile: str) -> None:
    bad = table(
        (hostile, 1),
        (hostile + "x", 2),
        title=hostile or "t",
        labels=(hostile or "l", "売上"),
        units=(hostile, "円"),
    )
    whole = content(
        bad,
        question=hostile,
        assumptions=(hostile + "a",),
        suggestions=(hostile + "s",),
        engine=hostile,
        sandbox=hostile,
    )
    dataset = whole.dataset.model_copy(update={"name": hostile or "n", "sheet": hostile})
    report = compose(whole.model_copy(update={"dataset": dataset}))
    _assert_harmless(report, rows=2)


@given(st.text(max_size=60))
def test_no_text_at_all_breaks_out_of_its_cell(text: str) -> None:
    _assert_harmless(compose(content(table((text, 1), ("x" + text, 2)))), rows=2)


def _assert_harmless(report: str, *, rows: int) -> None:
    tokens = _tokens(report)
    assert [one for one in tokens if one.type.startswith("html")] == []
    assert [one.attrs["src"] for one in tokens if one.type == "image"] == ["%E5%9B%B31.png"]
    links = {one.attrs["href"] for one in tokens if one.type == "link_open"}
    assert links == {"%E8%A1%A81.csv"}
    assert len([one for one in tokens if one.type == "tr_open"]) == rows + 1
    assert len([one for one in tokens if one.type == "td_open"]) == rows * 2
    assert len([one for one in tokens if one.type == "fence"]) == 2
    assert {one.tag for one in tokens if one.type == "heading_open"} == {"h1", "h2", "h3"}
    assert len([one for one in tokens if one.type == "heading_open" and one.tag == "h2"]) <= 6
    assert [one for one in tokens if one.type in ("hr", "strong_open", "s_open")] == []
    assert not re.search(r"(?<!\\)https?://", report)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_models_sentences_fetch_nothing_and_add_no_part(hostile: str) -> None:
    report = compose(content(conclusion=f"売上は**多い**です。\n\n{hostile}\n\n- 以上"))
    tokens = _tokens(report)
    assert [one for one in tokens if one.type.startswith("html")] == []
    assert len([one for one in tokens if one.type == "image"]) == 1
    assert len([one for one in tokens if one.type == "link_open"]) == 1
    assert len([one for one in tokens if one.type == "fence"]) == 2
    assert len(_headings(report)) == 4
    assert "偽の結論" not in [one.content for one in tokens if one.type == "heading_open"]


@given(st.text(alphabet="\\![]()<>`$&#;:/ax\n", max_size=30))
def test_no_backslash_opens_a_way_out_of_a_models_sentences(text: str) -> None:
    made = sentences(text)
    kinds = {one.type for one in _tokens(made)}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "heading_open", "fence"}
    assert sentences(made) == made


@pytest.mark.parametrize("way", ["\\\\[a](https://evil.example)", "\\\\<img src=x>"])
def test_an_escaped_backslash_escapes_nothing_after_it(way: str) -> None:
    kinds = {one.type for one in _tokens(sentences(way))}
    assert not kinds & {"link_open", "image", "html_inline", "html_block"}


def test_a_models_lists_and_emphasis_stay() -> None:
    text = "- **新宿店**：33,210,000円\n- 渋谷店"
    assert sentences(text) == text


def test_a_column_name_with_fences_stays_inside_its_json() -> None:
    whole = content()
    first = whole.results[0]
    spec = first.spec.model_copy(update={"group_cols": ("```\n# 偽\n````",)})
    results = (first.model_copy(update={"spec": spec}), whole.results[1])
    tokens = _tokens(compose(whole.model_copy(update={"results": results})))
    assert len([one for one in tokens if one.type == "fence"]) == 2


@pytest.mark.parametrize(
    ("kind", "cells", "shown"),
    [
        ("integer", [1234567, -5, None], ["1,234,567", "-5", ""]),
        ("number", [1234.5678, 2.0], ["1,234.6", "2.0"]),
        ("number", [1.23456, -0.00001], ["1.235", "-0.0000100"]),
        ("number", [0.0, 1e-12], ["0.000", "1.00e-12"]),
        ("number", [3.0, 4.0], ["3", "4"]),
        ("share", [0.12345, 1], ["12.3%", "100.0%"]),
        ("boolean", [True, False], ["はい", "いいえ"]),
        ("number", [float("nan")], [""]),
        ("number", [1.5e25], ["1.500e+25"]),
        ("number", [1.0, 0.5], ["1.0", "0.5"]),
        ("number", [168.75, 160.0], ["168.75", "160.00"]),
    ],
)
def test_numbers_are_shown_as_people_write_them(
    kind: str, cells: list[float | None], shown: list[str]
) -> None:
    column = TableColumn.model_validate({"name": "x", "label": "x", "kind": kind})
    show = shower(column, cells)
    assert [show(cell) for cell in cells] == shown


def test_a_table_without_rows_is_shown_by_its_header() -> None:
    empty = ResultTable(title="", columns=STORES.columns, rows=(), row_count=0)
    assert table_markdown(empty).count("\n") == 1
