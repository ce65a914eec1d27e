"""Markdown: structure and visible text, Japanese laws and contracts above all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats.markdown import reader as markdown
from sanbo.documents.model import Document, Heading, Paragraph, Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat
from tests.cpu_time import timed
from tests.examples import examples
from tests.unit.documents.damage import damaged, read_or_problem


def _read(text: str | bytes) -> Document:
    data = text.encode() if isinstance(text, str) else text
    return markdown.read(Source(name="規程.md", data=data))


def _blocks(text: str) -> list[tuple[str, str]]:
    document = _read(text)
    found: list[tuple[str, str]] = []
    for block in document.blocks:
        kind = block.role if isinstance(block, Paragraph) else block.kind
        kind = f"h{block.level}" if isinstance(block, Heading) else kind
        found.append((kind, document.text_of(block)))
    return found


LAW = """---
title: "見本法"
status: in_force
---

## 第一編　総則

### 第一章　通則

**第一条（目的）**　この法律は、見本を定める。

**２**　前項の見本は、次に掲げるものとする。

- 一　甲に関する見本
- 二　乙に関する見本
  - イ　乙の一

**第二条の二（定義）**この法律において「見本」とは、見せる本をいう。
"""


def test_a_law_reads_by_its_chapters_and_articles() -> None:
    document = _read(LAW)
    assert document.title == "見本法"
    assert _blocks(LAW) == [
        ("metadata", 'title: "見本法"\nstatus: in_force'),
        ("h2", "第一編　総則"),
        ("h3", "第一章　通則"),
        ("body", "第一条（目的）　この法律は、見本を定める。"),
        ("body", "２　前項の見本は、次に掲げるものとする。"),
        ("list_item", "一　甲に関する見本"),
        ("list_item", "二　乙に関する見本"),
        ("list_item", "イ　乙の一"),
        ("body", "第二条の二（定義）この法律において「見本」とは、見せる本をいう。"),
    ]
    assert document.blocks[-1].position.headings == ("第一編　総則", "第一章　通則")


def test_markup_becomes_the_text_it_shows() -> None:
    text = (
        '[規程集](http://example.com/x "題")の*強調*と~~旧~~`a*b*`、'
        "<http://example.com>、![図1](x.png)\n二行目<br>三行目 &amp; \\*\\*そのまま\\*\\*"
    )
    assert _blocks(text) == [
        (
            "body",
            "規程集の強調と~~旧~~a*b*、http://example.com、図1\n二行目\n三行目 & **そのまま**",
        )
    ]


def test_bold_next_to_japanese_brackets_leaves_no_stars() -> None:
    assert _blocks("これは**「重要」**です。**（注）**ただし、") == [
        ("body", "これは「重要」です。（注）ただし、")
    ]


def test_numbered_items_keep_their_numbers_and_continuations() -> None:
    text = "3. 三番\n   続き\n\n   次の段落\n4. 四番\n   - 内側\n\n1) 別の一覧\n"
    assert _blocks(text) == [
        ("list_item", "3. 三番\n続き"),
        ("list_item", "次の段落"),
        ("list_item", "4. 四番"),
        ("list_item", "内側"),
        ("list_item", "1) 別の一覧"),
    ]


def test_tables_code_and_quotes() -> None:
    text = (
        "| 品名 | 金額 |\n|:--|--:|\n| **ペン** | 1\\|00 |\n| 紙 |\n\n"
        "```python\n# 見出しではない\nx = 1\n```\n\n    字下げ\n\n> 引用文\n\n見出し\n===\n"
    )
    assert _blocks(text) == [
        ("table", "品名\t金額\nペン\t1|00\n紙\t"),
        ("code", "# 見出しではない\nx = 1"),
        ("code", "字下げ"),
        ("body", "引用文"),
        ("h1", "見出し"),
    ]


def test_html_inside_reads_like_html() -> None:
    text = (
        "<table><tr><th>年<th>額<tr><td>2023<td>5</table>\n\n<!-- 下書き -->\n\n"
        "<ruby>氏名<rt>しめい</rt></ruby>を書く\n"
    )
    assert _blocks(text) == [("table", "年\t額\n2023\t5"), ("body", "氏名を書く")]


def test_footnotes_are_not_mistaken_for_links() -> None:
    assert _blocks("本文[^1]です。\n\n[^1]: 補足説明です\n    続きの行\n\n[r]: http://x\n") == [
        ("body", "本文です。"),
        ("footnote", "補足説明です\n続きの行"),
    ]


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("title: 規程集", "規程集"),
        ("title: '規程: 案'", "規程: 案"),
        ("author: 山田", None),
        ("title: [a, b]", None),
        ("title: !!python/object/apply:os.system ['touch /tmp/x']", None),
        ('title: "閉じていない', None),
    ],
)
def test_front_matter_is_shown_and_never_run(front: str, title: str | None) -> None:
    document = _read(f"---\n{front}\n---\n本文\n")
    assert document.title == title
    assert [document.text_of(block) for block in document.blocks] == [front, "本文"]


def test_a_text_between_two_rules_is_no_front_matter() -> None:
    assert _blocks("---\n前文です。\n\n---\n本文\n") == [("body", "前文です。"), ("body", "本文")]


def test_other_encodings_are_read() -> None:
    assert _read("# 規程\n\n従業員の就業に関する規程です。\n".encode("cp932")).text.startswith(
        "規程"
    )


def test_an_empty_text_is_a_problem() -> None:
    with pytest.raises(UnsupportedFormat):
        _read("<!-- 何もない -->\n")


def test_nesting_beyond_the_limit_is_said() -> None:
    document = _read("本文\n\n" + "> " * 300 + "底")
    assert [warning.text_id for warning in document.warnings] == ["markdown_too_deep"]
    with pytest.raises(LimitExceeded):
        _read("> " * 300 + "底")


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "![" * 50_000, "*a_ " * 20_000, "`" * 50_000, "<" * 50_000, "x\n" * 50_000],
    ids=["brackets", "images", "stars", "ticks", "tags", "lines"],
)
def test_hostile_lines_take_seconds_not_minutes(text: str) -> None:
    document, seconds = timed(lambda: _read(f"底 {text}"))
    assert document.text.startswith("底")
    assert seconds < 8


def test_damaged_files_are_read_or_refused_never_a_crash() -> None:
    for broken in damaged(LAW.encode(), 60):
        read_or_problem(markdown.read, broken, "a.md")


@settings(max_examples=examples(150))
@given(st.text(alphabet="#-*>`|:[]()!<>\\_~^ \n\t1.あ（）。a", max_size=80))
def test_any_mix_of_markup_keeps_the_words(text: str) -> None:
    document = _read(f"{text}\n\n````\n````\n\n-->\n\n終端\n")
    assert "終端" in document.text
