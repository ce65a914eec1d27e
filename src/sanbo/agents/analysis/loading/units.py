"""Units: in a column's name, in the title over a table, in a row under its header."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sanbo.agents.analysis.loading.preparations import Preparations, few
from sanbo.agents.analysis.loading.word_lists import WORDS, ends_with, narrow
from sanbo.documents.found_table import FoundTable
from sanbo.documents.table_heads import ROWS_TO_JUDGE_BY, column_names, is_empty
from sanbo.documents.tabular import TabularColumn
from sanbo.kernel.text import matching_form

# Without letters that tell columns apart, 予算(A) and 実績(B), and min, which is a minimum too.
_UNITS = """
    円 銭 ドル ユーロ ポンド ウォン $ ¥ € £ 米ドル yen JPY USD EUR GBP CNY KRW dollars euros
    % パーセント ‰ ppm bps pt pts ポイント 点 points
    人 名 件 個 本 枚 台 回 冊 箱 袋 缶 杯 足 着 組 セット 式 社 店 店舗 戸 棟 室 席 床 頭 匹 羽 株
    口 票 泊 食 種類 ケース ロット 文字 頁 ページ 世帯 人日 人月 人・日 人・月
    people persons items pcs units times
    年 か月 ヶ月 カ月 ヵ月 ケ月 箇月 週間 日 日間 時間 分 分間 秒 秒間 ミリ秒
    years months weeks days hours hour hrs hr h minutes minute mins seconds sec ms
    歳 才 度 ℃ °C °F 度C
    t トン kg キロ キログラム g グラム mg μg
    km キロメートル m メートル cm センチ mm ミリ μm 尺 坪 畳 ha ヘクタール アール
    ㎡ m² m^2 平米 平方メートル km² ㎢ 平方キロメートル 平方km cm² m³ 立米 立方メートル cm³ cc
    L リットル dL mL kL
    kW MW GW Wh kWh MWh GWh mA Hz kHz MHz GHz kJ MJ cal kcal Pa hPa kPa MPa dB lx ルクス
    KB MB GB TB bps kbps Mbps Gbps t-CO2 kg-CO2 tCO2 kgCO2
    mph rpm mmHg mg/dL g/dL IU/L U/L
"""
_SCALES = ["十", "百", "千", "万", "十万", "百万", "千万", "億", "十億", "百億", "千億", "兆"]
_PER = ["年", "月", "週", "日", "時", "時間", "分", "秒", "h", "s", "人", "月間", "年間"]
_KNOWN = frozenset(map(matching_form, _UNITS.split()))
_PER_KNOWN = _KNOWN | frozenset(map(matching_form, _PER))
_SCALE = re.compile(f"(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})")
_BRACKETS_AT_END = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{1,20})[)）\]］]\s*$")
_LABEL = re.compile(r"^(?:単位|units?)\s*[:：は]?\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[・、,，;；\s]+")
_MOST_BRACKETS = 3
# In thousands; USD millions; thousands of yen; $000.
_MONEY_WORD = r"(?:usd|jpy|eur|gbp|cny|yen|(?:us )?dollars?|euros?|pounds?|us\$|[$¥€£])"
_ENGLISH_SCALE = re.compile(
    rf"(?:in )?(?:{_MONEY_WORD} ?)?(?:in )?(?:(?:hundred|thousand|million|billion)s?|000'?s?)"
    rf"(?: of (?:{_MONEY_WORD}|people|units))?(?: {_MONEY_WORD})?"
)
_ENGLISH_SCALE_IN_LINE = re.compile(
    rf"\bin (?:{_MONEY_WORD} )?(?:thousand|million|billion)s?(?: of {_MONEY_WORD})?\b"
)
_LINE = re.compile(r"(?:単位|units?) ?[:はは]? ?([^()\[\]【】]{1,40})")
_IN_BRACKETS = re.compile(r"[(\[【]([^()\[\]【】]{1,30})[)\]】]")
_MONEY = re.compile(
    r"円|ドル|ユーロ|元|ウォン|[$¥€£]|usd|jpy|eur|gbp|yen|dollar|euro|thousand|million|billion|000"
)
_LONGEST_LINE = 200


def unit_in(name: str) -> str:
    """金額（千円） and 金額（単位：千円、税込） are in 千円; empty where the brackets say else."""
    for _ in range(_MOST_BRACKETS):
        found = _BRACKETS_AT_END.search(name)
        if found is None:
            return ""
        inside = _LABEL.sub("", found[1].strip())
        for part in (inside, *_BETWEEN.split(inside)):
            if _is_unit(part):
                return part
        name = name[: found.start()]
    return ""


def _is_unit(word: str) -> bool:
    form = matching_form(word)
    if form in _KNOWN or _SCALE.fullmatch(form):
        return True
    if _ENGLISH_SCALE.fullmatch(form):
        return True
    above, *below = form.split("/")
    counted = above in _KNOWN or _SCALE.sub("", above, count=1) in _KNOWN
    return counted and all(part in _PER_KNOWN for part in below)


# Of a whole table


def with_unit_row(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Units that stand in a row of their own under the header go into the names: 売上（千円）."""
    if not found.rows or not found.names or not preparations.wants("unit"):
        return found
    units = ["" if is_empty(cell) else _bracketless(str(cell)) for cell in found.rows[0]]
    said = [unit for unit in units if unit]
    if not said or len(found.rows) < 2 or not all(map(_is_unit, said)):
        return found
    if any(is_unit and _repeats(found, at) for at, is_unit in enumerate(units)):
        return found
    names = [
        f"{name}（{unit}）" if unit else name for name, unit in zip(found.names, units, strict=True)
    ]
    preparations.say(
        "unit",
        "unit_row",
        row=found.row_numbers[0],
        names=few(n for n, u in zip(names, units, strict=True) if u),
    )
    return replace(
        found, names=column_names(names), rows=found.rows[1:], row_numbers=found.row_numbers[1:]
    )


def _bracketless(text: str) -> str:
    return text.strip().strip("()（）[]［］【】").strip()[:20]


def _repeats(found: FoundTable, at: int) -> bool:
    """人 in a column of 人 and 台 is a value."""
    return any(row[at] == found.rows[0][at] for row in found.rows[1:ROWS_TO_JUDGE_BY])


def units_of_title(
    found: FoundTable, columns: Sequence[TabularColumn], preparations: Preparations
) -> Mapping[str, str]:
    """（単位：千円） over a table holds for its figures, but not for counts and rates."""
    if not preparations.wants("unit"):
        return {}
    said = list(
        dict.fromkeys(unit for line in (*found.above, *found.below) for unit in _said_in(line))
    )
    money = [unit for unit in said if _MONEY.search(matching_form(unit))]
    others = [unit for unit in said if unit not in money and unit not in ("%", "％")]
    given: dict[str, str] = {}
    for column in columns:
        if column.type not in ("integer", "number") or unit_in(column.name):
            continue
        if ends_with(column.name, (*WORDS.identifiers, *WORDS.rates)) or _are_years(column):
            continue
        counts = ends_with(column.name, WORDS.counts) and not _is_month(column.name)
        fitting = others if (counts and money) or not money else money
        if len(fitting) == 1:
            given[column.name] = fitting[0]
    for unit in dict.fromkeys(given.values()):
        names = [name for name, each in given.items() if each == unit]
        preparations.say("unit", "unit_of_title", unit=unit, count=len(names), columns=few(names))
    return given


def _said_in(line: str) -> Iterator[str]:
    """By 単位：; in brackets alone only money, as （年） says something else."""
    if len(line) > _LONGEST_LINE:
        return
    form = " ".join(narrow(line).split())
    if found := _LINE.search(form.lower()):
        inside = form[found.start(1) : found.end(1)]
        parts = [inside, *_BETWEEN.split(inside)]
        units = (
            [parts[0].strip()]
            if _is_unit(parts[0].strip())
            else [p for p in parts[1:] if _is_unit(p)]
        )
        yield from units
        return
    for found in _IN_BRACKETS.finditer(form):
        if _is_unit(found[1].strip()) and _MONEY.search(found[1].lower()):
            yield found[1].strip().removeprefix("in ")
            return
    if found := _ENGLISH_SCALE_IN_LINE.search(form.lower()):
        yield form[found.start() : found.end()][len("in ") :]


def _are_years(column: TabularColumn) -> bool:
    numbers = [cell for cell in column.cells[:ROWS_TO_JUDGE_BY] if cell is not None]
    return all(isinstance(cell, int) and 1900 <= cell <= 2100 for cell in numbers) and ends_with(
        column.name, ("年", "年度", "year", "fy")
    )


def _is_month(name: str) -> bool:
    """4月 or 売上_4月 holds amounts of that month."""
    return bool(re.search(r"\d月$", narrow(name)))
