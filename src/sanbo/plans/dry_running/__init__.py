"""Plans tried with declared samples: no data, no model, no network, no effect."""

from sanbo.plans.dry_running.rehearsal import dry_run
from sanbo.plans.dry_running.report import Case, Consequence, DryRunReport, NodeReport

__all__ = ["Case", "Consequence", "DryRunReport", "NodeReport", "dry_run"]
