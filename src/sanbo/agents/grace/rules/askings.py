"""What a question leaves open: a thing that has a name, how something is called, or a figure."""

import re
from functools import lru_cache

from sanbo.evidence.rules.terms import content_words
from sanbo.language.numerals import KANJI_DIGITS, SMALL, narrow
from sanbo.language.questions import is_exact, wanted_by_word

_NAME = re.compile(
    r"(?:何|なん|なに)(?:て|と(?:も)?)(?:いう|言う|いい|言い|いわ|言わ|呼|よ[ばび]|称|名付|名づけ)"
    r"|(?:名前|名称|呼び名|通称|略称|愛称|別名|総称|呼称|俗称|異名)(?:は|を|と|で|が|$)"
    r"|\bwhat (?:is|are|was|were)\b.{0,200}\b(?:called|named)\b|\bname of\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"と(?:も|は|の)?(?:いう|言う|いい|言い|いわれ|言われ|呼ば|呼ぶ|呼び|呼称|称|名付|名づけ|する(?=。|$)|総称|略)"
    r"|の(?:名|総称|略|こと)|名(?:は|を|称)|[略通愛別]称|命名"
    r"|\b(?:called|named|known as|referred to as|name)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"どのよう|どう|理由|\bhow\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"^(?:また、?|なお、?|ただし、?|しかし、?|そして、?|[^、。]{0,10}では、)?"
    r"(?:これ|この|それ|その|同(?=[^じ])|こう|そう|ここ|そこ|当該|前者|後者|両者|彼|は)"
    r"|^(?:this|these|that|those|it|its|such|they|he|she)\b",
    re.IGNORECASE,
)
_CALENDAR = (
    (
        re.compile("何年(?!間|度|生)|[たのる]年(?:は|を|$)|西暦"),
        re.compile(f"[0-9〇{KANJI_DIGITS}十]{{1,4}}年|元年|世紀"),
    ),
    (re.compile("何月"), re.compile(f"{SMALL}月")),
    (re.compile("何日(?!間)"), re.compile(f"{SMALL}日")),
    (re.compile("何時(?!間)"), re.compile(f"{SMALL}(?:時|:)")),
    (re.compile("何世紀"), re.compile("世紀")),
)
"""What is asked of a calendar, and how that is written."""
_HEAD = re.compile(
    r"(?:どの(?!よう|くらい|程度)|何の|どんな|どこの|何という|どのような|どういう)([^\sをがはにでのと、?]{1,8})"
    r"|([一-鿿ァ-ヶー]{1,8})(?:とは|は)(?:何|誰|どこ|なに|どれ|どちら)?(?:です|でしょう|だ)?か?[。?]*$"
)
_ELSEWHERE = re.compile(
    r"同(?:社|国|市|県|町|村|氏|校|誌|局|年|月|日|法|作|書|曲|党|寺|駅|店|島|川|山|船|艦|機|賞|地|所|館|大学|政令)"
    r"|(?:^|、)(?:彼ら?|彼女ら?|それら?|これら?|ここ|そこ)(?=[はがをにでの])|[前後]者|上記|前述"
)
_FOLLOWS = re.compile(
    r"(?:次|以下|下記)の(?:よう|とおり|通り)|(?:次|以下)に(?:示|挙)|(?:を考える|で示す|に示す)。?$"
)
_LEADING = re.compile(r"^(?:また|なお|ただし|しかし|そして|例えば|たとえば|かつて|現在)、?")
_NAMES_SOMETHING = re.compile(r"[一-鿿ァ-ヶa-zA-Z0-9]")
_TOPIC = re.compile(r"^(.{1,60}?)(?:とは|には|では|は|が|も)(?=[^ぁ-ん]|、|[ぁ-ん]{2})")


@lru_cache(maxsize=256)
def asks_for_name(question: str) -> bool:
    """How something is called: 何といいますか, 略称は."""
    return _NAME.search(narrow(question)) is not None


@lru_cache(maxsize=256)
def asks_for_thing(question: str) -> bool:
    """A thing, a person or a place, and no date, amount, reason or way."""
    form = narrow(question)
    of_figure = wanted_by_word(question) not in (None, "person", "place")
    return not is_exact(question) and not of_figure and _OPEN.search(form) is None


def gives_name(sentence: str) -> bool:
    return _NAMING.search(sentence) is not None


def points_back(sentence: str) -> bool:
    """It speaks of what the sentence before names: これを…という."""
    return _POINTS_BACK.search(sentence) is not None


def has_own_topic(sentence: str, asked: frozenset[str]) -> bool:
    """What it speaks of (before its first は or が) is named, and not by the question alone."""
    found = _TOPIC.match(_LEADING.sub("", sentence))
    if found is None or points_back(sentence):
        return False
    named = (word for word in content_words(found[1]) if _NAMES_SOMETHING.search(word))
    return any(word not in asked for word in named)


def lacks_calendar(question: str, sentence: str) -> bool:
    """A year is asked for, and the sentence has only days; or the like."""
    asked, form = narrow(question), narrow(sentence)
    return any(asks.search(asked) and not is_written.search(form) for asks, is_written in _CALENDAR)


def refers_elsewhere(question: str, sentence: str) -> bool:
    """What is asked for is only referred to: この分野, 同社, ここ."""
    if _ELSEWHERE.search(sentence):
        return True
    asked = _HEAD.search(narrow(question))
    if asked is None:
        return False
    head = re.escape(asked[1] or asked[2])
    referred = f"(?:[こそ]の|[こそ]れらの|同じ?|当該?|このような|そのような){head}"
    return re.search(referred, sentence) is not None


def leads_on(sentence: str) -> bool:
    """What it speaks of stands after it: 次のとおり."""
    return _FOLLOWS.search(sentence) is not None
