"""The number by which a person would cite a part: `第三条第二項第一号`, `2.a`, `Article 3(b)`."""

from dataclasses import dataclass, field
from functools import cached_property

from sanbo.agents.comparison.numbering.marks import Mark
from sanbo.documents.ooxml.list_numbers import numeral

TOP, ARTICLE, PARAGRAPH, ITEM, BELOW, PLAIN = 1, 6, 7, 8, 9, 10
"""Ranks of parts, of chapters and the like in between; smaller contains larger."""

JAPANESE_ARTICLE = "article第"
SUPPLEMENT = "supplement"
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(eq=False)
class Node:
    """A part in its place among the others."""

    id: str
    rank: int = PLAIN
    style: str = ""
    """Marks of one style count on in one list: `（１）`, `(a)`, `1.`; empty without a mark."""
    written: str = ""
    """Its mark as it stands in the document."""
    mark: Mark | None = None
    level: int | None = None
    """Of a heading."""
    is_item: bool = False
    is_title: bool = False
    """Nothing but its number and a title in brackets."""
    introduces: bool = False
    """It ends in a colon: what follows stands under it."""
    parent: "Node | None" = None
    is_text_of_article: bool = False
    """Without a number, right under `第二条（委託料）`: a person cites it by that number."""
    has_paragraphs: bool = field(default=False, init=False)
    """Of an article: its first paragraph bears no number, others do."""

    @property
    def is_named(self) -> bool:
        """An article, or what contains articles."""
        return self.rank <= ARTICLE

    @cached_property
    def label(self) -> str:
        """Asked for when all parts are placed; empty where it has no number."""
        if not self.style:
            return self.parent.label if self.is_text_of_article and self.parent else ""
        own, above = _own(self), _cited_above(self)
        if above is None:
            return own
        if self.rank >= ITEM and above.style == JAPANESE_ARTICLE and above.has_paragraphs:
            own = f"第{_like(above, 1)}項{own}"
        return _chained(above.label, own, by_word=self.is_named)


def _cited_above(node: Node) -> Node | None:
    """What is cited before it: nothing where its number says all, as `1.2.3` and 第五条 do."""
    if node.mark and len(node.mark.number) > 1 and node.mark.unit in ("decimal", "section"):
        return None
    above = node.parent
    while above is not None and (not above.label or _is_left_out(above, node)):
        above = above.parent
    return above


def _is_left_out(above: Node, node: Node) -> bool:
    """Articles are counted through all chapters, but anew in supplements and annexes."""
    counted_through = node.style.startswith("article") and above.is_named
    return counted_through and not above.style.startswith((SUPPLEMENT, "annex"))


def _chained(above: str, own: str, *, by_word: bool) -> str:
    if not own[0].isascii() or not above[-1].isascii():
        return above + own
    if by_word:
        return f"{above}, {own}"
    return f"{above}.{own}" if own[0].isalnum() and above[-1].isalnum() else above + own


def _own(node: Node) -> str:
    if node.mark is None or node.is_named:
        return node.written.rstrip(".．:：")
    article, unit = _article_above(node), _unit(node)
    if article is None or not unit or (node.mark.unit == "decimal" and len(node.mark.number) > 1):
        bare = node.written.rstrip(".．")
        return bare if bare[0] in "（(" else bare.rstrip(")）")
    first, *branches = (_like(article, number) for number in node.mark.number)
    return f"第{first}{unit}" + "".join(f"の{branch}" for branch in branches)


def _article_above(node: Node) -> Node | None:
    above = node.parent
    while above is not None and above.style not in (JAPANESE_ARTICLE, SUPPLEMENT):
        above = above.parent
    return above


def _unit(node: Node) -> str:
    """`２` in an article is a 項; a 号 is `一` in a law, `（１）` in a contract."""
    if node.rank == PARAGRAPH:
        return "項"
    if node.rank == ITEM:
        return "号"
    above = node.parent
    while above is not None and above.rank == PLAIN:
        above = above.parent
    counts = node.mark is not None and node.mark.unit in ("bracketed", "circled")
    return "号" if counts and above is not None and above.rank in (ARTICLE, PARAGRAPH) else ""


def _like(article: Node, number: int) -> str:
    """In the numerals that the article is counted by."""
    if any(digit.isascii() and digit.isdigit() for digit in article.written):
        return str(number)
    if any(digit in "０１２３４５６７８９" for digit in article.written):
        return str(number).translate(_FULL_WIDTH)
    return numeral(number, "japaneseCounting")
