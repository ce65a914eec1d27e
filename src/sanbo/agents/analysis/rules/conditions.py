"""Which rows a question is about: filters made of the values, moments and bounds in it."""

from dataclasses import replace

from sanbo.agents.analysis.rules.containment import containment
from sanbo.agents.analysis.rules.date_conditions import date_conditions
from sanbo.agents.analysis.rules.number_conditions import number_conditions, sign_conditions
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.selection import Conditions
from sanbo.agents.analysis.rules.value_conditions import value_conditions
from sanbo.agents.analysis.rules.yes_no import yes_no_conditions
from sanbo.agents.analysis.spec.filters import Filter, Presence


def conditions(scene: Scene, question: str, table: Table, date_column: str | None) -> Conditions:
    found = Conditions()
    if part := containment(scene, question, table):
        found.filters.append(part.condition)
        found.used.add(part.column)
        found.read.append(part.span)
        outside = [one for one in scene.values if not part.covers(one.start)]
        scene = replace(scene, values=tuple(outside))
    value_conditions(scene, table, found)
    date_conditions(scene, table, date_column, found)
    number_conditions(scene, table, found)
    sign_conditions(scene, table, found)
    yes_no_conditions(scene, table, found)
    return found


def not_missing(columns: list[str]) -> list[Filter]:
    return [Presence(col=column, op="not_null") for column in columns]
