"""A text cut into what a person reads as one: 第N条, a date, an amount, a word.

White space is no token: it belongs to what stands before it, so that two texts which differ in
nothing else have the same tokens.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, islice

from sanbo.agents.comparison.differences.duties import Denial, Duty, denials, duties
from sanbo.agents.comparison.differences.spans import Span, apart, spans
from sanbo.agents.comparison.differences.values.finding import values
from sanbo.agents.comparison.differences.values.model import Value
from sanbo.agents.comparison.numbering.marks import own_mark
from sanbo.agents.comparison.numbering.reference import Reference
from sanbo.agents.comparison.numbering.references import references


@dataclass(frozen=True)
class Reading:
    """A text and all that was found in it; every span is one of `squeezed`."""

    text: str
    squeezed: str
    """Without white space beside Japanese."""
    places: tuple[int, ...] | None
    """Where each character of `squeezed` stands in `text`; None where both are the same."""
    marks: tuple[Span, ...]
    """Where its own numbers stand; of several paragraphs, those of each."""
    references: tuple[Reference, ...]
    """Without its own numbers."""
    values: tuple[Value, ...]
    duties: tuple[Duty, ...]
    tokens: list[str]
    starts: list[int]
    """Where each token begins."""
    special: frozenset[int]
    """Where those begin that are more than a word: numbers, references, values, duties."""

    @cached_property
    def denials(self) -> tuple[Denial, ...]:
        taken = (*spans(self.values), *spans(self.duties))
        return tuple(denials(self.squeezed, taken))

    def place(self, at: int) -> int:
        """Where in `text` a place of `squeezed` is; its beginning and end are those of the text."""
        if at <= 0:
            return 0
        if at >= len(self.squeezed):
            return len(self.text)
        return self.places[at] if self.places is not None else at


def read(*texts: str, is_heading: bool = False) -> Reading:
    """Of several paragraphs, as they are when joined by line breaks."""
    text = "\n".join(texts)
    squeezed, places = _squeezed(text)
    marks = tuple(_marks(texts, places, is_heading=is_heading))
    referred = tuple(apart(references(squeezed), marks))
    # `２　１０万円` is the second paragraph and ten, not two hundred and ten.
    found = tuple(values(_without(squeezed, marks), (*marks, *spans(referred))))
    taken = spans(found)
    bound = tuple(apart(duties(squeezed), taken))
    parts = [part for reference in referred for part in reference.parts]
    special = sorted((*marks, *spans(parts), *taken, *spans(bound)))
    tokens, starts = _tokens(squeezed, special)
    begins = frozenset(start for start, _ in special)
    return Reading(text, squeezed, places, marks, referred, found, bound, tokens, starts, begins)


def _marks(
    texts: Sequence[str], places: tuple[int, ...] | None, *, is_heading: bool
) -> Iterator[Span]:
    begin = 0
    for text in texts:
        mark = own_mark(text, is_heading=is_heading)
        if mark is not None:
            span = begin + mark.start, begin + mark.end
            yield span if places is None else _found_again(places, span)
        begin += len(text) + 1


def _without(text: str, marks: Sequence[Span]) -> str:
    for start, end in marks:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text


def _found_again(places: tuple[int, ...], span: Span) -> Span:
    return bisect_left(places, span[0]), bisect_left(places, span[1])


def same_but_for_white_space(old: str, new: str) -> bool:
    if old == new:
        return True
    # Quick to tell of nearly all that differ; `may be` and `maybe` need the second look.
    return "".join(old.split()) == "".join(new.split()) and _flat(old) == _flat(new)


def _flat(text: str) -> str:
    return _squeezed(" ".join(text.split()))[0]


# Beside any of these, white space separates nothing.
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff\U00020000-\U0003ffff]")
_BLANK = re.compile(r"\s+")


def _squeezed(text: str) -> tuple[str, tuple[int, ...] | None]:
    pieces, places, done = list[str](), list[int](), 0
    for blank in _BLANK.finditer(text):
        start, end = blank.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        if before.isdigit() and after.isdigit():  # `１０　２０` are two numbers
            continue
        if _is_wide(before) or _is_wide(after):
            pieces.append(text[done:start])
            places += range(done, start)
            done = end
    if not done:
        return text, None
    places += range(done, len(text))
    return "".join((*pieces, text[done:])), tuple(places)


def _is_wide(character: str) -> bool:
    return _WIDE.match(character) is not None


# Without 並又及等若, which join words: 甲及び乙等 is four of them.
_KANJI = r"[\u4e00-\u4e25\u4e27-\u53c7\u53c9\u53cb-\u7b48\u7b4a-\u82e4\u82e6-\u9fff々〆]"
_WORDS = re.compile(
    r"[A-Za-z0-9À-ɏ０-９Ａ-Ｚａ-ｚ]+(?:[’'_.\-@/][A-Za-z0-9À-ɏ]+)*"
    rf"|\s+|及び|又は|若しくは|並びに|[ぁ-ん]+|[ァ-ヶー]+|{_KANJI}+|.",
    re.DOTALL,
)
_FUNCTION_WORDS = (
    "ただし|もしくは|または|および|ならびに|かつ|その|この|これら|これ|それ|もの|こと|とき|ため|ところ"
    "|ほか|から|まで|より|など|のみ|ごと|いずれか|いずれ|すべて|あらかじめ|を|[はがにのともで]$"
)
_KANA_WORDS = re.compile(rf"{_FUNCTION_WORDS}|.+?(?={_FUNCTION_WORDS}|$)")


@lru_cache(maxsize=4096)
def _kana_words(run: str) -> tuple[str, ...]:
    """`については` ends in a particle; few runs are ever met that were not met before."""
    return tuple(_KANA_WORDS.findall(run))


def _tokens(text: str, special: list[Span]) -> tuple[list[str], list[int]]:
    tokens, starts, done = list[str](), list[int](), 0
    for start, end in special:
        if start < done:
            continue
        _add_words(text, done, start, tokens, starts)
        tokens.append(text[start:end])
        starts.append(start)
        done = end
    _add_words(text, done, len(text), tokens, starts)
    return tokens, starts


def _add_words(text: str, start: int, end: int, tokens: list[str], starts: list[int]) -> None:
    words, begins = _words_of(text[start:end])
    tokens += words
    starts += [start + begin for begin in begins]


@lru_cache(maxsize=1 << 12)
def _words_of(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Words and where each begins; what stands in both documents is asked for twice."""
    words: list[str] = []
    for run in _WORDS.findall(text):
        if len(run) > 1 and "ぁ" <= run[0] <= "ん":
            words += _kana_words(run)
        else:
            words.append(run)
    begins = tuple(islice(accumulate(map(len, words), initial=0), len(words)))
    if _BLANK.search(text) is None:  # nearly always, in Japanese
        return tuple(words), begins
    kept = [(word, at) for word, at in zip(words, begins, strict=True) if not word.isspace()]
    return tuple(word for word, _ in kept), tuple(at for _, at in kept)
