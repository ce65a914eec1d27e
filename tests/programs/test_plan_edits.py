"""The studio's edits of a plan's text: all else stays byte for byte, and undo gives all back.

The oracle is the server's own reader of plans; the edits are the web application's, in Node.js.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Generator
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.yaml_tree import read_tree
from sanbo.service.blocks import describe_blocks
from sanbo.service.plan_list import SHIPPED
from tests.examples import examples

ROOT = Path(__file__).parents[2]
SAMPLES = tuple(file.read_text("utf-8") for file in sorted(SHIPPED.rglob("*.yaml")))

TRICKY = """\
# 見出しのコメント
id: tricky   # 行末のコメント
version: "1.0.0"
vars: {rows: [1, 2], 'quoted': 0012, last: ~}
empty:
graph:
# 字下げのないリスト
- id: one
  block: transforms.filter   # 版なし
  in:   # 入力
    items: ${vars.rows}
    conditions: [{field: 金額, operator: gt, value: 10}]
    text: |
      複数行の
      文章

  # 次の手順
- {id: two, block: table.from_rows, in: {rows: ${one.filtered}}}
- id: three
  block: transforms.sort
  in: {}
  title: >-
    折りたたみ
    文章
"""


class Studio:
    """One process of Node.js for all edits."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, **sent: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(sent) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@pytest.fixture(scope="module")
def studio() -> Generator[Studio]:
    node = shutil.which("node", path=f"{ROOT / '.venv/node'}{os.pathsep}{os.environ['PATH']}")
    if node is None or not (ROOT / "web/node_modules/yaml").is_dir():
        reason = "no Node.js or no packages of the web application: make web"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with subprocess.Popen(
        [node, str(Path(__file__).with_name("edits.mjs")), str(ROOT / "web")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        yield Studio(process)
        assert process.stdin
        process.stdin.close()


Edit = dict[str, Any]
Steps = tuple[str | int, ...]


def expected(value: Any, edit: Edit) -> Any:
    """What the edit means, on the values that the server reads."""
    made = deepcopy(value)
    *around, last = edit["path"]
    holder: Any = made
    for step in around:
        if isinstance(step, str) and holder.get(step) is None:
            holder[step] = {}
        holder = holder[step]
    match edit["kind"]:
        case "set":
            holder[last] = edit["value"]
        case "append":
            holder[last] = [*(holder.get(last) or []), edit["value"]]
        case _:
            del holder[last]
    return made


texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Co")), max_size=12),
    st.sampled_from(
        [
            "yes",
            "0012",
            "1e3",
            "null",
            "- a",
            "a: b",
            "${a.b}",
            "${a.b} 件",
            "#x",
            "2026-01-31",
            "~",
        ]
    ),
)
scalars = st.one_of(texts, st.integers(-999, 999), st.booleans(), st.none())
keys = st.sampled_from(["items", "条件", "new port", "on", "message", "${x}", "12"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


def paths_in(value: Any, before: Steps = ()) -> list[Steps]:
    inside: Any = ()
    if isinstance(value, dict):
        inside = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        inside = enumerate(cast("list[Any]", value))
    found = [before] if before else []
    for step, each in inside:
        found += paths_in(each, (*before, step))
    return found


@st.composite
def edits(draw: st.DrawFn, value: Any) -> Edit:
    kind = draw(st.sampled_from(["set", "insert", "append", "remove"]))
    paths = paths_in(value)
    match kind:
        case "set" | "remove":
            path = draw(st.sampled_from(paths))
            return {"kind": kind, "path": list(path), "value": draw(values)}
        case "append":
            lists = [path for path in paths if isinstance(at(value, path), list)]
            return {"kind": kind, "path": list(draw(st.sampled_from(lists))), "value": draw(values)}
        case _:
            holders = [path for path in paths if isinstance(at(value, path), dict)]
            path = (*draw(st.sampled_from(holders)), draw(keys))
            return {"kind": "set", "path": list(path), "value": draw(values)}


def at(value: Any, path: Steps) -> Any:
    for step in path:
        value = value[step]
    return value


@settings(max_examples=examples(300))
@given(st.data())
def test_an_edit_changes_what_it_is_about_and_undo_gives_all_back(
    studio: Studio, data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from([TRICKY, *SAMPLES]), label="plan")
    before = read_tree(text).value
    edit = data.draw(edits(before), label="edit")
    told = studio.ask(text=text, edits=[edit])
    (step,) = told["steps"]
    assert told["undone"] == text
    assert told["redone"] == told["end"]
    if step is None:
        assert told["end"] == text
        return
    assert read_tree(step["text"]).value == expected(before, edit)
    # All around one piece of text is as it was, so what a comment says elsewhere is too.
    start, end, insert = step["change"]["from"], step["change"]["to"], step["change"]["insert"]
    units = text.encode("utf-16-le")
    pieces = (units[: 2 * start], insert.encode("utf-16-le"), units[2 * end :])
    assert step["text"] == b"".join(pieces).decode("utf-16-le")


def nodes_in(graph: Any, path: Steps = ()) -> list[Steps]:
    found: list[Steps] = []
    for number, node in enumerate(graph.get("graph") or []):
        here = (*path, "graph", number)
        found.append(here)
        if "body" in node:
            found += nodes_in(node["body"].get("plan", {}), (*here, "body", "plan"))
    return found


def test_no_edit_of_a_graph_is_refused_in_the_plans_that_are_shipped(studio: Studio) -> None:
    for text in (TRICKY, *SAMPLES):
        before = read_tree(text).value
        comments = [line for line in text.splitlines() if line.strip().startswith("#")]
        nodes = nodes_in(before)
        node = {"id": "added", "block": "transforms.sort", "in": {"items": "${one.filtered}"}}
        growing: list[Edit] = [
            {"kind": "append", "path": list(path), "value": node}
            for path in {path[:-1] for path in nodes}
        ]
        for path in nodes:
            growing.append({"kind": "set", "path": [*path, "in", "new"], "value": "${a.b}"})
            growing.append({"kind": "set", "path": [*path, "policy", "retries"], "value": 2})
        shrinking: list[Edit] = [{"kind": "remove", "path": list(path)} for path in nodes]
        for path in nodes:
            for port in at(before, path).get("in") or ():
                here = [*path, "in", port]
                shrinking.append({"kind": "set", "path": here, "value": "${a.b}"})
                shrinking.append({"kind": "remove", "path": here})
        for edit in (*growing, *shrinking):
            told = studio.ask(text=text, edits=[edit])
            assert told["steps"][0] is not None, edit
            assert read_tree(told["end"]).value == expected(before, edit)
            if edit in growing:
                assert set(comments) <= set(told["end"].splitlines())


def test_the_graph_shows_what_reads_what(studio: Studio) -> None:
    view = studio.ask(text=TRICKY, plan=True)
    assert [node["key"] for node in view["nodes"]] == ["one", "two", "three"]
    assert view["edges"] == [
        {"source": "one", "output": "filtered", "target": "two", "input": "rows"}
    ]
    old = studio.ask(text=TRICKY.replace("  in:   #", "  inputs:   #"), plan=True)
    assert old["nodes"][0]["inputsAt"] == ["graph", 0, "inputs"]
    assert list(old["nodes"][0]["inputs"]) == ["items", "conditions", "text"]
    (closing,) = [text for text in SAMPLES if "id: monthly_closing" in text]
    inner = studio.ask(text=closing, plan=True)
    loops = [node["key"] for node in inner["nodes"] if node["kind"] == "loop"]
    assert any(node["parent"] in loops for node in inner["nodes"])
    keys = {node["key"] for node in inner["nodes"]}
    assert all({edge["source"], edge["target"]} <= keys for edge in inner["edges"])


# `|` is the cursor; with what is offered there, and what is not.
COMPLETED = (
    ("    block: transforms.fil|", {"transforms.filter"}, set[str]()),
    ("    block: transforms.filter\n    in:\n      |", {"items", "conditions"}, {"block", "rows"}),
    ("    block: transforms.filter\n    in:\n      items: 1\n      |", {"conditions"}, {"items"}),
    ("    in:\n      |\n    block: transforms.filter", {"items", "conditions"}, {"block"}),
    ("    block: transforms.filter\n    |", {"in", "when"}, {"block", "items"}),
    ("    block: ui.interactive_input\n    in:\n      mode: |", {"collect", "confirm"}, {"items"}),
    ("    block: x.y\n    in:\n      a: ${|", {"first", "vars", "today"}, {"filtered"}),
    ("    block: x.y\n    in:\n      a: ${first.|", {"kept", "excluded"}, {"filtered", "vars"}),
    ("    block: x.y\n    in:\n      a: ${vars.|", {"rows"}, {"first"}),
    ("    title: |", set[str](), {"block"}),
)
BEFORE = """\
id: p
vars: {rows: []}
graph:
  - id: first
    block: transforms.filter
    in: {items: 1}
    out: {filtered: kept}
  - id: here
"""


def test_what_can_stand_at_a_place_is_offered_there(studio: Studio) -> None:
    blocks = [each.model_dump(mode="json") for each in describe_blocks(None)]
    catalogue = {"blocks": blocks, "env": ["HOME"]}
    for marked, offered, not_offered in COMPLETED:
        text = BEFORE + marked
        at = text.index("|")
        told = studio.ask(text=text.replace("|", ""), at=at, catalogue=catalogue)
        offers: list[dict[str, str]] = told["offers"]["offers"] if told["offers"] else []
        labels = {each["label"] for each in offers}
        assert offered <= labels, (marked, labels)
        assert not labels & not_offered, (marked, labels)
    for word, meant in (("transforms.filter", "transforms.filter"), ("conditions", "conditions")):
        text = BEFORE + "    block: transforms.filter\n    in:\n      conditions: []\n"
        told = studio.ask(text=text, at=text.rindex(word) + 2, catalogue=catalogue)
        assert told["meaning"]["title"] == meant
        assert told["meaning"]["text"]
