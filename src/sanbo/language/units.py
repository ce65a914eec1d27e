"""What numbers count, in Japanese and English: 円, 人, か月, %, business days."""

import re

from sanbo.language.numerals import KANJI_DIGITS

_WRITINGS = {
    "人": "人 名 people persons employees",
    "か月": "か月 ヶ月 カ月 ヵ月 ケ月 箇月 month months",
    "営業日": "営業日 business_days working_days",
    "日": "日 日間 day days",
    "週": "週 週間 week weeks",
    "年間": "年 年間 year years",
    "時間": "時間 hour hours",
    "分": "分 分間 minute minutes",
    "回": "回 times",
    "泊": "泊 nights",
    "歳": "歳 才",
    "文字": "文字 characters",
    "ページ": "ページ 頁 pages",
    "m": "m メートル",
    "km": "km キロメートル",
    "円": "円 yen jpy",
    "$": "ドル 米ドル usd dollar dollars",
    "€": "ユーロ eur euro euros",
    "£": "ポンド gbp pounds",
    "%": "% パーセント percent per_cent",
    "割": "割",
    **{each: each for each in ["件", "個", "台", "枚", "社", "階", "倍", "kg", "g", "gb", "mb"]},
}
UNITS = {
    written.replace("_", " "): unit
    for unit, writings in _WRITINGS.items()
    for written in writings.split()
}
"""What it is called, by how it is written; letters are small ones."""
SIGNS = {"¥": "円", "$": "$", "€": "€", "£": "£"}
MONEY = frozenset(SIGNS.values())
# 日本, 3分の2 and 1人称 count nothing.
_NO_UNIT = {
    "日": "(?!本|常|[市町])",
    "分": f"(?!の[0-9{KANJI_DIGITS}]|か[るりっれ]|[割担配け野析類])",
    "人": "(?!称)",
    "個": "(?!人)",
}
UNIT = "|".join(
    re.escape(written) + _NO_UNIT.get(written, "")
    for written in sorted(UNITS, key=len, reverse=True)
)
"""As a pattern, for texts in narrow form."""
_ENGLISH = {
    "円": "yen", "人": "people", "日": "days", "営業日": "business days", "週": "weeks",
    "か月": "months", "年間": "years", "年": "years", "時間": "hours", "分": "minutes",
    "回": "times", "泊": "nights", "倍": "times", "文字": "characters", "ページ": "pages",
}  # fmt: skip


def english_unit(unit: str) -> str:
    return _ENGLISH.get(unit, unit)
