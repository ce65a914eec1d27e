"""The shared strings of a workbook: read by number, and emptied when no cell shows them any more.

New texts stand in their own cells, so a string that other cells share never changes.
"""

from collections.abc import Callable, Iterable

from sanbo.documents.excel.values import unescaped
from sanbo.documents.ooxml.xml import MAIN, Element, element

_TEXT = f"{MAIN}t"
_RUN = f"{MAIN}r"
_FURIGANA = f"{MAIN}rPh"


class Strings:
    """`sharedStrings.xml`; a workbook may have none."""

    def __init__(self, root: Element | None, touch: Callable[[], None]) -> None:
        self._items = [] if root is None else root.findall(f"{MAIN}si")
        self._touch = touch

    def __len__(self) -> int:
        return len(self._items)

    def text(self, index: int) -> str:
        return "" if index >= len(self._items) else text_of(self._items[index])

    def item(self, index: int) -> Element | None:
        return self._items[index] if index < len(self._items) else None

    def empty(self, indexes: Iterable[int]) -> None:
        """Excel leaves out what no cell shows; the numbers of the others must stay."""
        for index in indexes:
            item = self.item(index)
            if item is None:
                continue
            for part in list(item):
                item.remove(part)
            item.append(element(_TEXT))
            self._touch()


def text_of(item: Element) -> str:
    """Of an `si` or `is`: its runs joined, without the furigana above them."""
    parts = [part.text or "" for part in item if part.tag == _TEXT]
    for run in item.findall(_RUN):
        parts.extend(part.text or "" for part in run.findall(_TEXT))
    return unescaped("".join(parts))


def has_furigana(item: Element) -> bool:
    return item.find(_FURIGANA) is not None


def has_runs(item: Element) -> bool:
    """Whether parts of the text have formats of their own."""
    return len(item.findall(_RUN)) > 1 or item.find(f"{_RUN}/{MAIN}rPr") is not None
