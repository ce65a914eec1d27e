"""Dates, deadlines and amounts in Japanese: 令和7年4月1日, 30日以内, 100万円以上, 三分の二."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction

from sanbo.agents.comparison.differences.values.model import (
    CURRENCIES,
    Value,
    ValueKind,
    date_meaning,
    whole,
)
from sanbo.agents.comparison.numbering.numerals import amount_of

_D = "[0-9０-９]"
_K = "[〇一二三四五六七八九十百千]"
# Every repetition is bounded: a page of digits must not be read again from each of them.
_DIGITS = rf"(?:{_D}{{1,3}}(?:[,，]{_D}{{3}}){{1,6}}|{_D}{{1,20}})(?:[.．]{_D}{{1,10}})?"
_LARGE = rf"(?:[千百]?[万億兆](?:(?:{_DIGITS})千?|{_K}{{1,9}})?)"
_NUMBER = rf"(?:(?:{_DIGITS})(?:{_LARGE}{{1,3}}|千)?|{_K}{{1,9}}{_LARGE}{{0,3}})"
_SMALL = rf"(?:{_D}{{1,2}}|[一二三四五六七八九十]{{1,3}})"
_ERA = r"(?:明治|大正|昭和|平成|令和|(?<![A-Za-z])[MTSHR]\.?(?=[0-9０-９元]))"
_BOUND = "(?P<bound_{}>以上|以下|未満|以内|を超え(?:る|て|ない)?|を上回る|を下回る|程度)?"
_DURATION = (
    "(?:営業日|銀行営業日|暦日|日間|日(?![市町本])|週間|週|[かヶカ箇ヵケ]月間?|[かヶカ箇ヵ]年|年間|年|時間"
    "|分間|月間)"
)
_DURATION_END = (
    r"(?:以内|前まで|後まで|までに|まで|以上|以下|未満|前|後|を超え(?:る|て|ない)?|を経過|を限度)?"
)
_COUNT_WORDS = (
    "人|名|件|社|個(?!人)|回|歳|才|株|票|種類|[かヶカ箇ヵ]所|[かヶカ箇ヵ]国|世帯|単元|単位|倍|坪"
)
_DIGIT_COUNT_WORDS = (
    "部(?!分|門|署|長)|本(?!社|店|人)|台|枚|通|棟|戸|口|点|度(?!目)|階|頁|ページ|行|字|文字|時|分(?!の)|秒"
    "|トン|グラム|メートル|平方メートル|㎡|リットル|[kKMGTmc]?(?:B|g|m|m2|W|Wh|L|bps|Hz)(?![A-Za-z])|℃"
)

_VALUES = re.compile(
    # Tells at once that nothing begins here.
    rf"(?:(?=[明大昭平令MTSHR毎翌当午直た速す遅即¥￥＄$€£])|(?<!{_D})(?={_D})|(?<!{_K})(?={_K}))(?:"
    # ---- dates ----
    rf"(?P<era>{_ERA})(?P<era_year>元|{_D}{{1,2}}|{_K}{{1,3}})年(?P<era_fiscal>度)?"
    rf"(?:(?P<era_month>{_SMALL})月(?:(?P<era_day>{_SMALL}|末)日?)?)?"
    rf"|(?P<year>{_D}{{4}}|[一二]〇?[〇一二三四五六七八九]{{2,3}})年(?P<fiscal>度)?"
    rf"(?:(?P<month>{_SMALL})月(?:(?P<day>{_SMALL}|末)日?)?)?"
    rf"|(?<!{_D})(?P<iso>{_D}{{4}}[-/.．／－]{_D}{{1,2}}[-/.．／－]{_D}{{1,2}})(?!{_D})"
    rf"|(?P<monthly>(?:毎月|翌々月|翌月|当月)(?:{_SMALL}日|末日?))"
    rf"|(?P<month_day>{_SMALL}月(?:{_SMALL}日|末日?))"
    rf"|(?P<of_day>(?:午前|午後){_SMALL}時(?:{_SMALL}分)?)"
    # ---- deadlines and periods ----
    rf"|(?P<span>{_NUMBER})(?P<span_unit>{_DURATION})(?P<span_end>{_DURATION_END})"
    rf"|(?P<moon>{_SMALL})月(?P<moon_end>以内|前まで|前|後|を超え(?:る|て|ない)?|を経過|以上|間)"
    rf"|(?P<month_alone>{_SMALL})月(?![^\s、。）)「はにのから以より分まで])"
    r"|(?P<soon>直ちに|ただちに|速やかに|すみやかに|遅滞なく|即時に|即座に)"
    # ---- amounts ----
    rf"|(?P<sign>[¥￥＄$€£])(?P<signed>\s?(?:{_NUMBER})){_BOUND.format('signed')}"
    rf"|(?P<money>{_NUMBER})(?P<currency>円|米ドル|ドル|ユーロ|ポンド|元(?!の)){_BOUND.format('money')}"
    rf"|(?P<share>{_NUMBER})(?P<percent>\s?[%％]|パーセント|割(?![引増合当り])|ポイント){_BOUND.format('share')}"
    rf"|(?P<below>{_D}{{1,6}}|{_K}{{1,9}})分の(?P<above>{_D}{{1,6}}|{_K}{{1,9}}){_BOUND.format('part')}"
    rf"|(?<![0-9０-９/／])(?P<slash>{_D}{{1,3}}[/／]{_D}{{1,3}})(?![0-9０-９/／])"
    rf"|(?P<count>{_NUMBER})(?P<counted>{_COUNT_WORDS}){_BOUND.format('count')}"
    rf"|(?P<digit_count>(?:{_DIGITS})(?:{_LARGE}){{0,3}})(?P<digit_counted>{_DIGIT_COUNT_WORDS}){_BOUND.format('digit_count')}"
    rf"|(?P<limit>{_NUMBER})(?P<limit_end>以上|以下|未満|を超え(?:る|て|ない)?)"
    rf"|(?<![A-Za-zＡ-Ｚａ-ｚ第0-9０-９_.．\-－#/])(?P<plain>(?:{_DIGITS})(?:{_LARGE}){{0,3}})"
    r"(?![A-Za-zＡ-Ｚａ-ｚ_\-－/]))"
)


Groups = dict[str, str]
_MAY_BE = re.compile(rf"[〇一二三四五六七八九十百千明大昭平令直た速す遅即毎翌当午]|{_D}")
# The year that a law is cited with is part of its name: 平成十六年法律第百二十二号.
_OF_A_LAW = re.compile(
    "[^、。（）()]{0,16}(?:法律|政令|勅令|省令|府令|規則|条例|告示|条約|訓令)第[0-9０-９〇一-鿿]{1,8}号"
)


def japanese_values(text: str) -> Iterator[Value]:
    if _MAY_BE.search(text) is None:
        return
    for found in _VALUES.finditer(text):
        start, end = found.span()
        if text[start - 1 : start] == "第":  # 第二回 counts nothing
            continue
        groups = {name: value for name, value in found.groupdict().items() if value is not None}
        name = next(name for name in _READERS if name in groups)
        kind, read = _READERS[name]
        is_name = name == "era" and text[end - 1] == "年" and _OF_A_LAW.match(text, end)
        if not is_name and groups.get("span") != "十分":
            yield Value(start, end, kind, read(groups))


# ---- Dates ----

_ERA_BEGINS = {"明": 1867, "大": 1911, "昭": 1925, "平": 1988, "令": 2018}
_ERA_LETTERS = {"M": "明", "T": "大", "S": "昭", "H": "平", "R": "令"}


def _of_era(groups: Groups) -> str:
    era, year = groups["era"][0], groups["era_year"]
    number = 1 if year == "元" else whole(year) or 0
    year = _ERA_BEGINS[_ERA_LETTERS.get(era, era)] + number
    month, day = groups.get("era_month"), groups.get("era_day")
    return date_meaning(year, month, day, groups.get("era_fiscal", ""))


def _of_year(groups: Groups) -> str:
    month, day = groups.get("month"), groups.get("day")
    return date_meaning(whole(groups["year"]), month, day, groups.get("fiscal", ""))


def _in_figures(groups: Groups) -> str:
    year, month, day = re.split("[-/.]", unicodedata.normalize("NFKC", groups["iso"]))
    return date_meaning(int(year), month, day)


def _in_a_year(groups: Groups) -> str:
    month, day = groups["month_day"].split("月")
    return date_meaning(None, month, day.rstrip("日"))


# ---- Deadlines and periods ----

_SOON = {"ただちに": "直ちに", "すみやかに": "速やかに", "即座に": "即時に"}
_NUMERALS = re.compile(rf"{_D}+|[一二三四五六七八九十]+")
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
    return f"{amount_of(number)}:{unit}:{end.replace('までに', 'まで').replace('間', '')}"


def _in_digits(text: str) -> str:
    return _NUMERALS.sub(lambda found: str(whole(found.group())), text).removesuffix("日")


# ---- Amounts ----

_COUNTERS = {"名": "人", "才": "歳"} | {f"{small}所": "箇所" for small in "かヶカヵ"}


def _bound(groups: Groups) -> str:
    return next((value for name, value in groups.items() if name.startswith("bound_")), "")


def _counted(groups: Groups, number: str, unit: str) -> str:
    written = unicodedata.normalize("NFKC", groups[unit])
    unit = CURRENCIES.get(written) or _COUNTERS.get(written, written)
    return f"{amount_of(groups[number])}:{unit}:{_bound(groups)}"


def _share(groups: Groups) -> str:
    times = 10 if groups["percent"] == "割" else 1
    unit = "point" if groups["percent"] == "ポイント" else "%"
    return f"{(amount_of(groups['share']) or 0) * times}:{unit}:{_bound(groups)}"


def _part(groups: Groups, below: str, above: str) -> str:
    return f"{Fraction(whole(above) or 0) / (whole(below) or 1)}:of:{_bound(groups)}"


_READERS: dict[str, tuple[ValueKind, Callable[[Groups], str]]] = {
    "era": ("date", _of_era),
    "year": ("date", _of_year),
    "iso": ("date", _in_figures),
    "month_day": ("date", _in_a_year),
    "month_alone": ("date", lambda found: date_meaning(None, found["month_alone"], None)),
    "soon": ("deadline", lambda found: _SOON.get(found["soon"], found["soon"])),
    "monthly": ("deadline", lambda found: _in_digits(found["monthly"])),
    "of_day": ("deadline", lambda found: _in_digits(found["of_day"])),
    "span": ("deadline", lambda one: _period(one["span"], one["span_unit"], one["span_end"])),
    "moon": ("deadline", lambda found: _period(found["moon"], "月", found["moon_end"])),
    "signed": ("amount", lambda found: _counted(found, "signed", "sign")),
    "money": ("amount", lambda found: _counted(found, "money", "currency")),
    "share": ("amount", _share),
    "below": ("amount", lambda found: _part(found, found["below"], found["above"])),
    "slash": ("amount", lambda found: _part(found, *reversed(re.split("[/／]", found["slash"])))),
    "count": ("amount", lambda found: _counted(found, "count", "counted")),
    "digit_count": ("amount", lambda found: _counted(found, "digit_count", "digit_counted")),
    "limit": ("amount", lambda found: f"{amount_of(found['limit'])}::{found['limit_end']}"),
    "plain": ("amount", lambda found: f"{amount_of(found['plain'])}::"),
}
"""What a value is and how it is read, by the group that tells its form."""
