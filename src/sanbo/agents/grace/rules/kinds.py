"""What kind of question it is: what a plan and the words about it go by."""

import re
from typing import Literal

from sanbo.agents.grace.rules.calculations import calculation_of
from sanbo.evidence.rules.comparisons import english_comparison, japanese_comparison
from sanbo.evidence.rules.listing import asks_for_all
from sanbo.evidence.rules.sub_questions import sub_questions
from sanbo.evidence.rules.terms import is_japanese
from sanbo.language.numerals import narrow

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
_ASKING: tuple[tuple[Kind, str], ...] = (
    ("reason", r"なぜ|何故|どうして|理由|原因|\bwhy\b|\breasons? (?:for|why)\b"),
    (
        "date",
        r"いつ|何年(?!間)|何月|何日(?=に|まで|から)|何時(?!間)|何曜日|何世紀|期限|期日|締め?切り?"
        r"|\bwhen\b|\bwhat (?:date|year|day|time)\b|\bdeadline\b|\bdue date\b",
    ),
    (
        "amount",
        r"いくら|いくつ|どのくらい|どれくらい|どの程度|何[^とのがをにへでもかだ。?\s]"
        r"|(?:人数|回数|日数|金額|割合|上限|下限|高さ|面積|長さ)(?:は|を|$)"
        r"|\bhow (?:many|much|long|often|far|tall|high|old|big|large)\b"
        r"|\bwhat (?:is|are) the (?:price|fee|cost|rate|amount|number|limit|maximum)\b",
    ),
    ("person", r"誰|だれ|どなた|(?:担当者?|責任者|作者|著者|社長)は|\bwhom?\b|\bwhose\b"),
    ("place", r"どこ|何処|場所|会場|所在地|住所|\bwhere\b"),
    (
        "method",
        r"どうやって|どのように|どうすれば|どうしたら|方法|手順|手続き?|やり方|仕方"
        r"|\bhow (?:do|does|can|could|should|to|is|are)\b|\bprocedure\b|\bsteps to\b",
    ),
)
_ONE_KIND: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ASKING
)


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
    for kind, asks in _ONE_KIND:
        if asks.search(question):
            return kind
    return "fact"


def is_comparison(question: str) -> bool:
    if is_japanese(question):
        return len(japanese_comparison(question, question)) > 1
    return len(english_comparison(question)) > 1
