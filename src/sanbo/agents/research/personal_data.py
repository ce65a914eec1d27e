"""Personal data in a text: e-mail addresses, phone numbers, and numbers like My Number.

What is found is found by its shape alone, as offices in Japan and abroad write it. Left alone:
dates, amounts, articles, laws, versions, ISBN, postcodes, the 13 digits of a company (法人番号),
and twelve digits inside a longer row.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from sanbo.kernel.personal_numbers import is_my_number

Kind = Literal["email", "phone", "number"]


class Personal(NamedTuple):
    start: int
    end: int
    kind: Kind


# Digits inside a name or a longer row of digits are no number of their own.
_BEGIN = r"(?<![0-9A-Za-z_])(?<![0-9][-.,])"
_END = r"(?![0-9A-Za-z_])"
# Between two groups of a phone number; brackets may stand around the first or the second.
_S = r"(?:[ ]?[-.()][ ]?|\)[ ]?-[ ]?|[ ])"

_EMAIL = r"""
    (?<![A-Za-z0-9._%+-]) [A-Za-z0-9._%+-]+
    (?: [ ]?@[ ]? | [ ]?[(\[][ ]?(?:at|アット|アットマーク)[ ]?[)\]][ ]? )
    (?: [\w-]+\. )+ (?: xn--[A-Za-z0-9-]+ | [A-Za-z]{2,} )
"""

# Ten digits, eleven where the number begins as those of mobile and IP phones do, or with 0800.
_IN_JAPAN = rf"""
    {_BEGIN} (?<!ISBN[ :]) (?<!ISBN) \(?
    (?: 0[2-9]0 {_S} [0-9]{{4}} {_S} [0-9]{{4}}
      | 0[2-9]0 {_S}? [0-9]{{8}}
      | 0[2-9]0[0-9] {_S} [0-9]{{3}} {_S} [0-9]{{4}}
      | 0[1-9] {_S} [0-9]{{4}} {_S} [0-9]{{4}}
      | 0[1-9][0-9] {_S} [0-9]{{3}} {_S} [0-9]{{4}}
      | 0[1-9][0-9]{{2}} {_S} [0-9]{{2}} {_S} [0-9]{{4}}
      | 0[1-9][0-9]{{2}} {_S} [0-9]{{3}} {_S} [0-9]{{3}}
      | 0[1-9][0-9]{{3}} {_S} [0-9] {_S} [0-9]{{4}}
      | 0[1-9] {_S} [0-9]{{8}}
      | 0[1-9][0-9] {_S} [0-9]{{7}}
      | 0[1-9][0-9]{{2}} {_S} [0-9]{{6}}
      | 0[1-9][0-9]{{8}} ) {_END}
"""
_ABROAD = rf"""
    (?<![0-9A-Za-z_]) (?: \+ | (?:00|010[ -]?)(?=81[^0-9]|81[0-9]{{9}}) )
    [1-9] (?: (?:[ ]?\([ ]?|\)[ -]?|[ .-])? [0-9] ){{7,14}} {_END}
"""
_IN_AMERICA = rf"""
    {_BEGIN} (?<!第) (?: \([2-9][0-9]{{2}}\)[ ]? | [2-9][0-9]{{2}}[-.] )
    [2-9][0-9]{{2}}[-.][0-9]{{4}} {_END}
"""
# Without its area only a word before it tells what it is.
_NAMED = r"""
    (?P<word>(?: (?i:tel|fax) | 電話 | 電話番号 | 携帯 )[ ]?[:.)]?[ ]?)
    [0-9]{2,4}-[0-9]{3,4} (?![0-9-])
"""
_TWELVE = rf"""
    {_BEGIN}
    (?: [0-9]{{12}}
      | [0-9]{{4}}-[0-9]{{4}}-[0-9]{{4}}
      | (?<![0-9]{{4}}[ ]) [0-9]{{4}}[ ][0-9]{{4}}[ ][0-9]{{4}} (?![ ][0-9]{{4}})
    ) (?!-[0-9]) {_END}
"""
_FOUND = re.compile(
    rf"(?P<email>{_EMAIL}) | (?P<phone>{_IN_JAPAN}|{_IN_AMERICA}) | (?P<abroad>{_ABROAD})"
    rf" | (?P<named>{_NAMED}) | (?P<twelve>{_TWELVE})",
    re.VERBOSE,
)
_AMOUNT_AFTER = re.compile(r"[ ]?(?:[円%万億兆人件台個本枚株]|ドル|ユーロ|JPY|USD|yen)|[.,][0-9]")
_AMOUNT_BEFORE = re.compile(r"(?:[¥$€£]|JPY|USD)[ ]?$")
_THOUSANDS = re.compile(r"\+[0-9]{1,3}(?:[ .][0-9]{3})+")


def personal_data(plain: str) -> Iterator[Personal]:
    """In the order in which it stands. `plain`: in ASCII, as far as there is ASCII for it."""
    for found in _FOUND.finditer(plain):
        kind = _kind(found)
        if kind is not None:
            start = found.end("word") if found.lastgroup == "named" else found.start()
            yield Personal(start, found.end(), kind)


def _kind(found: re.Match[str]) -> Kind | None:
    """None where it only looks like it."""
    digits = re.sub(r"[^0-9]", "", found[0])
    match found.lastgroup:
        case "email":
            return "email"
        case "abroad":
            few = _THOUSANDS.fullmatch(found[0]) and len(digits) < 10
            plain = found[0][1:].isdigit() and len(digits) < 10
            return None if few or plain or _is_amount(found) else "phone"
        case "twelve":
            is_time = _is_time(digits) and not is_my_number(digits)
            return None if is_time or _is_amount(found) else "number"
        case _:
            return "phone"


def _is_amount(found: re.Match[str]) -> bool:
    before = found.string[max(0, found.start() - 5) : found.start()]
    after = _AMOUNT_AFTER.match(found.string, found.end())
    return after is not None or _AMOUNT_BEFORE.search(before) is not None


def _is_time(digits: str) -> bool:
    """`202511031530`, as exports and file names have it."""
    try:
        return 1900 <= datetime.strptime(digits, "%Y%m%d%H%M").year < 2100
    except ValueError:
        return False
