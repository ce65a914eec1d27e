"""transforms.rename_fields: other names for the fields of rows."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import listed, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, fields_in, known_as, require_column
from sanbo.tables.values import text_of

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
