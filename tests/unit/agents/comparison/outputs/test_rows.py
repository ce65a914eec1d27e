"""Rows of a table: unchanged stretches as one, headings with what stands under them."""

from sanbo.agents.comparison.outputs.rows import Row, Stretch, sections
from sanbo.agents.comparison.outputs.wording import download_name
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.agents.comparison.outputs.written_changes import (
    RELATED,
    Written,
    changes_of,
    result_of,
)


def test_unchanged_stretches_become_one_row_and_titles_stay_with_the_change() -> None:
    rows = sections(
        result_of(
            changes_of(
                [
                    Written("unchanged", "第一章", headings=("第一章",)),
                    Written("unchanged", "第１条　目的"),
                    Written("unchanged", "第二章", headings=("第二章",)),
                    Written("unchanged", "（報酬）", headings=("第二章",)),
                    Written("changed", "第２条　[[一|二]]", headings=("第二章",)),
                    Written("unchanged", "（雑則）"),
                ]
            )
        )
    )[0].rows
    first, change, last = rows
    assert isinstance(first, Stretch)
    assert first.paragraphs == 2
    assert isinstance(change, Row)
    assert [title.new_text for title in change.above] == ["第二章", "（報酬）"]
    assert isinstance(last, Stretch)


def test_every_change_stands_in_exactly_one_row() -> None:
    result = contract("ja")
    for fold in (False, True):
        found: list[int] = []
        for row in sections(result, fold_renumbered=fold)[0].rows:
            if isinstance(row, Stretch):
                found += [change.order for change in row.changes]
            else:
                found += [*(title.order for title in row.above), row.change.order]
        assert found == list(range(len(result.changes)))


def test_renumbering_is_folded_away_only_where_nothing_is_wrong_with_it() -> None:
    shown = [
        row.change
        for row in sections(contract("ja"), fold_renumbered=True)[0].rows
        if isinstance(row, Row) and row.change.kind == "renumbered"
    ]
    assert [change.flags for change in shown] == [("reference",)]


def test_same_text_that_needs_attention_is_never_left_out() -> None:
    rows = [Written("unchanged", "前条を準用する。", "第５条", "第５条", ("reference",))]
    result = result_of(changes_of([Written("unchanged", "同じ"), *rows]))
    shown = [row for row in sections(result)[0].rows if isinstance(row, Row)]
    assert [row.change.flags for row in shown] == [("reference",)]
    assert "前条を準用する。" in result.table_md
    assert "変更のない段落1件は省略しました。" in result.table_md


def test_numbers_stay_the_same_when_renumbering_is_folded() -> None:
    result = contract("ja")

    def numbers(fold: bool) -> dict[int, int]:
        rows = sections(result, fold_renumbered=fold)[0].rows
        return {row.change.order: row.number for row in rows if isinstance(row, Row)}

    assert numbers(True).items() < numbers(False).items()


def test_each_pair_has_its_own_rows() -> None:
    changes = [
        *changes_of([Written("changed", "[[一|二]]")], pair=1, first_order=1),
        *changes_of([Written("added", "三")]),
    ]
    first, second = sections(result_of(changes, [RELATED, RELATED]))
    assert (first.number, second.number) == (1, 2)
    assert [row.change.kind for row in first.rows if isinstance(row, Row)] == ["added"]
    assert [row.number for row in second.rows if isinstance(row, Row)] == [2]


def test_files_have_names_of_ours() -> None:
    assert download_name("docx", "ja") == "新旧対照表.docx"
    assert download_name("xlsx", "ja") == "新旧対照表.xlsx"
    assert download_name("html", "ja") == "比較結果.html"
    assert download_name("markdown", "en") == "comparison.md"
    assert download_name("xlsx", "en") == "comparison.xlsx"
