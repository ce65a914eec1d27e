"""Every word that plans in circulation use of a block is a port of it, and stands in a case."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.messages import read_yaml

HERE = Path(__file__).parent
CATALOG = Catalog.load(None)
WORDS: dict[str, dict[str, Any]] = read_yaml(HERE / "blocks.yaml")
CASES: list[dict[str, Any]] = [
    case
    for file in (*sorted((HERE / "blocks").glob("*.yaml")), HERE / "engine.yaml")
    for case in read_yaml(file)
]
_SHAPES = {
    "book": "workbook", "zip": "zip_bytes", "raw": "bytes",
    "cells": "workbook_updated", "encoded": "workbook_b64", "provenance": "items_with_provenance",
    "zipped": "evidence", "texts": "evidence", "groups": "groups",
    "features": "features", "chunks": "chunks", "stored": "stored",
    "candidates": "candidates", "file": "value",
}  # fmt: skip
"""The port that a case means by what it has beside `in` and `out`."""


@pytest.mark.parametrize("block", WORDS)
def test_every_word_of_a_block_stands_in_a_case(block: str) -> None:
    spec, known = CATALOG.resolve(block), WORDS[block]
    ports = cast("dict[str, Any]", known["in"])
    assert {
        port: spec.inputs[port].default for port, default in ports.items() if default is not None
    } == {port: default for port, default in ports.items() if default is not None}
    if file := known.get("file"):  # what takes more than a case
        text = (HERE / file).read_text("utf-8")
        words = {*ports, *known.get("words", ()), *known["out"]}
        assert not {word for word in words if f'"{word}"' not in text}
        return
    cases = [case for case in CASES if case["block"] == block]
    assert not set(ports) - {port for case in cases for port in _given(case)}, "inputs"
    assert not set(map(str, known.get("words", ()))) - {
        word for case in cases for word in _words(case["in"])
    }, "words"
    assert not set(known["out"]) - {port for case in cases for port in _made(case)}, "outputs"
    summed = {
        word
        for case in cases
        for told in (case.get("out", {}), case.get("tells", {}))
        for word in told.get("summary", ())
    }
    assert not set(known.get("sum", ())) - summed, "summary"


def _given(case: dict[str, Any]) -> Iterator[str]:
    yield from case["in"]
    yield from (port for word, port in _SHAPES.items() if word in case)
    yield case.get("port", "")


def _made(case: dict[str, Any]) -> Iterator[str]:
    yield from (*case.get("out", ()), *case.get("tells", ()))
    yield from (port for word, port in _SHAPES.items() if word in case)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, Any]", value).items():
            yield str(key)
            yield from _words(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _words(each)
    else:
        yield str(value)
