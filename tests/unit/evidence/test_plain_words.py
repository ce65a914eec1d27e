"""Words of documents, models and people are shown, whatever they look like."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sanbo.evidence.places import as_markdown, as_text, without_marks
from sanbo.kernel.markdown import one_line

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_UNSEEN = "\N{ZERO WIDTH SPACE}"
# What readers of Markdown make links of on their own, in the text that they show.
_BARE_LINK = re.compile(r"(?:https?|ftp)://|www\.|(?:mailto|xmpp):\S|\S@\w", re.IGNORECASE)

ATTACKS = [
    "![画像](https://example.com/x.png)",
    "[ここ](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "https://example.com/steal?x=1 と www.example.com",
    "<https://example.com>",
    "someone@example.com",
    "# 見出し",
    "- [ ] 項目",
    "1. 一番目",
    "2025. 年度",
    "| a | b |",
    "> 引用",
    "---",
    "===",
    "```python",
    "~~消す~~ **強い** _斜め_ `コード`",
    "&lt;b&gt; &amp; &#60;",
    "$x^2$ :red[赤] :smile:",
    "[1]: https://example.com",
    "[^1]",
    "\\[逃げ\\](x)",
    "    字下げ",
]


def shown(markdown: str) -> str:
    """What a reader sees; anything but plain text in a paragraph or an item is an error."""
    words: list[str] = []
    for token in _READER.parse(markdown):
        assert token.type in {
            "paragraph_open",
            "paragraph_close",
            "inline",
            "bullet_list_open",
            "bullet_list_close",
            "list_item_open",
            "list_item_close",
        }, token
        for child in token.children or ():
            assert child.type in ("text", "text_special"), child
            words.append(child.content)
    return "".join(words)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("before", ["", "- "])
def test_nothing_in_a_sentence_acts(attack: str, before: str) -> None:
    seen = shown(before + as_markdown(attack))
    assert seen.replace(_UNSEEN, "") == one_line(attack)
    assert not _BARE_LINK.search(seen)


@given(st.text("ab1 #*_-+=[](){}<>!|`~$&;:/\\.@w\n\t。あ", max_size=40))
def test_a_reader_of_markdown_sees_the_words_as_they_are(text: str) -> None:
    assert shown(f"- {as_markdown(text)}").replace(_UNSEEN, "") == one_line(text)


def test_a_quoted_number_in_brackets_does_not_pass_for_a_citation() -> None:
    assert not re.search(r"\[\d+\]", as_markdown("前掲[3]を参照").replace("\\", ""))
    assert not re.search(r"\[\d+\]", as_text("前掲[3]を参照"))


def test_a_plain_report_holds_no_link_for_a_page_that_reads_markdown() -> None:
    assert "](" not in as_text("![x](https://example.com/x.png)")
    assert "![" not in as_text("![x](https://example.com/x.png)")


def test_control_characters_and_turned_writing_are_left_out() -> None:
    assert one_line("あ\x00い\x1b[31m\u202eう\ud800え\r\nお") == "あ い [31mうえお"


def test_lines_of_japanese_are_joined_without_a_blank() -> None:
    assert (
        one_line("翌年度に限り\n  繰り越す。\nNext year\nonly")
        == "翌年度に限り繰り越す。 Next year only"
    )


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("10日です。[P3]", "10日です。"),
        ("10日です【1】。", "10日です。"),
        ("10日です（P1、P2）。", "10日です。"),
        ("10日です。 [1, 2]", "10日です。"),
        ("10日です【4†source】。", "10日です。"),
        ("【重要】10日です。", "【重要】10日です。"),
        ("配列 a[i] と f(2) です。", "配列 a[i] と f(2) です。"),
    ],
)
def test_marks_that_a_model_wrote_itself_are_left_out(written: str, left: str) -> None:
    assert without_marks(written) == left
