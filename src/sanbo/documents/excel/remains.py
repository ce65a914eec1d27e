"""Texts that no cell shows any more are emptied: what someone cleared must not stay in the file."""

from sanbo.documents.excel.book import Book
from sanbo.documents.excel.sheet import shared_index


def forget_overwritten_texts(book: Book) -> None:
    """Called once before saving. Other cells may show the same text: then it stays."""
    unused = set(book.overwritten_strings)
    for sheet in book.sheets() if unused else ():
        for _, node in sheet.grid:
            shown = shared_index(node)
            if shown is not None:
                unused.discard(shown)
    book.strings.empty(sorted(unused))
    book.overwritten_strings.clear()
