"""Words of strangers in Markdown: all of them are seen, and none of them acts."""

from markdown_it import MarkdownIt

from sanbo.agents.comparison.outputs.marked import Span
from sanbo.agents.comparison.outputs.plain_markdown import marked_cell
from sanbo.kernel.markdown import cell, plain

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


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
