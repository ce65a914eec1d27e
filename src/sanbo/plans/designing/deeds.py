"""What steps of a plan do, as facts: what words of an instruction are answered by."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sanbo.plans.designing.vocabulary import plain

Node = Mapping[str, Any]
_NUMBER = re.compile(r"(?<![\w.-])\d{1,15}(?:\.\d{1,9})?(?![\w-])")
_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_TEXT = re.compile(r'"((?:[^"\\]|\\.){1,200})"')
_SIGNS = {
    ">=": "gte", "<=": "lte", ">": "gt", "<": "lt", "!=": "exclude", " ? ": "choice",
    "abs(": "absolute", "round(": "round", "isEmpty(": "empty", "daysBetween(": "days",
    " * ": "times", " / ": "divide", " - ": "minus", " + ": "plus", "!isEmpty(": "filled",
}  # fmt: skip
_OPERATORS = {
    "ne": ("exclude",), "not_in": ("exclude",), "not_contains": ("exclude",),
    "not_between": ("exclude",), "between": ("gte", "lte"), "eq": ("equals",), "in": ("equals",),
}  # fmt: skip
_BLOCKS = {
    "transforms.union": "union", "transforms.flatten_items": "union",
    "transforms.distinct": "distinct", "transforms.limit": "limit",
    "transforms.compute": "compute", "control.sampling": "sample",
    "data.quality.validate_rules": "check", "matching.reconcile": "pair",
    "file.fill_template": "fill", "file.write_csv": "csv", "excel.write": "excel",
    "file.parse_zip_2tier": "zip", "file.read_mail": "mail", "ai.process_llm": "documents",
}  # fmt: skip
_NAMED = frozenset(("aggregations", "columns", "rename", "data", "features", "output_schema"))
"""Whose keys are names of columns, sheets or places."""
_SETTINGS = frozenset(("op", "operator", "mode", "strategy", "aggfunc", "prompt", "types"))
_JOINS = {"all": "pair", "anti": "lacking", "left": "lookup"}


@dataclass
class Deeds:
    """Of some of a plan's nodes."""

    facts: set[str] = field(default_factory=set[str])
    texts: set[str] = field(default_factory=set[str])
    """Names and values in plain form: of columns, sheets, roles."""
    numbers: set[float] = field(default_factory=set[float])
    days: set[tuple[int, int, int]] = field(default_factory=set[tuple[int, int, int]])

    def __or__(self, other: "Deeds") -> "Deeds":
        return Deeds(
            self.facts | other.facts,
            self.texts | other.texts,
            self.numbers | other.numbers,
            self.days | other.days,
        )


def deeds_of(nodes: Iterable[Node], whole: str) -> Deeds:
    """`whole` is all of the plan: which port of a step others take stands there."""
    made = Deeds()
    for node in nodes:
        for inner in _with_body(node):
            given = cast("Mapping[str, Any]", inner.get("in", {}))
            made.facts |= set(_facts(inner, given))
            if f"{node['id']}.excluded}}" in whole:
                made.facts.add("exclude")
            for text in _scalars((given, inner.get("when"))):
                _tell(made, text)
    made.texts.discard("")
    return made


def _with_body(node: Node) -> Iterator[Node]:
    yield node
    if node.get("type") == "loop":
        yield from node["body"]["plan"]["graph"]


def _facts(node: Node, given: Mapping[str, Any]) -> Iterator[str]:
    block = str(node.get("block", "loop"))
    yield block
    if known := _BLOCKS.get(block):
        yield known
    if "when" in node:
        yield "condition"
    match block:
        case "transforms.group_by_agg":
            yield from ["group"] * ("by" in given)
            yield from (str(one["op"]) for one in given["aggregations"].values())
        case "table.pivot":
            how = str(given["aggfunc"])
            yield from ("group", "pivot", {"mean": "avg"}.get(how, how))
        case "transforms.filter":
            yield "filter"
            yield from _operators(given["conditions"])
        case "transforms.sort":
            yield from ("sort", "descending" if given["descending"] else "ascending")
        case "transforms.join":
            yield _JOINS[given["strategy"]]
        case "transforms.rename_fields":
            yield from ["pick"] * (given.get("mode") == "only")
        case "transforms.compute_features":
            ops = [str(one["op"]) for one in given["config"]["features"].values()]
            yield from ("repeated" if op == "occurrences" else "unit" for op in ops)
        case "ui.interactive_input":
            yield "approve" if given["mode"] == "confirm" else "ask"
        case "excel.write":
            yield from ["sheets"] * (len(given["data"]) > 1)
        case _:
            pass


def _operators(conditions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in conditions:
        for several in ("any", "all"):
            yield from _operators(one.get(several, ()))
        if operator := one.get("operator"):
            yield str(operator)
            yield from _OPERATORS.get(operator, ())
            yield from ["compare"] * ("value_field" in one)


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key, one in cast("Mapping[str, Any]", value).items():
            if key in _NAMED and isinstance(one, Mapping):
                yield from cast("Mapping[str, Any]", one)
            if key not in _SETTINGS:
                yield from _scalars(one)
    elif isinstance(value, list | tuple):
        for one in cast("Sequence[Any]", value):
            yield from _scalars(one)
    elif value is not None:
        yield value


def _tell(made: Deeds, value: Any) -> None:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        made.numbers.add(float(value))
        return
    text = re.sub(r"\$\{[^{}]{1,200}\}", " ", str(value)).strip()
    made.facts |= {fact for sign, fact in _SIGNS.items() if sign in text}
    made.numbers |= {float(one) for one in _NUMBER.findall(text)}
    made.days |= {(int(year), int(month), int(day)) for year, month, day in _DAY.findall(text)}
    made.texts |= {plain(one) for one in (text, *_TEXT.findall(text), *re.findall(r"\w+", text))}
