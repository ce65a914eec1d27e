"""What kind of question it is, and how much work: what a plan and the words about it go by."""

import re
from typing import Literal

from sanbo.agents.grace.rules.calculations import calculation_of
from sanbo.evidence.rules.answers import asks_for_all
from sanbo.evidence.rules.japanese_questions import english_comparison, japanese_comparison
from sanbo.evidence.rules.sub_questions import sub_questions
from sanbo.evidence.rules.terms import is_japanese
from sanbo.language.numerals import narrow
from sanbo.language.questions import Wanted, wanted

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
