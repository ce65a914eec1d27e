"""Fields of rows: computed from the others of their row (`transforms.compute`), under other names
(`transforms.rename_fields`), the same beside every item (`transforms.attach_context`).
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import listed, read_as
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.aggregates import Unreadable
from sanbo.tables.expressions.evaluation import ROW, Expression, RowNames
from sanbo.tables.expressions.operations import Failed
from sanbo.tables.expressions.syntax import ExpressionRefused, parse, parts_of
from sanbo.tables.expressions.syntax import Given as Named
from sanbo.tables.rows import Row, Rows, fields_in, known_as, require_column
from sanbo.tables.values import text_of

# ---- `transforms.compute` ------------------------------------------------------------------------


class Compute(Transform[Given]):
    @classmethod
    @override
    def as_written(cls, inputs: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        columns = inputs.get("columns")
        written = columns if isinstance(columns, dict) else {"": columns}
        for name, text in written.items():
            if isinstance(text, str) and "${" in text:
                port = f"columns.{name}" if name else "columns"
                raise InvalidInput("compute_from_data", port=port)
        return inputs

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        columns = read_as(dict[str, str], given.columns, "columns")
        expressions = {name: _expression(name, text) for name, text in columns.items()}
        values: Row = given["values"] or {}
        _require_names(expressions, given.items, values)
        failed = Unreadable()
        reasons: list[str] = []
        rows: Rows = []
        for number, item in enumerate(given.items):
            names = RowNames(dict(item), values)
            for name, expression in expressions.items():
                try:
                    names.row[name] = expression.value(names)
                except Failed as reason:
                    failed.add(name, [(number, names.row.get(name))])
                    reasons.append(str(reason))
                    names.row[name] = None
            rows.append(names.row)
        if failed.count:
            told = InvalidInput(
                "compute_failed",
                count=failed.count,
                column=str(failed.examples[0]["field"]),
                row=str(failed.examples[0]["row"]),
                reason=reasons[0],
                details={"examples": failed.examples},
            )
            if given.on_error == "fail":
                raise told
            context.warn(told)
        return {
            "rows": rows,
            "summary": {
                "input": len(given.items),
                "columns": list(expressions),
                "failed": failed.count,
            },
        }


def _expression(name: str, text: str) -> Expression:
    try:
        return Expression(parse(text))
    except ExpressionRefused as refused:
        raise InvalidInput(
            "compute_unreadable",
            port=f"columns.{name}",
            column=name,
            reason=refused.reason or refused.code,
            place=refused.column,
        ) from None


def _require_names(expressions: Mapping[str, Expression], items: Rows, values: Row) -> None:
    """A name that no row has is a slip of the pen, and not an empty column."""
    if not items:
        return
    fields = fields_in(items)
    known = {each.casefold() for each in (*fields, *values, ROW)}
    for name, expression in expressions.items():
        for part in parts_of(expression.tree):
            if isinstance(part, Named) and part.root.casefold() not in known:
                raise InvalidInput(
                    "transform_field_unknown",
                    port=f"columns.{name}",
                    field=part.root or part.text,
                    nearest=alternatives(part.root, [*fields, *values]),
                    details={"fields": fields[:100]},
                )
        known.add(name.casefold())


# ---- `transforms.rename_fields` ------------------------------------------------------------------


Mode = Literal["keep", "only", "copy", "strict"]
_SPELLINGS: Mapping[str, Mode] = {
    "only": "only",
    "select": "only",
    "drop_others": "only",
    "copy": "copy",
    "strict": "strict",
}
_FROM = ("from", "old", "before", "変更前", "旧", "元の項目名")
_TO = ("to", "new", "after", "変更後", "新", "新しい項目名")


class RenameFields(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        written: dict[str, str] = {**_from_rows(given.rename_rows), **(given.rename or {})}
        names = {known_as(given.items, old): new for old, new in written.items()}
        drop = read_as(list[str], listed(given.drop), "drop")
        dropped = {known_as(given.items, name) for name in drop}
        known = fields_in(given.items)
        mode: Mode = _SPELLINGS.get(given.mode, "keep")
        if mode == "strict":
            for name in names:
                require_column(given.items, name, "rename")
            _check(names, dropped, known)
        rows = [_renamed(item, names, dropped, mode) for item in given.items]
        return {
            "rows": rows,
            "summary": {
                "rows": len(rows),
                "renamed": sum(old in known for old in names),
                "names": {old: new for old, new in names.items() if old in known},
                "missing": [old for old in names if old not in known],
                "dropped": [name for name in known if name in dropped],
                "fields": list[JsonValue](fields_in(rows)),
            },
        }


def _from_rows(rows: JsonValue) -> dict[str, str]:
    """A table of names: rows of `{old: new}`, with `from` and `to` (変更前, 変更後), or pairs."""
    names: dict[str, str] = {}
    for number, row in enumerate(listed(rows)):
        pair = _pair(row)
        if pair is not None:
            names[pair[0]] = pair[1]
        elif isinstance(row, dict) and all(isinstance(new, str) for new in row.values()):
            names |= {old: text_of(new) for old, new in row.items()}
        else:
            raise InvalidInput("transform_rename_row", row=number)
    return names


def _pair(row: JsonValue) -> tuple[str, str] | None:
    if isinstance(row, dict):
        old = next((row[name] for name in _FROM if row.get(name)), None)
        new = next((row[name] for name in _TO if row.get(name)), None)
    elif isinstance(row, list) and len(row) == 2:
        old, new = row
    else:
        return None
    return (text_of(old), text_of(new)) if old and new else None


def _check(names: Mapping[str, str], dropped: set[str], known: list[str]) -> None:
    """No two fields may come under one name: the one would hide the other."""
    there = {old: new for old, new in names.items() if old in known}
    stay = set(known) - dropped - set(there)
    taken: dict[str, str] = {name: name for name in stay}
    for old, new in there.items():
        if new in taken and taken[new] != old:
            raise InvalidInput("transform_rename_clash", old=old, new=new, other=taken[new])
        taken[new] = old


def _renamed(item: Row, names: Mapping[str, str], dropped: set[str], mode: Mode) -> Row:
    if mode == "only":
        return {new: item[old] for old, new in names.items() if old in item}
    made: Row = {}
    for name, value in item.items():
        if name in names:
            if mode == "copy" and name not in dropped:
                made[name] = value
            made[names[name]] = value
        elif name not in dropped:
            made[name] = value
    return made


# ---- `transforms.attach_context` -----------------------------------------------------------------


_VALUE = "value"
"""Where an item that is no mapping goes."""


class AttachContext(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        attached = _attached(given)
        given_items: list[JsonValue] = given.items
        items: list[JsonValue] = []
        clashing = 0
        for item in given_items:
            row: Row = item if isinstance(item, dict) else {_VALUE: item}
            clashes = row.keys() & attached.keys()
            clashing += bool(clashes)
            is_over = given.overwrite or bool(given["as"])
            items.append(
                {**row, **attached}
                if is_over
                else {**row, **{k: v for k, v in attached.items() if k not in row}}
            )
        summary: Row = {
            "count": len(items),
            "fields": list[JsonValue](attached),
            "clashes": clashing,
        }
        return {"items": items, "summary": summary}


def _attached(given: Given) -> Row:
    """Under one name, or without a name its own fields."""
    context: JsonValue = given.context
    if name := given["as"]:
        return {name: context}
    if not isinstance(context, dict):
        raise InvalidInput("transform_attach_unnamed")
    return context
