"""What kind of thing a question asks for, and whether a sentence holds one."""

import re
from collections.abc import Callable
from functools import lru_cache

from sanbo.language.moments import FULL_MONTHS
from sanbo.language.numerals import KANJI_DIGITS, WORD, narrow
from sanbo.language.questions import COUNTED, Wanted, wanted

# A table's row may be as long as somebody likes.
_READ = 600
_NUMBER = rf"(?:[0-9][0-9,.]{{0,20}}(?:万|億|千|兆)?|[{KANJI_DIGITS}十百千万億数]{{1,12}}|半)"
_DATE = (
    rf"{_NUMBER}(?:年|[かヶカヵ箇]?月|週|(?:営業)?日|時|世紀)|[0-9]{{1,4}}[/.-][0-9]{{1,2}}(?:[/.-][0-9]{{1,4}})?|元年|月末|月初|年度|即日|翌"
    r"|当日|前日|以内|毎|曜|[0-9]{1,2}:[0-9]{2}"
    rf"|\b(?:{FULL_MONTHS}"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|within|annually|monthly|weekly|days?"
    r"|(?:1[5-9]|20)[0-9]{2})\b"
)
_MONEY = (
    rf"{_NUMBER}\s*(?:円|ドル|ユーロ|元|ポンド)|[¥￥$€£]\s*[0-9]|無料|実費|[0-9]%"
    r"|\b(?:usd|jpy|eur|yen|dollars?|free)\b"
)
_AMOUNT = rf"{_NUMBER}|\b(?:{WORD}|half|once|twice)\b"
_PERSON = (
    "氏|さん|者|長|員|役|人|担当|王|帝|家|[ァ-ヶー]{3,}|[A-Z][a-z]{1,20} [A-Z]"
    "|manager|director|officer|department"
)
_PLACE = (
    "県|市|区|町|村|国|州|都|府|島|駅|階|室|館|所|地|場|[ァ-ヶー]{3,}"
    "|office|room|building|city|street|at |in "
)
_REASON = "ため|ので|から|より|理由|原因|because|due to|since|in order|reason|so that"

_CALENDAR = frozenset({"年", "月", "日", "時", "円"})
_HOLDS: dict[Wanted, str] = {
    "money": _MONEY,
    "date": _DATE,
    "number": _AMOUNT,
    "person": _PERSON,
    "place": _PLACE,
    "reason": _REASON,
}


@lru_cache(maxsize=256)
def holds_what(question: str) -> Callable[[str], bool] | None:
    """How to tell a sentence that may answer it; None where anything may."""
    form = narrow(question)
    counted = COUNTED.search(form)
    asked = wanted(question)
    is_counted = counted is not None and (asked == "number" or counted[1] not in _CALENDAR)
    if counted is not None and is_counted and counted[1] != "つ":
        unit = "[人名]" if counted[1] in {"人", "名"} else re.escape(counted[1])
        return _holding(rf"{_NUMBER}\s*{unit}", form)
    holds = _HOLDS.get(asked or "method")
    return None if holds is None else _holding(holds, form)


def _holding(pattern: str, question: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    known = {found.group() for found in compiled.finditer(question)}

    def holds(sentence: str) -> bool:
        """Something of the kind that the question does not say itself."""
        form = narrow(sentence[:_READ])
        return any(found.group() not in known for found in compiled.finditer(form))

    return holds
