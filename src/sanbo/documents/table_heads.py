"""Where a table really begins: below its title lines, at its header if it has one."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise, zip_longest

from sanbo.documents.columns import Cell, ColumnType, infer_columns
from sanbo.kernel.messages import tell
from sanbo.language.cells import parse_boolean, parse_date, parse_number
from sanbo.language.eras import NAMES

_JAPANESE = """
    氏名 名前 名称 住所 電話 メール 性別 年齢 部署 所属 役職 担当 会社 店舗 支店 部門 拠点 地域
    都道府県 日付 期限 期日 納期 期間 年月 年度 時刻 時間 曜日 品名 品番 型番 商品 製品 品目 項目
    科目 摘要 単価 価格 金額 数 数量 個数 単位 合計 小計 税率 税抜 税込 消費税 売上 原価 仕入 利益
    予算 実績 差異 残高 在庫 区分 分類 種類 種別 状態 状況 ステータス 結果 評価 備考 メモ 内容 説明
    定義 意味 用語 詳細 概要 件名 題名 タイトル 値 対応 回答 質問 理由 条件 基準 用途 目的 方法 場所
    コード 番号 色 サイズ フリガナ ふりがな カナ 新 旧 改正前 改正後 変更前 変更後 修正前 修正後
    改定前 改定後 内訳 通貨 国 県 市区町村 順位 優先度 連絡先
"""
_ENGLISH = """
    name names id no no. number code date time day month year amount price cost total quantity qty
    unit value type kind status state category description definition meaning term content contents
    detail details note notes remark remarks comment comments owner result answer question reason
    before after old new address phone email mail department title item product customer company
    country city currency rank priority start end from to key
"""
_WORDS = frozenset((*_JAPANESE.split(), *_ENGLISH.split()))
_ENDINGS = re.compile(
    r".+(?:名|者|額|数|率|費|料|欄|別|区分|番号|コード|先|元|内容|項目|日時|年月日|期限|期日|時刻|合計"
    r"|(?:発行|作成|登録|更新|受付|注文|納品|請求|支払|入金|出荷|売上|開始|終了|申請|締切|契約)日"
    r"|[ _](?:id|no|name|date|code))"
    rf"|(?:(?:19|20)\d\d|(?:{NAMES})(?:元|\d{{1,2}}))年度?|\d{{1,2}}月|第\d(?:四半)?期"
)
_LONGEST = 12
_AT_THE_END = re.compile(r"(?<!\s)\s*+(?:[(（\[].{1,10}[)）\]]|\d{1,2})$")  # 金額（円）, 住所2


def names_a_column(text: str) -> bool:
    """金額, 担当者, 納品日, 2024年度, Amount."""
    word = _AT_THE_END.sub("", text.strip()).lower().replace("\u3000", "")
    return word in _WORDS or (len(word) <= _LONGEST and bool(_ENDINGS.fullmatch(word)))


_MOST_TITLE_LINES = 30
ROWS_TO_JUDGE_BY = 200
_LONGEST_NAME = 60
_FEWEST_COUNTED = 4
_FEWEST_TO_COMPARE = 4
_DIGIT = re.compile(r"\d")
_UNIT_LINE = re.compile(r"\s*+[(（\[［【]?(?:単位|units?)\s*+[:：]", re.IGNORECASE)


@dataclass(frozen=True)
class Head:
    title_lines: int
    """Rows above the table: its title, a date of printing, a period."""
    header_rows: int
    """None, one, or two: names of groups of columns above the names of columns."""


def find_head(rows: Sequence[Sequence[Cell]]) -> Head:
    """`rows` without empty ones, from the top of the file or sheet."""
    begin = first_full_row(rows)
    # Names of groups fill few cells, as titles do, but have gaps below them where they stand alone.
    if begin and _has_gaps(*rows[begin - 1 : begin + 1]) and _are_two_headers(rows[begin - 1 :]):
        return Head(begin - 1, 2)
    if _are_two_headers(rows[begin:]):
        return Head(begin, 2)
    has_header = begin < len(rows) and is_header(rows[begin], rows[begin + 1 :])
    return Head(begin, int(has_header))


def _has_gaps(groups: Sequence[Cell], names: Sequence[Cell]) -> bool:
    return _filled(groups) > 1 and any(
        is_empty(name) and not is_empty(group) for group, name in zip(groups, names, strict=False)
    )


def _are_two_headers(rows: Sequence[Sequence[Cell]]) -> bool:
    if len(rows) < 3 or not all(isinstance(cell, str) for row in rows[:2] for cell in row):
        return False
    groups, names = ([str(cell).strip() for cell in row] for row in rows[:2])
    is_divided = any(name and not group for group, name in zip(groups, names, strict=False))
    if not is_divided or not groups[0] or not all(map(_is_word, filter(None, names))):
        return False
    joined = joined_header(groups, names)
    kinds = infer_columns(rows[2 : 2 + ROWS_TO_JUDGE_BY])
    # A row of words above numbers; else it may be data.
    differ = sum(_differs(name, kind) for name, kind in zip(names, kinds, strict=False))
    return differ > 0 and is_header(joined, rows[2:], surely=True)


def joined_header(groups: Sequence[str], names: Sequence[str], joint: str = " ") -> list[str]:
    """売上 above 数量 and 金額 gives 売上 数量 and 売上 金額."""
    joined: list[str] = []
    current = ""
    for group, name in zip_longest(groups, names, fillvalue=""):
        if group.strip() or not name.strip():
            current = group.strip() if name.strip() else ""
        own = current or group
        parts = dict.fromkeys(part.strip() for part in (own, name))
        joined.append(joint.join(filter(None, parts)))
    return joined


def first_full_row(rows: Sequence[Sequence[Cell]]) -> int:
    """The first row that fills about as many cells as the rows below it do."""
    filled = [_filled(row) for row in rows[:ROWS_TO_JUDGE_BY]]
    usual = _usual(filled)
    if usual < 2:
        return 0
    enough = max(2, usual // 2 + 1)
    for number, count in enumerate(filled[: _MOST_TITLE_LINES + 1]):
        if count >= enough and not (count <= 2 and any(map(_tells_the_unit, rows[number]))):
            return number
    return 0


def _tells_the_unit(cell: Cell) -> bool:
    """（単位：千円）, which stands at the right above a table, beside its title."""
    return isinstance(cell, str) and len(cell) <= _LONGEST_NAME and bool(_UNIT_LINE.match(cell))


def _filled(row: Sequence[Cell]) -> int:
    return sum(1 for cell in row if not is_empty(cell))


def is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _usual(filled: Sequence[int]) -> int:
    """The commonest number of cells; of equally common ones, the larger."""
    return max(Counter(filled).items(), key=lambda item: (item[1], item[0]))[0] if filled else 0


def is_header(  # noqa: PLR0911 - one piece of evidence after the other
    row: Sequence[Cell],
    body: Sequence[Sequence[Cell]],
    *,
    surely: bool = False,
    in_a_document: bool = False,
    stands_out: bool = False,
) -> bool:
    """`surely`: only where the kinds of values below show it.

    `in_a_document`: tables that people draw name their columns, unless they are forms.
    `stands_out`: in bold or on another background than the row below.
    """
    sample = body[:ROWS_TO_JUDGE_BY]
    cells = [cell for cell in row if not is_empty(cell)]
    if not sample or not cells or len(set(map(str, cells))) < len(cells) / 2:
        return False
    if stands_out and all(_is_word(cell) and _is_short(cell) for cell in cells):
        return True
    used = sum(any(not is_empty(cell) for cell in column) for column in zip_longest(row, *sample))
    if len(cells) <= used / 2:
        return False
    # Printed pages repeat the header; among the values it would hide of what kind they are.
    kinds = infer_columns([other for other in sample if list(other) != list(row)])
    if not all(_is_word(cell) for cell in cells):
        return _is_run(row, kinds, sample)
    if used == 2 and len(cells) == 2 and _is_form(cells, sample):
        return False
    if any(_differs(cell, kind) for cell, kind in zip(row, kinds, strict=False)):
        return True
    if surely or used == 1 or not all(_is_short(cell) for cell in cells):
        return False  # a list of words, of which the first is one
    if _stands_again(row, sample):
        return False
    if in_a_document and used > 2 and len(cells) == used == len(set(cells)):
        return True
    return _are_names_of_columns(cells) or _is_set_off(row, sample)


def _is_word(cell: Cell) -> bool:
    return isinstance(cell, str) and parse_number(cell) is None and parse_date(cell) is None


def _is_short(cell: Cell) -> bool:
    text = str(cell).strip()
    return len(text) <= _LONGEST_NAME and not text.endswith("。")


def _is_run(  # noqa: PLR0911 - one kind of names after the other
    row: Sequence[Cell], kinds: Sequence[ColumnType], sample: Sequence[Sequence[Cell]]
) -> bool:
    """店舗, 2025/4/1, 2025/4/2 or 氏名, 1, 2, 3 or 科目, 2023, 2024."""
    at = [n for n, cell in enumerate(row) if not is_empty(cell) and not _is_word(cell)]
    is_led_by_a_word = at[0] > 0 and all(_is_word(cell) for cell in row[: at[0]])
    if not is_led_by_a_word or len(at) < 2:
        return False
    below = {kinds[n] for n in at if n < len(kinds)}
    days = [_day(row[n]) for n in at]
    if all(days):
        return days == sorted(set(days)) and not below & {"date", "datetime"}
    numbers = _whole_numbers(row, at)
    steps = {after - before for before, after in pairwise(numbers)}
    if len(numbers) < len(at) or not steps:
        return False
    if all(_is_year(number) for number in numbers):
        is_even = (max(steps) <= 10 and min(steps) > 0) or (min(steps) >= -10 and max(steps) < 0)
        return is_even and not any(_are_years(sample, n) for n in at)
    if len(steps) > 1 or min(steps) <= 0:
        return False
    if below & {"integer", "number", "currency", "percent"}:
        # Numbers above numbers: the days of a month, unless the rows below count up as well.
        return (
            steps == {1}
            and len(at) >= _FEWEST_COUNTED
            and not any(_counts_up(_whole_numbers(other, at)) for other in sample)
        )
    return below != {"empty"} and (steps == {1} or len(at) > 2)


def _day(cell: Cell) -> str:
    moment = parse_date(cell) if isinstance(cell, str) else cell
    return moment.isoformat() if isinstance(moment, date) else ""


def _whole_numbers(row: Sequence[Cell], at: Sequence[int]) -> list[int]:
    cells = [row[n] for n in at if n < len(row)]
    values = [parse_number(cell) if isinstance(cell, str) else cell for cell in cells]
    return [value for value in values if isinstance(value, int) and not isinstance(value, bool)]


def _counts_up(numbers: Sequence[int]) -> bool:
    return len(numbers) > 1 and all(after - before == 1 for before, after in pairwise(numbers))


def _is_year(cell: Cell) -> bool:
    value = parse_number(cell) if isinstance(cell, str) else cell
    return isinstance(value, int) and 1900 <= value <= 2100


def _are_years(rows: Sequence[Sequence[Cell]], column: int) -> bool:
    return all(_is_year(row[column]) for row in rows if column < len(row))


def _differs(cell: Cell, kind: ColumnType) -> bool:
    if kind in ("text", "empty") or not isinstance(cell, str) or not cell.strip():
        return False
    if kind == "boolean":
        return parse_boolean(cell) is None
    return _is_word(cell)


def _is_form(cells: Sequence[Cell], sample: Sequence[Sequence[Cell]]) -> bool:
    """申請者, 山田太郎 / 部署, 営業部: names beside values, not above them."""
    if names_a_column(str(cells[1])):
        return False
    beside = [str(next(filter(None, row), "")) for row in sample]
    return sum(map(names_a_column, (str(cells[0]), *beside))) > (len(beside) + 1) / 2


def _stands_again(row: Sequence[Cell], sample: Sequence[Sequence[Cell]]) -> bool:
    """Names stand once, values may stand again."""
    return any(
        cell == other[column]
        for other in sample
        for column, cell in enumerate(row)
        if column < len(other) and not is_empty(cell)
    )


def _are_names_of_columns(cells: Sequence[Cell]) -> bool:
    if len(cells) == 2:
        return names_a_column(str(cells[1]))
    return sum(names_a_column(str(cell)) for cell in cells) >= len(cells) / 2


def _is_set_off(row: Sequence[Cell], sample: Sequence[Sequence[Cell]]) -> bool:
    """In some column all cells but the first stand several times, or all have digits."""
    for name, *column in zip_longest(row, *sample):
        cells = [str(cell) for cell in column if not is_empty(cell)]
        if is_empty(name) or len(cells) < 2:
            continue
        has_digits = not _DIGIT.search(str(name)) and all(map(_DIGIT.search, cells))
        if has_digits and all(map(_DIGIT.match, cells)):
            return True
        if len(cells) >= _FEWEST_TO_COMPARE and (has_digits or min(Counter(cells).values()) > 1):
            return True
    return False


def column_names(header: Sequence[str]) -> list[str]:
    """Every column named, no two alike: 列3 for an empty name, 金額_2 for the second 金額."""
    written = [" ".join(name.split()) for name in header]
    taken = set(written)
    counts: Counter[str] = Counter()
    names: list[str] = []
    for number, name in enumerate(written, start=1):
        counts[name] += 1
        if name and counts[name] == 1:
            names.append(name)
            continue
        wanted = name or tell("column_unnamed", number=number)
        free = f"{name}_{counts[name]}" if name else wanted
        while free in taken:
            counts[wanted] += 1
            free = f"{wanted}_{max(2, counts[wanted])}"
        taken.add(free)
        names.append(free)
    return names


def first_row_names_columns(rows: Sequence[Sequence[str]], *, stands_out: bool = False) -> bool:
    """For files that don't say so.

    `stands_out`: the first row is set off from the second, in bold or by its background.
    """
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    return is_header(rows[0], rows[1:], in_a_document=True, stands_out=stands_out)


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
