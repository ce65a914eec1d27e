"""What is computed of each row, however it is said: marks for what is computed with, joined by
signs and words until one mark is left. 単価×数量, the price minus 10%, AとBの少ないほう."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.vocabulary import has, language_of, plain, words

_FIRST_MARK = 0xE000
_O = "([\ue000-\uf8ff])"
_G = r"\s?(?:the |its |their |that |each |our )?"
"""What may stand before a mark."""
_TAIL = r"(?:[ぁ-ん]{1,3}(?=[^ぁ-ん]|$))?"
_SYMBOLS = {"×": "*", "*": "*", "x": "*", "✕": "*", "÷": "/", "/": "/", "+": "+",
    "かける": "*", "掛ける": "*", "わる": "/", "割る": "/",
}  # fmt: skip
_TIMES = rf"{_O}\s?(×|\*|✕|÷|/|(?<= )x(?= )|かける|掛ける|わる|割る)\s?{_G}{_O}"
_PLUS = rf"{_O}\s?(\+|[-−－–‐ー])\s?{_G}{_O}"
_JA = "(?:の合計|の値|額)?"
_LOW = "少ない|小さい|低い|安い|smaller|lower|lesser|less"
_HIGH = "多い|大きい|高い|larger|higher|greater"
_UP = "値上げ|引き上げ|引上げ|上げ|増し?|アップ|上乗せ|加算|加え|足"
_DOWN = "値下げ|引き下げ|引下げ|下げ|割引|値引き?|引い?|オフ|減ら?|差し引"
# {0} and {1} are the marks in the order in which they stand; {p} is a share.
_RULES: tuple[tuple[str, str], ...] = (
    (rf"(?<=[-+*/×÷−－])\s?\({_O}\)|\({_O}\)(?=\s?[-+*/×÷−－])", "{0}"),
    (rf"(?P<p>\d{{1,3}}(?:\.\d{{1,3}})?)% of {_G}{_O}", "{0} * {p}"),
    (
        rf"{_O}\s?(?:に|へ)(?:は|、)?(?:消費税|税|手数料)?(?:率)?の?(?P<p>\d{{1,3}}"
        rf"(?:\.\d{{1,3}})?)%"
        rf"の?(?:消費税|税|手数料)?(?:分|相当)?を?(?:{_UP}|かけ|乗せ){_TAIL}",
        "{0} * (1 + {p})",
    ),
    (
        rf"{_O}(?:を|の|から|より|に)?\s?(?P<p>\d{{1,3}}(?:\.\d{{1,3}})?)%(?:だけ|分|の)?を?"
        rf"(?:(?P<up>{_UP})|{_DOWN}){_TAIL}",
        "{0} * (1 {s} {p})",
    ),
    (rf"{_O}の(?P<p>\d{{1,3}}(?:\.\d{{1,3}})?)%", "{0} * {p}"),
    (
        rf"{_O} (?:(?P<up>plus|with|including)|minus|less) (?:a )?(?P<p>\d{{1,3}}(?:\.\d{{1,3}})?)%"
        r"(?: (?:tax|vat|consumption tax|sales tax|discount|surcharge|markup))?",
        "{0} * (1 {s} {p})",
    ),
    (
        rf"\badd(?:ing)? (?P<p>\d{{1,3}}(?:\.\d{{1,3}})?)%(?: [a-z]{{2,12}}){{0,2}}"
        rf" (?:to|on) {_G}{_O}",
        "{0} * (1 + {p})",
    ),
    (
        rf"\b(?:(?P<up>rais|increas)|reduc|lower|discount|cut)[a-z]{{0,4}} {_G}{_O} by "
        r"(?P<p>\d{1,3}(?:\.\d{1,3})?)%",
        "{0} * (1 {s} {p})",
    ),
    (
        rf"{_O}から、?{_O}まで(?:の)?(?:経過)?(?:日数|期間)|\b(?:number of )?days ("
        rf"?:from|between){_G}{_O} (?:to|and|until){_G}{_O}",
        "days",
    ),
    (_TIMES, "sign"),
    (rf"{_O}{_JA}\s?(?:に|と|へ)、?\s?{_O}{_JA}を?(?:掛け|かけ|乗じ|乗算){_TAIL}", "{0} * {1}"),
    (rf"{_O}\s?(?:times|multiplied by){_G}{_O}", "{0} * {1}"),
    (rf"\bmultipl[a-z]{{1,6}}{_G}{_O} (?:by|with|and){_G}{_O}", "{0} * {1}"),
    (rf"\bproduct of{_G}{_O} and{_G}{_O}", "{0} * {1}"),
    (rf"{_O}{_JA}と{_O}{_JA}の積", "{0} * {1}"),
    (rf"{_O}{_JA}\s?を?、?\s?{_O}{_JA}で(?:割|除){_TAIL}", "{0} / {1}"),
    (rf"{_O}の{_O}に(?:対する|占める)(?:割合|比率|率)", "{0} / {1}"),
    (rf"{_O}に(?:対する|占める){_O}の(?:割合|比率|率)", "{1} / {0}"),
    (rf"\bdivid[a-z]{{1,3}}{_G}{_O} by{_G}{_O}", "{0} / {1}"),
    (rf"{_O} (?:divided by|per){_G}{_O}", "{0} / {1}"),
    (rf"\bratio of{_G}{_O} to{_G}{_O}", "{0} / {1}"),
    (rf"{_O} as (?:a |an )?(?:percentage|percent|share|%) of{_G}{_O}", "{0} / {1} * 100"),
    (_PLUS, "sign"),
    (rf"{_O}{_JA}\s?から、?\s?{_O}{_JA}を?(?:差し引|差引|引|減|控除|マイナス){_TAIL}", "minus"),
    (
        rf"{_O}{_JA}\s?(?:に|と|へ)、?\s?{_O}{_JA}を?(?:足|加え|たし|加算|プラス){_TAIL}",
        "{0} + {1}",
    ),
    (rf"{_O}{_JA}と、?{_O}{_JA}の(?:差|差額|差異|差分)(?![一-龠])", "minus"),
    (rf"{_O}{_JA}と、?{_O}{_JA}(?:の和|を合計した|を合わせた|を足した)", "{0} + {1}"),
    (rf"\bsubtract[a-z]{{0,3}}{_G}{_O} from{_G}{_O}", "{1} - {0}"),
    (rf"{_O} (?:minus|less|net of|after deducting){_G}{_O}", "minus"),
    (rf"\bdifference between{_G}{_O} and{_G}{_O}", "minus"),
    (rf"{_O} plus{_G}{_O}", "{0} + {1}"),
    (rf"\badd[a-z]{{0,3}}{_G}{_O} (?:to|and){_G}{_O}", "{0} + {1}"),
    (rf"\bsum of{_G}{_O} and{_G}{_O}", "{0} + {1}"),
    (
        rf"「?{_O}」?を、?{_O}の(?:倍数|単位)(?:に|で|へ)?(?:なるよう(?:に)?)?(?:(?"
        rf"P<low>切り?捨て)|切り?上げ){_TAIL}(?:数)?|"
        rf"{_O} rounded (?:(?P<low2>down)|up) to (?:the nearest |"
        rf"a )?(?:full )?multiple of {_G}{_O}",
        "multiple",
    ),
    (
        rf"{_O}{_JA}と、?[「(]?{_O}{_JA}[」)]?(?:のうち|の|を比べ(?:て|"
        rf"、))?、?(?:いずれか|どちらか)?"
        rf"(?:(?P<low>{_LOW})|{_HIGH})(?:方|ほう)(?:の額|の金額|の値)?",
        "{m}({0}, {1})",
    ),
    (
        rf"\b(?:the )?(?:(?P<low>{_LOW})|{_HIGH}) (?:one )?of{_G}{_O} (?:and|or){_G}{_O}",
        "{m}({0}, {1})",
    ),
    (rf"{_O}の半(?:分|額)|\bhalf (?:of )?{_G}{_O}", "{0} / 2"),
    # 掛け、さらに3を引く: what was computed goes on.
    (
        rf"{_O}(?:、|し|て|で|さらに|これ|それ|から|に|を|\s|and|then){{0,6}}{_O}"
        rf"(?:を(?P<t>掛け|かけ|乗じ)|で(?P<d>割|除)|を(?P<m>引|差し引)|を(?P<a>足|加え)){_TAIL}",
        "go",
    ),
)
_COMPILED = tuple((re.compile(pattern), how) for pattern, how in _RULES)
_NUMBER = re.compile(r"(?<![\d.a-z-])\d{1,12}(?:\.\d{1,6})?(?![\d.]{0,6}%|[\d.]{0,6}\d)")
_PART = re.compile(r"(?<=[×x*✕])\s?(\d{1,3}(?:\.\d{1,3})?)%")
_RATE = re.compile("%|率|percent|pct")


class Formula(NamedTuple):
    name: str
    """Empty where none is given."""
    expression: str
    text: str
    """What was said, with the name (or a mark) where the formula stood."""


MARK = "\uf8ff"
"""Stands for a computed column that has no name yet."""


def formula_in(text: str, rows: Rows, last: str = "", blank: str | None = None) -> Formula | None:
    """The first one of a text; `last` is what 60で割って goes on with; `blank` what an empty cell
    counts as."""
    said = plain(text)
    names = column_forms(rows)
    marked, values = _marked(said, names, rows, blank)
    if last in rows.columns:
        marked = _ALONE.sub(
            lambda found: f"{_next_mark(values, column_expression(last), said)}{found[0]}", marked
        )
    made = _reduced(marked, values)
    if made is None:
        return None
    whole, mark = made
    expression = values[mark][0]
    whole = "".join(values[one][1] if one in values and one != mark else one for one in whole)
    name, whole = _named(whole.replace(mark, MARK), names)
    if "/" in expression and _PERCENT.search(whole) and not expression.endswith("* 100"):
        expression = f"({expression}) * 100"
        whole = _PERCENT.sub(" ", whole)
    whole, expression = _rounded(whole, expression)
    return Formula(name, expression, whole)


_PERCENT = re.compile(
    r"[、,(]\s?%(?=[、,)])|(?:を|は)?(?:%|パーセント|百分率)(?:で|"
    r"として|表示)[ぁ-ん]{0,2}|\b(?:as|in) (?:an? )?(?:percentage|"
    r"percent|%)"
)
_ALONE = re.compile(
    r"(?<![\ue000-\uf8ff]を)(?<![\ue000-\uf8ff]に)(?<![\ue000-\uf8ff]から)(?:^|(?<=[\s、]))"
    r"(?=[\ue000-\uf8ff](?:で割|を掛け|をかけ|を乗じ|を引|を足))"
)


def column_expression(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f'row["{name}"]'


# ---- marks ----


def column_forms(rows: Rows) -> dict[str, str]:
    """What columns of figures may be called: without a unit, by what they hold, by a first word
    that no other one has."""
    columns = [name for name in rows.columns if _is_figure(rows, name)]
    names: dict[str, str] = {}
    for name in columns:
        whole = plain(name)
        bare = re.sub(r"\s?[(\[].{1,12}[)\]]$|kg$", "", whole).strip()
        flat = whole.replace("_", " ")
        for form in (
            whole,
            bare,
            flat,
            re.sub(r"\b(?:pct|percent)\b", "%", flat),
            _without_sum(whole),
        ):
            if len(form) > 1:
                names.setdefault(form, name)
    bares = [_stem(name) for name in rows.columns]
    for name in columns:
        bare = _stem(name)
        if len(bare) > 1 and bares.count(bare) == 1:
            names.setdefault(bare, name)
    for concept in ("quantity", "price"):
        known = [name for name in columns if has(concept, plain(name))]
        if len(known) == 1:
            for word in (*words(concept, "ja"), *words(concept, "en")):
                names.setdefault(word, known[0])
    firsts = [
        plain(name).split()[0] for name in rows.columns if plain(name).isascii() and name.strip()
    ]
    for name in columns:
        first = plain(name).split()[0] if name.strip() else ""
        if len(first) > 2 and firsts.count(first) == 1:
            names.setdefault(first, name)
    return names


STEM = re.compile("(?:合計)?(?:額|数|高|金額|数量|日数)$")


def _stem(name: str) -> str:
    return STEM.sub("", re.sub(r"\s?[(\[].{1,12}[)\]]$", "", plain(name)))


def _without_sum(name: str) -> str:
    return name.removeprefix("total ").removesuffix("合計").removeprefix("合計")


def _is_figure(rows: Rows, name: str) -> bool:
    column = rows.profile.column(name) if rows.profile else None
    if column is None:  # what waits for a person's value
        return not any(isinstance(row.get(name), str) for row in rows.sample)
    return (column.is_numeric and not column.is_identifier) or not any(
        row.get(name) not in (None, "") for row in rows.sample
    )


def _is_day(rows: Rows, name: str) -> bool:
    column = rows.profile.column(name) if rows.profile else None
    return column is not None and column.is_temporal


def _next_mark(values: dict[str, tuple[str, str]], expression: str, told: str) -> str:
    mark = chr(_FIRST_MARK + len(values))
    values[mark] = (expression, told)
    return mark


def _marked(
    said: str, names: Mapping[str, str], rows: Rows, blank: str | None
) -> tuple[str, dict[str, tuple[str, str]]]:
    """Columns and numbers as marks, with their expressions and what stood there."""
    values: dict[str, tuple[str, str]] = {}

    def column(found: re.Match[str]) -> str:
        form = found[0].replace("-", " ")
        bare = re.sub(" (?:quantity|column|value)$", "", form)
        tried = (found[0], form, bare, form.removesuffix("s"), bare.removesuffix("s"))
        name = next((names[one] for one in tried if one in names), None)
        if name is None:
            return found[0]
        return _next_mark(values, _operand(name, rows, said, blank), found[0])

    days = {plain(name): name for name in rows.columns if _is_day(rows, name)}

    def day(form: str) -> str:
        name = days.get(form) or days[form.removesuffix("s")]
        return f"date({column_expression(name)})"

    if days:
        forms = "|".join(map(_loose, sorted(days, key=len, reverse=True)))
        said = re.sub(forms, lambda found: _next_mark(values, day(found[0]), found[0]), said)
    if days:
        said = _DATE.sub(lambda found: _next_mark(values, _date(found), found[0]), said)
    if names:
        forms = "|".join(map(_loose, sorted(names, key=len, reverse=True)))
        said = re.sub(forms, column, said)
    said = _near_signs(said, values, rows, blank)
    said = _PART.sub(
        lambda found: f" {_next_mark(values, f'{float(found[1]) / 100:g}', found[0].strip())}", said
    )
    return _NUMBER.sub(lambda found: _next_mark(values, found[0], found[0]), said), values


_DATE = re.compile(r"(\d{4})(?:-|年|/)(\d{1,2})(?:-|月|/)(\d{1,2})日?")


def _date(found: re.Match[str]) -> str:
    return f'date("{found[1]}-{int(found[2]):02}-{int(found[3]):02}")'


def _operand(name: str, rows: Rows, said: str, blank: str | None) -> str:
    expression = column_expression(name)
    cells = [row.get(name) for row in rows.sample]
    if blank is not None and any(cell in (None, "") for cell in cells):
        expression = f"coalesce({expression}, {blank})"
    figures = [cell for cell in cells if isinstance(cell, int | float)]
    is_rate = _RATE.search(plain(name)) or re.search(
        rf"{re.escape(plain(name))} ?(?:%|percent)", said
    )
    if is_rate and figures and max(figures) > 1.5 and "100" not in said:
        return f"({expression} / 100)"
    return expression


def _loose(name: str) -> str:
    escaped = re.escape(name).replace(r"\ ", "[ -]?" if name.endswith("%") else "[ -]")
    if not name.isascii():
        return rf"{escaped}(?![一-龠])"
    return rf"(?<![a-z0-9]){escaped}s?(?: (?:quantity|column|value))?(?![a-z0-9])"


_BESIDE = re.compile(
    r"(?<=[×÷*+−－])\s?([一-龠ァ-ヶーa-z][一-龠ァ-ヶーa-z ]{0,14}[一-龠ァ-ヶーa-z])|"
    r"([一-龠ァ-ヶー]{2,8})(?=\s?[×÷*+−－])"
)


def _near_signs(
    said: str, values: dict[str, tuple[str, str]], rows: Rows, blank: str | None
) -> str:
    """上限×泊数: the only column that the word is part of."""

    def column(found: re.Match[str]) -> str:
        word = (found[1] or found[2]).strip()
        near = [name for name in rows.columns if word in plain(name) and _is_figure(rows, name)]
        if len(near) != 1:
            return found[0]
        return _next_mark(values, _operand(near[0], rows, said, blank), found[0])

    return _BESIDE.sub(column, said)


# ---- joined ----


def _reduced(marked: str, values: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    """The text with the first formula as one mark; None where nothing is computed."""
    made, known = "", len(values)
    for _ in range(24):
        for pattern, how in _COMPILED:
            match = pattern.search(marked)
            if match is None:
                continue
            marks = [part for part in match.groups() if part and part in values]
            parts = [values[one][0] for one in marks]
            if not any(re.search(r"[^\W\d]", part) for part in parts):
                continue  # figures alone
            are_days = [part.startswith("date(") for part in parts]
            if any(are_days) != (
                how == "days"
                or (all(are_days) and how in ("sign", "minus") and "+" not in match[0])
            ):
                continue
            if any(are_days):
                first, second = parts if how == "days" else parts[::-1]
                expression = f"daysBetween({first}, {second})"
            else:
                expression = _joined(how, match, parts)
            told = "".join(values[one][1] if one in values else one for one in match[0])
            mark = _next_mark(values, expression, told)
            marked = f"{marked[: match.start()]}{mark}{marked[match.end() :]}"
            made = next(one for one in marked if ord(one) - _FIRST_MARK >= known and one in values)
            break
        else:
            break
    return (marked, made) if made else None


def _joined(how: str, match: re.Match[str], parts: Sequence[str]) -> str:
    given = match.groupdict()
    match how:
        case "sign":
            sign = _SYMBOLS.get(match[2].strip(), "-")
            if sign == "-":
                return _minus(parts)
            return _both(f"{{0}} {sign} {{1}}", parts)
        case "minus":
            return _minus(parts)
        case "multiple":
            how = "floor" if given["low"] or given["low2"] else "ceil"
            whole = parts[0] if re.fullmatch(r"\w+", parts[0]) else f"({parts[0]})"
            return f"{how}({whole} / {parts[1]}) * {parts[1]}"
        case "go":
            sign = "*" if given["t"] else "/" if given["d"] else "-" if given["m"] else "+"
            return _both(f"{{0}} {sign} {{1}}", parts)
        case _:
            if given.get("p"):
                how = how.replace("{p}", f"{float(given['p']) / 100:g}")
                how = how.replace("{s}", "+" if given.get("up") else "-")
            how = how.replace("{m}", "min" if given.get("low") else "max")
            return how.format(*parts) if how.startswith("m") else _both(how, parts)


def _both(how: str, parts: Sequence[str]) -> str:
    is_product = " * " in how or " / " in how
    needs = [bool(re.search(r" [-+] ", part)) and not _is_closed(part) for part in parts]
    if " - {1}" in how or " / {1}" in how:
        needs[1] = " " in parts[1] and not _is_closed(parts[1])
    shown = [
        f"({part})" if need and (is_product or number) else part
        for number, (part, need) in enumerate(zip(parts, needs, strict=True))
    ]
    return how.format(*shown)


def _is_closed(part: str) -> bool:
    return bool(
        re.fullmatch(r"[a-zA-Z]{0,12}\([^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,4}\)", part)
    )


def _minus(parts: Sequence[str]) -> str:
    """A share is taken off what it is a share of."""
    if parts[1].endswith(" / 100)"):
        return _both("{0} * (1 - {1})", (parts[0], parts[1][1:-1]))
    return _both("{0} - {1}", parts)


# ---- names ----

_NOUN = "[一-龠ァ-ヶー々a-z0-9・]{1,16}"
_BEFORE_JA = (
    re.compile(r"「([^「」]{1,20})」(?:の?列|欄)?(?:は|を|=|:|として|に|\()?、?「?$"),
    re.compile(rf"({_NOUN})(?:の?列|欄)?\s?(?:=|:|\(=?|は、?)\s?「?$"),
    re.compile(rf"(?:^|[、。])({_NOUN})は、?[^、。はが]{{1,10}}$"),
)
_BEHIND_JA = (
    re.compile(
        r"^」?(?:[をでの](?:計算|算出|求め)?[ぁ-ん]{0,4})?(?:もの|"
        r"額|値|結果|金額)?[をのでと]?、?「([^「」]{1,20})」"
    ),
    re.compile(
        rf"^」?\)?(?:を|で|の)?(?:計算し?|算出し?|求め)?(?:て|た|"
        rf"る)?(?:もの|結果|値)?(?:を|の|で)?、?(?:新しい|新たに)?"
        rf"({_NOUN})(?:の列|列)?(?:として|とし|とする|という|を(?:計算|"
        rf"算出|求め|出|追加|加え|作)|に(?:し|入れ)|列)"
    ),
    re.compile(rf"^(?:し|て|た|る){{0,2}}({_NOUN})(?=[をのでは、]|$)"),
)
_BEFORE_EN = re.compile(
    r"((?:[a-z%_-]{1,20} ){0,4}[a-z%_-]{1,20})[\"”]?(?: column)?(?: of (?:an? "
    r"|the |each )?[a-z]{2,14})? ?"
    r"(?:=|:|\(=?|,? which is|is|as|being|equals|,? i\.e\.,?)\s?(?:the )?$"
)
_NO_PART = frozenset(
    [
        "with",
        "the",
        "a",
        "an",
        "called",
        "named",
        "column",
        "columns",
        "new",
        "its",
        "their",
        "each",
        "and",
        "compute",
        "calculate",
        "add",
        "show",
        "out",
        "get",
        "find",
        "give",
        "me",
        "then",
        "of",
        "for",
        "every",
        "list",
        "plus",
        "by",
        "in",
        "to",
    ]
)
_BEHIND_EN = re.compile(
    r"^\)?,?\s?(?:as|called|named|=|gives|and call (?:it|this|"
    r"that)|(?:in|into|to|as) an? (?:new )?(?:column|field)(?: called|"
    r" named)?) "
    r"(?:the |an? )?(?:new )?(?:column )?(?:called |named )?[\"“]?([a-z_][a-z_"
    r"% ]{1,30}?)[\"”]?(?=$|,|\.| column| for| of| in| and|"
    r"\(|\))"
)
_QUOTES = '「」"“”'
_NO_NAMES = frozenset(
    [
        "新しい",
        "新",
        "それ",
        "結果",
        "値",
        "もの",
        "計算",
        "それぞれ",
        "excel",
        "csv",
        "it",
        "this",
        "and",
        "額",
        "一覧",
        "表",
        "合計",
        "列",
        "計算した列",
        "行",
        "順",
        "an",
        "excel",
        "a",
        "csv",
        "new",
        "column",
        "上位",
    ]
)


def _named(whole: str, names: Mapping[str, str]) -> tuple[str, str]:
    """The name that a formula is given, and the text with it in the formula's place."""
    at = whole.index(MARK)
    before, behind = whole[:at].rstrip(), whole[at + 1 :]
    is_japanese = language_of(whole) == "ja"
    for pattern in _BEFORE_JA if is_japanese else (_BEFORE_EN,):
        match = pattern.search(before)
        if match is not None and (name := _fit(match[1], names)):
            rest = re.sub(r"^\s?[」)]", "", behind)
            head = before[: match.start(1)].rstrip(_QUOTES)
            return name, f"{head}{name} {rest}"
    for pattern in _BEHIND_JA if is_japanese else (_BEHIND_EN,):
        match = pattern.search(behind)
        if match is not None and (name := _fit(match[1], names)):
            tail = behind[match.end(1) :].lstrip(_QUOTES)
            return name, f"{before.rstrip('(')} {name}{tail}"
    return "", whole


def _fit(name: str, names: Mapping[str, str]) -> str:
    words = re.sub(" (?:columns?|fields?)$", "", name.strip(' "“「・')).split()
    last = max((at for at, word in enumerate(words) if word in _NO_PART), default=-1)
    name = " ".join(words[last + 1 :])
    return "" if not name or name in _NO_NAMES or name in names else name


# ---- rounding ----

_ROUND = re.compile(
    r"[((]?\s?(?:(?:\d?円|1|小数点?|端数)(?:以下|未満|第[一二三1-4]位(?:以下|未満)?)?[はをで]?)?、?"
    r"(?P<ja>切り?捨て|切り?上げ|四捨五入)(?:[ぁ-ん]{0,6})?\s?[))]?|"
    r"小数点?(?:以下|第)?(?P<jd>[一二三1-4])(?:位|桁)(?:まで|"
    r"に|で|を|の)?(?P<jh>四捨五入|切り?捨て|切り?上げ)?[ぁ-ん]{0,3}|"
    r",?\s?\(?(?:and )?round(?:ed|ing)?(?: (?:it|them|everything))?(?: (?P<eh>"
    r"up|down))? ?(?:to )?(?:the )?"
    r"(?:(?P<ed>\d|one|two|three|zero|no) decimals?(?: places?)?|"
    r"nearest (?P<en>[a-z]{1,12}|\d{1,6})|(?:a )?whole [a-z]{1,12}|full [a-z]{1,12}|"
    r"(?P<ec>2) ?dp)?\)?|\bwith (?P<ew>\d|one|two|three) decimals?(?: places?)?"
)
_DIGITS = {"一": 1, "二": 2, "三": 3, "one": 1, "two": 2, "three": 3, "zero": 0, "no": 0}
_HOW = {"切捨て": "floor", "切り捨て": "floor", "切上げ": "ceil", "切り上げ": "ceil"}


def rounding_in(text: str) -> tuple[str, int, str] | None:
    """How a text wants figures rounded: function, digits, and the rest of the text."""
    match = _ROUND.search(text)
    if match is None:
        return None
    one = match.groupdict()
    digits = one["jd"] or one["ed"] or one["ec"] or one["ew"] or ""
    number = _DIGITS.get(digits, int(digits) if digits.isdigit() else 0)
    if one["en"] in ("cent", "penny"):
        number = 2
    if one["ja"] and (place := re.search("第([一二三1-4])位(?!未満)", match[0])):
        number = _DIGITS.get(place[1], 0) or int(place[1])
        number -= 0 if "まで" in match[0] else 1
    how = _HOW.get(one["ja"] or one["jh"] or "", "round")
    if one["eh"]:
        how = "ceil" if one["eh"] == "up" else "floor"
    return how, number, f"{text[: match.start()]} {text[match.end() :]}"


def _rounded(whole: str, expression: str) -> tuple[str, str]:
    found = rounding_in(whole)
    if found is None:
        return whole, expression
    how, digits, rest = found
    return rest, f"{how}({expression}, {digits})" if digits else f"{how}({expression})"
