"""Words of strangers in Markdown: all of them are seen, and none of them acts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sanbo.agents.comparison.outputs.report import marked_cell
from sanbo.kernel.markdown import cell, document, literal, paragraphs, plain
from sanbo.reports.letters import Span

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_PAGE = MarkdownIt("gfm-like", {"linkify": False})


def test_characters_of_a_company_of_its_own_stay() -> None:
    assert plain("渡\ue000様") == "渡\ue000様"
    assert plain("左\u202e右") == "左右"


def test_a_number_below_zero_stays_as_it_is_in_a_table_and_is_no_list_in_a_line() -> None:
    assert cell("-1,234") == "-1,234"
    assert "<li>" not in _READER.render(plain("- 1,234"))
    assert "<li>" not in _READER.render(plain("1. 一つ目"))
    assert plain("3.1.0") == "3.1.0"


def test_a_change_of_what_can_not_be_seen_is_seen() -> None:
    spans = [Span("渡", marked=False), Span("\u200b", marked=True), Span("様", marked=False)]
    assert "\N{REPLACEMENT CHARACTER}" in marked_cell(spans, "~~")


def test_an_address_in_parts_is_no_address() -> None:
    spans = [Span("https:", marked=False), Span("//example.com", marked=False)]
    assert "://" not in marked_cell(spans, "~~")


# ---- on a page ------------------------------------------------------------------------------


def _images(markdown: str) -> list[str]:
    tokens = _PAGE.parse(markdown)
    inline = [child for token in tokens for child in token.children or []]
    return [token.content for token in inline if token.type == "image"]


@pytest.mark.parametrize(
    "text",
    [
        "![図](https://evil.example/a.png)",
        "![図][1]\n\n[1]: https://evil.example/a.png",
        "[![図](https://evil.example/a.png)](https://evil.example)",
        "| a |\n| - |\n| ![x](//evil.example/a) |",
        "`code` ![x](https://evil.example/a)",
        "!![x](https://evil.example/a)",
    ],
)
def test_image_of_a_document_is_never_fetched(text: str) -> None:
    assert _images(text)
    assert _images(document(text)) == []


@given(st.text(alphabet="![](`\\\n ax:/$"))
def test_no_text_whatever_makes_an_image(text: str) -> None:
    assert _images(document(text)) == []


def test_document_keeps_headings_tables_and_links() -> None:
    text = "# 題\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n[出典](https://example.com)"
    assert document(text) == text


def test_prices_are_not_formulas() -> None:
    assert document("$100 か $200") == r"\$100 か \$200"
    assert document(r"\$100") == r"\$100"


@pytest.mark.parametrize(
    "text",
    [
        "件名",
        "step_seconds",
        "金額（カンマ区切り）",
        "10:30 開始・所要1.5秒",
        "A-1 (B) 100% + 税!",
        "report.v2.md",
    ],
)
def test_ordinary_labels_are_left_as_they_are(text: str) -> None:
    assert literal(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "*強調* と _強調_ と `code`",
        "[link](https://evil.example)",
        "![x](https://evil.example/a.png)",
        "<b>太字</b>",
        "# 見出し",
        "> 引用",
        "1. 一つ目",
        "- 項目",
        "---",
        "&amp; &#33;",
        "~~取消~~",
        "a\\*b",
    ],
)
def test_label_is_shown_letter_by_letter(text: str) -> None:
    tokens = _PAGE.parse(literal(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children) == text


def test_directives_of_streamlit_are_shown_letter_by_letter() -> None:
    assert literal(":red[x] :material/home: $a$") == r"\:red\[x\] \:material/home: \$a\$"


def test_line_breaks_are_kept() -> None:
    assert paragraphs("一行目\n二行目") == "一行目  \n二行目"
