"""What a report is made of, whatever file it becomes: headings, paragraphs, grids, pictures.

Markdown of a part becomes blocks too: what it says and how it stands out, and nothing that acts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sanbo.kernel.markdown import UNSEEN
from sanbo.reports.letters import printable
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


MOST_BRACKETS = 1_000
"""More of them cost the parser time by the square of their number: such a text stays as it is."""
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def blocks_of(markdown: str) -> list[Block]:
    text = printable(markdown)
    if text.count("[") > MOST_BRACKETS:
        return [Paragraph((Words(each),)) for each in text.splitlines() if each.strip()]
    return list(_blocks(_PARSER.parse(text)))


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    place = _Place()
    rest = iter(tokens)
    for token in rest:
        place.pass_by(token)
        if token.type == "heading_open":
            yield Heading(int(token.tag[1]), text_of(_words(next(rest))))
        elif token.type == "inline":
            yield from place.told(_words(token))
        elif token.type in ("fence", "code_block"):
            yield Code(token.content.rstrip("\n"))
        elif token.type == "table_open":
            yield _grid(list(takewhile(lambda each: each.type != "table_close", rest)))


class _Place:
    """Inside of which lists and quotations a token stands."""

    def __init__(self) -> None:
        self._lists: list[int | None] = []
        """For each that is open the number of its next item; None of one without numbers."""
        self._quotes = 0
        self._begins_item = False

    def pass_by(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._begins_item = True
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case _:
                pass

    def told(self, words: Line) -> Iterator[Block]:
        if self._lists and self._begins_item and not self._quotes:
            number = self._lists[-1]
            yield Item(words, len(self._lists) - 1, number)
            self._lists[-1] = None if number is None else number + 1
            self._begins_item = False
        elif text_of(words).strip():
            yield Paragraph(words, is_quote=self._quotes > 0)


def _grid(tokens: Sequence[Token]) -> Grid:
    rows: list[list[Line]] = []
    right: list[bool] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            right.append("right" in str(token.attrs.get("style", "")))
        elif token.type == "inline":
            rows[-1].append(_words(token))
    header, *body = rows
    return Grid(tuple(map(text_of, header)), tuple(map(tuple, body)), tuple(right))


def _words(token: Token) -> Line:
    words: list[Words] = []
    bold = italic = struck = 0
    for child in token.children or ():
        match child.type:
            case "strong_open" | "strong_close":
                bold += child.nesting
            case "em_open" | "em_close":
                italic += child.nesting
            case "s_open" | "s_close":
                struck += child.nesting
            case "softbreak" | "hardbreak":
                words.append(Words("\n"))
            case "text" | "text_special" | "code_inline" | "image":
                text = child.content.replace(UNSEEN, "")
                words.append(
                    Words(
                        text,
                        bold=bold > 0,
                        italic=italic > 0,
                        code=child.type == "code_inline",
                        mark="deleted" if struck else "",
                    )
                )
            case _:
                pass
    return tuple(each for each in words if each.text)
