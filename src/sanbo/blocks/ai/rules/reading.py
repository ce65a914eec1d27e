"""A piece of text as a field's type wants it; None where it says no such thing."""

import re
from dataclasses import dataclass
from datetime import date

from pydantic import JsonValue

from sanbo.blocks.ai.rules.parties import name_alone
from sanbo.blocks.ai.rules.vocabulary import Concept, label_form
from sanbo.blocks.ai.shapes import Wanted
from sanbo.blocks.ai.values import Found, as_amount, find_date, plain
from sanbo.language.cells import parse_boolean

_PATTERNS: dict[Concept, re.Pattern[str]] = {
    "registration": re.compile(r"(?<![A-Za-z0-9])T[\s\-]?(?:[0-9][\s\-]?){12}[0-9](?![0-9])"),
    "account": re.compile(r"(?<![0-9\-])[0-9]{6,8}(?![0-9\-])"),
    "phone": re.compile(r"(?<![0-9])\(?0[0-9]{1,4}\)?[\-\s]?[0-9]{1,4}[\-\s][0-9]{3,4}(?![0-9])"),
    "email": re.compile(r"[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9.\-]{1,190}\.[A-Za-z]{2,20}"),
    "postal": re.compile(r"(?<![0-9])[0-9]{3}-[0-9]{4}(?![0-9])"),
    "invoice_number": re.compile(
        r"(?=[A-Za-z\-_/]{0,39}[0-9])[A-Za-z0-9](?:[A-Za-z0-9\-_/]{0,38}[A-Za-z0-9])?"
    ),
}
ACCOUNT_BESIDE_KIND = re.compile(
    r"(?:普通|当座|貯蓄)(?:預金)?(?:口座)?\s*+(?:(?:no\.?|番号)\s*+)?(?:[:：]\s*+)?"
    r"(?P<number>[0-9]{6,8})(?![0-9\-])",
    re.IGNORECASE,
)
_DATED = re.compile(r"(?:日|期限|期日|date|deadline|_on|_at)$", re.IGNORECASE)
_RATE = re.compile(r"率|割合|rate|percent|ratio", re.IGNORECASE)
_HONORIFIC = re.compile(r"(?<!\s)\s*+(?:御中|様|殿)$")
_LONGEST_TEXT = 200
PARTIES: frozenset[Concept] = frozenset({"issuer", "customer", "counterparty"})
DATES: frozenset[Concept] = frozenset({"due_date", "invoice_date"})
AMOUNTS: frozenset[Concept] = frozenset({"billed", "subtotal", "tax"})
ONLY_BY_PATTERN: frozenset[Concept] = frozenset({"registration", "email", "postal"})
"""Their look alone tells what they are, also without a label."""


@dataclass(frozen=True)
class ReadValue:
    value: JsonValue
    text: str


def read_as(wanted: Wanted, concept: Concept | None, text: str) -> ReadValue | None:
    if wanted.enum:
        return _choice(wanted, text)
    match wanted.kind:
        case "number" | "integer":
            return _number(wanted, text)
        case "boolean":
            return _truth(text)
        case "date" | "datetime":
            return _dated(find_date(text))
        case "string":
            return _text(wanted, concept, text)
        case _:
            return None


def _number(wanted: Wanted, text: str) -> ReadValue | None:
    found = as_amount(text, counted=True, rate=bool(_RATE.search(wanted.name)))
    if found is None or isinstance(found.value, str | date):
        return None
    value = found.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if wanted.kind == "integer" and not isinstance(value, int):
        return None
    return ReadValue(value, found.text)


def _truth(text: str) -> ReadValue | None:
    said = plain(text).strip()
    value = parse_boolean(said)
    return None if value is None else ReadValue(value, said)


def _dated(found: Found | None) -> ReadValue | None:
    if found is None or not isinstance(found.value, date):
        return None
    return ReadValue(found.value.isoformat(), found.text)


def _choice(wanted: Wanted, text: str) -> ReadValue | None:
    form = label_form(text)
    for each in wanted.enum:
        if label_form(str(each)) == form:
            return ReadValue(each, text)
    return None


def _text(wanted: Wanted, concept: Concept | None, text: str) -> ReadValue | None:
    said = text.strip()
    if concept in DATES or (concept is None and _DATED.search(wanted.name)):
        return _dated(find_date(said))
    if concept in AMOUNTS:
        found = as_amount(said)
        return ReadValue(found.text, found.text) if found else None
    if concept in _PATTERNS:
        match = _PATTERNS[concept].search(plain(said))
        return ReadValue(match.group().strip(), match.group()) if match else None
    if concept in PARTIES:
        said = name_alone(_HONORIFIC.sub("", said))
        # A number or a date beside "取引先" is something else's.
        if as_amount(said) or find_date(said):
            return None
    if not said or len(said) > _LONGEST_TEXT:
        return None
    return ReadValue(said, said)
