"""The words of `words.yaml`: what stands in office tables and is no data, and what names it."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

_WIDE = re.compile("[\u3000\uff01-\uffee]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^\x00-\x7f])(?=[A-Za-z#])")
_BETWEEN = re.compile(r"[\s_\-./()（）\[\]]+")


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TotalWords(_Words):
    whole: tuple[str, ...]
    unsure: tuple[str, ...]
    beside: tuple[str, ...]


class NoteWords(_Words):
    signs: tuple[str, ...]
    words: tuple[str, ...]


class Words(_Words):
    totals: dict[str, TotalWords]
    notes: NoteWords
    rates: tuple[str, ...]
    identifiers: tuple[str, ...]
    counts: tuple[str, ...]
    units: str
    per: tuple[str, ...]


WORDS = Words.model_validate(
    yaml.safe_load(Path(__file__).with_name("words.yaml").read_text("utf-8"))
)


def narrow(text: str) -> str:
    """Ｔｏｔａｌ as Total and ｼﾝｼﾞｭｸ as シンジュク. Nothing else changes: ① stays, and ² does."""
    return _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text)


@lru_cache(4096)
def ends_with(name: str, words: Sequence[str]) -> bool:
    """Whether a column's name ends with one: 注文番号 with 番号, but paid not with id."""
    form = narrow(name).strip()
    parts = _BETWEEN.split(_CAMEL.sub(" ", form).lower().strip(" .()（）[]"))
    last, together = parts[-1], form.lower()
    return any(
        last == word or (not word.isascii() and (last.endswith(word) or together.endswith(word)))
        for word in words
    )
