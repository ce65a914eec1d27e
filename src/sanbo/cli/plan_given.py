"""PLAN on the command line: a file, `-` for standard input, or a plan's id."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanbo.cli.given import existing
from sanbo.kernel.messages import tell
from sanbo.runs.model import JsonObject

if TYPE_CHECKING:
    from sanbo.service.plans import PlanSource
    from sanbo.settings import Settings

PlanName = Annotated[str, typer.Argument(metavar="PLAN", help="cli.option.plan")]
OptionalPlan = Annotated[
    str | None, typer.Argument(metavar="[PLAN]", help="cli.option.plan", show_default=False)
]
STANDARD_INPUT = "-"
ENDINGS = (".yaml", ".yml")


def plan_source(settings: Settings, plan: str) -> PlanSource:
    # Loaded when it is needed: help and wrong options need not wait for the plan engine.
    from sanbo.service import plans  # noqa: PLC0415

    if not plan.strip():
        raise typer.BadParameter(tell("cli.usage.empty", option="PLAN"), param_hint="PLAN")
    if plan == STANDARD_INPUT:
        return plans.source_of_text(settings, sys.stdin.read(), tell("cli.plan.standard_input"))
    if plan.endswith(ENDINGS) or Path(plan).is_file():
        return plans.source_of_file(settings, existing(plan))
    return plans.source_by_id(settings, plan)


def vars_given(assignments: Iterable[str]) -> JsonObject:
    """`name=value`, the value as YAML has it: `10` is a number, `[a, b]` a list."""
    from sanbo.service.plans import UnreadableValue, value_written  # noqa: PLC0415

    given: JsonObject = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            told = tell("cli.usage.plan_var", given=assignment)
            raise typer.BadParameter(told, param_hint="--var")
        try:
            given[name.strip()] = value_written(value)
        except UnreadableValue as error:
            told = tell("cli.usage.plan_var_value", given=assignment, reason=error)
            raise typer.BadParameter(told, param_hint="--var") from None
    return given
