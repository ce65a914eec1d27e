"""Versions of plans as front ends need them: kept, looked at, decided on, taken out and in."""

from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager

from pydantic import JsonValue

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.spec import text_of
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.plans.compatibility import Upgrade, upgrades_of
from sanbo.plans.load import load
from sanbo.plans.model import Finding, PlanSource
from sanbo.plans.running.plan import pinned_versions
from sanbo.plans.store import read_versions, written_versions
from sanbo.plans.validating import validate
from sanbo.plans.validating.validator import refuse_invalid, refuse_written_secrets
from sanbo.plans.version_store import (
    Decision,
    PlanVersion,
    PlanVersions,
    State,
    VersionEvent,
    VersionInfo,
    split_name,
)
from sanbo.service.access import Caller
from sanbo.settings import Settings
from sanbo.storage.database import open_database

__all__ = [
    "Decision",
    "PlanVersions",
    "State",
    "VersionDetail",
    "VersionEvent",
    "VersionInfo",
    "compatibility",
    "decide",
    "detail_of",
    "export_versions",
    "import_versions",
    "open_versions",
    "save_version",
    "split_name",
]


class VersionDetail(VersionInfo):
    """A version with its text, its history, and what is wrong with it now."""

    title: str
    text: str
    called: tuple[str, ...]
    vars: dict[str, JsonValue]
    blocks: dict[str, str]
    history: tuple[VersionEvent, ...]
    findings: tuple[Finding, ...]
    upgrades: tuple[Upgrade, ...]
    """Blocks that there are in a newer major version by now, and what that would mean."""


@contextmanager
def open_versions(settings: Settings) -> Generator[PlanVersions]:
    """Without a workbench."""
    with closing(open_database(settings)) as database:
        yield PlanVersions(database)


def detail_of(settings: Settings, version: PlanVersion) -> VersionDetail:
    plan = load(version.source.plan).plan
    catalog = Catalog.load(settings.workspace)
    findings = validate(version.source, catalog, settings.plans)
    return VersionDetail(
        **{name: getattr(version, name) for name in VersionInfo.model_fields},
        title=text_of(plan.title) if plan else "",
        text=version.source.plan.text,
        called=tuple(version.source.called),
        vars=dict(plan.vars) if plan else {},
        blocks=version.blocks,
        history=version.history,
        findings=findings,
        upgrades=upgrades_of(version.source, version.blocks, catalog) if plan else (),
    )


def compatibility(settings: Settings, versions: PlanVersions, name: str) -> tuple[Upgrade, ...]:
    found = versions.get(*split_name(name))
    return upgrades_of(found.source, found.blocks, Catalog.load(settings.workspace))


def save_version(
    settings: Settings,
    versions: PlanVersions,
    source: PlanSource,
    caller: Caller,
    comment: str = "",
) -> VersionDetail:
    """A draft may have faults, but a form by which its id and version can be told."""
    catalog = Catalog.load(settings.workspace)
    plan = load(source.plan).plan
    if plan is None:
        refuse_invalid(source, catalog, settings.plans)
        raise InvalidInput("plan_id_missing")
    refuse_written_secrets(source, {})
    try:
        blocks = pinned_versions(source, catalog)
    except (NotFound, InvalidInput):  # the findings tell which block there is none of
        blocks = {}
    kept = versions.save(
        plan, source, blocks, actor=caller.owner, may_replace=caller.is_local, comment=comment
    )
    return detail_of(settings, kept)


def decide(
    settings: Settings,
    versions: PlanVersions,
    name: str,
    decision: Decision,
    *,
    caller: Caller,
    comment: str = "",
) -> VersionDetail:
    plan_id, version = split_name(name)
    if decision in ("submit", "approve") and version:
        source = versions.get(plan_id, version).source
        refuse_invalid(source, Catalog.load(settings.workspace), settings.plans)
    decided = versions.decide(
        plan_id,
        version,
        decision,
        actor=caller.owner,
        settings=settings.plans,
        comment=comment,
    )
    return detail_of(settings, decided)


def export_versions(versions: PlanVersions, name: str) -> bytes:
    """All versions of a plan, or the one that is named."""
    plan_id, version = split_name(name)
    if version or not versions.list(plan_id):
        return written_versions((versions.get(plan_id, version),))
    return written_versions(tuple(_each(versions, versions.list(plan_id))))


def _each(versions: PlanVersions, listed: Iterable[VersionInfo]) -> Generator[PlanVersion]:
    for each in listed:
        yield versions.get(each.plan_id, each.version)


def import_versions(
    settings: Settings, versions: PlanVersions, content: bytes, caller: Caller
) -> tuple[list[VersionInfo], int]:
    """What the file's versions are here now, and how many of them are new.

    Approvals of elsewhere count only for the person at this machine, and only where none are
    needed: a file can say anything.
    """
    found = read_versions(content)
    rules = settings.plans.require_approval or settings.plans.four_eyes
    taken = versions.take_in(found, caller.owner, trusted=caller.is_local and not rules)
    ids = dict.fromkeys(each.plan_id for each in found)
    return [info for plan_id in ids for info in versions.list(plan_id)], taken
