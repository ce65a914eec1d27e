"""Places, formats and counts of collections, as people read them."""

from datetime import datetime

from sanbo.kernel.messages import tell
from sanbo.service.collections import CollectionInfo, Format, Position, documents, format_named
from sanbo.ui.presentation import browser_zone, moment

# As English says them, in both languages: they stand in the address, too.
FORMATS_BY_NAME: dict[str, Format] = {
    known.titles["en"]: name for name, known in documents().items()
}


def format_name(format: Format) -> str:
    known = documents().get(format)
    return format.upper() if known is None else known.titles["en"]


def place_of(position: Position, format: Format) -> str:
    """`40ページ`, `シート『売上』 12–18行`; empty where only the text itself tells."""
    parts: list[str] = []
    if position.page is not None:
        kind = format_named(format).page_word
        parts.append(tell(f"ui.collections.place.{kind}", page=position.page))
    if position.sheet is not None:
        parts.append(tell("ui.collections.place.sheet", sheet=position.sheet))
    if position.row is not None and (
        position.sheet is not None or format_named(format).counts_rows
    ):
        # Elsewhere a table's rows are numbered by us; nobody could find them by their number.
        parts.append(_rows(position.row, position.last_row or position.row))
    return " ".join(parts)


def _rows(first: int, last: int) -> str:
    if first == last:
        return tell("ui.collections.place.row", row=first)
    return tell("ui.collections.place.rows", row=first, last=last)


def counted(what: str, count: int) -> str:
    """`1 passage`, `1,200 passages`; Japanese says both alike."""
    number = "one" if count == 1 else "many"
    return tell(f"ui.collections.counted.{what}.{number}", count=f"{count:,}")


def counts_of(info: CollectionInfo, now: datetime) -> str:
    return tell(
        "ui.collections.counts",
        documents=counted("documents", info.documents),
        chunks=counted("chunks", info.chunks),
        updated=moment(info.updated_at, browser_zone(), now),
    )
