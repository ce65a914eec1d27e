"""Dates, deadlines and amounts in Japanese: 令和7年4月1日, 30日以内, 100万円以上, 三分の二."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from sanbo.agents.comparison.differences.spans import (
    CURRENCIES,
    SMALLER_UNITS,
    Value,
    ValueKind,
    date_meaning,
    whole,
)
from sanbo.language.eras import FIRST, LETTERS, NAMES, western
from sanbo.language.numerals import DIGIT, FORMAL, KANJI, KANJI_DIGITS, KANJI_LARGE, amount_of

# ---- How they are written, as one pattern ----

KANJI_DIGIT = f"[{KANJI}]"
# Of money alone: 参 and 拾 are words elsewhere.
_FORMAL = f"[{KANJI_LARGE}{FORMAL}]{{1,12}}"
# Every repetition is bounded: a page of digits must not be read again from each of them.
_DIGITS = (
    rf"(?:{DIGIT}{{1,3}}(?:[,，]{DIGIT}{{3}}){{1,6}}|{DIGIT}{{1,20}})(?:[.．]{DIGIT}{{1,10}})?"
)
_LARGE = rf"(?:[千百]?[万億兆](?:(?:{_DIGITS})千?|{KANJI_DIGIT}{{1,9}})?)"
_NUMBER = rf"(?:(?:{_DIGITS})(?:{_LARGE}{{1,3}}|千)?|{KANJI_DIGIT}{{1,9}}{_LARGE}{{0,3}})"
_SMALL = rf"(?:{DIGIT}{{1,2}}|[{KANJI_DIGITS}十]{{1,3}})"
_ERA = rf"(?:{NAMES}|(?<![A-Za-z])[{LETTERS}]\.?(?=[0-9０-９元]))"
_OVER = "を[超越]え(?:る|て|ない)?|超(?![過え])"
_BOUND = f"(?P<bound_{{}}>以上|以下|未満|以内|{_OVER}|を上回る|を下回る|程度)?"
_DURATION = (
    "(?:営業日|銀行営業日|暦日|日間|日(?![市町本])|週間|週|[かヶカ箇ヵケ]月間?|[かヶカ箇ヵ]年|年間|年|時間"
    r"|[分秒]間|(?<=[0-9０-９])[分秒](?![のか割担配け])|月間)"
)
_DURATION_END = f"(?:以内|前まで|後まで|までに|まで|以上|以下|未満|前|後|{_OVER}|を経過|を限度)?"
_OFTEN = rf"毎(?:営業)?[日週月年](?!度|曜|{_SMALL}月)|隔[日週月年]|各月|四半期ごと"
_NEXT = "翌々?(?:営業)?日(?![付本])|当日(?!付)|即日"
_COUNT_WORDS = (
    "人|名|件|社|個(?!人)|回|歳|才|株|票|種類|[かヶカ箇ヵ]所|[かヶカ箇ヵ]国|世帯|単元|単位|倍|坪"
)
_DIGIT_COUNT_WORDS = (
    "部(?!分|門|署|長)|本(?!社|店|人)|台|枚|通|棟|戸|口|点|度(?!目)|階|頁|ページ|行|字|文字|時|桁"
    "|トン|グラム|メートル|平方メートル|㎡|リットル"
    "|[kKMGTmcμ]?(?:B|g|m|m2|W|Wh|L|bps|Hz|V|VA|A|Ah|Pa|N|Ω|s)(?![A-Za-z0-9])|dB|px|dpi|rpm|ppm|℃"
)

_FIRST = (
    f"明大昭平令MTSHR毎隔各翌当即午直た速す遅半過全税四上下月火水木金土日以未超を{FORMAL}¥￥＄$€£"
)
_BEGINNING = (
    rf"{NAMES}|[{LETTERS}][.0-9０-９元]|毎|隔|各月|翌|当[日月]|即|午[前後]|直ち|ただ|速や|すみ"
    "|遅滞|半|過半|全額|税[込抜別]|四半|[上下]半?期|[月火水木金土日]曜|月[末初]|以[上下内]|未満|超|を[超越]"
    rf"|[{FORMAL}][{KANJI_LARGE}{FORMAL}円]|[¥￥＄$€£]"
)
_VALUES = re.compile(
    # Tells at once that nothing begins here.
    rf"(?:(?=[{_FIRST}])(?={_BEGINNING})|(?<!{DIGIT})(?={DIGIT})|(?<!{KANJI_DIGIT})(?={KANJI_DIGIT}))(?:"
    # ---- dates ----
    rf"(?P<era>{_ERA})(?P<era_year>元|{DIGIT}{{1,2}}|{KANJI_DIGIT}{{1,3}})年(?P<era_fiscal>度)?"
    rf"(?:(?P<era_month>{_SMALL})月(?:(?P<era_day>{_SMALL}|末)日?)?)?"
    rf"|(?P<era2>{_ERA})(?P<era2_date>(?:元|{DIGIT}{{1,2}})(?:[-/.．／－]{DIGIT}{{1,2}}){{1,2}})(?!{DIGIT})"
    rf"|(?P<year>{DIGIT}{{4}}|[一二]〇?[〇{KANJI_DIGITS}]{{2,3}})年(?P<fiscal>度)?"
    rf"(?:(?P<month>{_SMALL})月(?:(?P<day>{_SMALL}|末)日?)?)?"
    rf"|(?<!{DIGIT})(?P<iso>{DIGIT}{{4}}[-/.．／－]{DIGIT}{{1,2}}[-/.．／－]{DIGIT}{{1,2}})(?!{DIGIT})"
    rf"|(?P<monthly>(?:毎月|翌々月|翌月|当月)(?:{_SMALL}日|末日?))"
    rf"|(?P<month_day>{_SMALL}月(?:{_SMALL}日|末日?))"
    r"|(?P<weekday>[月火水木金土日]曜)日?"
    rf"|(?P<quarter>{_SMALL}四半期(?!ごと)|[上下]半?期(?!間))"
    rf"|(?P<half_of_day>午[前後])(?P<hour>{_SMALL})時(?:(?P<minute>{_SMALL})分|(?P<half_hour>半))?"
    rf"|(?P<hour2>{DIGIT}{{1,2}})時(?![間点期])(?:(?P<minute2>{DIGIT}{{1,2}})分|(?P<half_hour2>半))?"
    rf"|(?<![:：.])(?P<hour3>{DIGIT}{{1,2}})[:：](?P<minute3>{DIGIT}{{2}})(?![:：0-9０-９])"
    # ---- deadlines and periods ----
    rf"|(?P<half>半)(?P<half_unit>年間?|月間?|日(?!付))(?P<half_end>{_DURATION_END})"
    rf"|(?P<often>{_OFTEN})|(?P<next>{_NEXT})|(?P<at_end>月[末初])"
    rf"|(?P<hours>{_SMALL})時間(?P<minutes>半|{_SMALL}分)(?P<hours_end>{_DURATION_END})"
    rf"|(?P<span>{_NUMBER})(?P<span_unit>{_DURATION})(?P<span_end>{_DURATION_END})"
    rf"|(?P<moon>{_SMALL})月(?P<moon_end>以内|前まで|前|後|{_OVER}|を経過|以上|間)"
    rf"|(?P<month_alone>{_SMALL})月(?![^\s、。）)「はにのから以より分まで])"
    r"|(?P<soon>直ちに|ただちに|速やかに|すみやかに|遅滞なく|即時に|即座に)"
    # ---- amounts ----
    rf"|(?P<sign>[¥￥＄$€£])(?P<signed>\s?(?:{_NUMBER})){_BOUND.format('signed')}"
    rf"|(?P<money>{_NUMBER}|{_FORMAL})(?P<currency>円|米ドル|ドル|ユーロ|ポンド|元(?!の)){_BOUND.format('money')}"
    rf"|(?P<tenths>{_NUMBER}割{_SMALL}分(?:{_SMALL}厘)?){_BOUND.format('tenths')}"
    rf"|(?<=年)(?P<hundredths>{_SMALL})分(?![の間以])"
    r"|(?P<most>過半数|半数(?:以上)?|半額|全額)"
    r"|(?P<tax>税[込抜別])"
    rf"|(?P<share>{_NUMBER})(?P<percent>\s?[%％]|パーセント|割(?![引増合当り])|ポイント){_BOUND.format('share')}"
    rf"|(?P<below>{DIGIT}{{1,6}}|{KANJI_DIGIT}{{1,9}})分の(?P<above>{DIGIT}{{1,6}}|{KANJI_DIGIT}{{1,9}}){_BOUND.format('part')}"
    rf"|(?<![0-9０-９/／])(?P<slash>{DIGIT}{{1,3}}[/／]{DIGIT}{{1,3}})(?![0-9０-９/／]){_BOUND.format('slash')}"
    rf"|(?P<count>{_NUMBER})(?P<counted>{_COUNT_WORDS}){_BOUND.format('count')}"
    rf"|(?P<digit_count>(?:{_DIGITS})(?:{_LARGE}){{0,3}})(?P<digit_counted>{_DIGIT_COUNT_WORDS}){_BOUND.format('digit_count')}"
    rf"|(?P<unit_limit>{_DIGITS})(?P<limited>[ァ-ヶー一-鿿]{{1,6}}?)(?P<unit_bound>以[上下内]|未満|{_OVER})"
    rf"|(?P<limit>{_NUMBER})(?P<limit_end>以上|以下|未満|{_OVER})"
    rf"|(?<![A-Za-zＡ-Ｚａ-ｚ第0-9０-９_.．\-－#/])(?P<plain>(?>(?:{_DIGITS})(?:{_LARGE}){{0,3}}))"
    r"(?![A-Za-zＡ-Ｚａ-ｚ_\-－/])"
    # Of what is told elsewhere: 別表に定める額以上.
    rf"|(?<=[数額率量値料金])(?P<bare_bound>以[上下内](?![「『同こ、の])|未満|{_OVER}))"
)

Groups = dict[str, str]
_MAY_BE = re.compile(
    rf"[明大昭平令直た速す遅即毎隔各翌当午]|{KANJI_DIGIT}|{DIGIT}|[半過全税期月火水木金土日以未超]|を[超越]|[{FORMAL}]"
)
# The year that a law is cited with is part of its name: 平成十六年法律第百二十二号.
_OF_A_LAW = re.compile(
    "[^、。（）()]{0,16}(?:法律|政令|勅令|省令|府令|規則|条例|告示|条約|訓令)第[0-9０-９〇一-鿿]{1,8}号"
)


_OF_A_PLACE = re.compile("丁目|番地|番[0-9０-９]|区(?![分画間])|号(?:室|館|$|[^、。]{0,2}$)")
_COUNTS = ("plain", "count", "digit_count")
_CODE = re.compile("[0０][0-9０-９]")
"""0001 is a name, and no number."""
_EACH = re.compile("につき|[当あ]たり")


def japanese_values(text: str) -> Iterator[Value]:
    if _MAY_BE.search(text) is None:
        return
    for found in _VALUES.finditer(text):
        start, end = found.span()
        name = _FORMS[found.lastgroup or ""]
        if name != "quarter" and text[start - 1 : start] == "第":  # 第二回 counts nothing
            continue
        kind, read = _READERS[name]
        is_name = name == "era" and text[end - 1] == "年" and _OF_A_LAW.match(text, end)
        if name == "span" and text[end : end + 1] == "分":  # 賃料の三か月分 is so much
            kind = "amount"
        if name in ("span", "count") and (each := _EACH.match(text, end)):  # 1日につき
            end, kind = each.end(), "amount"
        is_place = name == "plain" and _OF_A_PLACE.match(text, end)
        is_name = is_name or (name in _COUNTS and _CODE.match(text, start))
        if not is_name and not is_place and not (name == "span" and found["span"] == "十分"):
            yield Value(start, end, kind, partial(_meaning, read, found))


def _meaning(read: Callable[[Groups], str], found: re.Match[str]) -> str:
    return read({name: value for name, value in found.groupdict().items() if value is not None})


# ---- Dates ----


def _of_era(groups: Groups) -> str:
    era, year = groups["era"][0], groups["era_year"]
    year = western(era, 1 if year == FIRST else whole(year) or 0)
    month, day = groups.get("era_month"), groups.get("era_day")
    return date_meaning(year, month, day, groups.get("era_fiscal", ""))


def _of_year(groups: Groups) -> str:
    month, day = groups.get("month"), groups.get("day")
    return date_meaning(whole(groups["year"]), month, day, groups.get("fiscal", ""))


def _of_era_in_figures(groups: Groups) -> str:
    year, month, *day = re.split("[-/.]", unicodedata.normalize("NFKC", groups["era2_date"]))
    found = {"era": groups["era2"], "era_year": year, "era_month": month}
    return _of_era(found | ({"era_day": day[0]} if day else {}))


def _in_figures(groups: Groups) -> str:
    year, month, day = re.split("[-/.]", unicodedata.normalize("NFKC", groups["iso"]))
    return date_meaning(int(year), month, day)


def _in_a_year(groups: Groups) -> str:
    month, day = groups["month_day"].split("月")
    return date_meaning(None, month, day.rstrip("日"))


# ---- Deadlines and periods ----


def _of_day(groups: Groups, form: str = "") -> str:
    hour = whole(groups[f"hour{form}"]) or 0
    half = 30 if f"half_hour{form}" in groups else 0
    minute = whole(groups.get(f"minute{form}", "")) or half
    afternoon = groups.get("half_of_day") == "午後" and hour < 12
    return f"{hour + 12 * afternoon}:{minute:02}"


def _hours(groups: Groups) -> str:
    half = groups["minutes"] == "半"
    minutes = 30 if half else whole(groups["minutes"].rstrip("分")) or 0
    return f"{60 * (whole(groups['hours']) or 0) + minutes}:minute:{_limit(groups['hours_end'])}"


_HALVES = {"年": "6:month", "月": "half month", "日": "half day"}


def _half(groups: Groups) -> str:
    return f"{_HALVES[groups['half_unit'][0]]}:{_limit(groups['half_end'])}"


_SOON = {"ただちに": "直ちに", "すみやかに": "速やかに", "即座に": "即時に"}
_NUMERALS = re.compile(rf"{DIGIT}+|[{KANJI_DIGITS}十]+")
_UNITS = {
    **{f"{small}月": "month" for small in "かヶカ箇ヵケ"},
    **{f"{small}年": "year" for small in "かヶカ箇ヵ"},
    "月": "month",
    "年": "year",
    "日": "day",
    "暦日": "day",
    "週": "week",
    "時": "hour",
    "分": "minute",
    "営業日": "business day",
    "銀行営業日": "bank day",
}


def _period(number: str, unit: str, end: str) -> str:
    unit = _UNITS.get(unit.replace("間", ""), unit)
    amount = amount_of(number)
    if unit in SMALLER_UNITS and amount is not None:
        times, unit = SMALLER_UNITS[unit]
        amount *= times
    return f"{amount}:{unit}:{_limit(end)}"


_LIMITS = {
    **dict.fromkeys(("を超え", "を超える", "を超えて", "を上回る", "を越える", "を越えて"), "超"),
    **dict.fromkeys(("を超えない", "を越えない"), "以下"),
    "を下回る": "未満",
    "までに": "まで",
    "間": "",
}


def _limit(written: str) -> str:
    return _LIMITS.get(written, written)


def _in_digits(text: str) -> str:
    return _NUMERALS.sub(lambda found: str(whole(found.group())), text).removesuffix("日")


# ---- Amounts ----

_COUNTERS = {"名": "人", "才": "歳"} | {f"{small}所": "箇所" for small in "かヶカヵ"}


def _bound(groups: Groups) -> str:
    written = (value for name, value in groups.items() if name.startswith("bound_"))
    return _limit(next(written, ""))


def _counted(groups: Groups, number: str, unit: str) -> str:
    written = unicodedata.normalize("NFKC", groups[unit])
    unit = CURRENCIES.get(written) or _COUNTERS.get(written, written)
    return f"{amount_of(groups[number])}:{unit}:{_bound(groups)}"


def _limited(groups: Groups) -> str:
    unit, bound = groups["limited"], _limit(groups["unit_bound"])
    return f"{amount_of(groups['unit_limit'])}:{unit}:{bound}"


def _share(groups: Groups) -> str:
    times = 10 if groups["percent"] == "割" else 1
    unit = "point" if groups["percent"] == "ポイント" else "%"
    return f"{(amount_of(groups['share']) or 0) * times}:{unit}:{_bound(groups)}"


def _tenths(groups: Groups) -> str:
    """一割四分六厘 is 14.6 %."""
    tenths, rest = groups["tenths"].split("割")
    hundredths, thousandths = rest.split("分")
    share = (amount_of(tenths) or 0) * 10 + (amount_of(hundredths) or 0)
    return f"{share + (amount_of(thousandths.rstrip('厘')) or 0) / 10}:%:{_bound(groups)}"


def _part(groups: Groups, below: str, above: str) -> str:
    return f"{Fraction(whole(above) or 0) / (whole(below) or 1)}:of:{_bound(groups)}"


_READERS: dict[str, tuple[ValueKind, Callable[[Groups], str]]] = {
    "era": ("date", _of_era),
    "era2": ("date", _of_era_in_figures),
    "year": ("date", _of_year),
    "iso": ("date", _in_figures),
    "month_day": ("date", _in_a_year),
    "month_alone": ("date", lambda found: date_meaning(None, found["month_alone"], None)),
    "soon": ("deadline", lambda found: _SOON.get(found["soon"], found["soon"])),
    "weekday": ("date", lambda found: found["weekday"]),
    "quarter": ("date", lambda found: _in_digits(found["quarter"]).replace("半", "")),
    "half": ("deadline", _half),
    "hours": ("deadline", _hours),
    "often": ("deadline", lambda found: found["often"]),
    "next": ("deadline", lambda found: found["next"]),
    "at_end": ("deadline", lambda found: found["at_end"]),
    "hour": ("deadline", _of_day),
    "hour2": ("deadline", lambda found: _of_day(found, "2")),
    "hour3": ("deadline", lambda found: _of_day(found, "3")),
    "monthly": ("deadline", lambda found: _in_digits(found["monthly"])),
    "span": ("deadline", lambda one: _period(one["span"], one["span_unit"], one["span_end"])),
    "moon": ("deadline", lambda found: _period(found["moon"], "月", found["moon_end"])),
    "signed": ("amount", lambda found: _counted(found, "signed", "sign")),
    "money": ("amount", lambda found: _counted(found, "money", "currency")),
    "tenths": ("amount", _tenths),
    "hundredths": ("amount", lambda found: f"{amount_of(found['hundredths'])}:%:"),
    "most": ("amount", lambda found: found["most"]),
    "tax": ("amount", lambda found: found["tax"].replace("抜", "別")),
    "share": ("amount", _share),
    "below": ("amount", lambda found: _part(found, found["below"], found["above"])),
    "slash": ("amount", lambda found: _part(found, *reversed(re.split("[/／]", found["slash"])))),
    "count": ("amount", lambda found: _counted(found, "count", "counted")),
    "digit_count": ("amount", lambda found: _counted(found, "digit_count", "digit_counted")),
    "unit_limit": ("amount", _limited),
    "bare_bound": ("amount", lambda found: f"::{_limit(found['bare_bound'])}"),
    "limit": ("amount", lambda found: f"{amount_of(found['limit'])}::{_limit(found['limit_end'])}"),
    "plain": ("amount", lambda found: f"{amount_of(found['plain'])}::"),
}
"""What a value is and how it is read, by the group that tells its form."""


def _forms() -> Iterator[tuple[str, str]]:
    form = ""
    for group in _VALUES.groupindex:  # in the order of the pattern
        form = group if group in _READERS else form
        yield group, form


_FORMS = dict(_forms())
"""By the last group of a match, which form it has: what qualifies a value stands after it."""
