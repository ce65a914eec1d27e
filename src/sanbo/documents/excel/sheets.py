"""Sheets added to a workbook, new ones and copies."""

import re

from sanbo.documents.excel.book import WORKBOOK_ORDER, AddSheet, Book, Change, CopySheet, MoveSheet
from sanbo.documents.excel.recalculation import rewrite_formulas
from sanbo.documents.excel.references import references, with_names_changed, with_sheet_renamed
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.tables import tables_of
from sanbo.documents.ooxml.package import Relationship
from sanbo.documents.ooxml.xml import (
    MAIN,
    Element,
    R,
    child,
    copy_of,
    discard,
    element,
    is_set,
    local_name,
    number,
    parse,
)
from sanbo.kernel.problems import (
    Conflict,
    InvalidInput,
    NotFound,
    PermissionDenied,
    Problem,
    SanboError,
)
from sanbo.kernel.text import matching_form

WORKSHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
MAX_NAME = 31
_NOT_IN_NAMES = re.compile(r"[\\/?*\[\]:\x00-\x1f]|^'|'$")
_EMPTY = (f'<worksheet xmlns="{MAIN[1:-1]}" xmlns:r="{R[1:-1]}"><sheetData/></worksheet>').encode()


def add_sheet(book: Book, update: AddSheet) -> Change:
    check_name(book, update.name)
    position = tab_position(book, update.after, update.before)
    part = book.package.free_name("xl/worksheets/sheet1.xml")
    root = parse(_EMPTY, file=book.name, part=part)
    add_tab(book, update.name, part, root, position)
    return Change(kind=update.kind, sheets=(update.name,), warnings=structure_warnings(book))


def move_sheet(book: Book, update: MoveSheet) -> Change:
    """Another place among the tabs; numbers by which names and views know them follow."""
    tabs = book.root.find(f"{MAIN}sheets")
    wanted = book.sheet(update.sheet).name
    position = tab_position(book, update.after, update.before)
    assert tabs is not None
    before = list(tabs)
    at = next(i for i, tab in enumerate(before) if tab.get("name") == wanted)
    tab = before[at]
    tabs.remove(tab)
    tabs.insert(position - (at < position), tab)
    after = list(tabs)
    moved = {old: after.index(each) for old, each in enumerate(before)}
    for node in book.defined_names():
        _renumber(node, "localSheetId", moved)
    for node in book.root.findall(f"{MAIN}bookViews/{MAIN}workbookView"):
        _renumber(node, "activeTab", moved)
        _renumber(node, "firstSheet", moved)
    book.touch()
    return Change(kind=update.kind, warnings=structure_warnings(book))


def _renumber(node: Element, name: str, moved: dict[int, int]) -> None:
    if node.get(name) is not None:
        node.set(name, str(moved.get(number(node, name), number(node, name))))


def structure_warnings(book: Book) -> tuple[Problem, ...]:
    """Someone protected the order and number of the tabs."""
    if not is_set(book.root.find(f"{MAIN}workbookProtection"), "lockStructure"):
        return ()
    return (PermissionDenied("excel_structure_protected", name=book.name).problem,)


def check_name(book: Book, name: str) -> None:
    too_long = len(name.encode("utf-16-le")) // 2 > MAX_NAME
    reserved = name.casefold() == "history"
    if not name.strip() or too_long or reserved or _NOT_IN_NAMES.search(name):
        raise InvalidInput("excel_sheet_name_invalid", sheet=name, limit=MAX_NAME)
    for entry in book.entries():
        if matching_form(entry.name) == matching_form(name):
            raise Conflict("excel_sheet_exists", sheet=entry.name)


def tab_position(book: Book, after: str | None, before: str | None) -> int:
    tabs = book.root.findall(f"{MAIN}sheets/{MAIN}sheet")
    beside = after or before
    if beside is None:
        return len(tabs)
    wanted = book.sheet(beside).name
    found = next(i for i, tab in enumerate(tabs) if tab.get("name") == wanted)
    return found + 1 if after else found


def add_tab(book: Book, name: str, part: str, root: Element, position: int) -> None:
    """The tabs behind it move on, and so do the numbers by which names and views know them."""
    tabs = book.root.find(f"{MAIN}sheets")
    if tabs is None:
        raise NotFound("excel_sheet_missing", sheet=name, nearest="–")
    book.package.add_tree(part, root, WORKSHEET_TYPE)
    attributes = {
        "name": name,
        "sheetId": str(max([number(tab, "sheetId") for tab in tabs], default=0) + 1),
        f"{R}id": book.package.relate(book.part, "worksheet", part),
    }
    tabs.insert(position, element(f"{MAIN}sheet", attributes))
    for node in book.defined_names():
        _move_on(node, "localSheetId", position)
    for node in book.root.findall(f"{MAIN}bookViews/{MAIN}workbookView"):
        _move_on(node, "activeTab", position)
        _move_on(node, "firstSheet", position)
    book.touch()


def _move_on(node: Element, name: str, position: int) -> None:
    if node.get(name) is not None and number(node, name) >= position:
        node.set(name, str(number(node, name) + 1))


# Parts that a copy can't share with the original.
_COPIED = frozenset(
    {
        "chart",
        "chartColorStyle",
        "chartEx",
        "chartStyle",
        "chartUserShapes",
        "comments",
        "diagramColors",
        "diagramData",
        "diagramDrawing",
        "diagramLayout",
        "diagramQuickStyle",
        "drawing",
        "pivotTable",
        "printerSettings",
        "table",
        "themeOverride",
        "vmlDrawing",
    }
)
_SHARED = frozenset({"image", "hyperlink", "pivotCacheDefinition", "hdphoto", "video", "audio"})
# What is left out of a copy, and the text that says so.
_LEFT_OUT = {
    "control": "excel_copy_without_controls",
    "ctrlProp": "excel_copy_without_controls",
    "activeXControl": "excel_copy_without_controls",
    "oleObject": "excel_copy_without_objects",
    "package": "excel_copy_without_objects",
    "slicer": "excel_copy_without_slicers",
    "timeline": "excel_copy_without_slicers",
    "threadedComment": "excel_copy_without_threads",
}
_OTHER = "excel_copy_without_others"
_IDENTITY = "{http://schemas.microsoft.com/office/spreadsheetml/2014/revision}uid"
_SLICER_NAMESPACES = ("/drawing/2010/slicer", "/drawing/2012/timeslicer")


def copy_sheet(book: Book, update: CopySheet) -> Change:
    source = book.sheet(update.sheet)
    check_name(book, update.name)
    position = tab_position(book, update.after, update.before)
    copier = _Copier(book, source, update.name)
    part = book.package.free_name(source.part)
    root = copy_of(source.root)
    _forget_its_tab(root)
    index = next(i for i, entry in enumerate(book.entries()) if entry.part == source.part)
    add_tab(book, update.name, part, root, position)
    copier.rewrite(root)
    copier.copy_relations(source.part, part, root)
    copier.copy_names(index + (position <= index), position)
    book.formulas_changed = True
    return Change(kind=update.kind, sheets=(update.name,), warnings=structure_warnings(book))


def _forget_its_tab(root: Element) -> None:
    for properties in root.findall(f"{MAIN}sheetPr"):
        properties.attrib.pop("codeName", None)  # the macros of the original are not the copy's
    for view in root.findall(f"{MAIN}sheetViews/{MAIN}sheetView"):
        # Two selected tabs are a group: what someone types would go into both.
        view.attrib.pop("tabSelected", None)


class _Copier:
    def __init__(self, book: Book, source: Sheet, name: str) -> None:
        self._book = book
        self._package = book.package
        self._source = source
        self._name = name
        self._tables = _new_table_names(book, source)

    def rewrite(self, root: Element) -> None:
        rewrite_formulas(root, self._in_copy)
        for node in root.iter():  # identities are the original's
            node.attrib.pop(_IDENTITY, None)

    def copy_relations(self, source: str, target: str, root: Element) -> None:
        """Of one part, and of the parts it leads to; `root` is the target's XML."""
        new_ids: dict[str, str | None] = {}
        for found in self._package.relationships(source, outside=True):
            new_ids[found.id] = self._copied_relation(found, target)
        for node in list(root.iter()):
            for name, value in list(node.attrib.items()):
                if name.startswith(R) and value in new_ids:
                    new = new_ids[value]
                    if new is None:
                        _take_out(node, root)
                        break
                    node.set(name, new)

    def copy_names(self, source: int, position: int) -> None:
        """Names that mean a place on the sheet, such as its print area, mean the copy's there."""
        own = {
            (name.get("name") or "").casefold()
            for name in self._book.defined_names()
            if name.get("localSheetId") == str(source)
        }
        for name in self._book.defined_names():
            is_own = name.get("localSheetId") == str(source)
            is_general = name.get("localSheetId") is None
            hidden_by_own = (name.get("name") or "").casefold() in own
            if is_own or (is_general and not hidden_by_own and self._means_source(name)):
                copied = copy_of(name)
                copied.set("localSheetId", str(position))
                copied.text = self._in_copy(name.text or "")
                child(self._book.root, "definedNames", WORKBOOK_ORDER).append(copied)
                self._book.touch()

    def _in_copy(self, formula: str) -> str:
        renamed = with_sheet_renamed(formula, self._source.name, self._name)
        return with_names_changed(renamed, self._tables) if self._tables else renamed

    def _means_source(self, name: Element) -> bool:
        own = self._source.name.casefold()
        return any((found.sheet or "").casefold() == own for found in references(name.text or ""))

    def _copied_relation(self, found: Relationship, target: str) -> str | None:
        if found.external:
            return self._package.relate(target, found.type, found.target, external=True)
        if found.kind in _SHARED:
            return self._package.relate(target, found.type, found.target)
        if found.kind in _COPIED and self._package.has(found.target):
            return self._package.relate(target, found.type, self._copied_part(found))
        losses = self._book.losses[_LEFT_OUT.get(found.kind, _OTHER)]
        if self._name not in losses:
            losses.append(self._name)
        return None

    def _copied_part(self, found: Relationship) -> str:
        part = self._package.free_name(found.target)
        content_type = self._package.content_type(found.target) or "application/xml"
        data = self._package.data(found.target)
        if not found.target.lower().endswith((".xml", ".vml")):
            self._package.add(part, data, content_type)
            return part
        try:
            root = parse(data, file=self._book.name, part=found.target)
        except SanboError:
            if found.kind != "vmlDrawing":
                raise
            self._package.add(part, data, content_type)  # Excel writes some that are not quite XML
            return part
        self._package.add_tree(part, root, content_type)
        if found.kind == "table":
            self._rename_table(root)
        _take_out_stand_ins(root)
        self.rewrite(root)
        self.copy_relations(found.target, part, root)
        return part

    def _rename_table(self, root: Element) -> None:
        new = self._tables[(root.get("displayName") or root.get("name") or "").casefold()]
        root.set("name", new)
        root.set("displayName", new)
        every = (table for sheet in self._book.sheets() for table in tables_of(self._book, sheet))
        root.set("id", str(max([number(table.root, "id") for table in every], default=0) + 1))


def _new_table_names(book: Book, source: Sheet) -> dict[str, str]:
    taken = {table.name.casefold() for sheet in book.sheets() for table in tables_of(book, sheet)}
    taken |= {(name.get("name") or "").casefold() for name in book.defined_names()}
    names: dict[str, str] = {}
    for table in tables_of(book, source):
        count = 2
        while f"{table.name}_{count}".casefold() in taken:
            count += 1
        names[table.name.casefold()] = f"{table.name}_{count}"
        taken.add(f"{table.name}_{count}".casefold())
    return names


def _take_out(node: Element, root: Element) -> None:
    """What refers to a part that the copy hasn't: the whole extension, list or anchor it is in."""
    for inner in (node, *node.iterancestors()):
        parent = inner.getparent()
        if parent is None:  # already out with an outer one
            return
        if parent is root or local_name(parent) == "extLst":
            parent.remove(inner)
            return


def _take_out_stand_ins(root: Element) -> None:
    """Drawings hold a shape for each control and slicer, without a relation to its part."""
    for node in list(root.iter()):
        is_control = local_name(node) == "compatExt"
        is_slicer = any(name in node.tag for name in _SLICER_NAMESPACES)
        if is_control or is_slicer:
            _take_out(node, root)
    for shape in [node for node in root if local_name(node) == "shape"]:
        data = next((node for node in shape.iter() if local_name(node) == "ClientData"), None)
        if data is not None and data.get("ObjectType") != "Note":
            discard(shape)
