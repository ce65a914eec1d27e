"""What belongs together: rows by what they have in common, with figures of each group
(`transforms.group_by_agg`), files of an archive by their folders (`transforms.group_evidence`).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given, Transform
from sanbo.blocks.contract.schemas import schema_by_example
from sanbo.blocks.spec import Schema
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.aggregates import AGGREGATES, SEPARATOR, Figure, Unreadable
from sanbo.tables.rows import (
    Row,
    Rows,
    grouped,
    in_order,
    known_as,
    require_field,
    shared_key,
    value_at,
)
from sanbo.tables.values import Match, is_blank

# ---- `transforms.group_by_agg` -------------------------------------------------------------------


_CALL = re.compile(r"\s*+(\w++)\s*+\((.*)\)\s*+")


class Options(Option):
    match: Match = "matching"
    drop_empty: bool = False
    """Leave out rows whose group field is empty; else they are a group of their own."""
    sort_by: str = ""
    descending: bool = False


class GroupByAgg(Transform[Given]):
    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        figures = read_aggregations(given.get("aggregations"))
        groups: Row = dict.fromkeys(_group_fields(given.get("by")).values(), "A")
        row = {**groups, **{one.name: one.of(["1", "2"])[0] for one in figures}}
        return {"rows": schema_by_example([row])}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        options = read_as(Options, given.options, "options")
        names = _group_fields(given.by)
        figures = read_aggregations(given.aggregations)
        names = {known_as(given.items, path): name for path, name in names.items()}
        figures = [replace(one, field=known_as(given.items, one.field)) for one in figures]
        _check(given.items, names, figures)
        groups, dropped = _grouped(given.items, names, options)
        unreadable = Unreadable()
        rows: Rows = []
        for numbers in groups:
            first: Row = given.items[numbers[0]] if numbers else {}
            row: Row = {name: value_at(first, path) for path, name in names.items()}
            for figure in figures:
                values = [value_at(given.items[number], figure.field) for number in numbers]
                row[figure.name], odd = figure.of(values)
                if figure.kind == "sum" and len(odd) == sum(not is_blank(one) for one in values):
                    row[figure.name] = None  # of nothing: no sum, and not 0
                unreadable.add(figure.field, [(numbers[at], values[at]) for at in odd])
            rows.append(row)
        if unreadable.count:
            context.warn(unreadable.told("transform_unreadable"))
        if options.sort_by:
            require_field(list[JsonValue](rows), options.sort_by, "options.sort_by")
            rows = in_order(rows, lambda row: row[options.sort_by], descending=options.descending)
        return {
            "rows": rows,
            "summary": {
                "items": len(given.items),
                "groups": len(rows),
                "by": list(names.values()),
                "dropped": dropped,
                "unreadable": unreadable.count,
                "unreadable_examples": unreadable.examples,
            },
        }


def _group_fields(by: JsonValue) -> dict[str, str]:
    """Path → name in the result. `取引先`, `[取引先, 月]`, `{field: 取引先.名称, as: 取引先}`."""
    if by is None or by == "":
        return {}
    given = read_as(list[str | dict[str, str]], by if isinstance(by, list) else [by], "by")
    names: dict[str, str] = {}
    for one in given:
        if isinstance(one, str):
            names[one] = one
        elif "field" in one:
            names[one["field"]] = one.get("as", one["field"])
        else:
            raise InvalidInput("transform_option_invalid", port="by", reason="field?")
    return names


def _check(items: Rows, names: Mapping[str, str], figures: list[Figure]) -> None:
    for path in names:
        require_field(items, path, "by")
    for figure in figures:
        if figure.field:
            require_field(items, figure.field, "aggregations")
    taken = set(names.values())
    for figure in figures:
        if figure.name in taken:
            raise InvalidInput("transform_columns_clash", name=figure.name)
        taken.add(figure.name)


def _grouped(
    items: Rows, names: Mapping[str, str], options: Options
) -> tuple[list[list[int]], int]:
    """Numbers of the rows of each group, groups in the order in which they first come up."""
    if not names:
        return [list(range(len(items)))], 0
    groups = grouped(shared_key(item, names, options.match) for item in items)
    kept = [numbers for key, numbers in groups.items() if not (options.drop_empty and None in key)]
    return kept, len(items) - sum(map(len, kept))


class _Written(Option):
    field: str = Field(default="", validation_alias=AliasChoices("field", "column"))
    op: str = Field(
        default="", validation_alias=AliasChoices("op", "agg", "func", "function", "operation")
    )
    as_: str = Field(default="", validation_alias=AliasChoices("as", "name", "alias"))
    separator: str = SEPARATOR


def read_aggregations(given: JsonValue) -> list[Figure]:
    """Without any, the rows are counted."""
    if given is None or given in ([], {}):
        return [Figure("count", "count_all")]
    if isinstance(given, dict):
        return [figure for name, one in given.items() for figure in _named(name, one)]
    entries = given if isinstance(given, list) else [given]
    return [_figure(read_as(_Written, one, "aggregations")) for one in entries]


def _named(name: str, given: JsonValue) -> list[Figure]:
    """`合計: {field: 金額, op: sum}`, `合計: sum(金額)`, `金額: sum`, `金額: [sum, avg]`."""
    if isinstance(given, dict):
        written = read_as(_Written, given, f"aggregations.{name}")
        return [_figure(written.model_copy(update={"as_": written.as_ or name}))]
    if isinstance(given, list):
        ops = read_as(list[str], given, f"aggregations.{name}")
        return [_figure(_Written(field=name, op=op, as_=f"{name}_{op}")) for op in ops]
    word = read_as(str, given, f"aggregations.{name}")
    if found := _CALL.fullmatch(word):
        field = "" if (inside := found[2].strip()) == "*" else inside
        return [_figure(_Written(field=field, op=found[1], as_=name))]
    return [_figure(_Written(field=name, op=word, as_=name))]


def _figure(written: _Written) -> Figure:
    is_of_filled = written.op.strip().lower() == "count_filled"
    kind = "count" if is_of_filled else AGGREGATES.find(written.op or "sum")
    if kind is None:
        raise InvalidInput("transform_aggregation_unknown", given=written.op, known=str(AGGREGATES))
    if kind == "count_all" or (kind == "count" and not is_of_filled):
        named = f"{written.field}_count" if written.field else "count"
        return Figure(written.as_ or named, "count_all")
    if not written.field:
        raise InvalidInput("transform_aggregation_field", op=kind)
    name = written.as_ or f"{written.field}_{kind}"
    return Figure(name, kind, written.field, written.separator)


# ---- `transforms.group_evidence` -----------------------------------------------------------------


_LEVELS = {"by_dir": "top_dir", "tier2": "second_dir", "sub_dir": "second_dir"}


class GroupEvidence(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        files = _files(given.evidence)
        level = _level(given.level, [_path(file) for file in files])
        groups: dict[str, Rows] = {}
        for file in files:
            groups.setdefault(_place(_path(file), level), []).append(file)
        keys = {place: _name(place, level) for place in sorted(groups)}
        made = [_group(key, groups[place], given) for place, key in keys.items()]
        return {
            "groups": made,
            "summary": {
                "files": len(files),
                "groups": len(made),
                "by_group": {place: len(groups[place]) for place in keys},
            },
        }


def _files(evidence: Row) -> Rows:
    found = evidence.get("files")
    if not isinstance(found, list):
        raise InvalidInput("transform_evidence_files", port="evidence.files")
    files: Rows = []
    for number, file in enumerate(found):
        if not isinstance(file, dict) or not _path(file):
            raise InvalidInput("transform_evidence_files", port=f"evidence.files.{number}")
        files.append(file)
    return files


def _path(file: Row) -> str:
    path = file.get("path") or file.get("name")
    return path.replace("\\", "/").strip("/") if isinstance(path, str) else ""


def _level(word: str, paths: list[str]) -> str:
    level = _LEVELS.get(word, word)
    if level != "auto":
        return level
    tops = {path.split("/")[0] if "/" in path else "" for path in paths}
    has_folders = any(path.count("/") > 1 for path in paths)
    return "second_dir" if len(tops) == 1 and has_folders else "top_dir"


def _place(path: str, level: str) -> str:
    """The folder that a file is grouped by; right in a top folder, the file itself."""
    parts = path.split("/")
    match level:
        case "top_dir":
            return "/".join(parts[:-1][:1])
        case "second_dir":
            return "/".join(parts[:2]) if len(parts) > 1 else ""
        case "dir":
            return "/".join(parts[:-1])
        case "file":
            return path
        case _:
            return ""


def _name(place: str, level: str) -> str | None:
    """A folder's own name, which two of them may have."""
    if level in ("top_dir", "second_dir"):
        return place.rpartition("/")[2]
    return place if level in ("dir", "file") else None


def _group(key: str | None, files: Rows, given: Given) -> Row:
    """Evidence of the same shape as all of it, so that the same blocks can read it."""
    by_dir: dict[str, list[JsonValue]] = {}
    for file in files:
        path = _path(file)
        by_dir.setdefault(path.split("/")[0] if "/" in path else "", []).append(path)
    paths = {_path(file) for file in files}
    sizes = [size for file in files if isinstance(size := file.get("size"), int)]
    evidence: Row = {
        **{name: value for name, value in given.evidence.items() if name not in _OF_ALL},
        "raw_size": sum(sizes),
        "total_files": len(files),
        "files": list[JsonValue](files),
        "by_dir": dict[str, JsonValue](by_dir),
        "problems": _problems(given.evidence, paths),
    }
    group: Row = {"key": key, "evidence": evidence}
    if given.instruction:
        evidence["instruction"] = group["instruction"] = given.instruction
    return group


def _problems(evidence: Row, paths: set[str]) -> list[JsonValue]:
    found = evidence.get("problems")
    problems = found if isinstance(found, list) else []
    return [one for one in problems if isinstance(one, dict) and one.get("path") in paths]


_OF_ALL = frozenset({"raw_size", "total_files", "files", "by_dir", "problems", "instruction"})
