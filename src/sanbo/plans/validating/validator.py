"""The validator: everything that is wrong or odd in a plan and in the plans that it calls."""

import logging

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.findings import Finding, finding
from sanbo.plans.model import PlanSource
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating.checking import check_plan
from sanbo.plans.validating.opened import OpenedPlan, open_plans
from sanbo.plans.validating.surroundings import Surroundings

_log = logging.getLogger(__name__)


def validate(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> tuple[Finding, ...]:
    """All findings at once, by file and line. It never raises: what it can't check, it says."""
    try:
        plans = open_plans(source, Surroundings(catalog, settings))
        return tuple(each for opened in plans for each in findings_of(opened))
    except Exception as error:  # noqa: BLE001 - a plan may be anything
        _log.exception("the validator met what it was not made for")
        return (finding("check_failed", file=source.plan.file, reason=type(error).__name__),)


def findings_of(opened: OpenedPlan) -> tuple[Finding, ...]:
    readable, scope = opened.readable, opened.scope
    found = list(readable.findings)
    if scope is not None and readable.plan is not None:
        check_plan(readable.plan, scope, opened.plan_id, is_whole=readable.is_whole)
        found.extend(scope.notes.found)
    return tuple(sorted(dict.fromkeys(found), key=lambda each: (each.line, each.column)))
