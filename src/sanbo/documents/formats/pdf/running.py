"""Running heads, running feet and page numbers: what stands at the same place on most pages."""

import re
import unicodedata
from collections import defaultdict
from statistics import median

from sanbo.documents.formats.pdf.lines import Line, PageLines

FEWEST_PAGES = 5
SHARE_OF_PAGES = 0.6

_MARGIN = 0.1
_SAME_PLACE = 0.02
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_WHITE = re.compile(r"\s+")


def drop_running_lines(pages: list[PageLines]) -> None:
    if len(pages) < FEWEST_PAGES:
        return
    seen: dict[str, list[tuple[int, Line, float]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for line in page.lines:
            height = line.box.middle[1] / page.height if page.height else 0.5
            if not _MARGIN < height < 1 - _MARGIN:
                seen[_shape(line.text)].append((number, line, height))
    dropped: set[int] = set()
    for places in seen.values():
        usual = median(height for _, _, height in places)
        same = [(page, line) for page, line, height in places if abs(height - usual) < _SAME_PLACE]
        if len({page for page, _ in same}) >= SHARE_OF_PAGES * len(pages):
            dropped.update(id(line) for _, line in same)
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in dropped]


def _shape(text: str) -> str:
    """The text with every number alike, so that page 7 is page 8."""
    return _WHITE.sub("", _NUMBER.sub("#", unicodedata.normalize("NFKC", text).lower()))
