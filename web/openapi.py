"""What the API says about itself, for the page's types: `make types` writes both.

Without the words for people, so that a better sentence changes no type.
"""

import json
import sys
from pathlib import Path
from typing import cast

from sanbo.api.app import create_api
from sanbo.api.openapi import openapi_document
from sanbo.service.workbench import Workbench

TARGET = Path(__file__).with_name("openapi.json")
_FOR_PEOPLE = frozenset({"description", "summary", "title", "tags"})


def page_document() -> str:
    document = openapi_document(create_api(_no_workbench), "/api", "en")
    document["info"] = {"title": "Sanbo", "version": "1"}
    return json.dumps(_without_words(document), ensure_ascii=False, indent=1) + "\n"


def _no_workbench() -> Workbench:
    raise AssertionError("only the shape of the API is asked for")


def _without_words(node: object, named: bool = False) -> object:
    """`named`: the keys of this object are names of ours, not words of OpenAPI."""
    if isinstance(node, list):
        return [_without_words(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_words(value, key in ("properties", "schemas", "paths", "info"))
        for key, value in cast("dict[str, object]", node).items()
        if named or key not in _FOR_PEOPLE or not isinstance(value, str | list)
    }


if __name__ == "__main__":
    TARGET.write_text(page_document(), "utf-8")
    sys.stdout.write(f"{TARGET}\n")
