"""A question as words: Japanese in the dictionary's form, English without its endings."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from sanbo.language.numerals import narrow
from sanbo.retrieval.tokens import morphemes

LONGEST = 2000
"""Characters of a question that are read."""

_PIECE = re.compile(
    r"(?P<english>[a-z]+(?:'[a-z]{1,3})?)|(?P<number>\d+(?:[.,]\d+)*)|(?P<blank>\s+)"
    r"|(?P<japanese>[぀-ヿ㐀-鿿豈-﫿々〆〇ー]+)|(?P<sign>.)",
    re.DOTALL,
)
_KANA = re.compile("[ぁ-ん]")
# Verbs that carry nothing of their own.
_EMPTY = frozenset(("為る", "居る", "有る", "成る", "下さる", "頂く", "致す", "御座る", "出来る"))
# 教えてくれませんか, かもしれない, すみません
_ASKING = frozenset(
    (
        "貰う",
        "貰える",
        "頂く",
        "頂ける",
        "呉れる",
        "下さる",
        "出来る",
        "知れる",
        "済む",
        "構う",
        "御座る",
    )
)
_DATED = frozenset("月日")
_VOID = frozenset(("助詞", "助動詞", "補助記号", "空白", "記号"))


class Token(NamedTuple):
    text: str
    form: str
    """One for all spellings and inflections of a word."""
    start: int
    end: int
    is_japanese: bool
    is_content: bool
    """Whether something is lost where it is not understood."""
    is_sign: bool = False


def tokens(
    text: str, terms: re.Pattern[str] | None = None, edges: tuple[int, ...] = ()
) -> tuple[Token, ...]:
    """Of a text in narrow, case-folded form; `terms` are whole words: 店舗|別|売上.

    `edges`: where no word goes over, such as the end of 令和2年 in 令和2年中.
    """
    return _tokens(text[:LONGEST], terms, edges)


_AREA = re.compile("[㎡㎥]|(?<![A-Za-z])m[2²3³](?![0-9A-Za-z])")


def plain(text: str) -> str:
    """In narrow form; an area is no length with a 2 behind it."""
    return narrow(_AREA.sub(lambda unit: "平米" if unit[0][-1] in "㎡2²" else "立米", text))


def narrowed(text: str) -> str:
    return plain(text).casefold()


@lru_cache(maxsize=4096)
def forms(text: str) -> tuple[str, ...]:
    """Of a name or a phrase: what makes it the same as another spelling of it."""
    return tuple(token.form for token in _tokens(narrowed(text)[:200]) if not token.is_sign)


@lru_cache(maxsize=64)
def _tokens(
    text: str, terms: re.Pattern[str] | None = None, edges: tuple[int, ...] = ()
) -> tuple[Token, ...]:
    found: list[Token] = []
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        written = piece[0]
        match piece.lastgroup:
            case "blank":
                continue
            case "japanese":
                # 30日|時点: the sign of a date belongs to the number before it.
                if written[0] in _DATED and start and text[start - 1].isdecimal():
                    found.append(Token(written[0], written[0], start, start + 1, True, True))
                    start, written = start + 1, written[1:]
                if written:
                    inside = [edge - start for edge in edges if start < edge < end]
                    found.extend(_in_terms(written, start, terms, inside))
            case "english":
                found.append(Token(written, stem(written), start, end, False, True))
            case "number":
                found.append(Token(written, written.replace(",", ""), start, end, False, True))
            case _:
                found.append(Token(written, written, start, end, False, False, is_sign=True))
    return tuple(found)


def _in_terms(
    text: str, start: int, terms: re.Pattern[str] | None, inside: Sequence[int]
) -> list[Token]:
    """Cut at the borders of terms only where the dictionary would cross them: 店舗|別売|上."""
    whole = _japanese(text, start)
    if terms is None:
        return whole
    edges = {0, len(text), *inside}
    for term in terms.finditer(text):
        edges |= {term.start(), term.end()}
    ends = {token.end - start for token in whole}
    if edges <= ends | {0}:
        return whole
    made: list[Token] = []
    borders = sorted(edges)
    for low, high in pairwise(borders):
        made.extend(_japanese(text[low:high], start + low))
    return made


def _japanese(text: str, start: int) -> list[Token]:
    made: list[Token] = []
    verb = ""
    for one in morphemes(text):
        end = start + len(one.surface)
        is_sign = one.part in ("補助記号", "空白", "記号")
        is_content = one.part not in _VOID and one.normal not in _EMPTY
        is_content = is_content and not _KANA.fullmatch(one.surface)
        form = "毎" if one.surface == "ごと" else _ONE_FORM.get(one.normal, one.normal)
        if one.part == "動詞":
            verb = one.normal
        # A question is turned into its opposite by it, unless it only asks politely.
        is_content = is_content or (form == "ない" and verb not in _ASKING)
        made.append(Token(one.surface, form, start, end, True, is_content, is_sign))
        start = end
    return made


# Polite and plain forms, and what the dictionary takes for another word, are one.
_ONE_FORM = {"ず": "ない", "ぬ": "ない", "無い": "ない", "で": "だ"}
UNSAID = frozenset(("ます", "です", "居る", "て", "た"))
"""Forms that say how something is said; phrases are met without them."""
_SHORTEST = 3
_WHOLE = {"qty": "quantity", "amt": "amount", "dept": "department", "hrs": "hours"}
"""Words that headings cut short."""


_NOTES = frozenset(("note", "notes"))
"""Cut as others are they would be “not”, and a column Notes what every “not” names."""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Both sides are cut alike, so it need not be a word: sales, sale → sal."""
    word = word.removesuffix("'s")
    if word in _NOTES:
        return "note"
    word = _WHOLE.get(word, word)
    if len(word) <= _SHORTEST:
        return "id" if word == "ids" else word
    word = word[:-1] if word.endswith("ees") else word  # employees
    for ending in ("ies", "ie", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST - 1:
            return word.removesuffix(ending) + "i"
    for ending in ("ings", "ing", "edly", "ed", "es", "s"):
        kept = len(word) - len(ending)
        if word.endswith(ending) and kept >= _SHORTEST and not word.endswith(("ss", "us", "is")):
            word = word[:kept]
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiosl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST else word


def split_case(name: str) -> str:
    """CustomerName and customer_name are two words."""
    made: list[str] = []
    for before, letter in zip(" " + name, name, strict=False):
        if letter.isascii() and letter.isupper() and before.isascii() and before.islower():
            made.append(" ")
        made.append(letter)
    return "".join(made)
