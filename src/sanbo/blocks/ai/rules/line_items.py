"""Rows of a document's tables whose columns are the fields that are wanted."""

from collections.abc import Sequence

from pydantic import JsonValue

from sanbo.blocks.ai.findings import Place, Record, place_of
from sanbo.blocks.ai.rules.reading import read_as
from sanbo.blocks.ai.rules.vocabulary import concept_of, label_form, labels_of
from sanbo.blocks.ai.shapes import Wanted
from sanbo.documents.model import Document, Table

_ITEM_LABELS: dict[str, tuple[str, ...]] = {
    "品名": (
        "品名",
        "品目",
        "商品名",
        "内容",
        "項目",
        "摘要",
        "明細",
        "名称",
        "description",
        "item",
    ),
    "数量": ("数量", "数", "個数", "quantity", "qty"),
    "単価": ("単価", "unit price", "price", "rate"),
    "金額": ("金額", "税抜金額", "小計", "amount", "line total", "total"),
    "日付": ("日付", "年月日", "取引日", "計上日", "入金日", "date"),
}
_TOTAL_WORDS = ("小計", "合計", "総計", "計", "消費税", "税込合計", "subtotal", "total", "tax")
_TOTALS = frozenset(label_form(each) for each in _TOTAL_WORDS)
_LEAST_SHARE = 0.5


def items_in(document: Document, fields: Sequence[Wanted]) -> list[JsonValue]:
    """The rows of the table that has the most of these columns."""
    best = _best(document, fields)
    if best is None:
        return []
    table, columns = best
    return [dict(record.values) for record in _records(document, table, columns, fields)]


def records_in(document: Document, fields: Sequence[Wanted]) -> list[Record]:
    best = _best(document, fields)
    if best is None:
        return []
    table, columns = best
    if len(columns) < min(2, len(fields)):
        return []
    return _records(document, table, columns, fields)


def _best(document: Document, fields: Sequence[Wanted]) -> tuple[Table, dict[str, int]] | None:
    found = [
        (table, _columns(table, fields)) for table in document.tables if table.columns is not None
    ]
    fitting = [each for each in found if len(each[1]) >= max(1, len(fields) * _LEAST_SHARE)]
    return max(fitting, key=lambda each: len(each[1]), default=None)


def _columns(table: Table, fields: Sequence[Wanted]) -> dict[str, int]:
    heads = [label_form(each) for each in table.columns or ()]
    placed: dict[str, int] = {}
    for wanted in fields:
        for label in _labels(wanted):
            if label in heads and heads.index(label) not in placed.values():
                placed[wanted.name] = heads.index(label)
                break
    return placed


def _labels(wanted: Wanted) -> list[str]:
    name = label_form(wanted.name)
    also = [
        label_form(each)
        for labels in _ITEM_LABELS.values()
        if name in map(label_form, labels)
        for each in labels
    ]
    return list(dict.fromkeys((name, *also, *labels_of(wanted))))


def _records(
    document: Document, table: Table, columns: dict[str, int], fields: Sequence[Wanted]
) -> list[Record]:
    made: list[Record] = []
    for cells, start in zip(table.rows, table.row_starts, strict=True):
        if any(label_form(cell) in _TOTALS for cell in cells):
            continue
        values: dict[str, JsonValue] = {}
        sources: dict[str, Place] = {}
        for wanted in fields:
            column = columns.get(wanted.name)
            cell = cells[column] if column is not None and column < len(cells) else ""
            read = read_as(wanted, concept_of(wanted), cell) if cell.strip() else None
            values[wanted.name] = read.value if read else None
            if read:
                at = document.text.find(cell, start)
                sources[wanted.name] = place_of(document, max(at, start), cell)
        if sources:
            made.append(Record(values=values, sources=sources))
    return made
