"""A question as words: Japanese in the dictionary's form, English without its endings."""

import re
from functools import lru_cache
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


def tokens(text: str) -> tuple[Token, ...]:
    """Of a text in narrow, case-folded form."""
    return _tokens(text[:LONGEST])


def narrowed(text: str) -> str:
    return narrow(text).casefold()


@lru_cache(maxsize=4096)
def forms(text: str) -> tuple[str, ...]:
    """Of a name or a phrase: what makes it the same as another spelling of it."""
    return tuple(token.form for token in _tokens(narrowed(text)[:200]) if not token.is_sign)


@lru_cache(maxsize=64)
def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        written = piece[0]
        match piece.lastgroup:
            case "blank":
                continue
            case "japanese":
                found.extend(_japanese(written, start))
            case "english":
                found.append(Token(written, stem(written), start, end, False, True))
            case "number":
                found.append(Token(written, written.replace(",", ""), start, end, False, True))
            case _:
                found.append(Token(written, written, start, end, False, False, is_sign=True))
    return tuple(found)


def _japanese(text: str, start: int) -> list[Token]:
    made: list[Token] = []
    for one in morphemes(text):
        end = start + len(one.surface)
        is_sign = one.part in ("補助記号", "空白", "記号")
        is_content = one.part not in _VOID
        form = _ONE_FORM.get(one.normal, one.normal)
        made.append(Token(one.surface, form, start, end, True, is_content, is_sign))
        start = end
    return made


# Polite and plain forms, and what the dictionary takes for another word, are one.
_ONE_FORM = {"ず": "ない", "ぬ": "ない", "無い": "ない", "で": "だ"}
UNSAID = frozenset(("ます", "です", "居る", "て", "た"))
"""Forms that say how something is said; phrases are met without them."""
_SHORTEST = 3


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Both sides are cut alike, so it need not be a word: sales, sale → sal."""
    word = word.removesuffix("'s")
    if len(word) <= _SHORTEST:
        return word
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
