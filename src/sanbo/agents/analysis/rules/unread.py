"""Conditions and ratios that a question states and nothing read: left out, they would mislead."""

import re
from collections.abc import Sequence

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.vocabulary import EVERYDAY
from sanbo.agents.analysis.rules.wording import form
from sanbo.agents.analysis.rules.yes_no import NO
from sanbo.agents.analysis.spec.filters import Compare, Filter, Presence

_NEGATION = re.compile(r"[一-龠ァ-ヶー]{0,6}[ぁ-ん]?[てでけさ]い?ない[一-龠]{1,4}")
_VERB = re.compile(
    r"how many (?:■+|[a-z]+)(?: have| has| were| was| had| got| who| that)* "
    r"(?P<w>[a-z]{3,}ed)(?![a-z])"
)
_OF_EVERY_ROW = frozenset(
    ("placed", "recorded", "registered", "listed", "reported", "included", "ordered", "created")
)
_PER = re.compile(r"[^\s、。のをはが]{0,8}(?:あたり|当たり|当り)")
_RATE = re.compile(r"(?<![a-z])(?P<w>[a-z]{3,20}) rates?(?![a-z])")


def unread_conditions(masked: str, filters: Sequence[Filter]) -> tuple[str, ...]:
    """部活に入っていない人, customers who complained: all rows would be counted."""
    negated = None
    if not any(_says_no(one) for one in filters) and not lexicon.LEAST.search(masked):
        negated = _NEGATION.search(masked)
    verb = None if filters else _VERB.search(masked)
    if verb and verb["w"] in _OF_EVERY_ROW:
        verb = None
    return (*((negated.group(),) if negated else ()), *((verb["w"],) if verb else ()))


def _says_no(condition: Filter) -> bool:
    if isinstance(condition, Presence):
        return condition.op == "is_null"
    return isinstance(condition, Compare) and (
        condition.op == "!=" or condition.value is False or form(str(condition.value)) in NO
    )


def unread_ratios(masked: str, *, is_per_read: bool, is_rate_read: bool) -> tuple[str, ...]:
    """坪あたり, where nothing is in 坪; win rate, where nothing is won."""
    per = None if is_per_read else _PER.search(masked)
    rate = None if is_rate_read else _RATE.search(masked)
    if rate and rate["w"] in EVERYDAY:
        rate = None
    return (
        *((per.group().replace("■", ""),) if per else ()),
        *((rate.group(),) if rate else ()),
    )
