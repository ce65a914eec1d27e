"""What the reference says is what there is."""

from importlib import import_module
from typing import Any

import pytest

from sanbo.cli import conventions
from sanbo.cli.root import COMMANDS, root
from tests.unit.cli.conftest import ROOT

REFERENCE = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_in_the_reference(name: str) -> None:
    app: Any = import_module(f"sanbo.cli.commands.{name}").app
    command: Any = import_module("typer.main").get_command(app)
    below: dict[str, Any] = getattr(command, "commands", {})
    lines = REFERENCE.splitlines()
    for called, each in (below or {f"sanbo {name}": command}).items():
        line = next((line for line in lines if f"| `sanbo {name} {called}" in line), "")
        line = line or next(line for line in lines if f"| `{called}" in line)
        options = [option for parameter in each.params for option in parameter.opts]
        missing = [option for option in options if option.startswith("--") and option not in line]
        assert missing == [], called


def test_the_options_for_every_command_and_the_exit_codes_are_in_the_reference() -> None:
    for parameter in root().params:
        assert f"`{parameter.opts[0]}" in REFERENCE
    for code in (
        conventions.SUCCEEDED,
        conventions.FAILED,
        conventions.USAGE,
        conventions.WAITING,
        conventions.INTERRUPTED,
    ):
        assert f"| {code} |" in REFERENCE
