"""Sample plans that bring their own material: files and values that answer their forms."""

from pathlib import Path

from pydantic import TypeAdapter

from sanbo.blocks.spec import Text, text_of
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.service.plan_folders import SHIPPED

MATERIAL = "answers.json"
"""Beside the sample plans: by plan id, `node.field` and its value; `@name` for a file."""
_material = TypeAdapter(dict[str, dict[str, Text]])


def sample_answers(source: PlanSource) -> dict[str, str]:
    """What to answer, by `node.field`; empty for a plan that is no sample.

    Only for the sample as it is shipped or a copy of it: the plan's own id tells.
    """
    plan = load(source.plan).plan
    known = _answers()
    if plan is None or plan.id not in known:
        return {}
    return {name: _found(text_of(value)) for name, value in known[plan.id].items()}


def sample_folder() -> Path:
    return SHIPPED


def sample_ids() -> tuple[str, ...]:
    """Plans that can be run with nothing at hand."""
    return tuple(_answers())


def _answers() -> dict[str, dict[str, Text]]:
    return _material.validate_json((SHIPPED / MATERIAL).read_bytes())


def _found(value: str) -> str:
    return f"@{SHIPPED / value[1:]}" if value.startswith("@") else value
