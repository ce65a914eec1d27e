"""Words that a plan may write for a thing: the one that is ours, and its other spellings."""

from collections.abc import Mapping
from typing import Generic, TypeVar

Word = TypeVar("Word", bound=str)


class Vocabulary(Generic[Word]):
    def __init__(self, spellings: Mapping[Word, str]) -> None:
        """Each word with its other spellings, separated by blanks."""
        self.words: tuple[Word, ...] = tuple(spellings)
        self._words = {
            spelling: word
            for word, others in spellings.items()
            for spelling in (str(word), *others.split())
        }

    def find(self, written: str) -> Word | None:
        """Whatever its case."""
        return self._words.get(written.strip().lower())

    def __str__(self) -> str:
        return ", ".join(self.words)
