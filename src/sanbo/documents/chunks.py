"""Cuts a document into chunks: by its structure first, then by size.

A chunk is a span of the document's text. It ends within a table row or a sentence only where that
one alone is longer than anything a reader or a model could use. It does not
cross a page, a sheet or an article, so whatever is found names one place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sanbo.documents.model import Document, Frozen, Heading, Paragraph, Position, Table
from sanbo.documents.structure import Rank, marker_of, sentence_spans

# Characters. Paragraphs are gathered up to `TARGET`, and what is longer than `MOST` is cut.
TARGET = 400
MOST = 800
LONGEST_SENTENCE = 4_000
# A title or a header may be as long as somebody likes; every chunk carries it.
LONGEST_CONTEXT_LINE = 300
LONGEST_CONTEXT = 800


class Cut(Frozen):
    """Where a chunk stands; with the document it is the chunk."""

    ordinal: int
    position: Position
    context: str
    """What a reader knows at this place without reading it here: title, headings, table header."""

    def of(self, document: Document) -> "Chunk":
        text = document.text[self.position.start : self.position.end]
        return Chunk(text=text, **self.__dict__)


class Chunk(Cut):
    text: str

    @property
    def cut(self) -> Cut:
        return Cut(ordinal=self.ordinal, position=self.position, context=self.context)


@dataclass(frozen=True)
class _Piece:
    """The smallest unit that is never divided: a sentence, a table row, a heading."""

    start: int
    end: int
    position: Position
    is_heading: bool = False
    begins: bool = False
    """A chunk must begin here."""
    row: int | None = None
    context: str = ""


def chunk(document: Document, *, target: int = TARGET, most: int = MOST) -> list[Chunk]:
    return [
        Cut(ordinal=ordinal, position=_position(group), context=_context(document, group)).of(
            document
        )
        for ordinal, group in enumerate(_groups(_pieces(document, most), target, most))
    ]


def _pieces(document: Document, most: int) -> Iterator[_Piece]:
    article = ""
    for block in document.blocks:
        position = block.position
        if isinstance(block, Heading):
            article = ""
            for start, end in _cut(document.text, position.start, position.end):
                yield _Piece(start, end, position, is_heading=True, begins=True)
        elif isinstance(block, Table):
            yield from _rows(block, document.text)
        else:
            text = document.text_of(block)
            marker = marker_of(text)
            is_article = marker is not None and marker.rank <= Rank.ARTICLE
            if is_article:
                article = ""
            yield from _sentences(block, text, is_article, article, most)
            if is_article:
                article = text[:60].split("\n")[0].split("。")[0]


def _rows(table: Table, text: str) -> Iterator[_Piece]:
    context = "\n".join(
        line for line in (table.title, " ".join(table.columns or ())) if line and line.strip()
    )
    starts = table.row_starts
    ends = [start - 1 for start in starts[1:]] + [table.position.end]
    if not starts:  # a header and nothing under it
        yield _Piece(table.position.start, table.position.end, table.position, begins=True)
        return
    first = table.position.start  # the header line goes with the first row
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for number, (begin, stop) in enumerate(_cut(text, first if index == 0 else start, end)):
            yield _Piece(
                begin,
                stop,
                table.position,
                begins=index == number == 0,
                row=table.row_numbers[index],
                context=context if index or number else (table.title or ""),
            )


def _sentences(
    block: Paragraph, text: str, is_article: bool, article: str, most: int
) -> Iterator[_Piece]:
    begin = block.position.start
    spans = [(0, len(text))] if len(text) <= most else _short_enough(text)
    for index, (start, end) in enumerate(spans):
        yield _Piece(
            begin + start,
            begin + end,
            block.position,
            begins=is_article and index == 0,
            context=article,
        )


def _short_enough(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        spans += _cut(text, start, end)
    return spans


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence or a row in pieces that can be used; nearly always it is one."""
    spans: list[tuple[int, int]] = []
    begin = start
    while end - begin > LONGEST_SENTENCE:
        cut = _weak_end(text, begin, begin + LONGEST_SENTENCE)
        spans.append((begin, cut))
        begin = cut
    spans.append((begin, end))
    return spans


def _weak_end(text: str, start: int, limit: int) -> int:
    """Where a sentence without end is cut: after a comma or a blank, else anywhere."""
    best = max(text.rfind(mark, start, limit) for mark in "、，, \t")
    return best + 1 if best > start + LONGEST_SENTENCE // 2 else limit


def _groups(pieces: Iterable[_Piece], target: int, most: int) -> Iterator[list[_Piece]]:
    group: list[_Piece] = []
    for piece in pieces:
        if group and _ends_before(group, piece, target, most):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _ends_before(group: list[_Piece], piece: _Piece, target: int, most: int) -> bool:
    first, last = group[0], group[-1]
    if (piece.position.page, piece.position.sheet) != (last.position.page, last.position.sheet):
        return True
    if all(member.is_heading for member in group):
        return piece.end - first.start > most  # a heading goes with what it heads
    if piece.begins:
        return True
    return piece.end - first.start > most or last.end - first.start >= target


def _position(group: list[_Piece]) -> Position:
    rows = [piece.row for piece in group if piece.row is not None]
    first, last = group[0].position, group[-1].position
    return Position(
        start=group[0].start,
        end=group[-1].end,
        page=first.page,
        sheet=first.sheet,
        row=rows[0] if rows else first.row,
        last_row=rows[-1] if rows else None,
        headings=last.headings,
    )


def _context(document: Document, group: list[_Piece]) -> str:
    """Title, headings and table header, without what the chunk's own text begins with."""
    own = {document.text[piece.start : piece.end] for piece in group if piece.is_heading}
    contexts = dict.fromkeys(piece.context for piece in group)
    lines = [document.title or "", *group[-1].position.headings, *contexts]
    kept = [line for line in dict.fromkeys(lines) if line and line not in own]
    return "\n".join(line[:LONGEST_CONTEXT_LINE] for line in kept)[:LONGEST_CONTEXT]
