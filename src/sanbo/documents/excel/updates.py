"""What can be asked of a workbook, as typed updates, and the record of what an update changed.

Values and formulas are different things: a value, whatever it begins with, is written as it is, and
only `UpdateFormula` and `ReplaceInFormulas` write formulas.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sanbo.documents.excel.values import Scalar
from sanbo.kernel.problems import InvalidInput, Problem
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
