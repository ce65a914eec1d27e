"""What kind of thing a question asks for, and whether a sentence holds one."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from sanbo.evidence.rules.interrogatives import COUNTED

# A table's row may be as long as somebody likes.
_READ = 600
_NUMBER = r"(?:[0-9][0-9,.]{0,20}(?:万|億|千|兆)?|[一二三四五六七八九十百千万億数]{1,12}|半)"
_DATE = (
    rf"{_NUMBER}(?:年|[かヶカヵ箇]?月|週|(?:営業)?日|時|世紀)|[0-9]{{1,4}}[/.-][0-9]{{1,2}}(?:[/.-][0-9]{{1,4}})?|元年|月末|月初|年度|即日|翌"
    r"|当日|前日|以内|毎|曜|[0-9]{1,2}:[0-9]{2}"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|within|annually|monthly|weekly|days?"
    r"|(?:1[5-9]|20)[0-9]{2})\b"
)
_MONEY = (
    rf"{_NUMBER}\s*(?:円|ドル|ユーロ|元|ポンド)|[¥￥$€£]\s*[0-9]|無料|実費|[0-9]%"
    r"|\b(?:usd|jpy|eur|yen|dollars?|free)\b"
)
_AMOUNT = (
    rf"{_NUMBER}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half"
    r"|once|twice)\b"
)
_PERSON = (
    "氏|さん|者|長|員|役|人|担当|王|帝|家|[ァ-ヶー]{3,}|[A-Z][a-z]{1,20} [A-Z]"
    "|manager|director|officer|department"
)
_PLACE = (
    "県|市|区|町|村|国|州|都|府|島|駅|階|室|館|所|地|場|[ァ-ヶー]{3,}"
    "|office|room|building|city|street|at |in "
)
_REASON = "ため|ので|から|より|理由|原因|because|due to|since|in order|reason|so that"

_KINDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(asks, re.IGNORECASE), holds)
    for asks, holds in (
        (r"いくら|何円|何ドル|how much|\bwhat (?:is|are) the (?:price|fee|cost|rate)", _MONEY),
        (
            r"いつ|何年|何月|何日(?!間|分|以)|何時(?!間)|何曜日|何世紀"
            r"|\bwhen\b|what (?:date|year|day|time)"
            r"|(?:期限|期日|締切|日時|時期|誕生日|生年月日|年月日|年代|[たのる]年)(?:は|を|$)"
            r"|deadline|due date",
            _DATE,
        ),
        (
            r"いくつ|どのくらい|どれくらい|どの程度|何[^とのがをにへでもかだ]"
            r"|how (?:many|long|often|far|tall|high|old|big|large)"
            r"|(?:人数|回数|日数|金額|割合|上限|高さ|面積|長さ)(?:は|を|$)",
            _AMOUNT,
        ),
        (r"誰|だれ|どなた|\bwho\b|\bwhom\b", _PERSON),
        (r"どこ|何処|場所|\bwhere\b", _PLACE),
        (r"なぜ|どうして|何故|理由|\bwhy\b", _REASON),
        (
            r"(?:額|料金?|費用?|代金|価格|単価|予算|手当)(?:は|$|を(?:お?教え|お?知らせ|知り))",
            _MONEY,
        ),
    )
)

_EXACT = re.compile(r"いくら|いつまで|期限(?:は|を|$)|\bhow much\b|\bdeadline\b", re.IGNORECASE)


@lru_cache(maxsize=256)
def holds_what(question: str) -> Callable[[str], bool] | None:
    """How to tell a sentence that may answer it; None where anything may."""
    form = unicodedata.normalize("NFKC", question)
    counted = COUNTED.search(form)
    if counted is not None and counted[1] not in {"年", "月", "日", "時", "円", "つ"}:
        unit = "[人名]" if counted[1] in {"人", "名"} else re.escape(counted[1])
        return _holding(rf"{_NUMBER}\s*{unit}", form)
    form = re.sub(r"(?<![。?!\s])[。?!\s]+$", "", form)
    for asks, holds in _KINDS:
        if asks.search(form):
            return _holding(holds, form)
    return None


@lru_cache(maxsize=256)
def is_exact(question: str) -> bool:
    """Whether an answer can be told from its form: an amount of money, a count, a day."""
    form = unicodedata.normalize("NFKC", question)
    return COUNTED.search(form) is not None or _EXACT.search(form) is not None


def _holding(pattern: str, question: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    known = {found.group() for found in compiled.finditer(question)}

    def holds(sentence: str) -> bool:
        """Something of the kind that the question does not say itself."""
        form = unicodedata.normalize("NFKC", sentence[:_READ])
        return any(found.group() not in known for found in compiled.finditer(form))

    return holds
