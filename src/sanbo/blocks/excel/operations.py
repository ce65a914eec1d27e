"""`excel.update_workbook`: a list of operations, carried out in order on a workbook; what each of
them does, as updates of the workbook.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import regex
from pydantic import JsonValue, ValidationError
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.excel.appending import append_rows_bottom, append_table, positional
from sanbo.blocks.excel.books import delivered, given_workbook, opened
from sanbo.blocks.excel.desk import (
    DEFAULT_SHEET,
    Desk,
    cell_value,
    formula_of,
    rehearse,
    with_formulas,
)
from sanbo.blocks.excel.records import areas
from sanbo.blocks.excel.row_updates import update_rows_by_match
from sanbo.blocks.excel.spellings import Operation, operation_of, truth
from sanbo.blocks.excel.styling import total_tables
from sanbo.documents.excel import book
from sanbo.documents.excel.book import Condition, FormatCells
from sanbo.documents.excel.references import Area, cell_at, letters
from sanbo.documents.excel.sheet import Sheet
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound, SanboError
from sanbo.tables.operators import OPERATORS

_CELL = "cell"


def is_about_cells(condition: JsonValue) -> bool:
    """Whether it asks something of each cell, not once for the whole operation."""
    return isinstance(condition, dict) and _CELL not in condition


def is_wanted(sheet: Sheet | None, operation: Operation) -> bool:
    """Whether to do it: `true`, or `{cell: B2, operator: eq, value: …}`."""
    condition = operation.get("condition")
    if condition is None or is_about_cells(condition):
        return True
    if isinstance(condition, dict) and sheet is not None:
        at = condition.get(_CELL)
        if not isinstance(at, str):
            raise operation.wrong("condition")
        return condition_of(operation).check()(sheet.seen(cell_at(at)))
    return truth(condition)


def condition_of(operation: Operation) -> Condition:
    given = operation.get("condition")
    if not isinstance(given, dict):
        raise operation.wrong("condition")
    operator = OPERATORS.find(str(given.get("operator", given.get("op", "eq"))))
    value = given.get("value")
    if operator is None:
        raise operation.wrong("condition")
    try:
        return Condition(
            operator=operator,
            value=tuple(cell_value(each) for each in value)
            if isinstance(value, list)
            else cell_value(value),
            value2=cell_value(given.get("value2")),
        )
    except ValidationError:
        raise operation.wrong("condition") from None


_PATTERN_SECONDS = 2.0


def carry_out(desk: Desk, operation: Operation, number: int) -> None:
    """A failure says which operation it was, and keeps the reason and the hint."""
    desk.number, desk.operation = number, operation.kind
    try:
        sheet = operation.text("sheet")
        looked_at = desk.workbook.sheet(sheet) if sheet and desk.has_sheet(sheet) else None
        if not is_wanted(looked_at, operation):
            desk.skip(tell("excel_skipped_condition"))
            return
        DO[operation.kind](desk, operation)
    except SanboError as error:
        raise failed(error, operation.place, operation.kind) from error


def failed(error: SanboError, place: str, kind: str) -> SanboError:
    problem = error.problem
    if problem.params.get("place"):
        return error
    return type(error)(
        "excel_operation_failed",
        place=place,
        operation=kind,
        reason=problem.message,
        advice=problem.hint,
        details={**problem.details, "place": place, "operation": kind},
    )


def add_sheet(desk: Desk, operation: Operation) -> None:
    operation.needs("sheet")
    name = operation.text("sheet")
    if desk.has_sheet(name):
        desk.skip(tell("excel_skipped_sheet_exists", sheet=name))
        return
    after, before = _beside(desk, operation)
    desk.apply(book.AddSheet(name=name, after=after, before=before))


def copy_sheet(desk: Desk, operation: Operation) -> None:
    operation.needs("sheet", "name")
    source, name = operation.text("sheet"), operation.text("name")
    if not desk.has_sheet(source):
        near = alternatives(source, desk.workbook.sheets)
        missing = NotFound("excel_sheet_missing", sheet=source, nearest=near)
        desk.told.append(missing)
        desk.skip(missing.problem.message)
        return
    after, before = _beside(desk, operation)
    desk.apply(book.CopySheet(sheet=source, name=name, after=after, before=before))


def move_sheet(desk: Desk, operation: Operation) -> None:
    operation.needs("sheet")
    tabs = [tab for tab in desk.workbook.sheets if tab != operation.text("sheet")]
    after, before = _beside(desk, operation, tabs)
    desk.apply(book.MoveSheet(sheet=operation.text("sheet"), after=after, before=before))


def _beside(
    desk: Desk, operation: Operation, others: Sequence[str] = ()
) -> tuple[str | None, str | None]:
    """The tab that the new one comes after, or before; neither for the end."""
    if "after" in operation or "before" in operation:
        return operation.text("after") or None, operation.text("before") or None
    tabs = others or desk.workbook.sheets
    index = operation.number("index", -1)
    position = operation.text("position").strip().casefold()
    if position not in ("", "first", "last", "start", "end"):
        raise operation.wrong("position")
    if index == 0 or position in ("first", "start"):
        return None, tabs[0]
    return (tabs[index - 1] if 0 < index < len(tabs) else None), None


def update_cells(desk: Desk, operation: Operation) -> None:
    # Null leaves a cell as it is.
    cells = {at: value for at, value in _cells(operation).items() if value is not None}
    sheet = desk.sheet_to_write(operation.text("sheet"))
    for at, value in cells.items():
        if (formula := formula_of(value)) is not None:
            desk.apply(book.UpdateFormula(sheet=sheet.name, range=at, formula=formula))
    cells = {at: value for at, value in cells.items() if formula_of(value) is None}
    plain = {at: value for at, value in cells.items() if ":" not in at}
    if plain:
        desk.apply(book.UpdateCells(sheet=sheet.name, cells=_scalars(desk, plain)))
    for at, value in cells.items():
        if ":" in at:
            _fill(desk, sheet, at, value)


def _fill(desk: Desk, sheet: Sheet, at: str, value: JsonValue) -> None:
    """A range: a list of lists as it is, or one value everywhere."""
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        rows = [
            tuple(cell_value(cell, dates_as_text=desk.dates_as_text) for cell in row)
            for row in value
            if isinstance(row, list)
        ]
        desk.apply(book.UpdateRange(sheet=sheet.name, range=at, rows=tuple(rows)))
        return
    area = areas(sheet, Operation("update_cells", at, {"ranges": at}))[0]
    one = {str(cell): value for cell in area.cells()}
    desk.apply(book.UpdateCells(sheet=sheet.name, cells=_scalars(desk, one)))


def _cells(operation: Operation) -> dict[str, JsonValue]:
    """`cells: {A1: …}`, `cells: [{cell: A1, value: …}]`, or `target` and `value`."""
    given = operation.get("cells")
    if isinstance(given, list):
        cells: dict[str, JsonValue] = {}
        for each in given:
            if not isinstance(each, dict):
                raise operation.wrong("cells")
            at = each.get("cell", each.get("address", each.get("target")))
            if not isinstance(at, str):
                raise operation.wrong("cells")
            cells[at] = each.get("value", each.get("formula"))
        return cells
    if given is None and "target" in operation:
        return {operation.text("target"): operation.get("value")}
    if not isinstance(given, dict) or not given:
        operation.needs("cells")
        raise operation.wrong("cells")
    return given


def _scalars(desk: Desk, cells: Mapping[str, JsonValue]) -> dict[str, Any]:
    return {at: cell_value(value, dates_as_text=desk.dates_as_text) for at, value in cells.items()}


def update_cells_if(desk: Desk, operation: Operation) -> None:
    if not is_about_cells(operation.get("condition")):
        if "ranges" in operation and "cells" not in operation:
            given = {"target": operation.get("ranges"), "value": operation.get("value")}
            operation = Operation(operation.kind, operation.place, {**operation.given, **given})
        update_cells(desk, operation)
        return
    condition = condition_of(operation)
    sheet = desk.sheet(operation.text("sheet"))
    if "cells" in operation:
        holds = condition.check()
        meant = {
            at: value for at, value in _cells(operation).items() if holds(sheet.seen(cell_at(at)))
        }
        if meant:
            desk.apply(book.UpdateCells(sheet=sheet.name, cells=_scalars(desk, meant)))
        return
    value = cell_value(operation.get("value"), dates_as_text=desk.dates_as_text)
    for area in areas(sheet, operation):
        desk.apply(
            book.UpdateCellsIf(sheet=sheet.name, range=str(area), condition=condition, value=value)
        )


def insert_rows(desk: Desk, operation: Operation) -> None:
    sheet = desk.sheet(operation.text("sheet"))
    row = operation.number("row", 2)
    values = positional(desk, operation) if "rows" in operation else []
    count = operation.number("count", max(1, len(values)))
    if row < 1 or not 1 <= count <= 100_000:
        raise operation.wrong("row" if row < 1 else "count")
    desk.apply(book.InsertRows(sheet=sheet.name, row=row, count=count))
    if values:
        at = f"{operation.text('first_column') or 'A'}{row}"
        desk.apply(book.UpdateRange(sheet=sheet.name, range=at, rows=tuple(values)))


def update_formula(desk: Desk, operation: Operation) -> None:
    if "cells" in operation:
        sheet = desk.sheet_to_write(operation.text("sheet"))
        for at, formula in _cells(operation).items():
            if not isinstance(formula, str) or not formula.strip():
                raise operation.wrong("cells")
            desk.apply(book.UpdateFormula(sheet=sheet.name, range=at, formula=formula))
        return
    update_formula_range(desk, operation)


def update_formula_range(desk: Desk, operation: Operation) -> None:
    operation.needs("ranges", "formula")
    sheet = desk.sheet(operation.text("sheet"))
    formula = operation.text("formula")
    for area in areas(sheet, operation):
        if "{row}" not in formula and "{col}" not in formula:
            desk.apply(book.UpdateFormula(sheet=sheet.name, range=str(area), formula=formula))
            continue
        for at in area.cells():
            own = formula.replace("{row}", str(at.row)).replace("{col}", letters(at.column))
            desk.apply(book.UpdateFormula(sheet=sheet.name, range=str(at), formula=own))


def replace_in_formulas(desk: Desk, operation: Operation) -> None:
    operation.needs("find")
    named = operation.text("sheet")
    find, replace = operation.text("find"), operation.text("replace")
    is_plain = not operation.flag("regex", default=False) and operation.flag(
        "match_case", default=True
    )
    for name in [desk.sheet(named).name] if named else desk.workbook.sheets:
        sheet = desk.workbook.sheet(name)
        where = areas(sheet, operation) if "ranges" in operation else [None]
        for area in where:
            if is_plain:
                desk.apply(
                    book.ReplaceInFormulas(
                        sheet=name,
                        range=str(area) if area else None,
                        find=find,
                        replace=replace,
                    )
                )
            else:
                _replace_pattern(desk, operation, sheet, area)


def _replace_pattern(desk: Desk, operation: Operation, sheet: Sheet, area: Area | None) -> None:
    pattern, replace = operation.text("find"), operation.text("replace")
    if not operation.flag("regex", default=False):
        pattern, replace = regex.escape(pattern), replace.replace("\\", "\\\\")
    flags = 0 if operation.flag("match_case", default=True) else regex.IGNORECASE
    try:
        compiled = regex.compile(pattern, flags)
        changed = [
            (at, after)
            for at in [at for at, _, _ in sheet.formulas()]
            if (area is None or at in area)
            and (before := sheet.formula(at) or "")
            and (after := compiled.sub(replace, before, timeout=_PATTERN_SECONDS)) != before
        ]
    except TimeoutError:
        raise InvalidInput("excel_pattern_slow", place=operation.place) from None
    except (regex.error, IndexError) as error:
        raise InvalidInput(
            "excel_pattern_invalid", place=operation.place, pattern=pattern[:80], reason=str(error)
        ) from None
    for at, after in changed:
        desk.apply(book.UpdateFormula(sheet=sheet.name, range=str(at), formula=f"={after}"))


def format_cells(desk: Desk, operation: Operation) -> None:
    sheet = desk.sheet(operation.text("sheet"))
    for area in areas(sheet, operation):
        desk.apply(format_of(operation, sheet.name, str(area)))
        desk.cells_formatted += area.size


def clear_cells(desk: Desk, operation: Operation) -> None:
    sheet = desk.sheet(operation.text("sheet"))
    keep = operation.flag("keep_formulas", default=False)
    if operation.kind == "clear_cells_if" and operation.get("condition") is None:
        desk.skip(tell("excel_skipped_condition"))
        return
    per_cell = is_about_cells(operation.get("condition"))
    for area in areas(sheet, operation):
        desk.apply(
            book.ClearCellsIf(
                sheet=sheet.name,
                range=str(area),
                condition=condition_of(operation),
                keep_formulas=keep,
            )
            if per_cell
            else book.ClearCells(sheet=sheet.name, range=str(area), keep_formulas=keep)
        )


DO: Mapping[str, Callable[[Desk, Operation], None]] = {
    "add_sheet": add_sheet,
    "copy_sheet": copy_sheet,
    "move_sheet": move_sheet,
    "update_cells": update_cells,
    "append_table": append_table,
    "append_rows_bottom": append_rows_bottom,
    "insert_rows": insert_rows,
    "update_formula": update_formula,
    "update_rows_by_match": update_rows_by_match,
    "format_cells": format_cells,
    "update_cells_if": update_cells_if,
    "update_formula_range": update_formula_range,
    "replace_in_formulas": replace_in_formulas,
    "clear_cells": clear_cells,
    "clear_cells_if": clear_cells,
}


_FLAT = (
    "bold",
    "italic",
    "underline",
    "font_size",
    "font_color",
    "number_format",
    "horizontal",
    "vertical",
    "wrap",
)
_FONT = {"color": "font_color", "size": "font_size"}
_ALIGNMENT = {"wrap_text": "wrap", "wrapText": "wrap"}


def format_of(operation: Operation, sheet: str, area: str) -> FormatCells:
    look: dict[str, Any] = {name: operation.get(name) for name in _FLAT if name in operation}
    look |= _renamed(operation, "font", _FONT)
    look |= _renamed(operation, "alignment", _ALIGNMENT)
    if "fill" in operation:
        look["fill"] = _color(operation.get("fill"))
    if "border" in operation:
        border = operation.get("border")
        look["border"] = border.get("style", "thin") if isinstance(border, dict) else border
    if look.get("border") is True:
        look["border"] = "thin"
    try:
        return FormatCells.model_validate({**look, **_colors(look), "sheet": sheet, "range": area})
    except (ValidationError, TypeError) as error:
        where = error.errors()[0]["loc"] if isinstance(error, ValidationError) else ("font",)
        raise operation.wrong(str(where[-1] if where else "fill")) from None


def _renamed(operation: Operation, key: str, names: Mapping[str, str]) -> dict[str, JsonValue]:
    written = operation.get(key)
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise operation.wrong(key)
    return {names.get(name, name): value for name, value in written.items()}


def _color(fill: JsonValue) -> JsonValue:
    if isinstance(fill, dict):
        return fill.get("color") or fill.get("start_color") or "D9D9D9"
    return fill


def _colors(look: Mapping[str, Any]) -> dict[str, str]:
    """Excel's own eight digits begin with the opacity."""
    return {
        name: color.removeprefix("#")[-6:]
        for name in ("fill", "font_color")
        if isinstance(color := look.get(name), str)
    }


# ---- the block -----------------------------------------------------------------------------------


class UpdateWorkbook(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        operations = _operations(given.get("operations"))
        rehearse((operation, DO[operation.kind]) for operation in operations)

    @classmethod
    @override
    def as_written(cls, inputs: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        return {**inputs, "operations": with_formulas(inputs.get("operations"))}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        # All spellings are checked before the first operation is carried out.
        operations = _operations(given.operations)
        source = given_workbook(given.workbook, context)
        name = given.name or source.name
        desk = Desk(
            opened(source, _first_sheet(operations)), name, dates_as_text=given.dates_as_text
        )
        for number, operation in enumerate(operations, start=1):
            carry_out(desk, operation, number)
        total_tables(desk, set(desk.workbook.sheets), None)
        desk.tell(context)
        return {
            **delivered(desk.workbook.save(), name, as_text=given.base64),
            "summary": desk.summary(len(operations)),
        }


def _operations(given: JsonValue) -> list[Operation]:
    if given is None:
        return []
    listed = given if isinstance(given, list) else [given]
    return [operation_of(each, f"operations[{number}]") for number, each in enumerate(listed)]


def _first_sheet(operations: Sequence[Operation]) -> str:
    return next((name for each in operations if (name := each.text("sheet"))), DEFAULT_SHEET)
