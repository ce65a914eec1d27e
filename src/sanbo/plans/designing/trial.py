"""A text as a plan: validated, and where that finds no error rehearsed on samples."""

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.designing.outline import Attempt
from sanbo.plans.dry_running import dry_run
from sanbo.plans.findings import is_valid
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating import validate


def tried(text: str, catalog: Catalog, settings: PlanSettings) -> Attempt:
    source = PlanSource(plan=PlanText(text=text))
    findings = validate(source, catalog, settings)
    if not is_valid(findings):
        return Attempt(text=text, findings=findings, stage="validate")
    report = dry_run(source, catalog, settings)
    return Attempt(text=text, findings=report.findings, stage="dry_run")
