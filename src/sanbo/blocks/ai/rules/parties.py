"""Companies and people on a paper: to whom it goes, and who sends it."""

import re
from collections.abc import Iterator, Sequence

from sanbo.blocks.ai.rules.candidates import Cell, Row
from sanbo.kernel.text import matching_form

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
