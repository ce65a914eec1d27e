"""A document as it is compared: headings, paragraphs, items and rows, in order, all of it.

Each with what it stands under, and the number by which a person would cite it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal

from sanbo.agents.comparison.chunking.paragraphs import (
    SUPPLEMENT_TITLE,
    Part,
    across_pages,
    is_japanese,
    is_title,
    key_of,
    parts_of,
    row_key,
    with_running_lines,
)
from sanbo.agents.comparison.model import Chunk, Side
from sanbo.agents.comparison.numbering import Mark, Unit, own_mark
from sanbo.documents.file_formats import format_named
from sanbo.documents.model import BLOCK_SEPARATOR, CELL_SEPARATOR, Document, Position
from sanbo.language.numerals import numeral

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


_NAMED: dict[Unit, int] = {
    "supplement": TOP,
    "annex": TOP,
    "part": TOP,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "division": 5,
    "article": ARTICLE,
}
_RANK_IN_ARTICLE: dict[Unit, int] = {"paragraph": PARAGRAPH, "decimal": PARAGRAPH, "item": ITEM}
_INTRODUCES = re.compile(r"[:：]\s*$")
_ROMAN_LETTERS = frozenset("ivxlcdm")
_BRACKETS = "()（）.．"


class Outline:
    """Parts are placed one by one in the order of the document."""

    def __init__(self) -> None:
        self._open: list[Node] = []

    def place(self, id: str, part: Part, text: str, mark: Mark | None) -> Node:
        if part.kind in ("row", "metadata") or part.role in ("code", "footnote", "note"):
            return Node(id, parent=self._last_but_plain())
        node = self._node(id, part, text, mark)
        if node.level is not None:
            self._close_for_heading(node)
        elif node.style:
            self._close_for_number(node)
        else:
            return self._plain(node)
        node.parent = self._open[-1] if self._open else None
        if node.parent and node.rank == PARAGRAPH and node.parent.style == JAPANESE_ARTICLE:
            node.parent.has_paragraphs = True
        self._open.append(node)
        return node

    def _last_but_plain(self) -> Node | None:
        others = (node for node in reversed(self._open) if node.rank != PLAIN or node.level)
        return next(others, None)

    def _node(self, id: str, part: Part, text: str, mark: Mark | None) -> Node:
        node = Node(
            id,
            mark=mark,
            level=part.level,
            is_item=part.role == "list_item",
            introduces=bool(_INTRODUCES.search(text)),
        )
        if mark is not None:
            node.written = text[mark.start : mark.end]
            node.is_title = is_title(text)
            node.rank = self._rank(mark, node.written)
            node.style = self._style(mark, node.written)
        elif SUPPLEMENT_TITLE.match(text.lstrip()):
            node.rank, node.style, node.written = TOP, SUPPLEMENT, "附則"
        return node

    def _rank(self, mark: Mark, written: str) -> int:
        if mark.unit == "section" and written[0] != "第":
            return ARTICLE  # contracts have sections in articles, regulations articles in sections
        if mark.unit in _NAMED:
            return _NAMED[mark.unit]
        if not any(node.style in (JAPANESE_ARTICLE, SUPPLEMENT) for node in self._open):
            return PARAGRAPH
        if mark.unit == "circled" and self._counts_paragraphs(mark):
            return PARAGRAPH
        return _RANK_IN_ARTICLE.get(mark.unit, BELOW)

    def _counts_paragraphs(self, mark: Mark) -> bool:
        """② in an article is its second paragraph, unless a list of items began with ①.

        ① is the first paragraph where it stands right under the title: 第二条（委託料） ① ….
        """
        if mark.number == (1,):
            last = self._open[-1]
            return last.style == JAPANESE_ARTICLE and last.is_title
        before = (mark.number[0] - 1,)
        counted = [node.mark for node in self._open if node.rank == BELOW and node.mark]
        return not any(other.unit == "circled" and other.number == before for other in counted)

    def _style(self, mark: Mark, written: str) -> str:
        if mark.unit in _NAMED:
            return mark.unit + written[0].casefold()
        if mark.unit in ("paragraph", "decimal"):
            return f"decimal{len(mark.number)}"
        is_letter = mark.unit == "roman" and self._goes_on_with(written)
        return ("letter" if is_letter else mark.unit) + _shape(written)

    def _goes_on_with(self, written: str) -> bool:
        """`(i)` after `(h)` is a letter."""
        style, letter = "letter" + _shape(written), written.strip(_BRACKETS).casefold()
        if letter not in _ROMAN_LETTERS:
            return False
        before = (ord(letter) - ord("a"),)
        marks = (node.mark for node in self._open if node.style == style)
        return any(mark is not None and mark.number == before for mark in marks)

    def _close_for_heading(self, heading: Node) -> None:
        while self._open:
            last = self._open[-1]
            if last.is_named and heading.is_named and last.rank != heading.rank:
                goes = last.rank > heading.rank
            else:
                goes = last.level is None or last.level >= (heading.level or 0)
            if not goes:
                break
            self._open.pop()

    def _close_for_number(self, node: Node) -> None:
        while self._open and _is_over(self._open[-1], node):
            self._open.pop()
        for at, other in enumerate(self._open):
            if _are_siblings(other, node):
                del self._open[at:]
                break

    def _plain(self, node: Node) -> Node:
        """A paragraph without a number: a list is over with it, an item without one goes on."""
        last = self._open[-1] if self._open else None
        node.is_text_of_article = (
            last is not None and last.style == JAPANESE_ARTICLE and last.is_title
        )
        if not node.is_item:
            while self._open and _is_over_for_plain(self._open[-1]):
                self._open.pop()
        node.parent = self._open[-1] if self._open else None
        if not node.is_item:
            self._open.append(node)
        return node


def _is_over(last: Node, node: Node) -> bool:
    if last.level is not None and not (last.is_named and node.is_named):
        return False
    if last.rank == PLAIN:
        return not last.introduces
    return last.rank > node.rank


def _is_over_for_plain(last: Node) -> bool:
    return last.level is None and (last.rank == PLAIN or last.is_item)


def _are_siblings(other: Node, node: Node) -> bool:
    if other.rank != node.rank or (other.level is not None and not node.is_named):
        return False
    if node.rank == TOP:  # an annex does not belong to the last supplement
        return True
    if node.style.startswith("decimal") and other.style.startswith("decimal"):
        return other.style >= node.style  # 1.2 is over with 1.3, and with 2
    return other.style == node.style


def _shape(written: str) -> str:
    """What stands around the number: `(a)` and `a.` are two ways to count, `(b)` goes on (a)."""
    letters = [character for character in written if character.isalpha()]
    case = "A" if letters and letters[0].isupper() else ""
    brackets = "()" if written[0] in "（(⑴" else ")" if written[-1] in "）)" else ""
    return brackets + case


_JAPANESE = r"[\u3040-\u30ff\u4e00-\u9fff々〇（）「」『』【】、。・]"
_COUNTED = "条項号章節編款目年月日時分秒円銭万億兆千百人名件社個回台本枚歳通部週箇ヶか割倍階度点％%"
# Only within a sentence: at its beginning `2 本人は` is the second paragraph, not two books.
_APART = re.compile(
    rf"(?<={_JAPANESE})[ \u00a0]?(?P<number>[0-9][0-9,.]*)[ \u00a0](?=[{_COUNTED}])"
    rf"|(?<={_JAPANESE})[ \u00a0](?P<close>[0-9][0-9,.]*)(?=[{_COUNTED}])"
)


def tightened(text: str) -> str:
    return _APART.sub(lambda found: found["number"] or found["close"], text)


@dataclass(frozen=True)
class Written:
    part: Part
    start: int
    end: int


def as_it_stands(parts: Sequence[Part]) -> list[Written]:
    return [Written(part, part.start, part.end) for part in parts]


def set_anew(text: str, parts: Sequence[Part]) -> tuple[str, list[Written]]:
    """Parts in their order, each without the blanks and breaks that a page has put into it."""
    pieces: list[str] = []
    places: list[Written] = []
    at = 0
    for gap, part in zip(_gaps(text, parts), parts, strict=True):
        whole = tightened(_whole([text[start:end] for start, end in part.spans], part))
        pieces += (gap, whole)
        at += len(gap) + len(whole)
        places.append(Written(part, at - len(whole), at))
    return "".join(pieces), places


def _gaps(text: str, parts: Sequence[Part]) -> Iterator[str]:
    """The white space before each part."""
    yield from [""] * bool(parts)
    for before, part in pairwise(parts):
        gap = text[before.end : part.start]
        yield gap if gap and not gap.strip() else BLOCK_SEPARATOR


def _whole(pieces: Sequence[str], part: Part) -> str:
    if part.kind != "row" or len(pieces) == 1:
        return _joined(pieces)
    columns = zip(*(piece.split(CELL_SEPARATOR) for piece in pieces), strict=True)
    return CELL_SEPARATOR.join(_joined([cell for cell in cells if cell]) for cells in columns)


def _joined(pieces: Sequence[str]) -> str:
    whole = "".join(pieces[:1])
    for piece in pieces[1:]:
        apart = not (is_japanese(whole[-1]) or is_japanese(piece[0]))
        whole += f" {piece}" if apart else piece
    return whole


Letter = Literal["A", "B"]


def document_side(document: Document, letter: Letter, prefix: str = "") -> Side:
    """`Side.text` is the document's; of a PDF without what its pages have done to it."""
    text, parts = document.text, list(parts_of(document))
    if format_named(document.format).has_set_pages:
        text, places = set_anew(text, across_pages(text, with_running_lines(text, parts)))
    else:
        places = as_it_stands(parts)
    return Side(
        name=document.name,
        format=document.format,
        text=text,
        chunks=tuple(_chunks(text, places, f"{prefix}{letter}")),
        pages=document.pages,
        warnings=document.warnings,
    )


def _chunks(text: str, places: Iterable[Written], before_number: str) -> Iterable[Chunk]:
    outline, headers = Outline(), _Headers()
    found: list[tuple[Written, str, Mark | None, Node, str | None]] = []
    for number, place in enumerate(places, start=1):
        id, own = f"{before_number}{number}", text[place.start : place.end]
        mark = _mark(place.part, own)
        node = outline.place(id, place.part, own, mark)
        parent = headers.above(id, place.part) or (node.parent.id if node.parent else None)
        found.append((place, own, mark, node, parent))
    for place, own, mark, node, parent in found:
        yield Chunk(
            id=node.id,
            text=own,
            key=_key(place.part, own, mark),
            kind=place.part.kind,
            label=node.label,
            parent=None if place.part.kind == "metadata" else parent,
            position=_position(place),
        )


def _mark(part: Part, text: str) -> Mark | None:
    if part.kind in ("row", "metadata") or part.role == "code":
        return None
    return own_mark(text, is_heading=part.kind == "heading")


def _key(part: Part, text: str, mark: Mark | None) -> str:
    return row_key(text.split(CELL_SEPARATOR)) if part.kind == "row" else key_of(text, mark)


class _Headers:
    """The headers of tables, by where in the document each table begins."""

    def __init__(self) -> None:
        self._ids: dict[int, str] = {}
        self._last = ""

    def above(self, id: str, part: Part) -> str | None:
        table = part.position.start
        if part.heads:
            # The same header again, on the next page, is metadata: its rows are the table's.
            self._last = id if part.kind == "row" else self._last
            self._ids[table] = self._last
        elif part.kind == "row":
            return self._ids.get(table)
        return None


def _position(place: Written) -> Position:
    changed = {"start": place.start, "end": place.end, "row": place.part.row}
    return place.part.position.model_copy(update=changed)
