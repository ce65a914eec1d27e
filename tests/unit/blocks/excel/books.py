"""Small workbooks for the Excel blocks, and what stands in those that they make."""

import base64
import io
from collections.abc import Mapping
from typing import Any

import openpyxl

from tests.unit.blocks.computing import Computed, compute
from tests.unit.documents.excel_files import sales_report, workbook

LEDGER: Mapping[str, Mapping[str, object]] = {
    "台帳": {
        "A1": "社員番号",
        "B1": "氏名",
        "C1": "金額",
        "A2": "001",
        "B2": "青木",
        "C2": 100,
        "A3": 1002,
        "B3": "石井",
        "C3": 200,
    },
    "設定": {"A1": "ID", "B1": "値", "A2": "x", "B2": 1},
}


def file_of(data: bytes, name: str = "台帳.xlsx") -> dict[str, str]:
    return {"name": name, "base64": base64.b64encode(data).decode()}


def ledger() -> dict[str, str]:
    return file_of(workbook(LEDGER))


def report() -> dict[str, str]:
    return file_of(sales_report(), "売上.xlsx")


def updated(*operations: Mapping[str, Any], book: Any = None, **more: Any) -> Computed:
    given = {"workbook": book or ledger(), "operations": list(operations), **more}
    return compute("excel.update_workbook", given)


def written(book: Any = None, **given: Any) -> Computed:
    return compute("excel.write", {"workbook": book or ledger(), **given})


def made(result: Computed) -> Any:
    """The workbook as openpyxl reads it."""
    return openpyxl.load_workbook(io.BytesIO(result.bytes_of(result["workbook_updated"])))


def values(sheet: Any) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in sheet.iter_rows()]
