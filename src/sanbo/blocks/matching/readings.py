"""How Japanese words are read: 山田商事 as ヤマダショウジ."""

import threading
from functools import cache

from sudachipy import Dictionary, SplitMode
from sudachipy.tokenizer import Tokenizer

_of_thread = threading.local()
_lock = threading.Lock()


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
