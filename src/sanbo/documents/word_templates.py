"""Word documents with places to fill in, `{{項目}}`: everything else stays as it is."""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import accumulate

from sanbo.documents.model import Source
from sanbo.documents.ooxml.package import EditablePackage
from sanbo.documents.ooxml.xml import Element, W, discard, element

PLACE = re.compile(r"\{\{([^{}]{1,500})\}\}")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_BESIDE = ("header", "footer", "footnotes", "endnotes")

Fill = Callable[[str, int], str]
"""What stands in a place, by what is written there and, in a repeated row, the row's number."""
Repeats = Callable[[list[str]], int | None]
"""How often a table's row with these places is there; None: once, as it is."""


def fill_document(source: Source, fill: Fill, repeats: Repeats) -> bytes:
    package = EditablePackage(source)
    main = package.main_part("word/document.xml")
    beside = (found.target for kind in _BESIDE for found in package.related(main, kind))
    for part in (main, *beside):
        root = package.tree(part)
        if not PLACE.search(_whole_text(root)):
            continue
        for row in list(root.iter(f"{W}tr")):
            _repeat(row, fill, repeats)
        for paragraph in root.iter(f"{W}p"):
            _fill(paragraph, fill, 0)
        package.touch(part)
    return package.save()


def _whole_text(part: Element) -> str:
    """Of all its paragraphs: a place never goes over the end of one."""
    return "\n".join("".join(each.text or "" for each in _texts(p)) for p in part.iter(f"{W}p"))


def _texts(paragraph: Element) -> Iterator[Element]:
    """Its own, and not those of a text box inside it."""
    for text in paragraph.iter(f"{W}t"):
        if next(text.iterancestors(f"{W}p"), None) is paragraph:
            yield text


def _repeat(row: Element, fill: Fill, repeats: Repeats) -> None:
    if next((inner for inner in row.iter(f"{W}tr") if inner is not row), None) is not None:
        return  # a table inside it has rows of its own
    places = [found.strip() for found in PLACE.findall(_whole_text(row))]
    count = repeats(places) if places else None
    if count is None:
        return
    for number in reversed(range(count)):
        copy = deepcopy(row)
        for paragraph in copy.iter(f"{W}p"):
            _fill(paragraph, fill, number)
        row.addnext(copy)
    discard(row)


def _fill(paragraph: Element, fill: Fill, number: int) -> None:
    """A place may be spread over several runs: its first one gets the text, and its look."""
    texts = list(_texts(paragraph))
    whole = "".join(each.text or "" for each in texts)
    found = list(PLACE.finditer(whole))
    if not found:
        return
    ends = list(accumulate(len(each.text or "") for each in texts))
    for place in reversed(found):
        value = fill(place[1].strip(), number)
        for index, text in enumerate(texts):
            begin, end = (ends[index - 1] if index else 0), ends[index]
            if end <= place.start() or begin >= place.end():
                continue
            own = text.text or ""
            before = own[: max(place.start() - begin, 0)]
            after = own[place.end() - begin :] if place.end() < end else ""
            text.text = f"{before}{value}{after}" if begin <= place.start() else f"{before}{after}"
            text.set(_SPACE, "preserve")
    for text in texts:
        _break_lines(text)


def _break_lines(text: Element) -> None:
    first, *others = (text.text or "").split("\n")
    if not others:
        return
    text.text = first
    for line in reversed(others):
        made = element(f"{W}t", {_SPACE: "preserve"})
        made.text = line
        text.addnext(made)
        text.addnext(element(f"{W}br"))
