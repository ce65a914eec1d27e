"""What a text promises in figures, whatever its language: dates, deadlines, periods, amounts.

Those in English are read here: April 1, 2025, within thirty (30) days, USD 5.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from sanbo.agents.comparison.differences.japanese_values import japanese_values
from sanbo.agents.comparison.differences.spans import (
    CURRENCIES,
    SMALLER_UNITS,
    Span,
    Value,
    ValueKind,
    apart,
    date_meaning,
    spans,
)
from sanbo.language.moments import MONTH, month_number
from sanbo.language.numerals import WORD, amount_of

_MONTH = f"(?i:{MONTH})"
_WORDS = rf"(?i:{WORD}(?:[- ]{WORD})?(?:\s+(?:hundred|thousand|million))?)"
_FIGURE = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,6}|[0-9]{1,20})(?:\.[0-9]{1,10})?"
    r"(?:\s(?:hundred|thousand|million|billion))?"
)
_LEAD = (
    r"(?:(?i:within|at least|at most|up to|not? (?:more|less|later|fewer|greater) than"
    r"|(?:not )?exceeding|(?:not )?in excess of|(?:more|less|fewer|greater) than|over|under|after"
    r"|a (?:minimum|maximum) of))\s+"
)
_TAIL = r"(?:\s+(?i:prior|before|after|in advance|old|of age))?"
_TAX = (
    r"(?:inclusive|exclusive) of (?:\w+ ){0,3}(?:tax|VAT)\b"
    r"|(?:in|ex)clud(?:e|es|ing) (?:\w+ ){0,3}(?:tax|VAT)\b|plus (?:\w+ ){0,3}(?:tax|VAT)\b"
)
_PER = re.compile(
    r"\s{0,3}(?:per|an?|each|every|/)\s{0,3}(?:day|week|month|quarter|year)\b", re.IGNORECASE
)
_VALUES = re.compile(
    rf"\b(?P<month>{_MONTH})\s+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>[0-9]{{4}})\b"
    rf"|\b(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?P<month2>{_MONTH}),?\s+(?P<year2>[0-9]{{4}})\b"
    rf"|\b(?P<month3>{_MONTH})\s+(?P<year3>[0-9]{{4}})\b"
    rf"|\b(?P<month4>{_MONTH})\s+(?P<day4>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?!\s*[%,][0-9])"
    rf"|\b(?P<day5>[0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?P<month5>{_MONTH})\b"
    rf"|(?P<lead>{_LEAD})?(?:\b(?P<span_words>{_WORDS})(?:\s*+\((?P<again>[0-9]+)\))?"
    rf"|(?<![\w.])(?P<span>{_FIGURE}))[\s-]*+"
    r"(?P<span_unit>(?i:(?:(?:business|working|calendar|consecutive)\s+)?"
    rf"(?:day|week|month|quarter|year|hour|minute)))s?\b(?:[’']s?)?(?P<tail>{_TAIL})"
    r"|\b(?P<often>(?i:(?:once|twice|(?:three|four) times) (?:a|an|per|each|every)"
    r" (?:day|week|month|quarter|year)|daily|weekly|monthly|quarterly|annually|yearly"
    r"|(?:semi|bi)-?(?:weekly|monthly|annually)))\b"
    r"|(?P<lead5>(?:(?i:no later than|by|before|after|at|until)\s+))?"
    r"(?<![\w.:])(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?![0-9:])(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|\s?(?P<half_alone>[ap])\.?m\b\.?)"
    r"|\b(?P<soon>immediately|promptly|forthwith|without (?:undue |any )?delay"
    r"|as soon as possible)\b"
    rf"|(?P<lead2>{_LEAD})?(?:(?P<code>\b(?:USD|JPY|EUR|GBP)\s?|US\$\s?|[$€£¥])(?P<money>{_FIGURE})"
    rf"|(?<![\w.])(?P<money2>{_FIGURE})\s?(?P<code2>USD|JPY|EUR|GBP|dollars|yen|euros|pounds))"
    rf"|(?P<lead3>{_LEAD})?(?:(?<![\w.])(?P<share>{_FIGURE})|\b(?P<share_words>{_WORDS}))"
    r"\s?(?P<percent>%|percent\b|per cent\b)"
    rf"|\b(?P<tax>(?i:{_TAX}))"
    rf"|(?:(?<![\w.])(?P<or_figure>{_FIGURE})|\b(?P<or_words>{_WORDS}))\s+or\s+(?P<or_bound>(?i:more|fewer|less))\b"
    rf"|(?P<lead4>{_LEAD})(?:(?<![\w.])(?P<plain>{_FIGURE})|\b(?P<plain_words>{_WORDS}))(?![\w%])"
)

_ANY_LETTER = re.compile("[A-Za-z$€£]")  # told at once of nearly every Japanese text
_MAY_BE = re.compile(r"[A-Za-z]{3}|[$€£]|[0-9]\s?[ap]\.?m\b")
_AGE = re.compile("(?i:old|of age)")
Groups = dict[str, str]


def english_values(text: str) -> Iterator[Value]:
    if _ANY_LETTER.search(text) is None or _MAY_BE.search(text) is None:
        return
    for found in _VALUES.finditer(text):
        groups = {name: value for name, value in found.groupdict().items() if value is not None}
        name = next(name for name in _READERS if name in groups)
        kind, read = _READERS[name]
        # How old, and how much of each week: neither says by when.
        if "span_unit" in groups and (
            _AGE.search(groups.get("tail", "")) or _PER.match(text, found.end())
        ):
            kind = "amount"
        yield Value(found.start(), found.end(), kind, partial(read, groups))


def _date(groups: Groups, form: str) -> str:
    month = str(month_number(groups[f"month{form}"]))
    year, day = groups.get(f"year{form}"), groups.get(f"day{form}")
    return date_meaning(int(year) if year else None, month, day)


_AS_IN_JAPANESE = {
    ("within", ""): ("", "以内"),
    ("after", ""): ("", "後"),
    ("", "after"): ("", "後"),
}


def _period(groups: Groups) -> str:
    figure = _figure(groups.get("span") or groups["span_words"])
    again = groups.get("again")
    # `sixty (30) days` says two things, and neither is what `thirty (30) days` says.
    number = f"{figure}" if again is None or _figure(again) == figure else f"{figure}({again})"
    unit = _flat(groups["span_unit"].casefold().removeprefix("calendar"))
    if unit in SMALLER_UNITS and "(" not in number:
        times, unit = SMALLER_UNITS[unit]
        number = f"{figure * times}"
    qualified = _lead(groups), _flat(groups.get("tail", "").casefold())
    return f"{number}:{unit}:" + "".join(_AS_IN_JAPANESE.get(qualified, qualified))


def _of_day(groups: Groups) -> str:
    hour = int(groups["hour"])
    half = groups.get("half") or groups.get("half_alone") or ""
    afternoon = half.casefold() == "p" and hour < 12
    bound = _flat(groups.get("lead5", "").casefold())
    return f"{hour + 12 * afternoon}:{groups.get('minute', '00')}{bound and ':'}{bound}"


def _money(groups: Groups) -> str:
    code = (groups.get("code") or groups.get("code2") or "").strip().casefold()
    amount = groups.get("money") or groups["money2"]
    return f"{_figure(amount)}:{CURRENCIES.get(code, code)}:{_lead(groups)}"


def _share(groups: Groups) -> str:
    return f"{_figure(groups.get('share') or groups['share_words'])}:%:{_lead(groups)}"


def _tax(groups: Groups) -> str:
    written = groups["tax"].casefold()
    return "税込" if written.startswith("in") else "税別"


def _or_more(groups: Groups) -> str:
    figure = _figure(groups.get("or_figure") or groups["or_words"])
    return f"{figure}::{'≥' if groups['or_bound'].casefold() == 'more' else '≤'}"


def _plain(groups: Groups) -> str:
    return f"{_figure(groups.get('plain') or groups['plain_words'])}::{_lead(groups)}"


def _lead(groups: Groups) -> str:
    """At least, no more than: what bounds the value."""
    leads = (groups[name] for name in ("lead", "lead2", "lead3", "lead4") if name in groups)
    lead = _flat(next(leads, "").casefold())
    return _BOUNDS.get(lead, lead)


_BOUNDS = {
    **dict.fromkeys(
        ("at least", "not less than", "no less than", "not fewer than", "no fewer than"), "≥"
    ),
    **dict.fromkeys(("at most", "not more than", "no more than", "up to", "not exceeding"), "≤"),
    **dict.fromkeys(("not greater than", "no greater than", "not in excess of"), "≤"),
    **dict.fromkeys(("more than", "greater than", "over", "exceeding", "in excess of"), ">"),
    **dict.fromkeys(("less than", "fewer than", "under"), "<"),
    "a minimum of": "≥",
    "a maximum of": "≤",
    "not later than": "no later than",
}


def _flat(text: str) -> str:
    return " ".join(text.split())


_READERS: dict[str, tuple[ValueKind, Callable[[Groups], str]]] = {
    "month": ("date", lambda found: _date(found, "")),
    "month2": ("date", lambda found: _date(found, "2")),
    "month3": ("date", lambda found: _date(found, "3")),
    "month4": ("date", lambda found: _date(found, "4")),
    "month5": ("date", lambda found: _date(found, "5")),
    "soon": ("deadline", lambda found: found["soon"].casefold()),
    "often": ("deadline", lambda found: found["often"].casefold()),
    "hour": ("deadline", _of_day),
    "span_unit": ("deadline", _period),
    "money": ("amount", _money),
    "money2": ("amount", _money),
    "percent": ("amount", _share),
    "tax": ("amount", _tax),
    "or_bound": ("amount", _or_more),
    "plain": ("amount", _plain),
    "plain_words": ("amount", _plain),
}
"""What a value is and how it is read, by the group that tells its form."""


def _figure(text: str) -> Fraction:
    """`1,200`, `1.5 million`, `thirty-five`, `two hundred`."""
    return amount_of(" ".join(text.split())) or Fraction(0)


def values(text: str, without: tuple[Span, ...] = ()) -> list[Value]:
    """In the order of the text, disjoint; nothing that overlaps one of these spans."""
    english = apart(english_values(text), without)
    # `within 30 days` is one value, not also the number 30.
    found = apart(japanese_values(text), (*without, *spans(english)))
    if english:
        found = sorted((*english, *found), key=lambda value: value.start)
    return [_signed(text, value) for value in found] if _ANY_MINUS.search(text) else found


_ANY_MINUS = re.compile("[-−－△▲]")
_MINUS = re.compile("(?<![0-9A-Za-z０-９Ａ-Ｚａ-ｚ%％)）一-鿿])[-−－△▲](?=[0-9０-９¥￥$])")


def _signed(text: str, value: Value) -> Value:
    """△500,000 and -5% with their sign."""
    before = value.start - 1
    if value.kind != "amount" or before < 0 or _MINUS.match(text, before) is None:
        return value
    return Value(before, value.end, value.kind, lambda: f"-{value.meaning}")
