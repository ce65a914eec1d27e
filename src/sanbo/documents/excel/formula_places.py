"""Where formulas hide outside cells: rules, lists, charts, tables, text boxes, form controls."""

from collections.abc import Callable, Iterator

from sanbo.documents.excel.book import Book
from sanbo.documents.ooxml.xml import Element, local_name

_TEXTS = frozenset(
    {
        "f",  # cells, charts, sparklines, rules in the newer form
        "formula",
        "formula1",
        "formula2",
        "calculatedColumnFormula",
        "totalsRowFormula",
        "definedName",
        "FmlaLink",
        "FmlaRange",
        "FmlaGroup",
        "FmlaPict",
    }
)
_PLAIN = frozenset({"c", "v", "row", "is", "t"})
_ATTRIBUTES = ("textlink", "fmlaLink", "fmlaRange", "fmlaGroup")


def rewrite_formulas(root: Element, change: Callable[[str], str]) -> bool:
    """Every formula below this element; True when one of them changed."""
    changed = False
    for node in root.iter():
        kind = local_name(node)
        if kind in _PLAIN:  # most of a large sheet
            continue
        if kind in _TEXTS and node.text:
            new = change(node.text)
            changed |= new != node.text
            node.text = new
        for name in _ATTRIBUTES:
            changed |= _rewrite(node, name, change)
        if kind == "hyperlink" and node.get("ref"):  # a link to a place in the workbook
            changed |= _rewrite(node, "location", change)
    return changed


def parts_of(book: Book, part: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The XML parts that belong to a sheet: its drawings, their charts, its tables …"""
    for found in book.package.relationships(part):
        is_xml = found.target.lower().endswith((".xml", ".vml"))
        if not is_xml or found.target in seen:
            continue
        if book.package.has(found.target) and found.kind != "pivotCacheDefinition":
            yield found.target
            yield from parts_of(book, found.target, seen | {part, found.target})


def _rewrite(node: Element, name: str, change: Callable[[str], str]) -> bool:
    text = node.get(name)
    if not text:
        return False
    new = change(text)
    node.set(name, new)
    return new != text
