"""How much work a question is: by its words, its parts, its length."""

import re

from sanbo.agents.grace.rules.kinds import Kind, kind_of
from sanbo.evidence.rules.sub_questions import sub_questions
from sanbo.evidence.rules.terms import is_japanese

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
