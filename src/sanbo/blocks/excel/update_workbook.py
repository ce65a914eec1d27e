"""`excel.update_workbook`: a list of operations, carried out in order on a workbook."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.excel.books import delivered, given_workbook, opened
from sanbo.blocks.excel.cell_values import with_formulas
from sanbo.blocks.excel.desk import DEFAULT_SHEET, Desk
from sanbo.blocks.excel.operations import DO, carry_out
from sanbo.blocks.excel.rehearsing import rehearse
from sanbo.blocks.excel.spellings import Operation, operation_of
from sanbo.blocks.excel.styling import total_tables


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
