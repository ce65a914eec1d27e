"""What saving does not keep, said before saving.

Untouched parts keep their bytes, so text boxes, pictures, charts, sparklines, slicers, newer rules
and the furigana of other cells stay. What remains to tell is short.
"""

from sanbo.documents.excel.book import Book
from sanbo.documents.ooxml.xml import MAIN
from sanbo.kernel.problems import Problem, UnsupportedFormat
from sanbo.kernel.text import listed


def losses_of(book: Book) -> tuple[Problem, ...]:
    found = [
        UnsupportedFormat(text_id, places=listed(places)).problem
        for text_id, places in book.losses.items()
    ]
    if book.package.changed and _is_signed(book):
        found.append(UnsupportedFormat("excel_loses_signature", name=book.name).problem)
    pivots = _outdated_pivots(book)
    if pivots:
        found.append(UnsupportedFormat("excel_pivot_outdated", places=listed(pivots)).problem)
    return tuple(found)


def _is_signed(book: Book) -> bool:
    return any(part.lower().startswith("_xmlsignatures/") for part in book.package.names())


def _outdated_pivots(book: Book) -> list[str]:
    """Sheets with changed cells that a pivot table sums up: Excel refreshes it when told to."""
    changed = {name.casefold(): name for name in book.changed_sheets}
    found: list[str] = []
    for entry in book.package.related(book.part, "pivotCacheDefinition"):
        for source in book.package.tree(entry.target).iter(f"{MAIN}worksheetSource"):
            name = changed.get((source.get("sheet") or "").casefold())
            if name is not None and name not in found:
                found.append(name)
    return found
