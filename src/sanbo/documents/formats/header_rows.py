"""Which rows of a table name its columns, and one name a column from several of them."""

import re
from collections.abc import Sequence

_LONGEST_NAME = 40
_VALUE = re.compile(
    r"[\s¥￥$€△▲+\-−(（]*[\d０-９][\d０-９\s,，.．/／:：%％年月日時分秒円千万億個件人名台本回\-−)）]*"
)
# What a two-column table's second column is called when its first row is a header.
_SECOND_NAMES = {
    "内容", "説明", "定義", "意味", "備考", "値", "金額", "価格", "数量", "単価", "担当", "担当者",
    "日付", "期限", "期日", "詳細", "概要", "結果", "対応", "回答", "理由", "条件", "基準", "用途",
    "種類", "区分", "新", "改正後", "変更後", "修正後", "改定後",
    "description", "definition", "meaning", "value", "amount", "price", "content", "contents",
    "details", "notes", "note", "remarks", "date", "owner", "result", "answer", "reason", "after",
    "new", "type",
}  # fmt: skip


def first_row_names_columns(rows: Sequence[Sequence[str]], *, stands_out: bool = False) -> bool:
    """For files that don't say so.

    `stands_out`: the first row is set off from the second, in bold or by its background.
    """
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    names = [cell.strip() for cell in rows[0]]
    filled = [name for name in names if name]
    if not filled or any(_is_no_name(name) for name in filled):
        return False
    if stands_out:
        return True
    if len(filled) < len(names) or len(set(names)) < len(names):
        return False
    return len(names) > 2 or _some_column_has_values(rows[1:]) or names[1].lower() in _SECOND_NAMES


def joined_names(rows: Sequence[Sequence[tuple[int, int, str]]], width: int) -> list[str]:
    """金額 over 税抜 and 税込 gives 金額 税抜 and 金額 税込.

    A cell is its column, the number of columns it spans, and its text.
    """
    names: list[list[str]] = [[] for _ in range(width)]
    for row in rows:
        for at, columns, text in row:
            # In one header row a wide cell names its first column alone, as in any other row.
            for column in range(at, min(at + (columns if len(rows) > 1 else 1), width)):
                if text and text not in names[column]:
                    names[column].append(text)
    return [" ".join(parts) for parts in names]


def _is_no_name(cell: str) -> bool:
    return len(cell) > _LONGEST_NAME or cell.endswith("。") or bool(_VALUE.fullmatch(cell))


def _some_column_has_values(rows: Sequence[Sequence[str]]) -> bool:
    width = max(len(row) for row in rows)
    for column in range(1, width):
        cells = [row[column].strip() for row in rows if column < len(row) and row[column].strip()]
        if cells and all(_VALUE.fullmatch(cell[:_LONGEST_NAME]) for cell in cells):
            return True
    return False
