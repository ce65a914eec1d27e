"""Personal data, found and masked: numbers of persons and cards, phone numbers, e-mail addresses.

In what a workflow computes (`masked_personal`), a number counts when its check digit is right, or
when a word beside it says what it is. In what is noted of a question (`masked`), all is found by
its shape alone, as offices in Japan and abroad write it. Left alone: dates, amounts, articles,
laws, versions, ISBN, postcodes, the 13 digits of a company (法人番号), and twelve digits inside a
longer row. What a log says of a value (`summary`) is masked too, or its size, hash and excerpt.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.kernel.messages import tell
from sanbo.kernel.secrets import MASK

# ---- numbers, in values ----------------------------------------------------------------------

_LABEL = re.compile(
    r"マイナンバー|個人番号|my[\s_]?number|カード番号|クレジットカード|card[\s_]?(?:number|no)",
    re.IGNORECASE,
)
# Not inside a word: digests of files and registration numbers (T and 13 digits) are none.
_DIGITS = re.compile(
    r"(?<![0-9０-９A-Za-z])[0-9０-９](?:[-‐−ー－ 　]?[0-9０-９]){11,18}(?![0-9０-９A-Za-z])"
)
# By length and first digits: codes of goods and of companies have 13 digits.
_CARDS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|5\d\d)\d{12}|62\d{14,17}"
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
)
_NEAR = 20
_MY_NUMBER = 12
_CARD = range(13, 20)
_LONG = re.compile(r"[0-9０-９](?:[-‐−ー－ 　]?[0-9０-９]){11}")
"""Also behind a letter: in JSON that may be the end of a line break."""
_LONG_PERHAPS = re.compile(r"[0-9０-９][-‐−ー－ 　0-9０-９]{11}")


def might_hold(text: str) -> bool:
    """Quick, for texts and JSON that hold no such number at all."""
    return _LONG_PERHAPS.search(text) is not None and _LONG.search(text) is not None


def masked_personal(value: JsonValue, label: str = "", *, only_labelled: bool = False) -> JsonValue:
    """`only_labelled`: without those of which the check digit alone tells, perhaps by chance."""
    match value:
        case str():
            return _masked_text(value, label, only_labelled=only_labelled)
        case bool():
            return value
        case int() | float():  # a column of a workbook is one of floats
            digits = str(int(value)) if value == value // 1 else ""
            shown = _masked_text(digits, label, only_labelled=only_labelled)
            return MASK if shown == MASK else value
        case list():
            return [masked_personal(item, label, only_labelled=only_labelled) for item in value]
        case dict():
            return {
                _masked_text(name, label, only_labelled=only_labelled): masked_personal(
                    item, name, only_labelled=only_labelled
                )
                for name, item in value.items()
            }
        case _:
            return value


def _masked_text(text: str, label: str, *, only_labelled: bool) -> str:
    def replace(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _NEAR) : found.start()]
        digits = re.sub(r"[^0-9]", "", unicodedata.normalize("NFKC", found[0]))
        is_labelled = bool(_LABEL.search(label) or _LABEL.search(before))
        if only_labelled and not is_labelled:
            return found[0]
        return MASK if _is_personal(digits, is_labelled=is_labelled) else found[0]

    return _DIGITS.sub(replace, text)


def _is_personal(digits: str, *, is_labelled: bool) -> bool:
    if len(digits) == _MY_NUMBER:
        return is_labelled or is_my_number(digits)
    return len(digits) in _CARD and (is_labelled or _is_card(digits))


def is_my_number(digits: str) -> bool:
    """Twelve digits, by the check digit (平成26年総務省令第85号, article 5)."""
    total = sum(
        int(digit) * (place + 1 if place <= 6 else place - 5)
        for place, digit in enumerate(reversed(digits[:11]), start=1)
    )
    left = total % 11
    return int(digits[11]) == (0 if left <= 1 else 11 - left)


def _is_card(digits: str) -> bool:
    """By the check digit of ISO/IEC 7812, and how the numbers of its kind begin."""
    if not _CARDS.fullmatch(digits):
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


# ---- also what is private, where only a log needs it -------------------------------------------

_HINT = re.compile(r"[0-9０-９@＠]|丁目|番|[(\[]\s?(?:at|アット)")
"""Without one of these, a text has nothing of it."""
_PRIVATE_LABEL = re.compile(
    r"口座(?:番号|$)|account[\s_]?(?:number|no)\b|iban|電話|携帯|ファ(?:ッ)?クス|\b(?:tel|fax|phone|mobile)\b"
    r"|e-?mail|\bmail\b|メール|住所|所在地|\b(?:home|postal|street|mailing)?[\s_]?address\b",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"(?P<word>(?:普通|当座|貯蓄|口座番号|口座|[Aa]ccount(?:[ ](?:[Nn]umber|[Nn]o\.?))?)"
    r"[^0-9０-９\n]{0,12})[0-9０-９](?:[-‐−ー－]?[0-9０-９]){5,7}(?![0-9０-９])"
    r"|(?P<mark>記号[^0-9０-９\n]{0,4})[0-9０-９]{5}[^0-9０-９\n]{0,8}[0-9０-９]{6,8}(?![0-9０-９])"
    r"|(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?"
    r"(?![0-9A-Za-z])"
)
_ADDRESS = re.compile(
    r"(?:〒\s?[0-9０-９]{3}[-‐−ー－][0-9０-９]{4}\s?)?"
    r"(?:北海道|東京都|(?:京都|大阪)府|(?:神奈川|和歌山|鹿児島|[一-龥]{2})県)[^\s、。,\"<>]{1,30}?"
    r"[0-9０-９一二三四五六七八九十](?:丁目|番|[-‐−ー－][0-9０-９])[^\s、。,\"<>]{0,30}"
    r"|(?<![0-9A-Za-z])[0-9]{1,5}[ ][A-Z][a-z]{1,20}(?:[ ][A-Z][a-z]{1,20})?"
    r"[ ](?:Street|St\.|Avenue|Ave\.|Road|Rd\.|Boulevard|Lane|Drive)"
)


def masked_private(value: JsonValue, label: str = "") -> JsonValue:
    """For logs: also accounts, phone numbers, e-mail and postal addresses, by shape or label."""
    match value:
        case str():
            return _masked_private_text(value, label)
        case bool():
            return value
        case int() | float():
            shown = _masked_private_text(str(value), label)
            return MASK if MASK in shown else value
        case list():
            return [masked_private(item, label) for item in value]
        case dict():
            return {
                _masked_private_text(name, ""): masked_private(item, name)
                for name, item in value.items()
            }
        case _:
            return value


def _masked_private_text(text: str, label: str) -> str:
    if label and text.strip() and _PRIVATE_LABEL.search(label):
        return MASK
    if not _HINT.search(text):
        return text
    text = _masked_text(text, label, only_labelled=False)
    text = _ACCOUNT.sub(lambda found: f"{found['word'] or found['mark'] or ''}{MASK}", text)
    text = _ADDRESS.sub(MASK, text)
    plain, places = _plain(text)
    pieces: list[str] = []
    end = 0
    for start, stop, _ in _personal_data(plain):
        pieces += [text[end : places[start]], MASK]
        end = places[stop - 1] + 1
    return "".join((*pieces, text[end:]))


# ---- by their shape, in words ----------------------------------------------------------------

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


def _personal_data(plain: str) -> Iterator[Personal]:
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


Parts = Mapping[str, Kind]

_HYPHENS = frozenset("−ー─━➖⁃・·")
"""Beside the dashes proper: what is written in their place between digits."""
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
SHORTEST_PART = 3


def masked(text: str, parts: Parts | None = None) -> str:
    """With marks in the current language; `parts` are masked wherever they stand as words.

    A search takes the words of a question one by one; so an address that a question holds comes
    back as a name and a domain, a phone number as its groups: the `parts_of` the question.
    """
    plain, places = _plain(text)
    found = sorted([*_personal_data(plain), *_parts_in(plain, parts or {})])
    pieces: list[str] = []
    end = 0
    for start, stop, kind in found:
        begin = places[start]
        if begin >= end:
            pieces += [text[end:begin], tell(f"research_mask.{kind}")]
            end = places[stop - 1] + 1
    return "".join((*pieces, text[end:]))


def parts_of(text: str) -> dict[str, Kind]:
    """Words of the personal data in a text, each of which still tells something by itself."""
    plain, _ = _plain(text)
    found: dict[str, Kind] = {}
    for start, end, kind in _personal_data(plain):
        data = plain[start:end].casefold()
        name, _, domain = data.partition("@")
        words = re.findall(r"[0-9]+" if kind != "email" else r"[^\W_]+", name)
        for part in (*words, "".join(words), name, domain):
            if len(part) >= SHORTEST_PART:
                found[part] = kind
    return found


def _parts_in(plain: str, parts: Parts) -> list[Personal]:
    if not parts:
        return []
    longest_first = sorted(parts, key=len, reverse=True)
    words = "|".join(map(re.escape, longest_first))
    wanted = re.compile(rf"(?<![0-9A-Za-z])(?:{words})(?![0-9A-Za-z])", re.IGNORECASE)
    return [Personal(*found.span(), parts[found[0].casefold()]) for found in wanted.finditer(plain)]


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """As it is read, and where each character stands: full width as ASCII, every dash as a hyphen,
    without invisible characters and the backslashes of Markdown."""
    if text.isascii() and "\\" not in text:
        return text, range(len(text))
    escapes = {found.start() for found in _ESCAPE.finditer(text)}
    form: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if place not in escapes and (plain := _plain_character(character)):
            form.append(plain)
            places.append(place)
    return "".join(form), places


@lru_cache(maxsize=8192)
def _plain_character(character: str) -> str:
    """One character, or none where it can't be seen."""
    if unicodedata.category(character) == "Cf":
        return ""
    form = unicodedata.normalize("NFKC", character)
    if len(form) != 1:
        return character
    if form in _HYPHENS or unicodedata.category(form) == "Pd":
        return "-"
    return " " if form.isspace() and form not in "\r\n" else form


SUMMARY = "x-summary"
LARGE = 1000
"""Bytes of JSON, above which a list or an object is told by its summary."""
LONGEST_TEXT = 200
LONGEST_EXCERPT = 120
MOST_NAMES = 50
DEEPEST = 2
_LOOKED_AT = 1000
_FILE = {"file_id", "name"}
_CODED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-\r\n")


def summary(value: JsonValue, name: str = "") -> JsonValue:
    """`name` is that of a port, field or column: it says what a number is."""
    return _summary(value, name, DEEPEST)


def _summary(value: JsonValue, name: str, depth: int) -> JsonValue:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return _of_large(value, value.encode("utf-8", "replace"), name)
    if not isinstance(value, dict | list):
        return masked_private(value, name)
    if isinstance(value, dict) and value.keys() >= _FILE:
        return masked_private(value)  # its name, size and hash are what it is
    data = to_json(value)
    is_large = len(data) > LARGE
    if is_large and (isinstance(value, list) or not depth or len(value) > MOST_NAMES):
        return _of_large(value, data, name)
    if isinstance(value, list):
        return [_summary(each, name, depth) for each in value]
    inside = depth - 1 if is_large else depth
    return {str(masked_private(key)): _summary(each, key, inside) for key, each in value.items()}


def _of_large(value: JsonValue, data: bytes, name: str) -> JsonValue:
    told: dict[str, JsonValue] = {"type": _type(value), "size": len(data)}
    if isinstance(value, list | dict):
        told["items"] = len(value)
    told["sha256"] = hashlib.sha256(data).hexdigest()
    if told["type"] != "binary":
        told["excerpt"] = _excerpt(value, name)
    return {SUMMARY: told}


def _type(value: JsonValue) -> str:
    if isinstance(value, str):
        return "binary" if _CODED.issuperset(value[:_LOOKED_AT]) else "text"
    return "list" if isinstance(value, list) else "object"


def _excerpt(value: JsonValue, name: str) -> str:
    """Masked before it is cut: half a number would no longer be known as one."""
    match value:
        case str():
            text = cast("str", masked_private(value[:_LOOKED_AT], name))
        case list():
            text = to_json([_summary(each, name, 0) for each in value[:3]]).decode()
        case dict():
            first = list(value.items())[:5]
            text = to_json({key: _summary(each, key, 0) for key, each in first}).decode()
        case _:
            text = str(value)
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"
