"""How Japanese words are read: 山田商事 as ヤマダショウジ."""

import threading
from functools import cache, lru_cache

from sudachipy import Dictionary, SplitMode
from sudachipy.tokenizer import Tokenizer

from sanbo.language.companies import company_key, company_name, folded, letters_of

_of_thread = threading.local()
_lock = threading.Lock()


@lru_cache(1 << 16)
def company_reading(name: str) -> str:
    """The key in katakana, as a bank writes a payer: 山田商事(株) and ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ are one."""
    bare = company_name(name)
    return letters_of(folded(reading(bare))) if bare else company_key(name)


def reading(text: str) -> str:
    """In katakana; what the dictionary can't read stays as it is written."""
    parts = [
        (found.surface(), found.reading_form())
        for found in _tokenizer().tokenize(text.encode("utf-8", "replace").decode())
    ]
    return "".join(written if _is_unread(said) else said for written, said in parts)


def _is_unread(said: str) -> bool:
    return not said or said == "キゴウ"


@cache
def _dictionary() -> Dictionary:
    return Dictionary()


def _tokenizer() -> Tokenizer:
    """One for each thread: a tokenizer keeps state, the dictionary is shared."""
    tokenizer: Tokenizer | None = getattr(_of_thread, "tokenizer", None)
    if tokenizer is None:
        with _lock:
            tokenizer = _of_thread.tokenizer = _dictionary().tokenizer(mode=SplitMode.C)
    return tokenizer
