"""The server as `sanbo up` starts it, with the test workflows: `python -m tests.journeys.serve`.

`JOURNEY_FORM=changed` starts a later version of the purchase request, whose form has changed.
"""

import os

from pydantic import BaseModel, Field

from sanbo.agents.analysis.workflow import Analysis
from sanbo.agents.comparison.workflow import Comparison
from sanbo.plans.designing.workflow import Designs
from sanbo.plans.workflow import Plans
from sanbo.server import serve
from sanbo.settings import load_settings
from tests import honest_runs
from tests.journeys.slow_grace import SlowGrace
from tests.journeys.slow_research import SlowResearch
from tests.workflows import WORKFLOWS
from tests.workflows.intake import Intake


class ChangedInput(BaseModel):
    """`title` is gone; `budget` was a text and is a number."""

    budget: int | None = Field(
        default=None, json_schema_extra={"label": {"ja": "予算", "en": "Budget"}}
    )
    note: str = Field(default="", json_schema_extra={"label": {"ja": "備考", "en": "Note"}})


class FirstInput(BaseModel):
    title: str = Field(
        default="備品の購入", json_schema_extra={"label": {"ja": "案件名", "en": "Case"}}
    )
    budget: str = Field(default="", json_schema_extra={"label": {"ja": "予算", "en": "Budget"}})
    note: str = Field(default="", json_schema_extra={"label": {"ja": "備考", "en": "Note"}})


class FirstPurchase(Intake):
    name = "purchase"
    # pyrefly: ignore[bad-assignment]
    input_model = FirstInput


class ChangedPurchase(Intake):
    name = "purchase"
    # pyrefly: ignore[bad-assignment]
    input_model = ChangedInput


def main() -> None:
    changed = os.environ.get("JOURNEY_FORM") == "changed"
    purchase = ChangedPurchase() if changed else FirstPurchase()
    with honest_runs.watched():
        agents = (Analysis(), Comparison(), SlowGrace(), SlowResearch(), Plans(), Designs())
        serve(load_settings(), (*WORKFLOWS, purchase, *agents))


if __name__ == "__main__":
    main()
