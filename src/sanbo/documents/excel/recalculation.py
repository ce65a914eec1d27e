"""Formulas wherever a workbook has them: rewritten when cells move, and no stale result stays.

A file keeps what each formula last gave. Programs that don't calculate show it as it is. After a
change, the results that depend on it, through however many formulas, are taken out, and Excel is
told to calculate when it opens the file. Results that don't depend on the change stay.
Charts keep the picture of their last values until a program that calculates draws them anew.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sanbo.documents.excel.book import WORKBOOK_ORDER, Book
from sanbo.documents.excel.references import Area, Cell, Reference, references, sheets_named, words
from sanbo.documents.excel.sheet import shared_index
from sanbo.documents.excel.tables import tables_of
from sanbo.documents.ooxml.xml import MAIN, Element, child, local_name, number

# Their results can change with anything, or with time.
_UNPREDICTABLE = frozenset(
    {"INDIRECT", "OFFSET", "NOW", "TODAY", "RAND", "RANDBETWEEN", "CELL", "INFO", "GETPIVOTDATA"}
)
# Beyond this many comparisons, all results go: searching on would cost more than calculating.
_MAX_STEPS = 3_000_000
_SMALL = 64
_CONSTANT = re.compile(r"TRUE|FALSE|[0-9.]+(?:E[0-9]*)?", re.IGNORECASE)


class Place(NamedTuple):
    sheet: str
    """Case-folded, as formulas may spell it otherwise."""
    cell: Cell


class _Within(NamedTuple):
    sheet: str
    area: Area


class _Sources(NamedTuple):
    """What a formula's text reads: references as written, areas behind names, or anything."""

    references: tuple[Reference, ...]
    areas: tuple[_Within, ...]
    unpredictable: bool


@dataclass
class _Wide:
    """Formulas that read large areas of one sheet."""

    readers: list[tuple[Area, Place]] = field(default_factory=list["tuple[Area, Place]"])

    def reading(self, cells: list[Cell]) -> list[Place]:
        """Those that read one of these cells; they are found only once."""
        around = Area(
            min(at.row for at in cells),
            min(at.column for at in cells),
            max(at.row for at in cells),
            max(at.column for at in cells),
        )
        found: list[Place] = []
        kept: list[tuple[Area, Place]] = []
        for area, reader in self.readers:
            if area.meets(around) and any(at in area for at in cells):
                found.append(reader)
            else:
                kept.append((area, reader))
        self.readers = kept
        return found


def drop_stale_results(book: Book) -> int:
    """Of what changed since the last time; returns how many results were removed."""
    if book.formulas_changed:
        _drop_calculation_order(book)
    changed = {
        Place(sheet.casefold(), at) for sheet, cells in book.changed_cells.items() for at in cells
    }
    stale = _Dependents(book).of(changed) if changed else set[Place]()
    sheets = {sheet.name.casefold(): sheet for sheet in book.sheets()}
    dropped = sum(sheets[place.sheet].drop_result(place.cell) for place in stale)
    # Not only when something was found to depend on it: a mark too many does no harm.
    if stale or book.formulas_changed or (changed and _has_formulas(book)):
        child(book.root, "calcPr", WORKBOOK_ORDER).set("fullCalcOnLoad", "1")
        book.touch()
    book.changed_cells.clear()
    book.formulas_changed = False
    return dropped


class _Dependents:
    """Which formulas read which cells, in the whole workbook."""

    def __init__(self, book: Book) -> None:
        self._readers: defaultdict[Place, list[Place]] = defaultdict(list)
        self._wide: defaultdict[str, _Wide] = defaultdict(_Wide)
        self._unpredictable: list[Place] = []
        self._results: dict[Place, Area] = {}
        self._all: list[Place] = []
        self._names = _defined_names(book)
        self._sheets = {sheet.name.casefold(): sheet for sheet in book.sheets()}
        self._tables: dict[str, _Within] = {}
        for sheet in book.sheets():
            for table in tables_of(book, sheet):
                place = _Within(sheet.name.casefold(), table.area)
                self._tables[table.name.casefold()] = place
        self._known: dict[tuple[str, str], _Sources] = {}
        for sheet in book.sheets():
            own = sheet.name.casefold()
            for at, text, origin in sheet.formulas():
                self._add(Place(own, at), text, origin)
            for at, area in sheet.arrays.items():
                self._results[Place(own, at)] = area
                if sheet.formula(at) is None:  # a data table reads what stands around it
                    around = area._replace(top=max(1, area.top - 1), left=max(1, area.left - 1))
                    self._reads(Place(own, at), _Within(own, around))

    def of(self, changed: Iterable[Place]) -> set[Place]:
        """Every cell whose result depends on these."""
        stale: set[Place] = set()
        wave = {*changed, *self._unpredictable}
        stale.update(self._unpredictable)
        steps = 0
        while wave:
            found: set[Place] = set()
            by_sheet: defaultdict[str, list[Cell]] = defaultdict(list)
            for place in wave:
                found.update(self._readers.get(place, ()))
                by_sheet[place.sheet].append(place.cell)
            for sheet, cells in by_sheet.items():
                steps += len(self._wide[sheet].readers) * min(len(cells), 50)
                found.update(self._wide[sheet].reading(cells))
            if steps > _MAX_STEPS:
                return {*self._all, *self._spread(self._all)}
            found |= set(self._spread(found))
            wave = found - stale
            stale |= wave
        return stale | set(self._spread(stale))

    def _spread(self, places: Iterable[Place]) -> Iterator[Place]:
        """The cells that an array formula fills besides its own."""
        for place in places:
            if place in self._results:
                for at in self._sheets[place.sheet].grid.within(self._results[place]):
                    yield Place(place.sheet, at)

    def _add(self, reader: Place, text: str, origin: Cell) -> None:
        self._all.append(reader)
        sources = self._sources(text, reader.sheet)
        if sources.unpredictable:
            self._unpredictable.append(reader)
        rows, columns = reader.cell.row - origin.row, reader.cell.column - origin.column
        for reference in sources.references:
            moved = reference.moved(rows, columns) if rows or columns else reference
            if moved.is_on_sheet():
                sheet = reader.sheet if moved.sheet is None else moved.sheet.casefold()
                self._reads(reader, _Within(sheet, moved.area))
        for place in sources.areas:
            self._reads(reader, place)

    def _reads(self, reader: Place, source: _Within) -> None:
        if source.area.size > _SMALL:
            self._wide[source.sheet].readers.append((source.area, reader))
            return
        for at in source.area.cells():
            self._readers[Place(source.sheet, at)].append(reader)

    def _sources(self, text: str, own: str, seen: frozenset[str] = frozenset()) -> _Sources:
        """`own` is the sheet of the formula: a name may mean something else on each."""
        if (own, text) in self._known:
            return self._known[own, text]
        found = list(references(text))
        unpredictable = any(":" in (reference.sheet or "") for reference in found)
        elsewhere = {name.casefold() for name in sheets_named(text)}
        areas: list[_Within] = []
        for word, is_function in words(text):
            name = word.casefold()
            meanings = self._meanings(name, {own, *elsewhere})
            if name in self._tables:
                areas.append(self._tables[name])
            elif meanings and name not in seen:
                for meaning in meanings:
                    behind = self._sources(meaning, own, seen | {name})
                    unpredictable |= behind.unpredictable or any(
                        not reference.is_fixed for reference in behind.references
                    )
                    areas.extend(behind.areas)
                    areas.extend(
                        _Within(reference.sheet.casefold(), reference.area)
                        for reference in behind.references
                        if reference.sheet is not None
                    )
            elif is_function:
                unpredictable |= word.upper() in _UNPREDICTABLE
            elif not _CONSTANT.fullmatch(word):  # what it means is not known: it may be anything
                unpredictable = True
        inside = tuple(reference for reference in found if not reference.leads_out)
        self._known[own, text] = _Sources(inside, tuple(areas), unpredictable)
        return self._known[own, text]

    def _meanings(self, name: str, sheets: Iterable[str]) -> set[str]:
        scopes = self._names.get(name, {})
        local = {scopes[sheet] for sheet in sheets if sheet in scopes}
        return local or {text for sheet, text in scopes.items() if sheet is None}


def _defined_names(book: Book) -> dict[str, dict[str | None, str]]:
    """What each name means, by sheet; None for the whole workbook."""
    tabs = [tab.get("name") or "" for tab in book.root.findall(f"{MAIN}sheets/{MAIN}sheet")]
    names: dict[str, dict[str | None, str]] = {}
    for node in book.defined_names():
        index = number(node, "localSheetId", -1)
        scope = tabs[index].casefold() if 0 <= index < len(tabs) else None
        names.setdefault((node.get("name") or "").casefold(), {})[scope] = node.text or ""
    return names


def _has_formulas(book: Book) -> bool:
    return any(True for sheet in book.sheets() for _ in sheet.formulas())


def _drop_calculation_order(book: Book) -> None:
    """Excel refuses a list that names cells without formulas; without one it makes its own."""
    for found in book.package.related(book.part, "calcChain"):
        book.package.remove(found.target)
        book.package.unrelate(book.part, found.id)


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
