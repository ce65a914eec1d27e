"""Labels on office papers: what papers call things, the cells beside a label that may hold its
value, and the companies and people that stand without one.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel
from rapidfuzz import fuzz

from sanbo.blocks.ai.shapes import Wanted
from sanbo.documents.model import CELL_SEPARATOR, Document, Table
from sanbo.kernel.messages import read_yaml
from sanbo.kernel.text import matching_form

# ---- what papers call things ---------------------------------------------------------------------


Concept = Literal[
    "billed",
    "subtotal",
    "tax",
    "due_date",
    "invoice_date",
    "invoice_number",
    "registration",
    "account",
    "issuer",
    "customer",
    "counterparty",
    "subject",
    "phone",
    "email",
    "postal",
]


class _Labels(BaseModel):
    concepts: dict[Concept, tuple[str, ...]]
    columns: dict[str, tuple[str, ...]]
    """By what a column of a table of items holds."""


LABELS = _Labels.model_validate(read_yaml(Path(__file__).with_name("labels.yaml")))
_POLITE = re.compile(r"(?:^|(?<=[一-龠]))(?:御|お|ご)(?=[一-龠])")
_AROUND = re.compile(r"[\s:：・\-_/■□◆◇●○◎▼▽【】\[\]〔〕<>《》*#.．、,]+")
_BRACKETED = re.compile(r"[(（〔\[][^()（）〔〕\[\]]{0,20}[)）〕\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
CLOSE = 92
SHORTEST_FUZZY = 4


@cache
def label_form(text: str) -> str:
    """A label as it is compared: `ご 請 求 金 額（税込）：` and `請求金額` are one."""
    said = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text))
    said = _BRACKETED.sub("", said).casefold().strip()
    if said.isascii():
        return " ".join(_AROUND.sub(" ", said).split()) or said
    said = _AROUND.sub("", said)
    return _POLITE.sub("", said)


def concept_of(wanted: Wanted) -> Concept | None:
    """What a field is about, by its name, or else by its description."""
    name = label_form(wanted.name)
    forms = _forms()
    if name in forms:
        return forms[name]
    if len(name) >= SHORTEST_FUZZY:
        best = max(forms, key=lambda each: fuzz.ratio(name, each))
        if fuzz.ratio(name, best) >= CLOSE:
            return forms[best]
    said = label_form(wanted.description)
    return forms.get(said)


@cache
def _forms() -> dict[str, Concept]:
    return {
        label_form(label): concept
        for concept, labels in LABELS.concepts.items()
        for label in labels
    }


@cache
def every_label() -> frozenset[str]:
    """Of all concepts, in label form."""
    return frozenset(_forms())


def labels_of(wanted: Wanted) -> list[str]:
    """In label form, the surest first: the field's own name, then what else it is called."""
    concept = concept_of(wanted)
    known = LABELS.concepts[concept] if concept else ()
    named = (wanted.name, *known, wanted.description)
    return list(dict.fromkeys(form for form in map(label_form, named) if form))


# ---- cells beside labels -------------------------------------------------------------------------


_GAP = re.compile(r"\t+|[ \u3000]{2,}|\u3000|\s{0,99}+[|｜]\s*")


@dataclass(frozen=True)
class Cell:
    text: str
    start: int
    """In the document's text."""


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    table: int | None
    """Which table it is of; None for a line of text."""
    is_header: bool = False


def rows_of(document: Document) -> list[Row]:
    rows: list[Row] = []
    for number, block in enumerate(document.blocks):
        if isinstance(block, Table):
            rows += _table_rows(block, number, document.text)
        else:
            rows += _lines(document.text, block.position.start, block.position.end)
    return rows


def _table_rows(table: Table, number: int, text: str) -> Iterator[Row]:
    if table.columns:
        yield Row(_cells(table.columns, table.position.start, text), number, is_header=True)
    for cells, start in zip(table.rows, table.row_starts, strict=True):
        yield Row(_cells(cells, start, text), number)


def _cells(texts: Sequence[str], start: int, text: str) -> tuple[Cell, ...]:
    found: list[Cell] = []
    place = start
    for each in texts:
        at = text.find(each, place) if each else place
        found.append(Cell(each.strip(), at if at >= 0 else place))
        place = (at if at >= 0 else place) + len(each) + len(CELL_SEPARATOR)
    return tuple(found)


def _lines(text: str, start: int, end: int) -> Iterator[Row]:
    place = start
    for line in text[start:end].split("\n"):
        if line.strip():
            yield Row(tuple(_pieces(line, place)), None)
        place += len(line) + 1


def _pieces(line: str, start: int) -> Iterator[Cell]:
    place = 0
    for gap in [*_GAP.finditer(line), None]:
        end = gap.start() if gap else len(line)
        if piece := line[place:end].strip():
            yield Cell(piece, start + place + line[place:end].index(piece))
        place = gap.end() if gap else end


MOST_BELOW = 2
LONGEST_LABEL = 24
_SEPARATORS = re.compile(r"[:：]|\s+|(?<=[^\s\d])(?=[¥￥$€£△▲\\])|(?<=[^\x00-\x7f])(?=[0-9０-９])")


@dataclass(frozen=True)
class Candidate:
    label: str
    """In label form."""
    label_text: str
    value: Cell
    nearness: int
    """0: in the label's own cell, 1: beside it, 2: below it."""
    order: int
    """Where in the document the label stands."""


def candidates(rows: Sequence[Row], labels: frozenset[str]) -> Iterator[Candidate]:
    order = 0
    for number, row in enumerate(rows):
        for column, cell in enumerate(row.cells):
            order += 1
            if not cell.text:
                continue
            form = label_form(cell.text)
            if form in labels:
                yield from _around(rows, number, column, form, order)
                continue
            yield from _inside(cell, labels, order)
            yield from _spaced_out(row, column, labels, order)


def _around(
    rows: Sequence[Row], number: int, column: int, form: str, order: int
) -> Iterator[Candidate]:
    row = rows[number]
    said = row.cells[column].text
    for cell in row.cells[column + 1 :]:
        if cell.text and cell.text not in (":", "："):
            yield Candidate(form, said, cell, 1, order)
            break
    for below in rows[number + 1 : number + 1 + MOST_BELOW]:
        if below.table != row.table:
            break
        cell = _same_column(below, column, row)
        if cell is not None and cell.text:
            yield Candidate(form, said, cell, 2, order)
            break


def _same_column(below: Row, column: int, row: Row) -> Cell | None:
    """A line of text has no columns: below a label that stands alone is the whole next line."""
    if row.table is None and len(row.cells) == 1:
        column = 0
    return below.cells[column] if column < len(below.cells) else None


def _inside(cell: Cell, labels: frozenset[str], order: int) -> Iterator[Candidate]:
    """`請求金額：110,000円`, `Total Due $1,234.00`, `登録番号T1234567890123`."""
    known = labels | every_label()
    longest: Candidate | None = None
    for cut in _SEPARATORS.finditer(cell.text):
        if cut.start() > LONGEST_LABEL:
            break
        form = label_form(cell.text[: cut.start()])
        rest = cell.text[cut.end() :].lstrip(" :：\u3000")
        if form in known and rest:  # "Invoice date: …" is no invoice with the number "date"
            start = cell.start + len(cell.text) - len(rest)
            said = cell.text[: cut.start()]
            longest = Candidate(form, said, Cell(rest.strip(), start), 0, order)
    if longest is not None and longest.label in labels:
        yield longest


def _spaced_out(row: Row, column: int, labels: frozenset[str], order: int) -> Iterator[Candidate]:
    """`請　求　金　額　110,000円`: a label whose letters stand apart."""
    if row.table is not None or len(row.cells[column].text) != 1:
        return
    letters = ""
    for place in range(column, len(row.cells) - 1):
        if len(row.cells[place].text) != 1:
            return
        letters += row.cells[place].text
        if len(letters) > 1 and label_form(letters) in labels:
            yield Candidate(label_form(letters), letters, row.cells[place + 1], 1, order)


# ---- to whom a paper goes, and who sends it ------------------------------------------------------


_COMPANY = re.compile(
    r"""
    株式会社|有限会社|合同会社|合資会社|合名会社|一般社団法人|一般財団法人|公益社団法人|特定非営利活動法人
    |医療法人|学校法人|税理士法人|法律事務所|会計事務所|[(（](?:株|有|同)[)）]|㈱|㈲
    |\b(?:Inc|Ltd|LLC|Corp|Co|GmbH|Limited|Corporation|Company)\b\.?
    """,
    re.VERBOSE,
)
_TO = re.compile(r"^(?P<name>.{1,60}?)\s*(?:御中|様|殿)(?:$|\s)")
_SURROUNDINGS = re.compile(
    r"〒|tel|電話|fax|登録番号|住所|address|phone|e-?mail|@|担当", re.IGNORECASE
)
_BEHIND_A_NAME = re.compile(
    r"(?<!\s)\s*+[(（]?(?:〒|tel\b|fax\b|電話|登録番号|住所)", re.IGNORECASE
)
_HONORIFICS = ("御中", "様", "殿")
_LONGEST_NAME = 60
_ABOVE = 2
_NEAR = 6
_NOT_A_NAME = re.compile(r"[。、：:]|銀行|信用金庫|口座|振込|ご?請求|支払|お世話|下記")


def addressee(rows: Sequence[Row]) -> Cell | None:
    """Whom `御中` or `様` follows; None where there are several."""
    found: dict[str, Cell] = {}
    for number, row in enumerate(rows):
        for column in range(len(row.cells)):
            named = _addressed(row, column)
            if named is None or _NOT_A_NAME.search(named.text):
                continue
            if not _COMPANY.search(named.text):  # 経理部 御中: the company stands above
                named = _company_above(rows, number, column) or named
            found.setdefault(matching_form(named.text), named)
    return next(iter(found.values())) if len(found) == 1 else None


def _addressed(row: Row, column: int) -> Cell | None:
    cell = row.cells[column]
    if said := _TO.match(cell.text):
        return Cell(said["name"].strip(), cell.start)
    if cell.text in _HONORIFICS and column and row.cells[column - 1].text:
        return row.cells[column - 1]
    return None


def _company_above(rows: Sequence[Row], number: int, column: int) -> Cell | None:
    for row in reversed(rows[max(0, number - _ABOVE) : number]):
        near = row.cells[: column + 1] if row.table is not None else row.cells
        for cell in reversed(near):
            if _COMPANY.search(cell.text) and not _NOT_A_NAME.search(cell.text):
                return cell
    return None


def name_alone(text: str) -> str:
    """Without the address and the numbers behind it."""
    return _BEHIND_A_NAME.split(text, maxsplit=1)[0].strip()


def sender(rows: Sequence[Row], to: Cell | None) -> Cell | None:
    """The one company that the paper is not addressed to; by its surroundings where several."""
    others: dict[str, tuple[Cell, int]] = {}
    for number, cell in _companies(rows):
        if to is not None and matching_form(to.text) in matching_form(cell.text):
            continue
        others.setdefault(matching_form(cell.text), (cell, number))
    if len(others) > 1:
        others = {
            name: (cell, number)
            for name, (cell, number) in others.items()
            if _stands_by_an_address(rows, number)
        }
    return next(iter(others.values()))[0] if len(others) == 1 else None


def _companies(rows: Sequence[Row]) -> Iterator[tuple[int, Cell]]:
    for number, row in enumerate(rows):
        if any(cell.text in _HONORIFICS for cell in row.cells):
            continue
        for cell in row.cells:
            name = name_alone(cell.text)
            if len(name) > _LONGEST_NAME or not _COMPANY.search(name):
                continue
            if not _TO.match(name) and not _NOT_A_NAME.search(name):
                yield number, Cell(name, cell.start)


def _stands_by_an_address(rows: Sequence[Row], number: int) -> bool:
    near = rows[number : number + 1 + _NEAR]
    return any(_SURROUNDINGS.search(cell.text) for row in near for cell in row.cells)
