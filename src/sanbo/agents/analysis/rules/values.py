"""Which values of the table's words a question names: 新宿店, 新宿 for it, Shinjuku for it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.synonyms import ROMANISED, SUFFIXES, VALUES
from sanbo.agents.analysis.rules.vocabulary import EVERYDAY
from sanbo.agents.analysis.rules.wording import form, is_kanji

LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class ValueMention:
    start: int
    end: int
    found: tuple[tuple[str, str], ...]
    """Column and value; more than one where several columns have it."""
    strength: int
    """4: as it stands in the table; 3: other words for it; 2: without its end."""


_OTHER_WORDS: dict[str, tuple[str, ...]] = {}
for _family in VALUES:
    for _value in _family:
        _OTHER_WORDS[form(_value)] = tuple(form(one) for one in _family if one != _value)
_IN_LATIN = {japanese: latin for latin, japanese in ROMANISED.items()}
_SUFFIX = re.compile("(?:" + "|".join(SUFFIXES) + ")$")
_LATIN_TAILS = r"(?: (?:store|shop|branch|office|factory|plant|prefecture|city|ward|region|area|department|dept|team)s?)?"


def values_named(text: str, columns: Columns) -> Iterator[ValueMention]:
    """All that could be meant; overlapping ones too."""
    is_latin = re.search("[a-z]", text) is not None
    for profile in columns.table.columns:
        if profile.type not in ("text", "boolean") or columns.roles[profile.name] == "empty":
            continue
        for value in profile.values:
            if len(value) > LONGEST_VALUE:
                continue
            written = form(value)
            if not written:
                continue
            if written in text:
                yield from _mentions(text, written, profile.name, value, 4)
            elif written.isascii():
                continue
            else:
                yield from _shortened(text, written, profile.name, value, is_latin=is_latin)
            if written in _OTHER_WORDS:
                for other in _OTHER_WORDS[written]:
                    if other in text:
                        yield from _mentions(text, other, profile.name, value, 3)


def _shortened(
    text: str, written: str, column: str, value: str, *, is_latin: bool
) -> Iterator[ValueMention]:
    short = _SUFFIX.sub("", written)
    if len(short) >= 2 and short != written and short in text:
        yield from _mentions(text, short, column, value, 2)
    if is_latin:
        latin = _IN_LATIN.get(short) or _IN_LATIN.get(written)
        if latin and latin in text:
            for found in re.finditer(rf"(?<![a-z]){latin}(?![a-z]){_LATIN_TAILS}", text):
                yield ValueMention(found.start(), found.end(), ((column, value),), 3)


def _mentions(
    text: str, written: str, column: str, value: str, strength: int
) -> Iterator[ValueMention]:
    start = text.find(written)
    while start >= 0:
        end = start + len(written)
        if _is_word(text, start, end):
            yield ValueMention(start, end, ((column, value),), strength)
        start = text.find(written, end)


_OPEN, _CLOSE = "「『\"'“‘(", "」』\"'”’)"


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether it stands there as a word: Latin between boundaries, one character by itself."""
    before, after = text[start - 1 : start], text[end : end + 1]
    word = text[start:end]
    if before and before in _OPEN and after and after in _CLOSE:
        return True
    if word.isascii():
        if (before.isascii() and before.isalnum()) or (after.isascii() and after.isalnum()):
            return False
        if word in EVERYDAY or (word.isdigit() and len(word) < 4):
            return False
        return len(word) > 1 or (not before.strip() and after[:1] in ("", "?"))
    if len(word) == 1:
        if (before and is_kanji(before)) or (after and is_kanji(after)):
            return False
        return after in ("", "だ", "の", "と", "は", "を", "が", "以", "、", "?", "。", ")", " ")
    # ひらがな alone hides in sentences: はい in はいくつ.
    if re.fullmatch("[ぁ-ん]+", word):
        return False
    return not (re.fullmatch("[ァ-ヶー]+", word) and (_is_kana(before) or _is_kana(after)))


def _is_kana(character: str) -> bool:
    return bool(character) and ("ァ" <= character <= "ヶ" or character == "ー")
