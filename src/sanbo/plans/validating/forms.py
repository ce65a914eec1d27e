"""The fields of a form: ids, choices, limits, and defaults that fit; pictures that they show as
help, which are files of the plan's own folder, never an address.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import cast

import regex
from pydantic import JsonValue, ValidationError

from sanbo.blocks.spec import BlockSpec
from sanbo.blocks.ui.form import in_language, names, read_due, without_nulls
from sanbo.documents.file_formats import media_type_of
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.language.cells import parse_day
from sanbo.plans.load import load
from sanbo.plans.model import BlockNode, Graph, LoopNode, PlanSource
from sanbo.plans.references import Key
from sanbo.plans.store import Designs
from sanbo.plans.validating.schemas import kind_of
from sanbo.plans.validating.scope import Site
from sanbo.runs.fields import FIELDS, FileRef, Requirement
from sanbo.runs.files import RunFiles
from sanbo.runs.interactions import check_answer
from sanbo.runs.model import Question

ENDINGS = (".png", ".jpg", ".jpeg")
MOST_BYTES = 5_000_000


def is_picture_name(name: str) -> bool:
    """A file of the plan's folder, or of one in it: no address, no path out of it."""
    parts = PurePosixPath(name).parts
    inside = parts and not any(part.startswith((".", "/")) for part in parts)
    return bool(inside) and not set(name) & set(':\\"?*<>|\0') and name.lower().endswith(ENDINGS)


def picture_names(source: PlanSource) -> set[str]:
    """Of all forms, also of the plans that it calls."""
    plans = (load(text).plan for text in (source.plan, *source.called.values()))
    return {name for plan in plans if plan is not None for name in _in_graph(plan)}


def _in_graph(graph: Graph) -> Iterator[str]:
    for node in graph.graph:
        if isinstance(node, BlockNode):
            yield from names_in(node.in_)
        elif isinstance(node, LoopNode) and node.body.plan is not None:
            yield from _in_graph(node.body.plan)


def names_in(form: Mapping[str, JsonValue]) -> Iterator[str]:
    requirements = form.get("requirements")
    fields = requirements if isinstance(requirements, list) else []
    for each in (form, *fields):
        written = each.get("help") if isinstance(each, Mapping) else None
        name = written.get("picture") if isinstance(written, dict) else None
        if isinstance(name, str) and "${" not in name:
            yield name


def store_pictures(
    names: Iterable[str], source: PlanSource, designs: Designs, files: RunFiles, owner: str
) -> dict[str, FileRef]:
    """Kept with the run: it never looks at the folder again."""
    stored: dict[str, FileRef] = {}
    for name in sorted(names):
        file = find_picture(name, source, designs)
        stored[name] = files.upload(owner, file, PurePosixPath(name).name, media_type_of(name))
    return stored


def find_picture(name: str, source: PlanSource, designs: Designs) -> Path:
    """Beside the plan, or in a folder of plans."""
    if not is_picture_name(name):
        raise InvalidInput("plan_picture_refused", name=name[:200])
    for folder in designs.folders:
        beside = folder.parent / Path(source.plan.file).parent
        for file in (beside / name, folder / name):
            if file.is_file() and file.resolve().is_relative_to(folder.resolve()):
                if file.stat().st_size > MOST_BYTES:
                    raise InvalidInput("plan_picture_refused", name=name[:200])
                return file
    raise NotFound("plan_picture_missing", name=name[:200])


FORM = "ui.interactive_input"

Field = dict[str, JsonValue]
Where = tuple[Key, ...]
_RANGES = (("min", "max"), ("min_length", "max_length"), ("min_rows", "max_rows"))


def check_form(node: BlockNode, spec: BlockSpec, site: Site) -> None:
    if spec.id == FORM:
        _check_fields(node.in_.get("requirements"), ("in", "requirements"), site)
        _check_due(node, site)
        _check_approvers(node, site)
        _check_people(node, site)
        for name in names_in(node.in_):
            if not is_picture_name(name):
                site.error("picture_refused", "in", name=name)


def _check_due(node: BlockNode, site: Site) -> None:
    for name in ("due", "reminder"):
        written = node.in_.get(name)
        if isinstance(written, str) and not _refers(written) and read_due(written) is None:
            site.error("due_unreadable", "in", name, name=name, value=written)
    if node.in_.get("reminder") and not node.in_.get("due"):
        site.warn("reminder_without_due", "in", "reminder")


def _check_approvers(node: BlockNode, site: Site) -> None:
    approvers, mode = node.in_.get("approvers"), node.in_.get("mode")
    if not isinstance(approvers, list):
        return
    if mode != "confirm" and not _refers(mode):
        site.error("approvers_without_confirm", "in", "approvers", mode=mode or "collect")
    for name in ("assignee", "role"):
        if node.in_.get(name):
            site.error("approvers_and_assignee", "in", name, name=name)
    for index, approver in enumerate(approvers):
        if isinstance(approver, str) and approver in approvers[:index]:
            site.error("approver_twice", "in", "approvers", index, name=approver)


def _check_people(node: BlockNode, site: Site) -> None:
    """A question that nobody may answer waits for ever."""
    people = site.scope.surroundings.people
    asked: list[tuple[str, str, Where]] = [
        (kind, name, ("in", port))
        for port, kind in (("assignee", "user"), ("role", "role"))
        for name in names(node.in_.get(port))
    ]
    approvers = node.in_.get("approvers")
    for index, each in enumerate(approvers if isinstance(approvers, list) else ()):
        is_role = isinstance(each, dict)
        found = names(each.get("role") if isinstance(each, dict) else each)
        where: Where = ("in", "approvers", index)
        asked += [("role" if is_role else "user", name, where) for name in found]
    for kind, name, where in asked if people else ():
        if f"{kind}:{name}" not in people and not _refers(name):
            site.warn(f"nobody_is_{kind}", *where, name=name)


def _check_fields(written: JsonValue, above: Where, site: Site) -> None:
    seen: dict[str, tuple[str, int]] = {}
    for index, field in enumerate(written if isinstance(written, list) else ()):
        if isinstance(field, dict):
            where = (*above, index)
            _check_id(field, where, seen, site)
            _check_choices(field, where, site)
            _check_columns(field, where, site)
            _check_limits(field, where, site)
            _check_default(field, where, site)


def _check_id(field: Field, where: Where, seen: dict[str, tuple[str, int]], site: Site) -> None:
    name, kind = field.get("id"), str(field.get("type"))
    if not isinstance(name, str) or "${" in name:
        return
    if name not in seen:
        seen[name] = (kind, cast("int", where[-1]))
        return
    other, position = seen[name]
    code = "repeated_field" if other == kind else "contradictory_field"
    site.error(code, *where, "id", field=name, kind=kind, other=other, first=position + 1)


def _check_choices(field: Field, where: Where, site: Site) -> None:
    options = field.get("options")
    kind = FIELDS.get(str(field.get("type")))
    if kind is None or not kind.has_options:
        if options and isinstance(field.get("type"), str):
            site.warn("options_unused", *where, "options", field=field.get("id"))
        return
    if options is None or options == []:
        site.error("select_without_options", *where, field=field.get("id"))
        return
    if not isinstance(options, list):
        return
    values = [_choice(each) for each in options]
    repeated = [value for position, value in enumerate(values) if value in values[:position]]
    if repeated:
        site.error("repeated_option", *where, "options", field=field.get("id"), value=repeated[0])


def _check_columns(field: Field, where: Where, site: Site) -> None:
    columns, kind = field.get("columns"), FIELDS.get(str(field.get("type")))
    if kind is None or _refers(columns):
        return
    if not kind.has_columns:
        if columns:
            site.warn("columns_unused", *where, "columns", field=field.get("id"))
    elif not columns:
        site.error("table_without_columns", *where, field=field.get("id"))
    else:
        _check_fields(columns, (*where, "columns"), site)


def _choice(option: JsonValue) -> JsonValue:
    return option.get("value") if isinstance(option, dict) else option


def _check_default(field: Field, where: Where, site: Site) -> None:
    default, kind = field.get("default"), FIELDS.get(str(field.get("type")))
    if default is None or kind is None or _refers(default):
        return
    if kind.has_options:
        options = field.get("options")
        choices = [_choice(each) for each in options] if isinstance(options, list) else []
        if choices and default not in choices and not any(_refers(each) for each in choices):
            _tell_default("default_not_an_option", field, where, site)
    elif kind.value_types and kind_of(default) not in kind.value_types:
        _tell_default("default_of_other_type", field, where, site)
    elif _is_outside(field):
        _tell_default("default_outside_limits", field, where, site)
    elif reason := _refusal(field):
        _tell_default("default_refused", field, where, site, reason)


def _refusal(field: Field) -> str:
    """What a person would be told who enters the default."""
    try:
        asked = Requirement.model_validate(without_nulls(in_language(field)))
    except ValidationError:
        return ""  # told elsewhere, or known only when it runs
    try:
        form = Question(mode="collect", message="", requirements=(asked,))
        check_answer(form, {asked.id: asked.default})
    except InvalidInput as refusal:
        return str(refusal.problem.params.get("reasons", ""))
    return ""


def _tell_default(code: str, field: Field, where: Where, site: Site, reason: str = "") -> None:
    site.error(
        code,
        *where,
        "default",
        field=field.get("id"),
        value=field.get("default"),
        kind=field.get("type"),
        reason=reason,
    )


def _check_limits(field: Field, where: Where, site: Site) -> None:
    validation = field.get("validation")
    if not isinstance(validation, dict):
        return
    limits = cast("Field", validation)
    for low, high in _RANGES:
        least, most = _limit(limits.get(low)), _limit(limits.get(high))
        if type(least) is type(most) and cast("float", least or 0) > cast("float", most or 0):
            site.error(
                "limits_crossed",
                *where,
                "validation",
                low,
                field=field.get("id"),
                low=f"{low}: {limits.get(low)}",
                high=f"{high}: {limits.get(high)}",
            )
    _check_days(field, limits, where, site)
    pattern = limits.get("pattern")
    if isinstance(pattern, str) and "${" not in pattern and (reason := _wrong_pattern(pattern)):
        site.error(
            "bad_pattern", *where, "validation", "pattern", field=field.get("id"), reason=reason
        )


def _check_days(field: Field, limits: Field, where: Where, site: Site) -> None:
    """The limits of a date are days, those of a number are numbers."""
    kind = FIELDS.get(str(field.get("type")))
    for name in ("min", "max"):
        written = limits.get(name)
        if kind is None or written is None or _refers(written):
            continue
        limit = _limit(written)
        if limit is None or isinstance(limit, str) != kind.has_days:
            told = {"field": field.get("id"), "value": written}
            site.error("limit_of_other_type", *where, "validation", name, **told)


def _limit(written: JsonValue) -> float | str | None:
    """A number, or a day as ISO has it: those sort as they follow each other."""
    if isinstance(written, str):
        day = parse_day(written)
        return day.isoformat() if day else None
    return float(cast("float", written)) if _is_number(written) else None


def _is_outside(field: Field) -> bool:
    limits, default = field.get("validation"), field.get("default")
    if not isinstance(limits, dict) or not _is_number(default):
        return False
    least, most = _limit(limits.get("min")), _limit(limits.get("max"))
    number = float(cast("float", default))
    below = isinstance(least, float) and number < least
    return below or (isinstance(most, float) and number > most)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _wrong_pattern(pattern: str) -> str:
    if len(pattern) > 1000:
        return "> 1000"
    try:
        regex.compile(pattern)
    except (regex.error, RecursionError, ValueError, OverflowError) as error:
        return str(error)
    return ""


def _refers(value: JsonValue) -> bool:
    return isinstance(value, str) and "${" in value
