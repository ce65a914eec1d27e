"""Every number that a text states, with all the ways in which a reader may take it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from sanbo.agents.analysis.stated_numbers.amounts import Amount, Found, find_amounts, narrowed
from sanbo.language.moments import Moment, Stated, find_moments


@dataclass(frozen=True)
class Mention:
    spelling: str
    amounts: tuple[Amount, ...] = ()
    moments: tuple[Moment, ...] = ()
    is_rank: bool = False
    """3位, 上位3件, the 2nd: a place among the rows that are listed."""
    bound: str = ""
    """`<` or `>` where a p-value is set against it: p < 0.05."""
    says_less: bool = False
    """Its sentence speaks of a decrease, so that a minus may be left out."""


# Headings and list items of Markdown may be numbered. Not more than two digits: an amount is no
# item's number.
_LIST_NUMBER = re.compile(
    r"^[\s>#*|-]{0,60}+\(?(\d{1,2})[.)](?!\d)(?=\s|\*|[^\x00-\x7f])", re.MULTILINE
)
_NAMES = re.compile(
    r"第[123]四分位|(?:chi-?|カイ|χ|R)\^?2(?:乗)?(?!\d)|[12]標本|(?:両|片)側|[12]-(?:sample|sided|tailed)"
)
_RANK_BEFORE = re.compile(
    r"(?:第|上位|下位|トップ|ワースト|ベスト|\b(?:top|bottom|rank|no\.?|#))[ の]?$", re.IGNORECASE
)
_RANK_AFTER = re.compile(r"[ ]?(?:位|番目|番手|st\b|nd\b|rd\b|th\b)")
_RANGE = re.compile(r"[ ]?(?:[〜~\-]|から|to)[ ]?", re.IGNORECASE)
_BOUND = re.compile(r"(?:p|p値|P|P値|p[- ]values?)(?:は|が| is)?[ ]?(?P<sign>[<>]|＜|＞)[ ]?$")
_SENTENCE = re.compile(r"[^。\n]*?(?:[。\n]|[.!?](?=\s)|$)")
_LESS = re.compile(
    r"減|低下|下回|下落|下が|落ち|縮小|悪化|マイナス|赤字|少な[いく]|負の|▲|逆相関"
    r"|decreas|declin|drop|fell|fall|down|lower|loss|less|negative|shr[iau]nk|below|reduc",
    re.IGNORECASE,
)


_MAY_STATE = re.compile("[0-9一二三四五六七八九十百千万億元半倍]|[a-z]{3}", re.IGNORECASE)


def mentions(text: str) -> list[Mention]:
    """In the order of the text."""
    text = narrowed(text)
    if not _MAY_STATE.search(text):
        return []
    # Blanked, not cut out: what stands around them must not grow together.
    text = _LIST_NUMBER.sub(lambda found: " " * len(found[0]), text)
    text = _NAMES.sub(lambda found: " " * len(found[0]), text)
    moments = find_moments(text)
    amounts = [
        found
        for found in _longest(find_amounts(text))
        if not any(one.start < found.end and found.start < one.end for one in moments)
    ]
    parts = sorted([*moments, *amounts], key=lambda one: one.start)
    less = [found.span() for found in _SENTENCE.finditer(text) if _LESS.search(found[0])]
    return [
        _mention(text, part, after, any(start <= part.start < end for start, end in less))
        for part, after in zip(parts, [*parts[1:], None], strict=False)
    ]


def _longest(found: Iterator[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _mention(text: str, part: Stated | Found, after: Stated | Found | None, less: bool) -> Mention:
    spelling = text[part.start : part.end].strip()
    if isinstance(part, Stated):
        only = part.moment.only
        is_spelled = re.search("[0-9元]", spelling) is None
        one = Amount(Fraction(only or 0), Fraction(1), is_spelled=is_spelled)
        amounts = () if only is None else (one,)
        if found := re.fullmatch(r"(\d{1,6})/(\d{1,6})", spelling):
            amounts = tuple(amount for one in find_amounts(found[0]) for amount in one.readings)
        return Mention(spelling, amounts, (part.moment,), says_less=less)
    before = text[max(0, part.start - 12) : part.start]
    bound = _BOUND.search(before)
    amounts, moments = list(part.readings), list[Moment]()
    if after is not None and _RANGE.fullmatch(text, part.end, after.start):
        _take_unit(text[after.start : after.end], spelling, after, amounts, moments)
    return Mention(
        spelling,
        tuple(amounts),
        tuple(moments),
        is_rank=bool(_RANK_BEFORE.search(before) or _RANK_AFTER.match(text, part.end)),
        bound={"＜": "<", "＞": ">"}.get(bound["sign"], bound["sign"]) if bound else "",
        says_less=less,
    )


def _take_unit(
    after: str, spelling: str, end: Stated | Found, amounts: list[Amount], moments: list[Moment]
) -> None:
    """In 4〜6月 and 10〜20% the first number has the second one's unit."""
    number = re.search(r"\d[\d,.]*", after)
    if number is None:
        return
    whole = after[: number.start()] + spelling + after[number.end() :]
    if isinstance(end, Stated):
        moments.extend(one.moment for one in find_moments(whole))
    else:
        amounts.extend(amount for one in _longest(find_amounts(whole)) for amount in one.readings)
