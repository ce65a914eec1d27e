"""The dry run: how a plan's parts fit together, shown with declared samples and nothing else."""

import logging

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.dry_running.rehearsal import Rehearsal
from sanbo.plans.dry_running.report import DryRunReport, NodeReport
from sanbo.plans.dry_running.stage import Stage
from sanbo.plans.findings import Finding, finding, is_valid
from sanbo.plans.model import PlanSource
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating.opened import OpenedPlan, open_plans
from sanbo.plans.validating.surroundings import Surroundings
from sanbo.plans.validating.validator import findings_of

_log = logging.getLogger(__name__)


def dry_run(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> DryRunReport:
    """No data, model, network or effect, and no block's code but its outline. It never raises."""
    try:
        return _dry_run(source, catalog, settings)
    except Exception as error:  # noqa: BLE001 - a plan may be anything
        _log.exception("the dry run met what it was not made for")
        found = finding("check_failed", file=source.plan.file, reason=type(error).__name__)
        return DryRunReport(valid=False, findings=(found,))


def _dry_run(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> DryRunReport:
    plans = open_plans(source, Surroundings(catalog, settings))
    checked = [each for opened in plans for each in findings_of(opened)]
    rehearsal = Rehearsal()
    main = plans[0].scope
    if main is not None:
        _clear(plans)
        rehearsal.go_through(Stage(main))
    findings = _in_order([*checked, *_shown(plans, checked)], plans)
    return DryRunReport(
        valid=is_valid(findings),
        findings=findings,
        nodes=tuple(
            report.model_copy(update={"findings": _of_node(report, findings)})
            for report in rehearsal.reports.values()
        ),
    )


def _clear(plans: tuple[OpenedPlan, ...]) -> None:
    for opened in plans:
        if opened.scope is not None:
            opened.scope.notes.found.clear()


def _shown(plans: tuple[OpenedPlan, ...], checked: list[Finding]) -> list[Finding]:
    """What only the samples have shown: where the validator refuses a line, that is enough."""
    refused = {(each.file, each.line) for each in checked if each.severity == "error"}
    found = [each for opened in plans if opened.scope for each in opened.scope.notes.found]
    return [each for each in dict.fromkeys(found) if (each.file, each.line) not in refused]


def _in_order(findings: list[Finding], plans: tuple[OpenedPlan, ...]) -> tuple[Finding, ...]:
    files = [opened.readable.source.file for opened in plans]
    return tuple(
        sorted(findings, key=lambda each: (files.index(each.file), each.line, each.column))
    )


def _of_node(report: NodeReport, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(each for each in findings if each.node == report.node)
