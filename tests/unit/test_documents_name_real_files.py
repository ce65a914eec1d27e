"""Pages for those who work on the code name files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`((?:[\w-]+/)+[\w-]*(?:\.\w+)?)`")


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_and_folder_that_is_named_is_there(page: str) -> None:
    named = set(_NAMED.findall((ROOT / page).read_text("utf-8")))
    assert len(named) > 10
    places = (
        ROOT,
        ROOT / "src" / "sanbo",
        ROOT / "src/sanbo/agents/analysis",
        ROOT / "src/sanbo/llm",
    )
    wrong = [name for name in named if not any((place / name).exists() for place in places)]
    assert wrong in ([], ["block_specs/"])  # which is a workspace's
