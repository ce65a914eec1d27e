"""What kind of question it is: what a plan and the words about it go by."""

import re
from typing import Literal

from sanbo.agents.grace.rules.calculations import calculation_of
from sanbo.evidence.rules.comparisons import english_comparison, japanese_comparison
from sanbo.evidence.rules.listing import asks_for_all
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
