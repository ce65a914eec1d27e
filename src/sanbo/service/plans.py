"""Plans as front ends need them: which there are, what is wrong with one, how it would run.

A run of a plan is a run like every other: the workbench starts it, by id or with its text.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.yaml_tree import MOST_CHARACTERS, YamlRefused, read_tree
from sanbo.kernel.problems import Conflict, InvalidInput, PermissionDenied, Problem
from sanbo.plans.dependencies import calls_in
from sanbo.plans.load import load
from sanbo.plans.migration import Migration, migrate
from sanbo.plans.model import Finding, PlanSource, PlanText, is_valid
from sanbo.plans.node_edits import Grouped, into_loop, into_subflow, renamed
from sanbo.plans.store import Designs, DesignsAndVersions, read_plan_file, source_named
from sanbo.plans.validating import validate
from sanbo.plans.validating.forms import find_picture, picture_names
from sanbo.plans.validating.validator import refuse_invalid
from sanbo.plans.version_store import PlanVersions
from sanbo.service.access import LOCAL, Access, Caller
from sanbo.service.plan_list import (
    DesignInfo,
    DesignsBeside,
    Faults,
    described,
    designs_of,
    is_design,
    origin_of,
    sample_answers,
    save_text,
    with_versions,
)
from sanbo.settings import Settings
from sanbo.storage.database import open_database

__all__ = [
    "MOST_CHARACTERS",
    "PLAN",
    "DesignDetail",
    "Finding",
    "Grouped",
    "PlanSource",
    "PlanText",
    "UnreadableValue",
    "Validation",
    "findings_of",
    "read_design",
    "save_design",
    "source_by_id",
    "source_of_file",
    "source_of_text",
    "start_input",
    "validation_of",
    "value_written",
]

PLAN = "plan"


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True)


class DesignDetail(DesignInfo):
    """With its text, and all that is wrong with it."""

    text: str
    called: tuple[str, ...]
    """The plans that it calls, however deep, as far as they are there."""
    vars: dict[str, JsonValue]
    has_sample: bool
    """Files are shipped for it, so that it can be tried with nothing at hand."""
    findings: tuple[Finding, ...]


class Validation(_Shown):
    valid: bool
    findings: tuple[Finding, ...]


# ---- where plans come from -----------------------------------------------------------------


def source_by_id(
    settings: Settings, plan_id: str, versions: PlanVersions | None = None
) -> PlanSource:
    """Also `id@version`; the database is opened where none is at hand."""
    designs = designs_of(settings.workspace)
    if versions is not None:
        return source_named(plan_id, designs, versions)
    if not _has_database(settings):
        return designs.source(designs.read(plan_id))
    with closing(open_database(settings)) as database:
        return source_named(plan_id, designs, PlanVersions(database))


def source_of_text(
    settings: Settings,
    text: str,
    file: str = "",
    called: Mapping[str, PlanText] | None = None,
    versions: PlanVersions | None = None,
) -> PlanSource:
    """What it calls: what comes with it, then of the workspace, the samples, or kept."""
    designs = designs_of(settings.workspace)
    return _whole(settings, designs, PlanText(text=text, file=file), called or {}, versions)


def source_of_file(settings: Settings, file: Path) -> PlanSource:
    """What it calls may also stand beside it."""
    designs = DesignsBeside(file, designs_of(settings.workspace))
    return _whole(settings, designs, read_plan_file(file, str(file)))


def _whole(
    settings: Settings,
    designs: Designs,
    plan: PlanText,
    called: Mapping[str, PlanText] | None = None,
    versions: PlanVersions | None = None,
) -> PlanSource:
    """The database is looked into for what is not there otherwise."""
    source = designs.source(plan, called)
    texts = (source.plan, *source.called.values())
    plans = [loaded for text in texts if (loaded := load(text).plan) is not None]
    if all(call.plan_id in source.called for each in plans for call in calls_in(each)):
        return source
    if versions is not None:
        return DesignsAndVersions(designs, versions).source(plan, called)
    if not _has_database(settings):
        return source
    with closing(open_database(settings)) as database:
        return DesignsAndVersions(designs, PlanVersions(database)).source(plan, called)


def _has_database(settings: Settings) -> bool:
    return bool(settings.database_url) or (settings.workspace / "sanbo.db").exists()


class UnreadableValue(ValueError):
    """A value that is no YAML."""


def value_written(text: str) -> JsonValue:
    """What a person typed for a variable, as a plan would have it."""
    try:
        return read_tree(text).value
    except YamlRefused as refused:
        raise UnreadableValue(f"{refused.place[1]}: {refused.code}") from None


def pictures_beside(source: PlanSource, file: Path) -> dict[str, Path]:
    """Of a plan anywhere on disk: what its forms show, from its own folder."""
    beside = Designs([file.parent])
    named = PlanSource(plan=PlanText(text="", file=f"{file.parent.name}/{file.name}"))
    return {name: find_picture(name, named, beside) for name in sorted(picture_names(source))}


def start_input(
    source: PlanSource, values: Mapping[str, JsonValue] | None = None, executor: str = ""
) -> dict[str, JsonValue]:
    """The input of a run of this plan, as the workbench takes it."""
    return {
        "source": source.model_dump(mode="json"),
        "vars": dict(values or {}),
        "executor": executor,
    }


# ---- one of them ---------------------------------------------------------------------------------


def read_design(
    settings: Settings, plan_id: str, versions: PlanVersions | None = None
) -> DesignDetail:
    """Also of a plan of which there are only versions, and of `id@version`."""
    designs = designs_of(settings.workspace)
    source = source_by_id(settings, plan_id, versions)
    text, plan = source.plan, load(source.plan).plan
    findings = validation_of(settings, source).findings
    errors = sum(each.severity == "error" for each in findings)
    warnings = sum(each.severity == "warning" for each in findings)
    files = {each.name: each.file for each in designs.list()}
    origin = origin_of(files[text.file]) if text.file in files else "workspace"
    file = text.file if text.file in files else ""
    info = described(plan_id, file, origin, plan, Faults(errors, warnings))
    kept = versions.list(info.own_id) if versions and info.own_id else []
    info = with_versions(info, source, kept)
    return DesignDetail(
        **dict(info),
        text=text.text,
        called=tuple(source.called),
        vars=dict(plan.vars) if plan else {},
        has_sample=bool(sample_answers(source)),
        findings=findings,
    )


def save_design(
    settings: Settings,
    text: str,
    plan_id: str = "",
    *,
    replace: bool = False,
    caller: Caller = LOCAL,
) -> DesignDetail:
    """A plan in the workspace's `designs/`; what is wrong with it is told, and it is kept.

    Without a name to save it under, by its own id. Others run it too: only the person at this
    machine replaces one, or a sample.
    """
    plan_id = plan_id or _own_id(text)
    if not caller.is_local and is_design(settings.workspace, plan_id):
        if replace:
            raise PermissionDenied("plan_replace_refused", plan_id=plan_id)
        raise Conflict("plan_exists", plan_id=plan_id)
    save_text(settings.workspace, plan_id, text, replace=replace)
    return read_design(settings, plan_id)


def _own_id(text: str) -> str:
    """Of a plan that may have any other fault."""
    loaded = load(PlanText(text=text))
    if loaded.plan is not None:
        return loaded.plan.id
    try:
        written = read_tree(text).value
    except YamlRefused:
        first = loaded.findings[0]
        raise InvalidInput("plan_id_unreadable", line=first.line, reason=first.message) from None
    found = written.get("id") if isinstance(written, dict) else None
    if found is None:
        raise InvalidInput("plan_id_missing")
    return str(found)


def migration_of(settings: Settings, source: PlanSource) -> Migration:
    """What becomes of a plan; refused where it would be valid no more."""
    made = migrate(source.plan.text)
    after = source.model_copy(update={"plan": PlanText(text=made.text, file=source.plan.file)})
    if made.forms and validation_of(settings, source).valid:
        refuse_invalid(after, Catalog.load(settings.workspace), settings.plans)
    return made


def renamed_node(settings: Settings, source: PlanSource, node: str, to: str) -> str:
    """The plan with another id for this node; refused where it would be valid no more."""
    made = renamed(source.plan.text, node.split("/"), to)
    if validation_of(settings, source).valid:
        after = source.model_copy(update={"plan": PlanText(text=made, file=source.plan.file)})
        refuse_invalid(after, Catalog.load(settings.workspace), settings.plans)
    return made


def grouped_nodes(
    settings: Settings,
    source: PlanSource,
    nodes: Sequence[str],
    name: str,
    *,
    over: str = "",
    plan_id: str = "",
) -> Grouped:
    """Into a loop over a list, or into a plan of their own; refused where it would be valid no
    more."""
    text = source.plan.text
    made = into_loop(text, nodes, name, over) if over else into_subflow(text, nodes, name, plan_id)
    if validation_of(settings, source).valid:
        plan = PlanText(text=made.text, file=source.plan.file)
        called = dict(source.called)
        if made.called:
            called[made.called_id] = PlanText(text=made.called)
        after = PlanSource(plan=plan, called=called)
        refuse_invalid(after, Catalog.load(settings.workspace), settings.plans)
    return made


# ---- before it runs ------------------------------------------------------------------------


def validation_of(settings: Settings, source: PlanSource) -> Validation:
    people = _people(settings, source)
    findings = validate(source, Catalog.load(settings.workspace), settings.plans, people)
    return Validation(valid=is_valid(findings), findings=findings)


_NAMING_PEOPLE = ("assignee", "role", "approvers")


def _people(settings: Settings, source: PlanSource) -> frozenset[str]:
    """Who has a token, where the plan names somebody and there is a database to ask."""
    texts = (source.plan.text, *(each.text for each in source.called.values()))
    if not any(word in text for text in texts for word in _NAMING_PEOPLE):
        return frozenset()
    if not _has_database(settings):
        return frozenset()
    with closing(open_database(settings)) as database:
        known = Access(database).list_tokens()
    callers = (LOCAL, *(Caller(each.name, roles=frozenset(each.roles)) for each in known))
    return frozenset[str]().union(*(each.who for each in callers)) if known else frozenset()


def findings_of(problem: Problem) -> tuple[Finding, ...]:
    """What is wrong with a plan that was refused; nothing where that was not the reason."""
    told = problem.details.get("findings")
    return _FINDINGS.validate_python(told) if isinstance(told, list) else ()


_FINDINGS = TypeAdapter(tuple[Finding, ...])
