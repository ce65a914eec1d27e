"""The fields of a form: ids, choices, limits, and defaults that fit."""

from collections.abc import Iterator
from typing import cast

import regex
from pydantic import JsonValue

from sanbo.blocks.spec import BlockSpec
from sanbo.plans.model import BlockNode
from sanbo.plans.references import Key
from sanbo.plans.validating.schemas import kind_of
from sanbo.plans.validating.site import Site
from sanbo.runs.fields import FIELDS

FORM = "ui.interactive_input"
_FIELDS = ("in", "requirements")

Field = dict[str, JsonValue]


def check_form(node: BlockNode, spec: BlockSpec, site: Site) -> None:
    if spec.id != FORM:
        return
    seen: dict[str, tuple[str, int]] = {}
    for index, field in _fields(node):
        _check_id(field, index, seen, site)
        _check_choices(field, index, site)
        _check_default(field, index, site)
        _check_limits(field, index, site)


def _fields(node: BlockNode) -> Iterator[tuple[int, Field]]:
    requirements = node.in_.get("requirements")
    if isinstance(requirements, list):
        for index, field in enumerate(requirements):
            if isinstance(field, dict):
                yield index, field


def _check_id(field: Field, index: int, seen: dict[str, tuple[str, int]], site: Site) -> None:
    name, kind = field.get("id"), str(field.get("type"))
    if not isinstance(name, str) or "${" in name:
        return
    if name not in seen:
        seen[name] = (kind, index)
        return
    other, position = seen[name]
    code = "repeated_field" if other == kind else "contradictory_field"
    site.error(code, *_FIELDS, index, "id", field=name, kind=kind, other=other, first=position + 1)


def _check_choices(field: Field, index: int, site: Site) -> None:
    options = field.get("options")
    kind = FIELDS.get(str(field.get("type")))
    if kind is None or not kind.has_options:
        if options and isinstance(field.get("type"), str):
            site.warn("options_unused", *_FIELDS, index, "options", field=field.get("id"))
        return
    if options is None or options == []:
        site.error("select_without_options", *_FIELDS, index, field=field.get("id"))
        return
    if not isinstance(options, list):
        return
    values = [_choice(each) for each in options]
    repeated = [value for position, value in enumerate(values) if value in values[:position]]
    if repeated:
        site.error(
            "repeated_option", *_FIELDS, index, "options", field=field.get("id"), value=repeated[0]
        )


def _choice(option: JsonValue) -> JsonValue:
    return option.get("value") if isinstance(option, dict) else option


def _check_default(field: Field, index: int, site: Site) -> None:
    default, kind = field.get("default"), FIELDS.get(str(field.get("type")))
    if default is None or kind is None or _refers(default):
        return
    if kind.has_options:
        options = field.get("options")
        choices = [_choice(each) for each in options] if isinstance(options, list) else []
        if choices and default not in choices and not any(_refers(each) for each in choices):
            _tell_default("default_not_an_option", field, index, site)
    elif kind.value_types and kind_of(default) not in kind.value_types:
        _tell_default("default_of_other_type", field, index, site)


def _tell_default(code: str, field: Field, index: int, site: Site) -> None:
    site.error(
        code,
        *_FIELDS,
        index,
        "default",
        field=field.get("id"),
        value=field.get("default"),
        kind=field.get("type"),
    )


def _check_limits(field: Field, index: int, site: Site) -> None:
    validation = field.get("validation")
    if not isinstance(validation, dict):
        return
    limits = cast("Field", validation)
    for low, high in (("min", "max"), ("min_length", "max_length")):
        least, most = limits.get(low), limits.get(high)
        if _is_number(least) and _is_number(most) and cast("float", least) > cast("float", most):
            site.error(
                "limits_crossed",
                *_FIELDS,
                index,
                "validation",
                low,
                field=field.get("id"),
                low=f"{low}: {least}",
                high=f"{high}: {most}",
            )
    _check_default_in_limits(field, limits, index, site)
    pattern = limits.get("pattern")
    if isinstance(pattern, str) and "${" not in pattern and (reason := _wrong_pattern(pattern)):
        where: tuple[Key, ...] = (*_FIELDS, index, "validation", "pattern")
        site.error("bad_pattern", *where, field=field.get("id"), reason=reason)


def _check_default_in_limits(field: Field, limits: Field, index: int, site: Site) -> None:
    default, kind = field.get("default"), FIELDS.get(str(field.get("type")))
    if kind is None or "number" not in kind.value_types or not _is_number(default):
        return
    least, most = limits.get("min"), limits.get("max")
    number = cast("float", default)
    below = _is_number(least) and number < cast("float", least)
    if below or (_is_number(most) and number > cast("float", most)):
        _tell_default("default_outside_limits", field, index, site)


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
