"""Formulas that people write into cells: checked, and never a way out of the workbook."""

import re
from collections.abc import Sequence

from openpyxl.formula.tokenizer import Token, Tokenizer, TokenizerError
from openpyxl.utils import FORMULAE

from sanbo.documents.excel.references import sheets_named, words
from sanbo.kernel.problems import InvalidInput, LimitExceeded, PermissionDenied

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


MAX_LENGTH = 8_192


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Their parameters have names that the file stores in a form of its own.
_NAME_PARAMETERS = _names(
    """
    BYCOL BYROW LAMBDA LET MAKEARRAY MAP REDUCE SCAN
    """
)
# Their result is an array: outside an array formula Excel would take a part of their arguments.
_GIVE_ARRAYS = _names(
    """
    ANCHORARRAY CHOOSECOLS CHOOSEROWS DROP EXPAND FILTER HSTACK RANDARRAY SEQUENCE SORT
    SORTBY TAKE TEXTSPLIT TOCOL TOROW UNIQUE VSTACK WRAPCOLS WRAPROWS
    """
)
# Functions younger than the format: without the prefix Excel shows #NAME?.
_YOUNG = _GIVE_ARRAYS | _names(
    """
    ACOT ACOTH AGGREGATE ARABIC ARRAYTOTEXT BASE BETA.DIST BETA.INV BINOM.DIST
    BINOM.DIST.RANGE BINOM.INV BITAND BITLSHIFT BITOR BITRSHIFT BITXOR CEILING.MATH
    CEILING.PRECISE CHISQ.DIST CHISQ.DIST.RT CHISQ.INV CHISQ.INV.RT CHISQ.TEST COMBINA
    CONCAT CONFIDENCE.NORM CONFIDENCE.T COT COTH COVARIANCE.P COVARIANCE.S CSC CSCH DAYS
    DECIMAL ERF.PRECISE ERFC.PRECISE EXPON.DIST F.DIST F.DIST.RT F.INV F.INV.RT F.TEST
    FILTERXML FLOOR.MATH FLOOR.PRECISE FORECAST.ETS FORECAST.ETS.CONFINT
    FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR FORMULATEXT GAMMA GAMMA.DIST
    GAMMA.INV GAMMALN.PRECISE GAUSS HYPGEOM.DIST IFNA IFS IMCOSH IMCOT IMCSC IMCSCH IMSEC
    IMSECH IMSINH IMTAN ISFORMULA ISOMITTED ISOWEEKNUM LOGNORM.DIST LOGNORM.INV MAXIFS
    MINIFS MODE.MULT MODE.SNGL MUNIT NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV
    NUMBERVALUE PDURATION PERCENTILE.EXC PERCENTILE.INC PERCENTRANK.EXC PERCENTRANK.INC
    PERMUTATIONA PHI POISSON.DIST QUARTILE.EXC QUARTILE.INC RANK.AVG RANK.EQ RRI SEC SECH
    SHEET SHEETS SKEW.P STDEV.P STDEV.S SWITCH T.DIST T.DIST.2T T.DIST.RT T.INV T.INV.2T
    T.TEST TEXTAFTER TEXTBEFORE TEXTJOIN UNICHAR UNICODE VALUETOTEXT VAR.P VAR.S
    WEIBULL.DIST XLOOKUP XMATCH XOR Z.TEST
    """
)
_ON_WORKSHEETS = frozenset({"FILTER", "SORT"})
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
for _quote in (0xFF02, 0xFF07):  # folded, they would open a text
    del _HALF_WIDTH[_quote]
# What a formula holds that is not its own syntax: texts, sheets in quotes, columns of tables.
_KEPT = r""""(?:[^"]|"")*+"|'(?:[^']|'')*+'|\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]"""
_PART = re.compile(
    rf"(?P<kept>{_KEPT})|(?P<word>[\w.]++)(?P<sheet>(?=[!！]))?(?P<blanks>\s++(?=[(（]))?|.",
    re.DOTALL,
)
# Texts, and the rows of a constant such as `{1,2;3,4}`, where a semicolon belongs.
_SEGMENT = re.compile(rf"{_KEPT}|\{{[^{{}}]*+\}}")
_THIS_ROW = re.compile(
    r"""(?P<kept>"(?:[^"]|"")*+"|'(?:[^']|'')*+')"""
    r"|(?:(?<![\w.])(?P<table>[\w.]++))?\[[@＠](?P<columns>(?:[^\[\]]|\[[^\[\]]*+\])*+)\]"
)
# Excel shows these to some readers or in some countries; the file has other signs for them.
_NOT_IN_FORMULAS = re.compile("[;@、。“”„‘’「」＂＇]|^=|==")


def checked(formula: str, external_links: int = 0, table: str | None = None) -> str:
    """The formula as the file stores it: without `=`, with the prefixes of young functions."""
    if len(formula) > MAX_LENGTH:
        raise LimitExceeded("excel_formula_too_long", limit=MAX_LENGTH)
    text = _with_row_of_table(_folded(formula.strip()), table).removeprefix("=").strip()
    if _NOT_IN_FORMULAS.search(_SEGMENT.sub("", text)):
        raise InvalidInput("excel_formula_invalid", formula=formula)
    tokens = _tokens(text, formula)
    check_stays_inside(text, tokens, external_links)
    for name, is_function in words(text):
        if is_function and _PREFIX.sub("", name).upper() in _NAME_PARAMETERS:
            raise InvalidInput("excel_formula_unsupported", function=name, formula=formula)
    return "".join(_stored(token) for token in tokens)


def _with_row_of_table(text: str, table: str | None) -> str:
    """`[@額]`, as Excel shows it, in the form of the file: `表[[#This Row],[額]]`."""

    def change(found: re.Match[str]) -> str:
        if found["kept"]:
            return found[0]
        name = found["table"] or table
        if name is None:  # outside a table there is no such row
            raise InvalidInput("excel_formula_invalid", formula=text)
        columns = found["columns"]
        if not columns:
            return f"{name}[#This Row]"
        return f"{name}[[#This Row],{columns if columns.startswith('[') else f'[{columns}]'}]"

    return _THIS_ROW.sub(change, text)


def _folded(text: str) -> str:
    """Full width signs, digits and functions, and `SUM (`, as Excel takes them; texts stay."""

    def fold(found: re.Match[str]) -> str:
        if found["kept"]:
            return found[0]
        if found["word"] is None:
            return found[0].translate(_HALF_WIDTH)
        word = found["word"].translate(_HALF_WIDTH)
        # `税率Ａ` is somebody's name, and `ＡＢＣ!` somebody's sheet.
        if not word.isascii() or found["sheet"] is not None:
            return found[0]
        is_function = word.upper() in FORMULAE or word.upper() in _YOUNG
        return word if is_function else word + (found["blanks"] or "")

    return _PART.sub(fold, text)


def gives_array(stored: str) -> bool:
    """Whether it must stand in the file as an array formula to be calculated as it reads."""
    called = (_PREFIX.sub("", name).upper() for name, call in words(stored) if call)
    return any(name in _GIVE_ARRAYS for name in called)


def _tokens(text: str, formula: str) -> list[Token]:
    try:
        tokens = Tokenizer(f"={text}").items
    except (TokenizerError, IndexError) as error:
        raise InvalidInput("excel_formula_invalid", formula=formula) from error
    depth = sum((t.subtype == Token.OPEN) - (t.subtype == Token.CLOSE) for t in tokens)
    ends_open = bool(tokens) and tokens[-1].type in (Token.OP_IN, Token.OP_PRE, Token.SEP)
    if not tokens or depth or ends_open:
        raise InvalidInput("excel_formula_invalid", formula=formula)
    return tokens


def _stored(token: Token) -> str:
    text: str = token.value
    if token.type != Token.FUNC or token.subtype != Token.OPEN:
        return text
    # The tokenizer takes `A1:INDEX(` as one: the function is what follows the last sign.
    called = re.search(r"(?<![\w.])[\w.]++(?=\($)", text)
    if called is None or called[0].upper() not in _YOUNG:
        return text
    prefix = "_xlfn._xlws." if called[0].upper() in _ON_WORKSHEETS else "_xlfn."
    return text[: called.start()] + prefix + text[called.start() :]
