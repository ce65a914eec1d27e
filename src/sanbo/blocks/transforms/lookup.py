"""transforms.lookup: fields of a second table, found by a key, beside the rows of the first."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.join import key_fields, keys_of
from sanbo.blocks.transforms.options import chosen_fields
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows, fields_in, known_as, value_at


class Lookup(Transform[Given]):
    needed = ("items", "table")

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        names, table_names = key_fields(given.key, given.table_key)
        names = [known_as(given.items, name) for name in names]
        table_names = [known_as(given.table, name) for name in table_names]
        keys = keys_of(given.items, names, given.match, "key")
        entries: dict[Any, Row] = {}
        repeated = 0
        for row, key in zip(
            given.table, keys_of(given.table, table_names, given.match, "table_key"), strict=True
        ):
            repeated += key in entries
            if key is not None:
                entries.setdefault(key, row)
        fields = chosen_fields(given.fields, given.table, "fields") or {
            name: name for name in fields_in(given.table) if name not in table_names
        }
        rows: Rows = []
        unmatched: Rows = []
        for row, key in zip(given.items, keys, strict=True):
            found = entries.get(key) if key is not None else None
            if found is None:
                unmatched.append(row)
            added = {
                name: given.default if found is None else value_at(found, field)
                for name, field in fields.items()
            }
            rows.append({**row, **added})
        if unmatched:
            missing = InvalidInput(
                "lookup_unmatched",
                count=len(unmatched),
                first=" / ".join(str(value_at(unmatched[0], name)) for name in names)[:80],
            )
            if given.on_missing == "fail":
                raise missing
            context.warn(missing)
        return {
            "rows": rows,
            "unmatched": unmatched,
            "summary": {
                "input": len(rows),
                "matched": len(rows) - len(unmatched),
                "unmatched": len(unmatched),
                "repeated_keys": repeated,
                "fields": list(fields),
            },
        }
