"""What a question or a sentence is about: its content words, and the terms a person would name."""

import re
from collections.abc import Iterable
from functools import lru_cache

from sanbo.kernel.text import matching_form
from sanbo.language.english import is_empty, stem
from sanbo.language.questions import VAGUE, without_asking
from sanbo.retrieval.tokens import query_words, words

_LATIN = re.compile(r"[a-z][a-z0-9]*(?:['’.&-][a-z0-9]+)*")
_JAPANESE = re.compile(r"[ぁ-ヿ㐀-鿿々〆]")
# Written in kanji, katakana, letters or digits without a gap: what names something.
_SOLID = re.compile(
    r"[^\W_ぁ-ゖ]+(?:[・&./-][^\W_ぁ-ゖ]+|[いえきけしせちびみめりれわ][一-鿿]+)*"
    r"(?:[さいえきけせみめりれ](?=[はがをのにとも、 ]|$))?"
)
_FIGURE = re.compile(r"(?<![\w.])[0-9][0-9,.]*")
_ONE_KANA = re.compile("[ぁ-ゖ]$")  # a particle that lost its interrogative
# Content words for the dictionary, but nothing that a passage must speak of.
_VAGUE_TEXT = """
よう 事 物 それ これ その この
此れ 其れ 有る 居る 為る 成る 言う 呼ぶ 教える 下さる 出来る 貰う 良い 無い 行く 来る 知る 場合 時
為 中 内 他 以下 以上 等 御 方 人 点 度 目 つ さ 的 間 内容 名前 それぞれ 其々 夫々 各々 各 違い
違う 相違 比較 比べる 関する 就く
"""
_VAGUE = frozenset((*VAGUE, *_VAGUE_TEXT.split()))


def is_japanese(text: str) -> bool:
    return _JAPANESE.search(text) is not None


@lru_cache(maxsize=8192)
def content_words(text: str) -> tuple[str, ...]:
    """In the order of the text: Japanese ones in the dictionary's normal form, English stems."""
    form = matching_form(text)
    if not is_japanese(form):
        return (*_stems(form), *_FIGURE.findall(form))
    return (*_stems(form), *words(_LATIN.sub(" ", form)))


def _stems(form: str) -> list[str]:
    """A single letter is a word in English, and in Japanese a name: プランA."""
    japanese = is_japanese(form)
    return [
        stem(word)
        for word in _LATIN.findall(form)
        if not is_empty(word) or (japanese and len(word) == 1)
    ]


@lru_cache(maxsize=1024)
def asked_words(question: str) -> tuple[str, ...]:
    """The content words a passage should speak of, each once."""
    form = matching_form(without_asking(question))
    rest = _LATIN.sub(" ", form)
    found = query_words(rest) if is_japanese(rest) else _FIGURE.findall(rest)
    telling = dict.fromkeys(
        (
            *_stems(form),
            *(word for word in found if word not in _VAGUE and not _ONE_KANA.match(word)),
        )
    )
    return tuple(telling) or tuple(dict.fromkeys(content_words(question)))


@lru_cache(maxsize=1024)
def key_terms(question: str) -> tuple[str, ...]:
    """Terms as they are written, compounds in one piece: 有給休暇, 東京タワー, travel allowance."""
    rest = without_asking(question)
    if not is_japanese(rest):
        return _english_terms(rest)
    terms = dict.fromkeys(
        term for term in _SOLID.findall(rest) if len(term) > 1 and not _only_vague(term)
    )
    return tuple(terms)


def _only_vague(term: str) -> bool:
    return all(word in _VAGUE or is_empty(word) for word in content_words(term))


def _english_terms(question: str) -> tuple[str, ...]:
    """Neighbouring words that are not function words stand together."""
    terms: dict[str, None] = {}
    run: list[str] = []
    for word in (*re.findall(r"[\w&'’.-]+|[,;:?!()]", question), "."):
        bare = word.strip(".'’").casefold()
        if bare and not is_empty(bare) and re.match(r"\w", bare):
            run.append(word.strip(".'’"))
        elif run:
            terms[" ".join(run)] = None
            run = []
    return tuple(terms)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in content_words(text))
