"""All rows of a table whose part holds only the first: read back from the file beside it."""

import csv
import io

from pydantic import JsonValue

from sanbo.runs.parts import CellKind, Table


def with_all_rows(table: Table, data: bytes) -> Table:
    """`data`: the table's CSV as a run writes it, numbers plain and texts guarded by `'`."""
    lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    next(lines, None)
    kinds: list[CellKind] = [column.kind for column in table.columns]
    rows = tuple(
        tuple(_cell(text, kind) for text, kind in zip(line, kinds, strict=False)) for line in lines
    )
    return table.model_copy(update={"rows": rows})


def _cell(text: str, kind: CellKind) -> JsonValue:
    if not text:
        return None
    if kind == "boolean":
        return {"TRUE": True, "FALSE": False}.get(text, text)
    if kind in ("number", "share"):
        try:
            return int(text) if text.lstrip("-").isdigit() else float(text)
        except ValueError:
            return text
    return text[1:] if text.startswith("'") and len(text) > 1 else text
