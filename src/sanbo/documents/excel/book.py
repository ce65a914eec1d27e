"""An open workbook: its package, its sheets by name, what can be asked of it as typed updates, and
what has been changed in it so far.

Values and formulas are different things: a value, whatever it begins with, is written as it is, and
only `UpdateFormula` and `ReplaceInFormulas` write formulas.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sanbo.documents.excel.references import Cell
from sanbo.documents.excel.sheet import Shared, Sheet
from sanbo.documents.excel.values import EMPTY_STYLES, Scalar, Strings, Styles
from sanbo.documents.model import Source
from sanbo.documents.ooxml.package import EditablePackage
from sanbo.documents.ooxml.xml import MAIN, Element, R, is_set, parse
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound, Problem, UnsupportedFormat
from sanbo.kernel.text import matching_form
from sanbo.tables.operators import ORDERED, Operator, check_of


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Letter(Frozen):
    """A column by its letter: `D`."""

    letter: str


class Header(Frozen):
    """A column by its header. With groups above it, from the top: `["4月", "予算"]`."""

    header: str | tuple[str, ...] = Field(min_length=1)
    row: int | None = Field(default=None, ge=1)
    """The row it stands in, where the same words stand in several."""

    @property
    def path(self) -> tuple[str, ...]:
        return (self.header,) if isinstance(self.header, str) else self.header


Column = Letter | Header


NamedValues = Annotated[Mapping[str, Scalar], Field(min_length=1)]
Values = Annotated[tuple[Scalar, ...], Field(min_length=1)]


class Condition(Frozen):
    """Compares what a person sees in a cell: `1001` is the number or the text; "001" is not 1."""

    operator: Operator
    value: Scalar | tuple[Scalar, ...] = None
    value2: Scalar = None
    """The upper bound of `between`, itself included."""

    def check(self) -> Callable[[Scalar], bool]:
        """What a cell must pass. With nothing to compare it with, nothing is more or less."""
        several = isinstance(self.value, tuple)
        if several != (self.operator in ("in", "not_in")):
            raise InvalidInput("excel_condition_invalid", operator=self.operator)
        given = (self.value, self.value2) if "between" in self.operator else (self.value,)
        if (self.operator in ORDERED or len(given) > 1) and None in given:
            return lambda _: False
        test = check_of(self.operator, self.value, self.value2)
        return lambda seen: test(seen) is True


class Assignment(Frozen):
    column: Column
    value: Scalar


class Match(Frozen):
    """The row whose key columns hold these values, and what to write there."""

    key: tuple[Scalar, ...] = Field(min_length=1)
    set: tuple[Assignment, ...] = Field(min_length=1)


class UpdateCells(Frozen):
    kind: Literal["update_cells"] = "update_cells"
    sheet: str
    cells: Mapping[str, Scalar] = Field(min_length=1)


class UpdateCellsIf(Frozen):
    """The value goes into every cell of the range for which the condition holds."""

    kind: Literal["update_cells_if"] = "update_cells_if"
    sheet: str
    range: str
    condition: Condition
    value: Scalar


class UpdateRange(Frozen):
    """Rows of values from the first cell of `range`; a range of several cells must fit them."""

    kind: Literal["update_range"] = "update_range"
    sheet: str
    range: str
    rows: tuple[tuple[Scalar, ...], ...] = Field(min_length=1)


class UpdateColumn(Frozen):
    """Values downwards: from below the header, or from `first_row` (needed with a letter)."""

    kind: Literal["update_column"] = "update_column"
    sheet: str
    column: Column
    values: tuple[Scalar, ...] = Field(min_length=1)
    first_row: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _letter_needs_a_row(self) -> Self:
        if isinstance(self.column, Letter) and self.first_row is None:
            raise ValueError("a column given by its letter needs first_row")
        return self


class AppendRows(Frozen):
    """New rows under those that are there: by header, or in order from `first_column`."""

    kind: Literal["append_rows"] = "append_rows"
    sheet: str
    rows: tuple[NamedValues, ...] | tuple[Values, ...] = Field(min_length=1)
    first_column: str = "A"
    table: str | None = None
    """An Excel table by its name; it grows. A table that ends where the rows begin grows too."""
    below: Literal["table", "sheet"] | Letter | Header = "table"
    """What ends the rows that are there: the first free row of the block under the headers (or of
    the columns written), the last used row of the sheet, or of one column."""
    fill_formulas: bool = True
    """In columns that got no value, the formula of the row above goes on, its references moved."""


class UpdateRowsByMatch(Frozen):
    kind: Literal["update_rows_by_match"] = "update_rows_by_match"
    sheet: str
    keys: tuple[Column, ...] = Field(min_length=1)
    rows: tuple[Match, ...] = Field(min_length=1)
    missing: Literal["refuse", "skip"] = "refuse"
    several: Literal["refuse", "all"] = "refuse"

    @model_validator(mode="after")
    def _a_value_for_every_key(self) -> Self:
        if any(len(row.key) != len(self.keys) for row in self.rows):
            raise ValueError("every row needs one value for each key column")
        return self


class UpdateFormula(Frozen):
    """The formula of the range's first cell; in the others its references move along."""

    kind: Literal["update_formula"] = "update_formula"
    sheet: str
    range: str
    formula: str = Field(min_length=1)


class ReplaceInFormulas(Frozen):
    """Text inside formulas, exactly as written; in all sheets, or in one or a range of it."""

    kind: Literal["replace_in_formulas"] = "replace_in_formulas"
    find: str = Field(min_length=1)
    replace: str
    sheet: str | None = None
    range: str | None = None

    @model_validator(mode="after")
    def _range_needs_a_sheet(self) -> Self:
        if self.range is not None and self.sheet is None:
            raise ValueError("a range needs its sheet")
        return self


class ClearCells(Frozen):
    """Values and formulas go, formats stay."""

    kind: Literal["clear_cells"] = "clear_cells"
    sheet: str
    range: str
    keep_formulas: bool = False


class ClearCellsIf(Frozen):
    kind: Literal["clear_cells_if"] = "clear_cells_if"
    sheet: str
    range: str
    condition: Condition
    keep_formulas: bool = False


class FormatCells(Frozen):
    """Only what is given changes; the rest of each cell's format stays."""

    kind: Literal["format_cells"] = "format_cells"
    sheet: str
    range: str
    number_format: str | None = None
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    font_size: float | None = Field(default=None, ge=1, le=409)
    font_color: str | None = Field(default=None, pattern="^#?[0-9A-Fa-f]{6}$")
    fill: str | None = Field(default=None, pattern="^#?[0-9A-Fa-f]{6}$")
    horizontal: Literal["left", "center", "right", "fill", "justify"] | None = None
    vertical: Literal["top", "center", "bottom"] | None = None
    wrap: bool | None = None
    border: Literal["thin", "medium", "thick", "none"] | None = None


class LayOut(Frozen):
    """Widths of columns by their letters, and rows at the top that stay when one scrolls."""

    kind: Literal["lay_out"] = "lay_out"
    sheet: str
    widths: Mapping[str, Annotated[float, Field(gt=0, le=255)]] = Field(
        default_factory=dict[str, float]
    )
    frozen_rows: int = Field(default=0, ge=0, le=1000)


class AddTotals(Frozen):
    """Sums of the rows from `top` to `bottom`, below them; by column, with what they are."""

    kind: Literal["add_totals"] = "add_totals"
    sheet: str
    top: int = Field(ge=1)
    bottom: int = Field(ge=1)
    sums: Mapping[str, int | float | None]
    first_column: int = Field(default=1, ge=1)
    label: str = ""
    """In the first column, unless that has a sum."""


class TakeTotalsOff(Frozen):
    kind: Literal["take_totals_off"] = "take_totals_off"
    sheet: str


class InsertRows(Frozen):
    """Empty rows above `row`, in the format of the row above them. All references move along."""

    kind: Literal["insert_rows"] = "insert_rows"
    sheet: str
    row: int = Field(ge=1)
    count: int = Field(default=1, ge=1, le=100_000)


class AddSheet(Frozen):
    kind: Literal["add_sheet"] = "add_sheet"
    name: str
    after: str | None = None
    """The sheet it follows; without one, and without `before`, it becomes the last."""
    before: str | None = None


class CopySheet(Frozen):
    kind: Literal["copy_sheet"] = "copy_sheet"
    sheet: str
    name: str
    after: str | None = None
    before: str | None = None


class MoveSheet(Frozen):
    kind: Literal["move_sheet"] = "move_sheet"
    sheet: str
    after: str | None = None
    before: str | None = None


Update = Annotated[
    UpdateCells
    | UpdateCellsIf
    | UpdateRange
    | UpdateColumn
    | AppendRows
    | UpdateRowsByMatch
    | UpdateFormula
    | ReplaceInFormulas
    | ClearCells
    | ClearCellsIf
    | FormatCells
    | LayOut
    | AddTotals
    | TakeTotalsOff
    | InsertRows
    | AddSheet
    | CopySheet
    | MoveSheet,
    Field(discriminator="kind"),
]


class Content(Frozen):
    """What a cell holds; a formula's value is what it last gave, None until Excel calculates."""

    value: Scalar = None
    formula: str | None = None


class CellChange(Frozen):
    sheet: str
    cell: str
    before: Content
    after: Content


class Change(Frozen):
    """What one update changed: the record for an audit."""

    kind: str
    cells: tuple[CellChange, ...] = ()
    area: str | None = None
    """What a change of structure covered: rows inserted (`5:7`), cells formatted (`B2:D4`)."""
    sheets: tuple[str, ...] = ()
    """Sheets that were added."""
    missing: tuple[tuple[Scalar, ...], ...] = ()
    """Keys that no row has, where the update allowed that."""
    warnings: tuple[Problem, ...] = ()


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
