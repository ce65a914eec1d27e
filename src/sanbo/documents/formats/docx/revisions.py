"""Tracked changes taken as accepted: the text as it would stand after "accept all"."""

from sanbo.documents.ooxml.xml import Element, W, local_name

_INSERTED = (f"{W}ins", f"{W}moveTo")
_REMOVED = (f"{W}del", f"{W}moveFrom")
# In these the same names mark a paragraph's end, a row or a list number, not a stretch of text.
_PROPERTIES = {"rPr", "trPr", "numPr", "ctrlPr"}


def accept_changes(root: Element) -> int:
    """Changes the tree in place; the number of changes a person would count (a move is one)."""
    changes = _accept_rows_and_cells(root)
    stretches, paragraphs = _accept_stretches(root)
    return changes + stretches + _accept_paragraph_ends(root, paragraphs)


def _accept_rows_and_cells(root: Element) -> int:
    changes = 0
    for tag, deletion, insertion in (
        ("tr", f"{W}trPr/{W}del", f"{W}trPr/{W}ins"),
        ("tc", f"{W}tcPr/{W}cellDel", f"{W}tcPr/{W}cellIns"),
    ):
        for element in list(root.iter(f"{W}{tag}")):
            deleted = element.find(deletion) is not None
            changes += deleted or element.find(insertion) is not None
            if deleted:
                _remove(element)
    return changes


def _accept_stretches(root: Element) -> tuple[int, set[Element]]:
    """How many, and the paragraphs they stand in."""
    changes = 0
    paragraphs: set[Element] = set()
    removed: list[Element] = []
    before: Element | None = None
    for element in root.iter(*_INSERTED, *_REMOVED):
        parent = element.getparent()
        if parent is None or local_name(parent) in _PROPERTIES:
            continue
        if element.tag != f"{W}moveFrom" and not _continues(before, element):
            changes += 1
        if element.tag in _REMOVED:
            removed.append(element)
        paragraphs.update(element.iterancestors(f"{W}p"))
        before = element
    for element in removed:
        _remove(element)
    return changes, paragraphs


def _continues(before: Element | None, element: Element) -> bool:
    """Word cuts one change into several where its formatting changes."""
    return (
        before is not None
        and before.getnext() is element
        and before.tag == element.tag
        and all(before.get(f"{W}{key}") == element.get(f"{W}{key}") for key in ("author", "date"))
    )


def _accept_paragraph_ends(root: Element, counted: set[Element]) -> int:
    """A paragraph whose end was deleted goes on in the next one."""
    changes = 0
    for paragraph in reversed(list(root.iter(f"{W}p"))):
        end = paragraph.find(f"{W}pPr/{W}rPr")
        marks = set[str]() if end is None else {mark.tag for mark in end}
        if marks.isdisjoint((*_INSERTED, *_REMOVED)):
            continue
        changes += paragraph not in counted and f"{W}moveFrom" not in marks
        if not marks.isdisjoint(_REMOVED):
            _join_with_next(paragraph)
    return changes


def _join_with_next(paragraph: Element) -> None:
    following = paragraph.getnext()
    while following is not None and local_name(following).startswith("bookmark"):
        following = following.getnext()
    content = [child for child in paragraph if child.tag != f"{W}pPr"]
    if following is not None and following.tag == f"{W}p":
        at = 1 if following.find(f"{W}pPr") is not None else 0
        for child in reversed(content):
            following.insert(at, child)
        _remove(paragraph)
    elif not content:
        _remove(paragraph)


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
