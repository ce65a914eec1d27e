"""Under what each part of a document stands.

Laws and contracts number by fixed ranks: chapters over articles over paragraphs over items.
Below those, and where there are no articles, a way of numbering that is already open goes on, and
one that is not begins a list below the last number: `1.` → `(a)` → `(i)` → `(b)` → `2.`
"""

import re

from sanbo.agents.comparison.chunking.labels import (
    ARTICLE,
    BELOW,
    ITEM,
    JAPANESE_ARTICLE,
    PARAGRAPH,
    PLAIN,
    SUPPLEMENT,
    TOP,
    Node,
)
from sanbo.agents.comparison.chunking.lines import SUPPLEMENT_TITLE, is_title
from sanbo.agents.comparison.chunking.parts import Part
from sanbo.agents.comparison.numbering.marks import Mark, Unit

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
