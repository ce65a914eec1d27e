"""Workbooks as blocks take them, and as they give them out again."""

import base64
import binascii
import io
import re
import zipfile
from dataclasses import dataclass
from html import escape
from typing import Any, cast

from pydantic import ValidationError

from sanbo.blocks.block import BlockContext, NewFile
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef

NEW_NAME = "workbook.xlsx"
MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MACROS_TYPE = "application/vnd.ms-excel.sheet.macroEnabled.12"
_LARGEST_IN_TEXT = 256 * 1024
"""A larger workbook is given as text only when asked for: journals would swell."""
_NOT_IN_NAMES = re.compile(r"[\\/:*?\"<>|\x00-\x1f]")
_NOT_IN_SHEETS = re.compile(r"[\\/?*\[\]:\x00-\x1f]|^'|'$")
_LONGEST_SHEET = 31
_FIRST_SHEET = "Sheet1"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml"'
        f' ContentType="{_TYPES}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        f'<sheet name="{_FIRST_SHEET}" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2"'
        f' Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
    "xl/styles.xml": (
        f'<styleSheet xmlns="{_MAIN}"><fonts count="1"><font><sz val="11"/>'
        '<name val="游ゴシック"/><family val="3"/><charset val="128"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
        '</cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"'
        ' xfId="0"/></cellXfs><cellStyles count="1"><cellStyle name="標準" xfId="0"'
        ' builtinId="0"/></cellStyles></styleSheet>'
    ),
    "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData/></worksheet>',
}
_CONTENTS = ("bytes", "file", "content", "base64", "data")


@dataclass(frozen=True)
class BookSource:
    name: str
    data: bytes | None
    """None: a new workbook is wanted."""


def given_workbook(workbook: Any, context: BlockContext) -> BookSource:
    """A file; `{name, bytes}` around one; its Base64; `{name}` or nothing for a new one."""
    if workbook is None or workbook == "":
        return BookSource(NEW_NAME, None)
    if isinstance(workbook, str):
        return BookSource(NEW_NAME, _decoded(workbook))
    if _is_file(workbook):
        return _of_file(workbook, context, "")
    if not isinstance(workbook, dict):
        raise InvalidInput("excel_workbook_unreadable")
    parts = cast("dict[str, Any]", workbook)
    name = parts.get("name")
    named = name if isinstance(name, str) else ""
    for key in _CONTENTS:
        inner = parts.get(key)
        if _is_file(inner):
            return _of_file(inner, context, named)
        if isinstance(inner, str) and inner:
            return BookSource(named or NEW_NAME, _decoded(inner))
    if set(parts) - {"name", *_CONTENTS}:
        raise InvalidInput("excel_workbook_unreadable")
    return BookSource(named or NEW_NAME, None)


def opened(given: BookSource, sheet: str = "") -> Workbook:
    """`sheet`: what the first sheet of a new workbook is called, the one that is written first."""
    return Workbook(given.data or _empty(sheet), given.name)


def delivered(data: bytes, name: str, *, as_text: bool | None) -> dict[str, Any]:
    """`as_text`: whether to give it as Base64 too; None: where it is small."""
    file_name = file_name_of(name)
    wanted = len(data) < _LARGEST_IN_TEXT if as_text is None else as_text
    is_macro = file_name.lower().endswith(".xlsm")
    return {
        "workbook_updated": NewFile(file_name, data, _MACROS_TYPE if is_macro else MEDIA_TYPE),
        "workbook_b64": base64.b64encode(data).decode("ascii") if wanted else None,
    }


def file_name_of(name: str) -> str:
    """Without what no file's name can hold, and with an ending that Excel opens."""
    bare = _NOT_IN_NAMES.sub("_", name.strip()).strip(". ") or NEW_NAME
    return bare if bare.lower().endswith((".xlsx", ".xlsm")) else f"{bare}.xlsx"


def _is_file(value: Any) -> bool:
    return isinstance(value, FileRef) or (isinstance(value, dict) and "file_id" in value)


def _of_file(file: Any, context: BlockContext, name: str) -> BookSource:
    """Also one without a name, which is no file to the contract."""
    try:
        if not isinstance(file, FileRef):
            file = FileRef.model_validate({**file, "name": file.get("name") or name or NEW_NAME})
    except ValidationError:
        raise InvalidInput("excel_workbook_unreadable") from None
    return BookSource(name or file.name, context.files.read(file))


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.rpartition("base64,")[2], validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("excel_workbook_unreadable") from None


def _empty(sheet: str) -> bytes:
    """One empty sheet; the same bytes every time, so that a step run again gives the same file."""
    is_fit = sheet.strip() and len(sheet) <= _LONGEST_SHEET and not _NOT_IN_SHEETS.search(sheet)
    name = escape(sheet) if is_fit else _FIRST_SHEET
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for part, text in _PARTS.items():
            content = f"{_XML}{text.replace(_FIRST_SHEET, name)}"
            package.writestr(zipfile.ZipInfo(part), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
