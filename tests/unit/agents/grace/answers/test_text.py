"""The answer as Markdown: the words that answer in bold, and nothing of a document obeyed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sanbo.agents.grace.answer_text import sentence_line
from sanbo.agents.grace.schemas import AnswerSentence


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("上限は12,000円とします。", "12,000円"),
        ("割引率は30%です。", "30%"),
        ("合言葉は「山」です。", "「山」"),
        ("The limit is $20 a day.", "$20"),
        ("*12,000円*まで", "12,000円"),
    ],
)
def test_the_words_that_answer_are_bold(text: str, bold: str) -> None:
    start = text.index(bold)
    sentence = AnswerSentence(text=text, sources=(1, 2), span=(start, start + len(bold)))
    html = MarkdownIt().render(sentence_line(sentence)).replace("\u200b", "")
    assert f"<strong>{bold}</strong>" in html
    assert html.count("<") == 4
    assert "[1][2]" in html


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_no_text_of_a_document_becomes_a_link_an_image_or_html(
    text: str, start: int, length: int
) -> None:
    span = (start, start + length) if length > 0 and start + length <= len(text) else None
    line = sentence_line(AnswerSentence(text=text, sources=(1,), span=span))
    html = MarkdownIt().render(line)
    allowed = {"p", "/p", "strong", "/strong"}
    tags = {piece.split(">")[0] for piece in html.split("<")[1:]}
    assert tags <= allowed


@pytest.mark.parametrize(
    "text", ["[ここ](http://x.example)", "<script>x</script>", "![絵](http://x.example/a.png)"]
)
def test_links_and_html_are_shown_letter_by_letter(text: str) -> None:
    html = MarkdownIt().render(sentence_line(AnswerSentence(text=text, sources=())))
    assert "<a" not in html
    assert "<script" not in html
    assert "<img" not in html
