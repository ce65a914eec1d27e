"""What a report is made of, whatever file it becomes: headings, paragraphs, grids, pictures."""

from dataclasses import dataclass, replace
from typing import Literal

from sanbo.runs.model import Artifact


@dataclass(frozen=True)
class Words:
    """Some words that look alike; a line break is `\\n`."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    grey: bool = False
    mark: Literal["", "added", "deleted"] = ""
    """In one of two documents only."""


Line = tuple[Words, ...]


def line(text: str) -> Line:
    return (Words(text),)


def text_of(words: Line) -> str:
    return "".join(each.text for each in words)


@dataclass(frozen=True)
class Heading:
    level: int
    """2 to 4; the title of the report itself is 1."""
    text: str


@dataclass(frozen=True)
class Paragraph:
    words: Line
    is_quote: bool = False
    is_warning: bool = False


@dataclass(frozen=True)
class Item:
    """Of a list."""

    words: Line
    depth: int = 0
    number: int | None = None


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Grid:
    header: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    right: tuple[bool, ...] = ()
    """Which columns are numbers."""
    widths: tuple[int, ...] = ()
    """In parts of the whole; where none are given, as wide as their text."""
    note: str = ""


@dataclass(frozen=True)
class Picture:
    picture: Artifact
    title: str
    description: str = ""


Block = Heading | Paragraph | Item | Code | Grid | Picture


def under(blocks: list[Block], level: int) -> list[Block]:
    """With the highest of their headings at this level."""
    levels = [block.level for block in blocks if isinstance(block, Heading)]
    shift = level - min(levels, default=level)
    return [
        replace(block, level=min(block.level + shift, 4)) if isinstance(block, Heading) else block
        for block in blocks
    ]
