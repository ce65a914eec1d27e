"""What an instruction computes of each row: 単価×数量, subtract cost from price, 税込.

Also the days between two dates: 基準日から満了日までが90日以内, 支払期限を30日以上過ぎた.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.row_reading import places_of
from sanbo.plans.designing.wording import has, plain, words

_SIGNS = {
    "×": "*",
    "*": "*",
    "x": "*",
    "÷": "/",
    "/": "/",
    "+": "+",
    "-": "-",
    "−": "-",
    "ー": "-",
    "－": "-",
    "–": "-",
}
_WORDS: tuple[tuple[str, str, bool], ...] = (
    # The pattern between and behind two operands, the sign, and whether they change places.
    (r"{a}\s?(?:に|と)、?\s?{b}\s?を?\s?(?:掛け|かけ|乗じ)", "*", False),
    (r"{a}\s?から、?\s?{b}\s?を?\s?(?:引|差し引|減)", "-", False),
    (r"{a}\s?を?、?\s?{b}\s?で\s?(?:割|除)", "/", False),
    (r"{a}\s?(?:に|と)、?\s?{b}\s?を?\s?(?:足|加え|たし)", "+", False),
    (r"{a}\s?と、?\s?{b}\s?の差", "-", False),
    (r"{a}\s?と、?\s?{b}\s?の和", "+", False),
    (r"{a}\s?と、?\s?{b}\s?の積", "*", False),
    (r"multipl[a-z]{{1,6}} (?:the )?{a} (?:by|with|and) (?:the |its |their )?{b}", "*", False),
    (r"(?:product of )(?:the )?{a} and (?:the )?{b}", "*", False),
    (r"{a} (?:times|multiplied by|x) (?:the |its |their |that )?{b}", "*", False),
    (r"subtract[a-z]{{0,3}} (?:the )?{a} from (?:the )?{b}", "-", True),
    (r"{a} (?:minus|less) (?:the )?{b}", "-", False),
    (r"difference between (?:the )?{a} and (?:the )?{b}", "-", False),
    (r"divid[a-z]{{1,3}} (?:the )?{a} by (?:the )?{b}", "/", False),
    (r"{a} divided by (?:the )?{b}", "/", False),
    (r"add[a-z]{{0,3}} (?:the )?{a} (?:to|and) (?:the )?{b}", "+", False),
    (r"{a} plus (?:the )?{b}", "+", False),
)
_NUMBER = r"\d{1,12}(?:\.\d{1,6})?%?"
_RAISED = (
    r"{a}\s?に(?:消費税|税)?(?:率)?の?\s?(?P<p>\d{{1,2}})%\s?の?(?:消費税|税)?を?\s?(?:加え|足|上乗せ|かけ)",
    r"{a} (?:plus|with|including) (?P<p>\d{{1,2}})% (?:tax|vat)",
    r"(?:add|adding) (?P<p>\d{{1,2}})% (?:tax|vat|consumption tax|sales tax) to (?:the )?{a}",
    r"{a}\s?(?:を|の|から)\s?(?P<p>\d{{1,2}})%\s?の?(?P<s>値上げ|引き上げ|上げ|増|アップ|値下げ|引き下げ|割引|引い|引き|オフ)",
    r"(?P<s>rais|increas|reduc|lower|discount)[a-z]{{0,4}} (?:the |each )?{a} by (?P<p>\d{{1,2}})%",
)
_LESS = re.compile("値下げ|引き下げ|割引|引い|引き$|オフ|reduc|lower|discount")
_NAME = r"[^\s、。をはがにとで×*+\-÷/()「」=:,.]{1,20}"
_BEFORE = (
    re.compile(rf"({_NAME})\s?(?:[(=:]|は、?\s?[「(]?)$"),
    re.compile(r"\b(?:the |a |an )?([a-z][a-z ]{1,30}?) ?(?:\(|=|:|as|is|being)\s?$"),
)
_BEHIND = (
    re.compile(
        rf"^[^、。]{{0,12}}?(?:し|て|た|る|、|\)|」|の|を)?(?:ものを?|額を?|値を?|の)?、?({_NAME})(?:とし|とする|という列|の列|列|を|に)"
    ),
    re.compile(
        r"^\)?\s?(?:as|called|named|in(?:to)? a column(?: called)?|gives|=) (?:the |a |an "
        r")?\"?([a-z_][a-z_ ]{1,30}?)\"?(?:$|,|\.| column| for| of| in| and|\()"
    ),
)
_NO_NAMES = frozenset(
    (
        "新しい",
        "新",
        "それ",
        "結果",
        "値",
        "もの",
        "計算",
        "それぞれ",
        "excel",
        "it",
        "this",
        "and",
        "for each",
        "every line",
        "額",
        "一覧",
        "表",
    )
)


_VERB = re.compile(
    r"^(?:.{0,30}\b(?:work out|calculate|compute|add|show|give me|with|get|find|and) "
    r")?(?:the |an? )?"
)


class RowFormula(NamedTuple):
    name: str
    """Empty where none is given."""
    expression: str
    columns: tuple[str, ...]
    span: tuple[int, int]
    """In the text, in plain form."""


_ALONE = re.compile(
    r"(?:^|[\s、])(\d{1,9}(?:\.\d{1,6})?)(?:で割|を掛け|をかけ|を乗じ|を引|を足)|(?:divide|"
    r"multiply) (?:it |them |the total )?by (\d{1,9}(?:\.\d{1,6})?)"
)
_ALONE_SIGNS = {"で割": "/", "を掛": "*", "をか": "*", "を乗": "*", "を引": "-", "を足": "+"}


def formula_in(text: str, columns: Sequence[str], last: str = "") -> RowFormula | None:
    """`last` is what 60で割って goes on with."""
    said = plain(text)
    if last in columns and (match := _ALONE.search(said)):
        sign = _ALONE_SIGNS.get(match[0].strip(" 、")[len(match[1] or "") :][:2], "") or (
            "/" if "divide" in match[0] else "*"
        )
        number = match[1] or match[2]
        return RowFormula("", f"{column_expression(last)} {sign} {number}", (last,), match.span())
    names = _forms(columns)
    operands = sorted(names, key=len, reverse=True)
    if not operands:
        return None
    one = "(?:" + "|".join([*map(_loose, operands), _NUMBER]) + ")"
    found = _raised(said, one) or _signed(said, one) or _worded(said, one)
    if found is None:
        return None
    span, parts = found
    used = [names[key] for part in parts if (key := _key(part, names))]
    if not used:
        return None
    expression = "".join(_operand(part, names) for part in parts)
    return RowFormula(_name(said, span, names), expression, tuple(dict.fromkeys(used)), span)


def _forms(columns: Sequence[str]) -> dict[str, str]:
    """What columns may be called: without a unit, or by a first word that no other one has."""
    names: dict[str, str] = {}
    for name in columns:
        whole = plain(name)
        bare = re.sub(r"[((].{1,12}[)）]$|kg$", "", whole).strip()
        bare_sum = whole.removeprefix("total ").removesuffix("合計")
        for form in (whole, bare, whole.replace("_", " "), bare_sum):
            if len(form) > 1:
                names.setdefault(form, name)
    for concept in ("quantity", "price"):
        known = [name for name in columns if has(concept, plain(name))]
        if len(known) == 1:
            for word in (*words(concept, "ja"), *words(concept, "en")):
                names.setdefault(word, known[0])
    firsts = [plain(name).split()[0] for name in columns if plain(name).isascii() and name.strip()]
    for name in columns:
        first = plain(name).split()[0] if name.strip() else ""
        if len(first) > 2 and firsts.count(first) == 1:
            names.setdefault(first, name)
    return names


def _loose(name: str) -> str:
    escaped = re.escape(name).replace(r"\ ", "[ -]")
    if not name.isascii():
        return rf"{escaped}(?:の合計|の値)?"
    return rf"(?<![a-z]){escaped}s?(?: (?:quantity|amount|column|value))?(?![a-z])"


def _key(part: str, names: dict[str, str]) -> str:
    bare = re.sub("の合計$|の値$| (?:quantity|amount|column|value)$", "", part.replace("-", " "))
    return next((one for one in (part, bare, bare.removesuffix("s")) if one in names), "")


def _raised(text: str, one: str) -> tuple[tuple[int, int], list[str]] | None:
    """With a tax: 税抜金額に消費税10%を加えた."""
    for raised in _RAISED:
        match = re.search(raised.format(a=f"(?P<a>{one})"), text)
        if match is not None:
            share = int(match["p"]) / 100
            is_less = bool(_LESS.search(match.groupdict().get("s") or ""))
            return match.span(), [match["a"], "*", f"{1 - share if is_less else 1 + share:g}"]
    return None


def _signed(text: str, one: str) -> tuple[tuple[int, int], list[str]] | None:
    signs = "(?: x |[×*÷/+−ー－–-])"
    between = rf"\s?{signs}\s?(?:the |our |its )?(?:total |po )?"
    match = re.search(rf"{one}(?:{between}{one}){{1,4}}", text)
    if match is None:
        return None
    pieces = re.findall(rf"{one}|{signs}", match[0])
    return match.span(), [_SIGNS.get(str(piece).strip(), str(piece)) for piece in pieces]


def _worded(text: str, one: str) -> tuple[tuple[int, int], list[str]] | None:
    for pattern, sign, is_turned in _WORDS:
        match = re.search(pattern.format(a=f"(?P<a>{one})", b=f"(?P<b>{one})"), text)
        if match is not None:
            left, right = (match["b"], match["a"]) if is_turned else (match["a"], match["b"])
            return match.span(), [left, sign, right]
    return None


def _operand(part: str, names: dict[str, str]) -> str:
    if part in "+-*/":
        return f" {part} "
    if key := _key(part, names):
        return column_expression(names[key])
    return str(float(part[:-1]) / 100) if part.endswith("%") else part


def column_expression(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f'row["{name}"]'


_QUOTED = re.compile(
    r"「([^「」]{1,20})」の?(?:列|欄|項目)|column (?:called |named )?\"([^\"]{1,30})\""
)
"""「残高」の列, a column "Annual Cost"."""


def _name(said: str, span: tuple[int, int], names: dict[str, str]) -> str:
    before, behind = said[: span[0]].rstrip(), said[span[1] :]
    for quoted in (*_QUOTED.finditer(behind), *_QUOTED.finditer(before)):
        name = (quoted[1] or quoted[2] or "").strip()
        if name and name not in names:
            return name
    own = 1 if said.isascii() else 0
    tried = [
        _BEFORE[own].search(before),
        _BEHIND[own].search(behind),
        *(each.search(behind) for each in _BEHIND),
    ]
    for match in tried:
        if match is not None:
            name = match[1].strip()
            name = re.sub("の(?:列|欄|項目)$", "", _VERB.sub("", name))
            if name and name not in _NO_NAMES and name not in names:
                return name
    return ""


_SPAN = re.compile(
    r"(?P<n>\d{1,4}) ?(?:日|days?)(?P<how>以内|以上|を超え|超|未満| or more| or less| or fewer)?"
)
_AT_MOST = re.compile(
    r"within|no more than|at most|less than|in the next|以内|未満| or less| or fewer"
)
_STRICT = re.compile(r"(?<!no )more than|over|を超え|超|未満|less than")
_DAYS_BEFORE = re.compile(r"前|過ぎ|経過|超過|before|ago|overdue|past|old|earlier|since")

Span = tuple[dict[str, str], list[dict[str, Any]], dict[str, str], str]


def days_between(profile: DatasetProfile, text: str, asked: Mapping[str, str]) -> Span | None:
    """The computed column, conditions on it, values that it needs, and the rest of the text."""
    said = plain(text)
    span = _SPAN.search(said)
    days = [
        one.name for one in profile.columns if one.is_temporal and any(places_of(one.name, said))
    ]
    names = [name for name in asked if name in said]
    if span is None or not (days and (names or len(days) > 1)):
        return None
    values: dict[str, str] = {}
    if names:
        base, column = "base", column_expression(days[0])
        values["base"] = asked[names[0]]
        is_back = bool(_DAYS_BEFORE.search(said[span.end() :])) or bool(
            re.search("より前|overdue|past", said)
        )
        expression = (
            f"daysBetween({column}, {base})" if is_back else f"daysBetween({base}, {column})"
        )
    else:
        one, other = (column_expression(name) for name in days[:2])
        expression = f"daysBetween({one}, {other})"
    name = f"{days[0]}_days"
    around = said[max(0, span.start() - 14) : span.end()]
    number = int(span["n"])
    if _AT_MOST.search(around):
        operator = "lt" if _STRICT.search(around) and "以内" not in around else "lte"
        conditions = [
            {"field": name, "operator": "gte", "value": 0},
            {"field": name, "operator": operator, "value": number},
        ]
    else:
        conditions = [
            {"field": name, "operator": "gt" if _STRICT.search(around) else "gte", "value": number}
        ]
    return (
        {name: expression},
        conditions,
        values,
        _rest(said, days, names, span),
    )


def _rest(said: str, days: list[str], names: list[str], span: re.Match[str]) -> str:
    """What stands before the first of the dates."""
    places = [start for name in days for start, _ in places_of(name, said)]
    places += [said.find(name) for name in names]
    return said[: min((*places, span.start()))].rstrip("、でかつ ")
