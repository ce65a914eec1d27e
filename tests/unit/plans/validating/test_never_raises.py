"""Whatever a plan holds, the validator and the dry run answer with findings."""

import json
from collections.abc import Callable
from functools import partial

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.blocks.contract.yaml_tree import read_tree
from sanbo.plans.dry_running import dry_run
from sanbo.plans.model import is_valid
from sanbo.plans.validating import validate
from tests.examples import examples
from tests.unit.plans.corpus import BROKEN, SETTINGS, VALID, catalog, plans, source_of_text

TEXTS = [file.read_text(encoding="utf-8") for file in plans(VALID)]
TREES = [read_tree(text).value for text in TEXTS]
BROKEN_TEXTS = [
    file.read_text(encoding="utf-8") for file in plans(BROKEN) if file.stem != "yaml_bomb"
]

_PIECES = [
    "${read.rows}",
    "${vars.",
    "${each_row.line[0]}",
    "${loop.results.0.x.length}",
    "$${",
    "{",
    "- ",
    ":",
    "\t",
    "&a ",
    "*a",
    "!!python/name:os ",
    "'",
    "\x00",
    "null",
    "九",
    "  ",
    "\n",
]


def _nested(depth: int) -> JsonValue:
    return [_nested(depth - 1)] if depth else "底"


odd: st.SearchStrategy[JsonValue] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(
        [
            *_PIECES,
            "あ" * 100_000,
            "${" + "a." * 2000 + "b}",
            "(" * 300,
            _nested(55),
            [],
            {},
            [[]],
            {"": ""},
            {"expr": "${read.count} > 'x' ||"},
            {"left": "${read}", "op": "gt", "right": [1]},
            {"plan_id": "common/checks", "inputs": {"data": "${vars}"}},
            {"input": "${read.rows}", "itemVar": "vars"},
            {"type": "object", "$ref": "#/$defs/x"},
            "loop",
            "subflow",
            "ui.interactive_input",
            "demo.moved@>=1,<",
        ]
    ),
)


Path = tuple[str | int, ...]


def _places(value: JsonValue, path: Path = ()) -> list[Path]:
    found = [path]
    match value:
        case dict():
            found += [each for key in value for each in _places(value[key], (*path, key))]
        case list():
            items = enumerate(value)
            found += [each for index, item in items for each in _places(item, (*path, index))]
        case _:
            pass
    return found


def _changed(value: JsonValue, path: Path, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    match value:
        case _ if not path:
            return change(value)
        case dict():
            key = str(path[0])
            return {**value, key: _changed(value[key], path[1:], change)}
        case list():
            index = int(path[0])
            return [
                _changed(item, path[1:], change) if each == index else item
                for each, item in enumerate(value)
            ]
        case _:
            return value


@st.composite
def changed_trees(draw: st.DrawFn) -> str:
    tree = draw(st.sampled_from(TREES))
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(_places(tree)))
        kind = draw(st.sampled_from(["replace", "wrap", "remove", "rename"]))
        if kind in ("replace", "wrap"):
            tree = _changed(tree, path, partial(_replaced, by=draw(odd), kind=kind))
        else:
            tree = _changed(tree, path[:-1], partial(_bent, path=path, kind=kind))
    return json.dumps(tree, ensure_ascii=False)


def _replaced(value: JsonValue, by: JsonValue, kind: str) -> JsonValue:
    return by if kind == "replace" else [value]


def _bent(value: JsonValue, path: Path, kind: str) -> JsonValue:
    """Without the part at the path's end, or with it under another name, or once more."""
    match value:
        case list() if path:
            position = int(path[-1])
            if kind == "remove":
                return [item for index, item in enumerate(value) if index != position]
            return [*value, value[position]]
        case dict() if path:
            key = str(path[-1])
            rest = {name: item for name, item in value.items() if name != key}
            return rest if kind == "remove" else {**rest, f"{key}x": value[key]}
        case _:
            return value


@st.composite
def changed_texts(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(TEXTS + BROKEN_TEXTS))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        text = text[:start] + draw(st.sampled_from(["", *_PIECES])) + text[end:]
    return text


def _answers(text: str) -> None:
    source = source_of_text(text)
    found = validate(source, catalog(), SETTINGS)
    assert all(each.code != "check_failed" for each in found), found
    report = dry_run(source, catalog(), SETTINGS)
    assert all(each.code != "check_failed" for each in report.findings), report.findings
    assert report.valid == is_valid(report.findings)
    json.dumps(report.model_dump(mode="json"))


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])
@given(changed_trees())
def test_a_plan_with_changed_parts_gets_findings_not_a_crash(text: str) -> None:
    _answers(text)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])
@given(changed_texts())
def test_a_plan_with_changed_letters_gets_findings_not_a_crash(text: str) -> None:
    _answers(text)
