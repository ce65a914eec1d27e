"""A stretch of a question, and what it may mean."""

from typing import Literal, NamedTuple

from sanbo.agents.analysis.rules.scene import KnownValue
from sanbo.language.figures import Figure

Kind = Literal[
    "column", "value", "part", "word", "number", "when", "literal", "join", "glue", "unknown"
]


class Sense(NamedTuple):
    kind: Kind
    name: str
    """Of the column, the word's sense, or the text itself."""
    quality: float = 1.0
    value: KnownValue | None = None
    figure: Figure | None = None
    is_figure: bool = False
    """A column of numbers, and almost called so."""


class Item(NamedTuple):
    """One stretch of the question."""

    start: int
    end: int
    """Tokens, the end excluded."""
    text: str
    senses: tuple[Sense, ...]
    is_japanese: bool
    is_content: bool
    is_capital: bool = False
    """Written with a capital letter, as names are."""

    @property
    def sense(self) -> Sense:
        return self.senses[0]

    def taken_as(self, sense: Sense) -> "Item":
        return self._replace(senses=(sense,))


def is_column(item: Item) -> bool:
    return all(sense.kind == "column" for sense in item.senses)


LONG = 5
"""Letters of a word that may be misspelt, or a part of a value."""
ALIKE = 84
"""Of a hundred: a word that is almost another."""
