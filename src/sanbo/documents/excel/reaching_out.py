"""Formulas that would leave the workbook, to other files, machines or programs: refused."""

import re
from collections.abc import Sequence

from openpyxl.formula.tokenizer import Token

from sanbo.documents.excel.references import sheets_named, words
from sanbo.kernel.problems import PermissionDenied

# These run programs, or send what a cell holds to another machine.
_FUNCTIONS = frozenset(
    {
        "CALL",
        "COPILOT",
        "CUBEKPIMEMBER",
        "CUBEMEMBER",
        "CUBEMEMBERPROPERTY",
        "CUBERANKEDMEMBER",
        "CUBESET",
        "CUBESETCOUNT",
        "CUBEVALUE",
        "DDE",
        "DETECTLANGUAGE",
        "EVALUATE",
        "EXEC",
        "GOOGLEFINANCE",
        "IMAGE",
        "IMPORTDATA",
        "IMPORTFEED",
        "IMPORTHTML",
        "IMPORTRANGE",
        "IMPORTXML",
        "PY",
        "REGISTER",
        "REGISTER.ID",
        "RTD",
        "SQL.REQUEST",
        "STOCKHISTORY",
        "TRANSLATE",
        "WEBSERVICE",
    }
)
_PREFIX = re.compile(r"^(?:_xlfn\.)?(?:_xlws\.)?", re.IGNORECASE)
_ADD_IN = re.compile(r"_xll\.|_xludf\.", re.IGNORECASE)
# No sheet's name has these signs: what has them is a path, an address or a program.
_NO_SHEET = re.compile(r"[\[\]\\/|?*]")
_LINKED_BOOK = re.compile(r"\[([0-9]{1,4})\]([^\[\]\\/|?*]*)")
_QUOTED = re.compile(r'"(?:[^"]|"")*+"|\'(?:[^\']|\'\')*+\'')
_CALL_ELSEWHERE = re.compile(r"!\s*+[^\s\"'!()+,\-*/&=<>:;]++\s*+\(")


def check_stays_inside(text: str, tokens: Sequence[Token], external_links: int) -> None:
    """`external_links` is how many workbooks the file is linked to already: `[1]`, `[2]` …"""
    for name, is_function in words(text):
        function = _PREFIX.sub("", name).upper()
        if _ADD_IN.match(name) or (is_function and function in _FUNCTIONS):
            raise _refused(name)
    for sheet in sheets_named(text):
        linked = _LINKED_BOOK.fullmatch(sheet)
        is_known = linked is not None and 1 <= int(linked[1]) <= external_links
        if not is_known and _NO_SHEET.search(sheet):
            raise _refused(sheet)
    unquoted = _QUOTED.sub("''", text)
    if "|" in unquoted:  # a program and its topic: `cmd|'…'!A0`
        raise _refused("|")
    elsewhere = _CALL_ELSEWHERE.search(unquoted)
    if elsewhere is not None:  # a function of another file
        raise _refused(elsewhere[0].strip("!( "))
    _check_links(tokens)


def _check_links(tokens: Sequence[Token]) -> None:
    """A link may lead to a fixed address or inside the workbook: cells in it would be sent."""
    for index, token in enumerate(tokens):
        if token.type == Token.FUNC and token.value.upper().endswith("HYPERLINK("):
            target = _first_argument(tokens[index + 1 :])
            first = target[0].value if target else ""
            is_inside = first.startswith('"#')
            is_fixed = len(target) == 1 and first.startswith('"') and first[1:3] != "\\\\"
            if not (is_inside or is_fixed) or first[1:6].casefold() == "file:":
                raise _refused("HYPERLINK")


def _first_argument(tokens: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    depth = 0
    for token in tokens:
        if depth == 0 and (token.type == Token.SEP or token.subtype == Token.CLOSE):
            break
        depth += (token.subtype == Token.OPEN) - (token.subtype == Token.CLOSE)
        if token.type != Token.WSPACE:
            found.append(token)
    return found


def _refused(function: str) -> PermissionDenied:
    return PermissionDenied("excel_formula_reaches_out", function=function[:80])
