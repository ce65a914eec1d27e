"""The Markdown table shows exactly what changed, whatever the documents contain."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sanbo.agents.comparison.model import Change
from sanbo.agents.comparison.outputs.report import LONGEST_CELL, report_md, table_md, tables_md
from tests.examples import examples
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.agents.comparison.outputs.written_changes import (
    RELATED,
    Written,
    changes_of,
    document,
    result_of,
)

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_UNSEEN = "\N{ZERO WIDTH SPACE}"


def _change(text: str) -> Change:
    return changes_of([Written("changed", text)])[0]


def _cells(markdown: str) -> list[list[tuple[str, bool]]]:
    """The cells of the table's rows, as words and whether they are marked."""
    cells: list[list[tuple[str, bool]]] = []
    for token in _READER.parse(markdown):
        if token.type != "inline":
            continue
        words: list[tuple[str, bool]] = []
        depth = 0
        for child in token.children or []:
            if child.type in ("strong_open", "s_open"):
                depth += 1
            elif child.type in ("strong_close", "s_close"):
                depth -= 1
            else:
                assert child.type in ("text", "text_special"), child.type
                words.append((child.content.replace(_UNSEEN, ""), depth > 0))
        cells.append(words)
    return cells


def _marked(words: list[tuple[str, bool]]) -> str:
    return "".join(text for text, is_marked in words if is_marked)


def _text(words: list[tuple[str, bool]]) -> str:
    return "".join(text for text, _ in words)


def test_what_needs_attention_comes_first_and_unchanged_rows_are_counted() -> None:
    table = contract("ja").table_md
    lines = table.splitlines()
    assert lines[0] == "| 種類 | 旧 | 新 | 注意 | 説明 |"
    assert "期限、義務・権限の表現" in lines[2]
    assert "| 変更なし |" not in table
    assert "変更のない段落21件は省略しました。" in table
    assert len([line for line in lines if line.startswith("|")]) == 2 + 16


def test_changed_words_are_struck_out_and_bold_also_next_to_brackets() -> None:
    table = table_md([_change("納期は[[「月末」|（翌月）]]までとする。")], language="ja")
    kind, old, new, *_ = _cells(table)[5:]
    assert _text(kind) == "変更"
    assert (_text(old), _marked(old)) == ("納期は「月末」までとする。", "「月末」")
    assert (_text(new), _marked(new)) == ("納期は（翌月）までとする。", "（翌月）")


def test_long_texts_are_shortened_around_the_difference() -> None:
    table = table_md([_change("あ" * 900 + "[[百円|二百円]]" + "い" * 900)], language="ja")
    _, old, new, *_ = _cells(table)[5:]
    for cell, words in ((old, "百円"), (new, "二百円")):
        assert _marked(cell) == words
        assert _text(cell).startswith("…あ")
        assert _text(cell).endswith("い…")
        assert len(_text(cell)) <= LONGEST_CELL


@settings(max_examples=examples(20))
@given(
    st.text(alphabet="ab　 |*_~`<>[]()!#&;:$\\\n\t「。@-1.\x00\u202e", max_size=30),
    st.text(alphabet="xy |*_~`<>[]()!#&;:$\\\n「。@-2.\x07", min_size=1, max_size=20),
)
def test_nothing_in_a_document_can_break_the_table_or_become_markup(same: str, new: str) -> None:
    change = _change("").model_copy(
        update={
            "kind": "changed",
            "old": ("A1",),
            "new": ("B1",),
            "old_text": same + "旧",
            "new_text": same + new,
            "explanation": new + same,
            "diff": _change("[[旧|新]]").diff[:0],
        }
    )
    table = table_md([change], language="ja")
    assert len(table.splitlines()) == 3
    cells = _cells(table)
    assert len(cells) == 10
    shown = re.sub(r"[\s�]", "", _text(cells[6]))
    meant = re.sub(r"[\s\x00-\x1f\u202e]", "", same) + "旧"
    assert shown == meant


def test_report_holds_summary_and_table() -> None:
    result = contract("en")
    report = report_md(result, language="en")
    assert report.startswith("# Comparison of documents")
    assert result.summary.text_md in report
    assert result.table_md in report


def test_each_pair_has_its_heading() -> None:
    pairs = [
        RELATED,
        RELATED.model_copy(update={"old": document("*旧*.md"), "outcome": "unrelated"}),
    ]
    changes = [
        *changes_of([Written("changed", "[[一|二]]")]),
        *changes_of([Written("added", "三")], pair=1, first_order=1),
    ]
    tables = tables_md(changes, pairs, language="ja")
    assert "### 1. 旧.docx → 新.docx" in tables
    assert "### 2. \\*旧\\*.md → 新.docx" in tables
    assert "意味を持ちません" in tables


def test_same_documents_leave_an_empty_table_and_a_count() -> None:
    result = result_of(changes_of([Written("unchanged", "同じ")]))
    assert result.table_md == "変更のない段落1件は省略しました。"
