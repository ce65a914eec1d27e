"""Which values of the table's words a question names: 新宿店, 新宿 for it, Shinjuku for it."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.agents.analysis.profile import TableProfile
from sanbo.agents.analysis.rules.synonyms import EVERYDAY, ROMANISED, SUFFIXES, VALUES
from sanbo.agents.analysis.rules.wording import bare, form, is_kanji, name_words

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
_LATIN_TAILS = (
    r"(?: (?:store|shop|branch|office|factory|plant|prefecture|city|ward|region|area|"
    r"department|dept|team)s?)?"
)


class Values:
    """The values of a table's words by how they begin: most are never looked at."""

    def __init__(self, table: TableProfile) -> None:
        self._by_head: dict[str, list[tuple[str, str, str]]] = {}
        for profile in table.columns:
            if profile.type not in ("text", "boolean"):
                continue
            for value in profile.values:
                if 0 < len(value) <= LONGEST_VALUE:
                    entry = (form(value), profile.name, value)
                    self._by_head.setdefault(_head(value), []).append(entry)

    def named(self, text: str) -> Iterator[ValueMention]:
        """All that could be meant; overlapping ones too."""
        is_latin = re.search("[a-z]", text) is not None
        heads = {text[start : start + length] for start in range(len(text)) for length in (1, 2)}
        for head in sorted(heads | _other_heads(text)):
            for written, column, value in self._by_head.get(head, ()):
                yield from _named(text, written, column, value, is_latin=is_latin)


def _head(value: str) -> str:
    head = value[:2]
    if head.isascii():
        return head.lower()
    return head.casefold() if unicodedata.is_normalized("NFKC", head) else form(head)


def _other_heads(text: str) -> frozenset[str]:
    """How values begin that the text names with other words: 新宿 for Shinjuku, 女性 for female."""
    found = [japanese for latin, japanese in ROMANISED.items() if latin in text]
    for word, others in _OTHER_WORDS.items():
        if word in text:
            found += others
    return frozenset(one[:2] for one in found)


def _named(
    text: str, written: str, column: str, value: str, *, is_latin: bool
) -> Iterator[ValueMention]:
    if written in text:
        yield from _mentions(text, written, column, value, 4)
        yield from _beside_column(text, written, column, value)
    elif not written.isascii():
        yield from _shortened(text, written, column, value, is_latin=is_latin)
    for other in _OTHER_WORDS.get(written, ()):
        if other in text:
            yield from _mentions(text, other, column, value, 3)


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


_BETWEEN = r"(?:が|は|の|=|:|「|\s|is|of|was|ランク){0,12}"
_OTHERS = (
    r"(?:[^\sはがの、,・/]{1,8}?(?:または|もしくは|あるいは|か|と|や|、|,|・|/| or | and )\s?){0,4}"
)
"""The A of 評価がSまたはA has others before it."""


def _beside_column(text: str, written: str, column: str, value: str) -> Iterator[ValueMention]:
    """A short or common word is the value beside its column: low priority, 評価がA."""
    if len(written) > 1 and written not in EVERYDAY and not written.isdigit():
        return
    names = {re.escape(bare(column))}
    if tokens := name_words(column):
        names.add(re.escape(tokens[-1]))
    around = "|".join(sorted(names))
    word = re.escape(written)
    edge = r"(?![a-z0-9])" if written.isascii() else ""
    before = rf"(?:{around}){_BETWEEN}{_OTHERS}(?<![a-z0-9])(?P<a>{word}){edge}"
    after = rf"(?<![a-z0-9])(?P<b>{word})[\s\-]+(?:{around})(?![a-z])"
    for found in re.finditer(f"{before}|{after}", text):
        group = "a" if found["a"] else "b"
        yield ValueMention(found.start(group), found.end(group), ((column, value),), 4)


_OPEN, _CLOSE = "「『\"'“‘(", "」』\"'”’)"


def _is_word(text: str, start: int, end: int) -> bool:  # noqa: PLR0911 - one kind after the other
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
