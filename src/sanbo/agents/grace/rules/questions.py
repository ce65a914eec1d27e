"""What kind of question it is and how much work; which ones arithmetic on figures answers, each of
which is to be found by itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sanbo.agents.grace.calculations import call_written
from sanbo.evidence.rules.answers import asks_for_all
from sanbo.evidence.rules.japanese_questions import (
    english_comparison,
    is_quality,
    japanese_comparison,
)
from sanbo.evidence.rules.queries import sub_questions
from sanbo.evidence.rules.terms import is_japanese
from sanbo.language.eras import NAMES
from sanbo.language.numerals import narrow
from sanbo.language.questions import ABOUT_MONEY, COUNTED, HOW_MUCH, Wanted, wanted

Operation = Literal["sum", "mean", "difference", "times", "share"]
LONGEST = 300
MOST_FIGURES = 6

_ABOUT_MONEY = re.compile(rf"[何幾][万億]?円|{ABOUT_MONEY}")
_PEOPLE = re.compile(r"(?:[員者]|職|人数)$")
_ASKS_A_FIGURE = re.compile(rf"何|{HOW_MUCH}")
_AND = re.compile(r"と|、|および|及び")
_OTHER = re.compile("その他の")
_OTHER_WORD = "〓"
"""In its place while every の divides."""
_YEAR = re.compile(
    rf"(?:[0-9]{{4}}|(?:{NAMES})[0-9元]{{1,2}})年度?|今[年期]度?|[前昨]年度?|来年度?"
)
_TIMES_OR_SHARE = frozenset({"倍", "%", "パーセント", "割"})

_TOTAL = re.compile(
    r"^(?P<things>.+?)(?:(?:を|は)?、?(?:すべて|全部|全て)?(?:合わせ|足し|合計し|足す|合わせる)(?:ると|たら|すと|て|と|た)?"
    r"|の?(?:合計|総額|総数|総計|総和)|(?:は|を)、?合計(?:で|すると)?|の和)"
)
_MEAN = re.compile(r"^(?P<things>.+?)の平均(?:値|額)?")
_DIFFERENCE = re.compile(r"^(?P<things>.{1,300}?)の(?P<word>差額|差)(?P<rest>.{0,300})$")
_HOW_DIFFERENT = rf"(?:{HOW_MUCH}|何[^とがをにのでかも、]{{1,4}})、?(?:違|異な|差が|変わ)"
_DIFFERS = re.compile(
    r"^(?:(?P<of>[^と、は]{1,100})は、?(?P<sides>[^は]{1,100}?と[^は]{1,100}?)(?:とでは|とで|では|で)"
    r"|(?P<pair>[^は]{1,100}?と[^は]{1,100}?)(?:とでは|とで|では)、?(?P<each>[^は]{1,100}?)[はがに]"
    rf"|(?P<things>[^は]{1, 100}?と[^は]{1, 100}?)(?:とで|で|は))、?{_HOW_DIFFERENT}"
)
_WORKED_OUT = re.compile(
    r"合計|総額|総計|総和|差額|の差|平均|何倍|割合|比率|\b(?:total|sum|average|difference)\b"
)
_TIMES = re.compile(r"^(?P<first>[^、]{1,200}?)は、?(?P<second>.{1,200}?)の?(?:約|およそ)?何倍")
_SHARE_OF = re.compile(
    r"^(?P<second>.{1,200}?)(?:に|の中で|のうち)、?(?:占める|対する)?(?P<first>.{1,200}?)"
    r"(?:の|が占める)(?:割合|比率)"
)
_SHARE = re.compile(
    r"^(?P<first>[^、]{1,200}?)は、?(?P<second>.{1,200}?)の(?:約|およそ)?何(?:%|パーセント|割)"
)

_ENGLISH_ASKING: tuple[tuple[Operation, str], ...] = (
    ("sum", r"\b(?:total|sum|combined (?:total|cost|amount)) of (?P<things>.{1,300})$"),
    (
        "sum",
        r"^how (?:much|many) (?:do|does|are|is|will|would) (?P<things>.{1,200}? and .{1,200}?)"
        r"(?: cost| come to| amount to)? (?:together|in total|combined|altogether|in all)$",
    ),
    ("mean", r"\b(?:average|mean) of (?P<things>.{1,300})$"),
    (
        "difference",
        r"^(?:how (?:much|many|big|large|long) is|by how much).{0,8} the difference between "
        r"(?P<things>.{1,300})$",
    ),
    (
        "difference",
        r"\b(?:difference|gap) (?:in (?:price|cost|amount|days|number)s? )?between "
        r"(?P<things>(?=.{0,300}\b(?:fee|price|cost|rate|budget|sales|revenue|amount|allowance|salary"
        r"|number|limit|height|length|population)s?\b).{1,300})$",
    ),
    (
        "difference",
        r"^how much (?:more|less|higher|lower|longer|larger|cheaper|dearer)"
        r"(?: expensive)? (?:is|are|was|were) (?P<first>.{1,200}?) than (?P<second>.{1,300})$",
    ),
    (
        "times",
        r"^how many times (?:(?:as )?\w+ )?(?:is|are|was|were) (?P<first>.{1,200}?)"
        r" (?:than|as|of|compared (?:to|with)) (?P<second>.{1,300})$",
    ),
    (
        "share",
        r"\bwhat (?:percentage|percent|share|proportion) of (?P<second>.{1,150}?) "
        r"(?:is|are|was|were|does|do) (?P<first>.{1,150}?)(?: make up| account for)?$",
    ),
)
_ENGLISH: list[tuple[Operation, re.Pattern[str]]] = [
    (operation, re.compile(pattern, re.IGNORECASE)) for operation, pattern in _ENGLISH_ASKING
]
_ENGLISH_MONEY = re.compile(
    r"\b(?:fee|price|cost|rate|budget|sales|revenue|allowance|salary|expense)s?\b", re.IGNORECASE
)
_IN_EACH = re.compile(
    r"^(?P<head>.{1,200}?\b(?:in|of|for|at|on|from)\s)(?P<rest>.{1,300})$", re.IGNORECASE
)
_ENGLISH_AND = re.compile(r",\s*+(?:and\s++)?|(?<!\s)\s++and\s++", re.IGNORECASE)


@dataclass(frozen=True)
class Calculation:
    operation: Operation
    figures: tuple[str, ...]
    """What to find for each figure, as a question."""

    def expression(self, steps: Sequence[int]) -> str:
        """As code works it out: `difference(#2, #4)`."""
        named = [f"#{step}" for step in steps]
        if self.operation == "sum":
            return " + ".join(named)
        return f"{self.operation}({', '.join(named)})"

    def told(self, steps: Sequence[int]) -> str:
        """As a person would write it: #2 - #4."""
        return call_written(self.operation, [f"#{step}" for step in steps])


def calculation_of(question: str) -> Calculation | None:
    """None where the question asks for no figure that must be worked out of others."""
    text = " ".join(narrow(question).split()).rstrip("。?!？！ .")
    if not text or len(text) > LONGEST:
        return None
    found = _japanese(text) if is_japanese(text) else _english(text)
    return found if found and 2 <= len(found.figures) <= MOST_FIGURES else None


def is_left_to_work_out(question: str, told: Sequence[str]) -> bool:
    """A total, a difference … of several things is asked for, and no sentence says that it is one.

    A figure of one of the things is no answer, however well it fits.
    """
    asked = _WORKED_OUT.findall(narrow(question).lower())
    if not asked or not (_AND.search(question) or _ENGLISH_AND.search(question)):
        return False
    said = narrow(" ".join(told)).lower()
    return not any(word in said for word in asked)


# ---- Japanese ------------------------------------------------------------------------------


def _japanese(text: str) -> Calculation | None:
    for operation, pattern in (("times", _TIMES), ("share", _SHARE), ("share", _SHARE_OF)):
        found = pattern.match(text)
        if found:
            pair = _with_aspect(found["first"].strip(), found["second"].strip("、 "))
            asked = [f"{thing}は{_asking(text, thing)}" for thing in pair]
            return Calculation("times" if operation == "times" else "share", tuple(asked))
    found = _DIFFERS.match(text)
    if found:
        of, sides = found["of"] or found["each"], found["sides"] or found["pair"]
        return _over("difference", f"{sides}の{of}" if of else found["things"], text)
    found = _DIFFERENCE.match(text)
    if found and _AND.search(found["things"]) and _is_of_figures(found):
        return _over("difference", found["things"], text)
    for operation, pattern in (("sum", _TOTAL), ("mean", _MEAN)):
        found = pattern.match(text)
        if found and _AND.search(found["things"]):
            return _over("sum" if operation == "sum" else "mean", found["things"], text)
    return None


def _is_of_figures(found: re.Match[str]) -> bool:
    """休暇の日数の差, 料金の差額; but 制度の差 is what tells them apart."""
    if found["word"] == "差額" or _ASKS_A_FIGURE.search(found["rest"].replace("何です", "")):
        return True
    return is_quality(found["things"].rpartition("の")[2])


def _over(operation: Operation, things: str, question: str) -> Calculation | None:
    asking = _asking(question)
    asked = tuple(f"{thing}は{asking}" for thing in _things_of(things.strip("、 ")))
    if len(asked) < 2:
        asked = sub_questions(f"{things.strip('、 ')}は、それぞれ{asking}ですか")
    return Calculation(operation, asked) if len(asked) > 1 else None


def _things_of(text: str) -> list[str]:
    """営業部の広告費と旅費の予算: 営業部の広告費の予算, 営業部の旅費の予算; empty where unsure."""
    things = [thing.strip() for thing in _AND.split(_OTHER.sub(_OTHER_WORD, text))]
    if len(things) < 2 or not all(things):
        return []
    owner, of, first = things[0].rpartition("の")
    last, also, shared = things[-1].partition("の")
    if any("の" in thing for thing in things[1:-1]):
        return []
    # Things of one kind end alike: 広告費 and 旅費, 営業部 and 開発部.
    alike = {thing[-1] for thing in (first, *things[1:-1], last)}
    if of and (not also or shared[-1:] != first[-1:]):
        # 東京の家賃と大阪の光熱費 are two things, each with an owner of its own.
        if len(alike) > 1 and not _YEAR.fullmatch(owner):
            return []
    elif of or not also:
        return []
    before = f"{owner}の" if of else ""
    after = f"の{shared}" if also else ""
    names = (first, *things[1:-1], last)
    return [f"{before}{name}{after}".replace(_OTHER_WORD, "その他の") for name in names]


def _asking(question: str, thing: str = "") -> str:
    """How each figure is asked for by itself."""
    counted = COUNTED.search(question)
    if counted and counted[1] not in _TIMES_OR_SHARE:
        return counted.group()
    if _PEOPLE.search(thing):
        return "何人"
    return "いくら" if _ABOUT_MONEY.search(question) else "どのくらい"


def _with_aspect(first: str, second: str) -> tuple[str, str]:
    """2024年度の売上高, 2023年度 → 2023年度の売上高."""
    for one, other, turned in ((first, second, False), (second, first, True)):
        if "の" in one and "の" not in other:
            completed = f"{other}の{one.split('の', 1)[1]}"
            return (completed, one) if turned else (one, completed)
    return first, second


# ---- English -------------------------------------------------------------------------------


def _english(text: str) -> Calculation | None:
    for operation, pattern in _ENGLISH:
        found = pattern.search(text)
        if found is None:
            continue
        named = found.groupdict()
        if named.get("things"):
            things = _things(named["things"])
        else:
            things = [named["first"], named["second"]]
        if len(things) > 1:
            return Calculation(operation, tuple(map(_asked, things)))
    return None


def _asked(thing: str) -> str:
    within = _IN_EACH.match(thing)
    named = within["head"].split()[-2:-1] if within else thing.split()[-1:]
    plural = any(re.search("[^s]s$", word) for word in named)
    asking = "How much" if _ENGLISH_MONEY.search(thing) else "What"
    return f"{asking} {'are' if plural else 'is'} {thing.strip()}?"


def _things(text: str) -> list[str]:
    """the limits in Tokyo and Osaka → the limits in Tokyo, the limits in Osaka."""
    within = _IN_EACH.match(text)
    if within:
        places = [place for place in _ENGLISH_AND.split(within["rest"]) if place.strip()]
        if len(places) > 1 and not any(_IN_EACH.match(place) for place in places):
            return [f"{within['head']}{place}" for place in places]
    return [thing for thing in _ENGLISH_AND.split(text) if thing.strip()]


Kind = Literal[
    "arithmetic", "comparison", "parts", "list", "definition", "amount", "date", "person",
    "place", "reason", "method", "fact",
]  # fmt: skip

_LIST = re.compile(
    r"(?:どんな|どのような|何の)(?:種類|もの|こと|手当|休暇|書類|制度|項目)?.{0,20}(?:あります|ある|含まれ)|何があります"
    r"|(?:主な|必要な)[^、。]{1,20}は(?:何|$|どれ)|\bwhich .{1,40}\bare there\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"とは(?:何|なん|どう|$|[?。])|(?:意味|定義|正式名称)(?:は|を)|何の(?:略|こと)"
    r"|^what (?:is|are) (?!the\b)(?:an? )?[\w' -]{2,40}\??$"
    r"|\bwhat does .{1,200} (?:mean|stand for)\b"
    r"|\b(?:define|definition of|meaning of)\b",
    re.IGNORECASE,
)
_ANSWERS: dict[Wanted, Kind] = {
    "money": "amount",
    "date": "date",
    "number": "amount",
    "person": "person",
    "place": "place",
    "reason": "reason",
    "method": "method",
}


def kind_of(question: str) -> Kind:
    text = " ".join(narrow(question).split()).rstrip("。？?！! ")
    if calculation_of(text):
        return "arithmetic"
    if is_comparison(text):
        return "comparison"
    if len(sub_questions(question)) > 1:
        return "parts"
    return _of_one_thing(text)


def _of_one_thing(question: str) -> Kind:
    if asks_for_all(question) or _LIST.search(question):
        return "list"
    if _DEFINITION.search(question):
        return "definition"
    asked = wanted(question)
    return _ANSWERS[asked] if asked else "fact"


def is_comparison(question: str) -> bool:
    if is_japanese(question):
        return len(japanese_comparison(question, question)) > 1
    return len(english_comparison(question)) > 1


_LEAST = 0.1
_PART = 0.25
"""For each part beyond the first."""
_BY_KIND: dict[Kind, float] = {
    "arithmetic": 0.5,
    "comparison": 0.25,
    "list": 0.2,
    "reason": 0.1,
    "method": 0.1,
}
_DEMANDING = re.compile(
    r"比較|比べ|違い|関係|影響|分析|評価|検討|要約|まとめ|推移|傾向|背景|経緯|整理|それぞれ|組み合わせ"
    r"|\b(?:compare|comparison|difference|relationship|impact|effect|analy[sz]e|evaluate|summar\w+"
    r"|trend|trade-?offs?|background|versus|each of|pros and cons)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"場合|ただし|かつ|除いて|以外|\b(?:if|unless|except|provided|assuming|given that)\b",
    re.IGNORECASE,
)
_WORD = 0.1
_MOST_WORDS = 0.3
# What is asked in one breath; words count as three letters of Japanese.
_LONG = (80, 160)


def estimate_complexity(question: str) -> float:
    """0 for what one search answers, 1 for a question of many parts."""
    kind = kind_of(question)
    parts = len(sub_questions(question))
    told = {found.group().casefold() for found in _DEMANDING.finditer(question)}
    score = _LEAST + _PART * (parts - 1) + _BY_KIND.get(kind, 0.0)
    score += min(_WORD * len(told), _MOST_WORDS)
    score += 0.05 * min(2, len(_CONDITION.findall(question)))
    score += 0.1 * sum(_length(question) > long for long in _LONG)
    return round(min(1.0, score), 2)


def _length(question: str) -> int:
    return len(question) if is_japanese(question) else 3 * len(question.split())
