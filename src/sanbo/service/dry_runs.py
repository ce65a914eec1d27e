"""A plan tried on declared samples: no real data, no model, no network, and nothing is changed."""

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.dry_running import DryRunReport, dry_run
from sanbo.plans.dry_running.report import Case as DryRunCase
from sanbo.plans.dry_running.report import NodeReport
from sanbo.plans.model import PlanSource
from sanbo.settings import Settings

__all__ = ["DryRunCase", "DryRunReport", "NodeReport", "dry_run_of"]


def dry_run_of(settings: Settings, source: PlanSource) -> DryRunReport:
    return dry_run(source, Catalog.load(settings.workspace), settings.plans)
