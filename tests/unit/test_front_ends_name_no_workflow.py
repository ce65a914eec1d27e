"""Front ends draw parts: none of them asks which workflow a run is of."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sanbo
from sanbo.service.catalog import WORKFLOWS

SOURCE = Path(sanbo.__file__).parent
STARTS = {
    "cli/commands/analyze.py",
    "cli/commands/ask.py",
    "cli/commands/compare.py",
    "cli/commands/research.py",
    "cli/commands/plan.py",
    "cli/commands/plan_run.py",
    "cli/main.py",
    "cli/root.py",
    "api/openapi.py",
}
"""A command has the name of what it starts, and routes are grouped by such names."""


def _named(path: Path) -> Iterator[str]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    keywords = [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "tags"]
    tags = [tag for keyword in keywords for tag in ast.walk(keyword)]
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value in set(WORKFLOWS) and node not in tags:
            yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.value}"


@pytest.mark.parametrize("front_end", ["cli", "api"])
def test_only_a_start_names_a_workflow(front_end: str) -> None:
    paths = sorted((SOURCE / front_end).rglob("*.py"))
    others = [path for path in paths if path.relative_to(SOURCE).as_posix() not in STARTS]
    assert [name for path in others for name in _named(path)] == []
