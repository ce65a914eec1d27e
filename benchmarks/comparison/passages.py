"""A law as its drafters see it: headings, articles, their paragraphs and items."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import takewhile

from .numerals import KANJI

_FRONT_MATTER = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_HEADING = re.compile(r"(#+) (.*)")
_ARTICLE = re.compile(rf"\*\*(第[{KANJI}]+条[^（*]*)(（[^*]*）)?\*\*　?(.*)")
_PARAGRAPH = re.compile(r"\*\*([０-９]+|[①-⑳])\*\*　(.*)")
_ITEM = re.compile(rf"( *)- ([{KANJI}]+(?:の[{KANJI}]+)*|[ア-ン]|（[０-９]+）)　(.*)")
_TABLE_RULE = re.compile(r"\|[\s|:-]+\|")


class Level(IntEnum):
    HEADING = 1
    ARTICLE = 2
    """An article's first paragraph, which carries the article's number."""
    PARAGRAPH = 3
    ITEM = 4
    OTHER = 5
    """Front matter, a table, an unnumbered paragraph: never edited."""


@dataclass(frozen=True)
class Passage:
    level: Level
    mark: str
    """As written, `第三条の二`, `２`, `一`; of a heading its `##`."""
    caption: str
    """`（目的）` of an article."""
    body: str
    depth: int = 0
    """How far an item is indented."""
    origins: tuple[int, ...] = ()
    """Which passages of the old law it comes from; none: it was inserted."""
    edits: frozenset[str] = frozenset()

    @property
    def markdown(self) -> str:
        if self.level is Level.HEADING:
            return f"{self.mark} {self.body}"
        if self.level is Level.OTHER:
            return self.body
        if self.level is Level.ITEM:
            return f"{' ' * self.depth}- {self.mark}　{self.body}"
        gap = "　" if self.body else ""
        return f"**{self.mark}{self.caption}**{gap}{self.body}"

    @property
    def visible(self) -> str:
        """What a reader of the rendered text sees of it."""
        if self.level is Level.HEADING:
            return self.body
        if self.level is Level.OTHER:
            return _without_markup(self.body)
        return f"{self.mark}{self.caption}　{self.body}"


@dataclass
class Group:
    """An article with all that stands under it, or any other passage alone."""

    section: int
    """0 for the main provisions, then one for each 附則: numbers begin anew."""
    passages: list[Passage] = field(default_factory=list[Passage])
    touched: bool = False

    @property
    def is_article(self) -> bool:
        return self.passages[0].level is Level.ARTICLE


def read_passages(markdown: str) -> list[Passage]:
    passages: list[Passage] = []
    if front := _FRONT_MATTER.match(markdown):
        passages.append(Passage(Level.OTHER, "", "", front[0].rstrip("\n")))
        markdown = markdown[front.end() :]
    for line in _logical_lines(markdown):
        passages.append(_passage(line))
    return [_numbered(passage, at) for at, passage in enumerate(passages)]


def write_passages(passages: Iterable[Passage]) -> str:
    return "\n\n".join(passage.markdown for passage in passages) + "\n"


def main_provisions(passages: Sequence[Passage]) -> list[Passage]:
    """Without the 附則, whose sentences are the same in every law."""
    return list(takewhile(lambda passage: not _opens_supplement(passage), passages))


def grouped(passages: Sequence[Passage]) -> list[Group]:
    groups: list[Group] = []
    section = 0
    for passage in passages:
        section += _opens_supplement(passage)
        below = passage.level in (Level.PARAGRAPH, Level.ITEM)
        if below and groups and groups[-1].is_article:
            groups[-1].passages.append(passage)
        else:
            groups.append(Group(section, [passage]))
    return groups


def _opens_supplement(passage: Passage) -> bool:
    return passage.level is Level.HEADING and passage.body.startswith("附則")


def _numbered(passage: Passage, at: int) -> Passage:
    return Passage(passage.level, passage.mark, passage.caption, passage.body, passage.depth, (at,))


def _logical_lines(markdown: str) -> list[str]:
    """Every line is a passage of its own, but the lines of a table are one."""
    lines: list[str] = []
    for line in markdown.split("\n"):
        if not line.strip():
            continue
        if line.startswith("|") and lines and lines[-1].startswith("|"):
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return lines


def _passage(line: str) -> Passage:
    if found := _HEADING.fullmatch(line):
        return Passage(Level.HEADING, found[1], "", found[2])
    if found := _ARTICLE.fullmatch(line):
        return Passage(Level.ARTICLE, found[1], found[2] or "", found[3])
    if found := _PARAGRAPH.fullmatch(line):
        return Passage(Level.PARAGRAPH, found[1], "", found[2])
    if found := _ITEM.fullmatch(line):
        return Passage(Level.ITEM, found[2], "", found[3], len(found[1]))
    return Passage(Level.OTHER, "", "", line)


def _without_markup(source: str) -> str:
    if source.startswith("---\n"):
        return source.removeprefix("---\n").removesuffix("\n---")
    if source.startswith("|"):
        rows = [row for row in source.split("\n") if not _TABLE_RULE.fullmatch(row)]
        return "\n".join(rows).replace("|", " ")
    return source.replace("**", "").lstrip().removeprefix("- ")
