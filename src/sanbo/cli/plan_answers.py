"""`--set`: answers to a plan's forms that are given before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from pydantic import JsonValue

from sanbo.cli.arguments import existing, rows_in, upload
from sanbo.cli.asking import fields_of, value_typed
from sanbo.cli.bench import Bench
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Interaction, JsonObject, Requirement

if TYPE_CHECKING:
    from sanbo.service.presets import FormField, PlanForms

FILE = "@"
OPTION = "--set"


@dataclass(frozen=True)
class Setting:
    """`field=value`, `node.field=value` or `loop/node.field=value`."""

    name: str
    value: str

    def is_for(self, node: tuple[str, ...], field_id: str) -> bool:
        if self.name == field_id:
            return True
        where, dot, field = self.name.partition(".")
        return bool(dot) and field == field_id and where in (node[-1], "/".join(node))


def settings_given(assignments: Iterable[str]) -> tuple[Setting, ...]:
    settings: list[Setting] = []
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(
                tell("cli.usage.plan_set", given=assignment), param_hint=OPTION
            )
        settings.append(Setting(name.strip(), value))
    return tuple(settings)


def check_settings(settings: Sequence[Setting], forms: PlanForms) -> None:
    """Before anything starts: fields that no form has, files that are not there, wrong values."""
    for setting in settings:
        meant = [each for each in forms.fields if setting.is_for(each.node, each.id)]
        if not meant and not forms.is_open:
            raise typer.BadParameter(_unknown(setting, forms.fields), param_hint=OPTION)
        for each in meant:
            if each.field is not None:
                _check_value(setting, each.field)


def _unknown(setting: Setting, fields: Sequence[FormField]) -> str:
    known = sorted({each.id for each in fields} | {f"{each.node[-1]}.{each.id}" for each in fields})
    near = nearest(setting.name, known, least=0.5)
    text = "cli.usage.plan_set_near" if near else "cli.usage.plan_set_unknown"
    return tell(text, name=setting.name, near="".join(near), known="、".join(known) or "–")


def _check_value(setting: Setting, field: Requirement) -> None:
    if field.kind.files:
        _path(setting, field)
        return
    try:
        value_typed(field, _text(setting, field))
    except InvalidInput as refusal:
        raise typer.BadParameter(refusal.problem.message, param_hint=OPTION) from None


def _text(setting: Setting, field: Requirement) -> str:
    """Of a table also what is in a file."""
    if field.kind.has_columns and setting.value.startswith(FILE):
        return rows_in(existing(setting.value.removeprefix(FILE)))
    return setting.value


def _path(setting: Setting, field: Requirement) -> Path:
    if not setting.value.startswith(FILE):
        told = tell("cli.usage.plan_set_file", name=setting.name, value=setting.value)
        raise typer.BadParameter(told, param_hint=OPTION)
    path = existing(setting.value.removeprefix(FILE))
    if field.kind.files != "folder" and path.is_dir():
        told = tell("cli.ask.not_a_file", path=path)
        raise typer.BadParameter(told, param_hint=OPTION)
    return path


class SetAnswers:
    """Answers the forms that were foreseen, in whatever order and however often they ask."""

    def __init__(
        self,
        bench: Bench,
        settings: Sequence[Setting],
        samples: Sequence[Setting] = (),
        proposed: JsonValue = None,
    ) -> None:
        """`samples`: for fields that are not set; `proposed`: of a preset, by form."""
        self._bench = bench
        self._settings = settings
        self._samples = samples
        self._proposed = proposed if isinstance(proposed, dict) else {}
        self._refused: set[str] = set()
        self._uploaded: dict[tuple[str, ...], JsonValue] = {}

    def whole(self, interaction: Interaction) -> JsonObject | None:
        given = self.part(interaction)
        needed = [
            each.id for each in fields_of(interaction) if each.required and each.default is None
        ]
        return given if given and all(name in given for name in needed) else None

    def part(self, interaction: Interaction) -> JsonObject:
        if interaction.interaction_id in self._refused:
            return {}
        node = _node(interaction)
        answer = self._of_preset(node, interaction)
        for field in fields_of(interaction):
            if chosen := self._chosen(node, field):
                value = self._value(field, chosen)
                if value is not None:
                    answer[field.id] = value
        return answer

    def _of_preset(self, node: tuple[str, ...], interaction: Interaction) -> JsonObject:
        """What the form shows at first because a preset has it."""
        kept = self._proposed.get("/".join(node))
        known = kept.items() if isinstance(kept, dict) else ()
        defaults = {field.id: field.default for field in interaction.requirements}
        return {name: value for name, value in known if defaults.get(name) == value}

    def _chosen(self, node: tuple[str, ...], field: Requirement) -> list[Setting]:
        """What was said for this very node goes before what was said for all."""
        for settings in (self._settings, self._samples):
            meant = [each for each in settings if each.is_for(node, field.id)]
            exact = [each for each in meant if each.name != field.id]
            if chosen := exact or meant:
                return chosen
        return []

    def refused(self, interaction: Interaction) -> None:
        self._refused.add(interaction.interaction_id)

    def _value(self, field: Requirement, chosen: Sequence[Setting]) -> JsonValue:
        if field.kind.files is None:
            return value_typed(field, _text(chosen[-1], field))
        paths = [_path(each, field) for each in chosen if each.value]
        key = (field.type, *map(str, paths))
        if key not in self._uploaded:
            self._uploaded[key] = upload(self._bench, field.type, paths) if paths else None
        return self._uploaded[key]


def _node(interaction: Interaction) -> tuple[str, ...]:
    """Of the node that asks: without loop items, and without its question's own name."""
    names = tuple(name for name in interaction.path if not name.startswith("#"))
    return names[:-1] or names
