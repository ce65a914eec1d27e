"""Numbers cut into classes: 年代別, 10歳ごと, price bands."""

import re

from sanbo.agents.analysis.rules.parts import Played
from sanbo.agents.analysis.rules.reading import Axis
from sanbo.agents.analysis.rules.scene import Table
from sanbo.agents.analysis.rules.wording import bare

WIDTH = re.compile(
    r"(?<!\d)(?P<n>\d[\d,]{0,30}+(?:\.\d{1,20}+)?+)\s?(?P<size>万|千|億)?(?:歳|円|個|件|点|分|時間|日|"
    r"kg|m2|平米|年)?(?:ごと|刻み|単位|おき|毎|幅)|(?:bins? of|in steps of|bin "
    r"(?:width|size) (?:of )?|every|intervals? of|buckets? of)\s?(?P<e>\d[\d,]*)|"
    r"(?P<b>\d[\d,]{0,30})[- ](?:year|minute|yen|dollar|point|unit|day)s?[- ](?:\w{1,40}[- "
    r"])?(?:bins?|buckets?|bands?|groups?|intervals?)"
)


_AGE_CLASSES = re.compile(
    r"年代|年齢層|(?<![a-z])(?:age (?:groups?|bands?|brackets?)|by decade)(?![a-z])"
)


_PRICE_CLASSES = re.compile(
    r"(?:価格|金額|家賃|年収|売上|(?<!■)■+)帯|階級別|層別|(?<![a-z])(?:price|salary|"
    r"rent|income|(?<!■)■+) (?:bands?|ranges?|brackets?|classes)(?![a-z])"
)


def classes_in(text: str, masked: str, played: list[Played], table: Table) -> Axis | None:
    """年代別, 10歳ごと, 5万円刻み: a number cut into classes."""
    columns = table.columns
    measures = [one.column for one in played if columns.is_numeric(one.column)]
    if _AGE_CLASSES.search(text):
        ages = [
            name
            for name in columns.of("level", "amount")
            if bare(name) in ("年齢", "age") or bare(name).endswith(("年齢", " age", "_age"))
        ]
        width = WIDTH.search(text)
        if ages:
            return Axis(ages[0], width=_wide(width) if width else 10.0)
    width = WIDTH.search(masked)
    if width and (name := _classed(width, measures, played, table)):
        return Axis(name, width=_wide(width))
    if _PRICE_CLASSES.search(masked) and measures:
        return Axis(measures[0], width=0.0)
    return None


def _classed(
    width: re.Match[str], measures: list[str], played: list[Played], table: Table
) -> str | None:
    unit = width.group()
    if "歳" in unit:
        ages = [name for name in table.columns.roles if "年齢" in name or name.lower() == "age"]
        if ages:
            return ages[0]
    before = [
        one.column
        for one in played
        if one.mention.end <= width.start() and table.columns.is_numeric(one.column)
    ]
    return before[-1] if before else measures[0] if measures else None


def _wide(found: re.Match[str]) -> float:
    number = float((found["n"] or found["e"] or found["b"]).replace(",", ""))
    return number * {"千": 1e3, "万": 1e4, "億": 1e8}.get(found["size"] or "", 1.0)
