"""Plans in the documentation are valid: whoever copies one can run it."""

import re
from pathlib import Path

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating import validate

ROOT = Path(__file__).parents[3]
_BLOCK = re.compile(r"^```yaml\n(apiVersion:.*?)^```", re.MULTILINE | re.DOTALL)

PLANS = [
    pytest.param(text, id=f"{page.relative_to(ROOT)}-{number}")
    for page in sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("README*.md")])
    for number, text in enumerate(_BLOCK.findall(page.read_text("utf-8")), 1)
]


def test_there_are_plans_in_the_documentation() -> None:
    assert len(PLANS) >= 3


@pytest.mark.parametrize("text", PLANS)
def test_a_documented_plan_is_valid(text: str) -> None:
    source = PlanSource(plan=PlanText(text=text, file="plan.yaml"))
    findings = validate(source, Catalog.load(None), PlanSettings())
    assert not findings, "\n".join(
        f"{each.line}:{each.column} {each.code} {each.message}" for each in findings
    )
