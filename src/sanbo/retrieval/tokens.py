"""What a text is searched by: character uni- and bigrams, and the words that carry its content;
and where in a passage the words of a question stand.

Grams find any spelling, also names and codes that no dictionary has; words keep 東京都 from
matching 京都 and bring 行なう and 行う together. Either alone is worse than both when measured.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import count, takewhile
from operator import add
from typing import NamedTuple

import regex
from sudachipy import Dictionary, SplitMode
from sudachipy import Morpheme as SudachiMorpheme
from sudachipy.tokenizer import Tokenizer

from sanbo.kernel.text import matching_form
from sanbo.language.english import is_empty, stem
from sanbo.language.questions import VAGUE
from sanbo.retrieval.model import Span

# Particles, auxiliaries, punctuation and blanks say how, not what.
_EMPTY_CLASSES = frozenset(("助詞", "助動詞", "補助記号", "空白", "記号"))
# What a question is made of, whatever it asks about, in the dictionary's normal forms.
_QUESTION_TEXT = """
よう 事 物 それ これ その この
有る 居る 為る 成る 言う 呼ぶ 教える 下さる
"""
_QUESTION_WORDS = frozenset((*VAGUE, *_QUESTION_TEXT.split()))
_RUN = re.compile(r"[^\W_]+")
_ENGLISH = re.compile(r"[a-z]{2,}")
_ENGLISH_RUN = re.compile(r"(?<![^\W_])[a-z]{2,}(?![^\W_])")
# What may become one letter with the one before: marks, ﾞ and ﾟ, and the letters of 한글.
_JOINED = regex.compile(r"[\p{M}\uff9e\uff9f\u1100-\u11ff\u3130-\u318f\uffa0-\uffdc]")
# What nearly every text is made of, and nothing of that; told in a third of the time.
_USUAL = re.compile(
    r"[\0-\u02ff\u2010-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u9fff\uff01-\uff9d]*"
)
_UNIT = regex.compile(r"\X")
_SOLID = re.compile(r"[^\W_ぁ-ゖ]{2,}")
# SudachiPy refuses longer inputs (49,149 bytes); cut well below, at line ends where possible.
_LONGEST = 8_000

# A dictionary's words by their numbers: what one means is asked once. From `_UNKNOWN` on, numbers
# are of what stands in no dictionary: 1,000 and 三千 have the same.
_known: tuple[dict[int, str], dict[int, str]] = ({}, {})
_UNKNOWN = 0xF0000000
_MOST_KNOWN = 200_000

_dictionary_lock = threading.Lock()
_of_thread = threading.local()


def grams(text: str) -> list[str]:
    """Characters and pairs of neighbours, within runs of letters and digits; English by words."""
    tokens: list[str] = []
    for run in _RUN.findall(matching_form(text)):
        if _ENGLISH.fullmatch(run):  # its letters stand in every other word, too
            tokens.append(stem(run))
            continue
        tokens.extend(run)
        tokens.extend(map(add, run, run[1:]))
    return tokens


def without_english(form: str) -> tuple[str, list[str]]:
    """A text in matching form with blanks for the runs that count by words, and those words."""
    found: list[str] = []

    def taken(run: re.Match[str]) -> str:
        found.append(stem(run.group()))
        return " " * len(run.group())

    return _ENGLISH_RUN.sub(taken, form), found


def speakable(query: str) -> str:
    """The query as it can be encoded: half a surrogate pair has no UTF-8."""
    return query.encode("utf-8", "replace").decode()


@lru_cache(maxsize=64)
def folded(text: str) -> str:
    """As `matching_form`, blanks as they are. Remembered: one search asks twice for each hit's."""
    return unicodedata.normalize("NFKC", text).casefold()


def letters(text: str) -> str:
    """Letters and digits in matching form, without what stands between them."""
    return "".join(_RUN.findall(folded(text)))


def words(text: str) -> list[str]:
    """Content words in the dictionary's normal form (mode A: the shortest units)."""
    tokenizer = _tokenizer()
    english = text.isascii()
    known = _known[english]
    found: list[str] = []
    for part in _parts(matching_form(text)):
        for morpheme in tokenizer.tokenize(part):
            number = morpheme.word_id()
            normal = known.get(number)
            if normal is None:
                normal = _normal(morpheme, morpheme.surface(), english=english)
                if number < _UNKNOWN:
                    known[number] = normal
            if normal:
                found.append(normal)
    if len(known) > _MOST_KNOWN:
        known.clear()
    return found


class Morpheme(NamedTuple):
    surface: str
    normal: str
    """The dictionary's one form of all spellings and inflections: へった is 減る."""
    part: str
    """Of speech: 名詞, 助詞 …"""
    is_deed: bool
    """A noun that する makes a verb: 申請, 精算."""


def morphemes(text: str) -> Iterator[Morpheme]:
    """Of a short text, all of them (mode A), in its order."""
    for one in _tokenizer().tokenize(text[:_LONGEST]):
        part, _, use, *_ = one.part_of_speech()
        yield Morpheme(one.surface(), one.normalized_form(), part, use == "サ変可能")


def reading(text: str) -> str:
    """In katakana; what the dictionary can't read stays as it is written."""
    written = text.encode("utf-8", "replace").decode()
    found = _tokenizer().tokenize(written, mode=SplitMode.C)
    parts = ((one.surface(), one.reading_form()) for one in found)
    return "".join(surface if said in _UNREAD else said for surface, said in parts)


_UNREAD = ("", "キゴウ")


def query_words(query: str) -> list[str]:
    """Content words of a question, without what only makes it a question."""
    return [normal for _, normal in _asked(query)]


def query_surfaces(query: str) -> list[str]:
    """The same words as they are written in the question, and in their normal form."""
    return [form for pair in _asked(query) for form in pair]


@lru_cache(maxsize=64)
def _asked(query: str) -> tuple[tuple[str, str], ...]:
    """Remembered: one search asks for words and for what to highlight."""
    found = tuple(_content(query))
    return tuple(pair for pair in found if pair[1] not in _QUESTION_WORDS) or found


def _content(text: str) -> Iterator[tuple[str, str]]:
    tokenizer = _tokenizer()
    english = text.isascii()
    for part in _parts(matching_form(text)):
        for morpheme in tokenizer.tokenize(part):
            surface = morpheme.surface()
            if normal := _normal(morpheme, surface, english=english):
                yield surface, normal


def _normal(morpheme: SudachiMorpheme, surface: str, *, english: bool) -> str:
    """Nothing where it is no content; `english`: whether the whole text is."""
    if morpheme.part_of_speech_id() in _empty_classes():
        return ""
    if surface.isascii() and _ENGLISH.fullmatch(surface):
        return "" if is_empty(surface) else stem(surface)
    return "" if english and is_empty(surface) else morpheme.normalized_form()  # I'm; but プランA


def _parts(text: str) -> Iterator[str]:
    for start in range(0, len(text), _LONGEST):
        yield text[start : start + _LONGEST]


@cache
def _dictionary() -> Dictionary:
    return Dictionary()


@cache
def _empty_classes() -> frozenset[int]:
    """By their numbers in the dictionary."""
    classes = takewhile(bool, map(_dictionary().pos_of, count()))
    return frozenset(
        number for number, pos in enumerate(classes) if pos and pos[0] in _EMPTY_CLASSES
    )


def _tokenizer() -> Tokenizer:
    """One for each thread: a tokenizer keeps state, the dictionary is shared."""
    tokenizer: Tokenizer | None = getattr(_of_thread, "tokenizer", None)
    if tokenizer is None:
        with _dictionary_lock:
            tokenizer = _of_thread.tokenizer = _dictionary().tokenizer(mode=SplitMode.A)
    return tokenizer


def terms_of(query: str) -> frozenset[str]:
    """What to look for: content words as written and as in the dictionary, and solid runs.

    Not the single characters that a run is cut into: 第三者 would light up every 第.
    """
    runs: list[str] = _SOLID.findall(matching_form(query))
    single = {letter for run in runs for letter in run}
    return frozenset((*runs, *(word for word in query_surfaces(query) if word not in single)))


def highlights(terms: frozenset[str], text: str) -> tuple[Span, ...]:
    """Spans of `text`, in order and apart from each other."""
    form, origin = _form(text)
    found: list[tuple[int, int]] = []
    for term in terms:
        at = form.find(term)
        while at >= 0:
            found.append((origin[at], _end(origin, at + len(term), len(text))))
            at = form.find(term, at + 1)
    return _joined(sorted(found))


def _end(origin: Sequence[int], at: int, length: int) -> int:
    """Where the next unit of the text begins."""
    return origin[at] if at < len(origin) else length


def _form(text: str) -> tuple[str, Sequence[int]]:
    """The text in matching form, character by character, and where each one comes from."""
    if _USUAL.fullmatch(text) or _JOINED.search(text) is None:  # each letter has its own form
        whole = folded(text)
        if len(whole) == len(text):  # no letter has no form, so each has just one
            return whole, range(len(text))
    form: list[str] = []
    origin: list[int] = []
    for unit in _UNIT.finditer(text):  # ｶﾞ is one letter in two characters
        for piece in unicodedata.normalize("NFKC", unit.group()).casefold():
            form.append(piece)
            origin.append(unit.start())
    return "".join(form), origin


def _joined(found: list[tuple[int, int]]) -> tuple[Span, ...]:
    """Those that touch or overlap are one."""
    spans: list[list[int]] = []
    for start, end in found:
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(end, spans[-1][1])
        elif start < end:
            spans.append([start, end])
    return tuple(Span(start, end) for start, end in spans)
