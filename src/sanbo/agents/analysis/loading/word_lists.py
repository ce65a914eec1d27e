"""The words of `words.yaml`, and what was done to make a table ready, said to people."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sanbo.agents.analysis.profile import Preparation, PreparationKind
from sanbo.kernel.messages import read_yaml, tell
from sanbo.kernel.text import listed

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


WORDS = Words.model_validate(read_yaml(Path(__file__).with_name("words.yaml")))


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


_LONGEST = 40
_MOST = 5


class Preparations:
    def __init__(self, as_written: Collection[PreparationKind] = ()) -> None:
        self._as_written = frozenset(as_written)
        self._said = [
            Preparation(kind=kind, text=tell(f"analysis_ready.left.{kind}"), is_done=False)
            for kind in sorted(self._as_written)
        ]

    def __iter__(self) -> Any:
        return iter(self._said)

    def wants(self, kind: PreparationKind) -> bool:
        return kind not in self._as_written

    def say(
        self, kind: PreparationKind, text: str, *, is_done: bool = True, **values: str | int
    ) -> None:
        """`text` of `analysis_ready`. Where nothing was changed, it cautions."""
        said = tell(f"analysis_ready.{text}", None, **values)
        self._said.append(Preparation(kind=kind, text=said, is_done=is_done))


def few(cells: Iterable[object]) -> str:
    """Cells, names or numbers of rows, for people."""
    return listed((short(str(cell)) for cell in cells), _MOST)


def short(text: str, most: int = _LONGEST) -> str:
    text = " ".join(text.splitlines())
    return text if len(text) <= most else f"{text[:most]}…"
