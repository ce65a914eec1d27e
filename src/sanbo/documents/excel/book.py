"""An open workbook: its package, its sheets by name, and what has been changed in it so far."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sanbo.documents.excel.references import Cell
from sanbo.documents.excel.sheet import Shared, Sheet, Strings
from sanbo.documents.excel.styles import EMPTY_STYLES, Styles
from sanbo.documents.model import Source
from sanbo.documents.ooxml.package import EditablePackage
from sanbo.documents.ooxml.xml import MAIN, Element, R, is_set, parse
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import NotFound, UnsupportedFormat
from sanbo.kernel.text import matching_form

WORKBOOK_ORDER = (
    "fileVersion",
    "fileSharing",
    "workbookPr",
    "workbookProtection",
    "bookViews",
    "sheets",
    "functionGroups",
    "externalReferences",
    "definedNames",
    "calcPr",
    "oleSize",
    "customWorkbookViews",
    "pivotCaches",
)
_STYLES_PART = "xl/styles.xml"
_STYLES_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"
_STRICT = b"http://purl.oclc.org/ooxml/spreadsheetml/main"


class Entry(NamedTuple):
    """A tab of the workbook; a chart on a tab of its own is one too, but holds no cells."""

    name: str
    part: str
    holds_cells: bool


class Book:
    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.package = EditablePackage(Source(name=name, data=data))
        self.part = self._main_part()
        self.root = self.package.tree(self.part)
        self._shared = Shared(
            strings=self._open_strings(),
            styles=self._open_styles(),
            since_1904=is_set(self.root.find(f"{MAIN}workbookPr"), "date1904"),
        )
        self._sheets: dict[str, Sheet] = {}
        self.changed_cells: defaultdict[str, set[Cell]] = defaultdict(set)
        """By sheet; what depends on them has to be calculated again."""
        self.changed_sheets: set[str] = set()
        self.formulas_changed = False
        """Formulas were added, removed or moved."""
        self.overwritten_strings: set[int] = set()
        self.losses: defaultdict[str, list[str]] = defaultdict(list)
        """What updates could not keep: by the id of its text, where."""
        if not any(entry.holds_cells for entry in self.entries()):
            raise UnsupportedFormat("excel_without_sheets", name=name)

    @property
    def since_1904(self) -> bool:
        return self._shared.since_1904

    @property
    def styles(self) -> Styles:
        return self._shared.styles

    @property
    def strings(self) -> Strings:
        return self._shared.strings

    def entries(self) -> list[Entry]:
        parts = {found.id: found for found in self.package.relationships(self.part)}
        entries: list[Entry] = []
        for node in self.root.findall(f"{MAIN}sheets/{MAIN}sheet"):
            found = parts.get(node.get(f"{R}id") or "")
            if found is not None and self.package.has(found.target):
                holds_cells = found.kind == "worksheet"
                entries.append(Entry(node.get("name") or "", found.target, holds_cells))
        return entries

    @property
    def sheet_names(self) -> list[str]:
        return [entry.name for entry in self.entries() if entry.holds_cells]

    def sheet(self, name: str) -> Sheet:
        """By its name; width and case of letters don't matter, as they don't to Excel."""
        entries = [entry for entry in self.entries() if entry.holds_cells]
        exact = [entry for entry in entries if entry.name == name]
        alike = [entry for entry in entries if matching_form(entry.name) == matching_form(name)]
        found = exact or alike
        if len(found) != 1:
            known = alternatives(name, self.sheet_names)
            raise NotFound("excel_sheet_missing", sheet=name, nearest=known)
        return self.open(found[0])

    def sheets(self) -> Iterator[Sheet]:
        for entry in self.entries():
            if entry.holds_cells:
                yield self.open(entry)

    def open(self, entry: Entry) -> Sheet:
        if entry.part not in self._sheets:
            part = entry.part
            self._sheets[part] = Sheet(
                entry.name,
                part,
                self.package.tree(part),
                self._shared,
                lambda: self.package.touch(part),
            )
        return self._sheets[entry.part]

    def touch(self) -> None:
        """The workbook's own part was changed."""
        self.package.touch(self.part)

    def defined_names(self) -> list[Element]:
        return self.root.findall(f"{MAIN}definedNames/{MAIN}definedName")

    @property
    def external_links(self) -> int:
        found = self.root.findall(f"{MAIN}externalReferences/{MAIN}externalReference")
        return len(found)

    def _main_part(self) -> str:
        parts = self.package.related("", "officeDocument")
        part = parts[0].target if parts else "xl/workbook.xml"
        kind = (self.package.content_type(part) or "").lower()
        if "sheet.binary" in kind or part.lower().endswith(".bin"):
            raise UnsupportedFormat("excel_binary", name=self.name)
        if not self.package.has(part) or not ("spreadsheetml" in kind or "ms-excel" in kind):
            raise UnsupportedFormat("excel_not_a_workbook", name=self.name)
        # Strict files have names of their own; mixing them with ours would make Excel refuse it.
        if _STRICT in self.package.data(part):
            raise UnsupportedFormat("excel_strict", name=self.name)
        return part

    def _open_strings(self) -> Strings:
        found = self.package.related(self.part, "sharedStrings")
        if not found:
            return Strings(None, lambda: None)
        part = found[0].target
        return Strings(self.package.tree(part), lambda: self.package.touch(part))

    def _open_styles(self) -> Styles:
        found = self.package.related(self.part, "styles")
        if found:
            part = found[0].target
            return Styles(self.package.tree(part), lambda: self.package.touch(part))
        root = parse(EMPTY_STYLES, file=self.name, part=_STYLES_PART)
        return Styles(root, lambda: self._keep_styles(root))

    def _keep_styles(self, root: Element) -> None:
        """A workbook without formats gets the part with the first format it needs."""
        if not self.package.has(_STYLES_PART):
            self.package.add_tree(_STYLES_PART, root, _STYLES_TYPE)
            self.package.relate(self.part, "styles", _STYLES_PART)
