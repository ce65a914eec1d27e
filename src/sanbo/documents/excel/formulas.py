"""Formulas that a plan asks for: checked, and written the way the file format wants them."""

import re

from openpyxl.formula.tokenizer import Token, Tokenizer, TokenizerError

from sanbo.documents.excel.references import references, words
from sanbo.kernel.problems import InvalidInput, LimitExceeded, PermissionDenied

MAX_LENGTH = 8_192


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These run programs or send what a cell holds to another machine.
_REACH_OUT = _names(
    """
    CALL DDE EXEC IMAGE REGISTER REGISTER.ID RTD STOCKHISTORY SQL.REQUEST WEBSERVICE
    """
)
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
_PREFIX = re.compile(r"^(?:_xlfn\.)?(?:_xlws\.)?", re.IGNORECASE)


def checked(formula: str, external_links: int = 0) -> str:
    """The formula as the file stores it: without `=`, with the prefixes of young functions."""
    text = formula.strip().removeprefix("=").strip()
    if len(text) > MAX_LENGTH:
        raise LimitExceeded("excel_formula_too_long", limit=MAX_LENGTH)
    tokens = _tokens(text, formula)
    for name, is_function in words(text):
        if is_function:
            _check_function(_PREFIX.sub("", name).upper(), formula)
    for reference in references(text):
        workbook = re.match(r"\[(.*?)\]", reference.sheet or "")
        known = workbook and workbook[1].isdigit() and int(workbook[1]) <= external_links
        if workbook and not known:
            raise PermissionDenied("excel_formula_reaches_out", function=workbook[0])
    return "".join(_stored(token) for token in tokens)


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


def _check_function(name: str, formula: str) -> None:
    if name in _REACH_OUT:
        raise PermissionDenied("excel_formula_reaches_out", function=name)
    if name in _NAME_PARAMETERS:
        raise InvalidInput("excel_formula_unsupported", function=name, formula=formula)


def _stored(token: Token) -> str:
    text: str = token.value
    if token.type != Token.FUNC or token.subtype != Token.OPEN:
        return text
    # The tokenizer takes `A1:INDEX(` as one: the function is what follows the last sign.
    called = re.search(r"[\w.]+(?=\($)", text)
    if called is None or called[0].upper() not in _YOUNG:
        return text
    prefix = "_xlfn._xlws." if called[0].upper() in _ON_WORKSHEETS else "_xlfn."
    return text[: called.start()] + prefix + text[called.start() :]
