"""How long from one date to another: 出荷から配達までの日数, days between order and delivery."""

import re
from itertools import pairwise

from sanbo.agents.analysis.rules.reading import Duration
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import bare, name_words
from sanbo.kernel.messages import tell

_LENGTH = re.compile(
    r"日数|期間|時間|かか[っる]|何日|リードタイム|間隔|差|"
    r"(?<![a-z])(?:days|hours|time|duration|gap|interval|how long|lead time|take)(?![a-z])"
)
_BETWEEN = re.compile(r"(?:から|〜|と)|\s(?:and|to|until|till)\s(?:the )?")
_AFTER = re.compile(r"まで|の(?:差|間)|間の")
_BEFORE = re.compile(r"(?<![a-z])(?:between|from)\s(?:the )?$")
_HOURS = re.compile(r"時間|(?<![a-z])hours(?![a-z])")


def duration(scene: Scene, table: Table) -> Duration | None:
    found = _pair(scene.text, table)
    # 日数 also where it is taken for a part of a column's name, as of 延滞日数.
    if found is None or not _LENGTH.search(_without_dates(scene.text, table)):
        return None
    start, end = found
    have_hours = all(table.columns[name].type == "datetime" for name in found)
    unit = "hours" if have_hours and _HOURS.search(scene.masked) else "days"
    return Duration(start, end, unit, tell(f"analysis_rules.name.{unit}", start=start, end=end))


def _pair(text: str, table: Table) -> tuple[str, str] | None:
    """Dates that stand beside each other with from and to between them."""
    places = sorted(
        (found.start(), found.end(), name)
        for name in table.columns.times
        for found in re.finditer(written(name), text)
    )
    for (first, stop, start), (begin, last, end) in pairwise(places):
        if (
            start != end
            and _BETWEEN.fullmatch(text[stop:begin])
            and (_AFTER.match(text[last:]) or _BEFORE.search(text[:first]))
        ):
            return start, end
    return None


def _without_dates(text: str, table: Table) -> str:
    for name in table.columns.times:
        text = re.sub(written(name), "■", text)
    return text


def written(name: str) -> str:
    """出荷日 is also 出荷, ship_date also ship date and ship."""
    known = bare(name)
    if known.isascii():
        tokens = name_words(name)
        short = tokens[:-1] if len(tokens) > 1 and tokens[-1] in ("date", "at", "on") else tokens
        ways = {known, " ".join(tokens), " ".join(short)}
        return rf"(?<![a-z])(?:{_either(ways)})(?![a-z])"
    short = re.sub(r"(?:年月日|年月|日時|日付|時刻|日|月)$", "", known)
    return _either({known, short} if len(short) > 1 else {known})


def _either(ways: set[str]) -> str:
    return "|".join(re.escape(one) for one in sorted(ways, key=len, reverse=True))
