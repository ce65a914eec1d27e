"""Sample plans that bring their own material: files and values that answer their forms."""

import json
from pathlib import Path
from typing import cast

from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.service.plan_folders import SHIPPED

MATERIAL = "answers.json"
"""Beside the sample plans: by plan id, `node.field` and its value, `@name` for a file."""


def sample_answers(source: PlanSource) -> dict[str, str]:
    """What to answer, by `node.field`; empty for a plan that is no sample.

    Only for the sample as it is shipped or a copy of it: the plan's own id tells.
    """
    plan = load(source.plan).plan
    known = _material()
    if plan is None or plan.id not in known:
        return {}
    return {name: _found(value) for name, value in known[plan.id].items()}


def sample_folder() -> Path:
    return SHIPPED


def sample_ids() -> tuple[str, ...]:
    """Plans that can be run with nothing at hand."""
    return tuple(_material())


def _material() -> dict[str, dict[str, str]]:
    file = SHIPPED / MATERIAL
    if not file.is_file():
        return {}
    return cast("dict[str, dict[str, str]]", json.loads(file.read_text("utf-8")))


def _found(value: str) -> str:
    return f"@{SHIPPED / value[1:]}" if value.startswith("@") else value
