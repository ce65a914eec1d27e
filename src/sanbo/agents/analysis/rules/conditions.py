"""Which rows a question is about: filters made of the values, moments and bounds in it."""

import re

from sanbo.agents.analysis.rules.date_conditions import date_conditions
from sanbo.agents.analysis.rules.number_conditions import number_conditions, sign_conditions
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.selection import Conditions
from sanbo.agents.analysis.rules.value_conditions import value_conditions
from sanbo.agents.analysis.rules.yes_no import yes_no_conditions
from sanbo.agents.analysis.spec.filters import (
    Compare,
    Contains,
    Filter,
    Presence,
)


def conditions(scene: Scene, question: str, table: Table, date_column: str | None) -> Conditions:
    found = Conditions()
    value_conditions(scene, table, found)
    date_conditions(scene, table, date_column, found)
    number_conditions(scene, table, found)
    sign_conditions(scene, table, found)
    yes_no_conditions(scene, table, found)
    _contained(scene, question, table, found)
    return found


_QUOTED = re.compile(
    r"[「『\"“']([^」』\"”']{1,60})[」』\"”'](?:という(?:言葉|文字|単語|"
    r"語))?(?:を|が)?(?:含|入っ)|(?:contain(?:s|ing)?|includ(?:es|ing)|"
    r"mention(?:s|ing)?)(?: the (?:word|text))? [\"“'「]([^\"”'」]{1,60})[\"”'」]"
)


_PLAIN = re.compile(r"に([一-龠ァ-ヶーA-Za-z0-9]{2,20})(?:を|が)(?:含|入っ)")


def _contained(scene: Scene, question: str, table: Table, found: Conditions) -> None:
    match = _QUOTED.search(question) or _PLAIN.search(question)
    if match is None:
        return
    text = next(part for part in match.groups() if part)
    words = [one.column for one in scene.columns if table.columns[one.column].type == "text"]
    if not words:
        words = [name for name in table.columns.of("category") if table.columns.is_unique(name)]
    if not words:
        return
    found.filters = [
        one for one in found.filters if not (isinstance(one, Compare) and one.col == words[0])
    ]
    found.values = [one for one in found.values if one[0] != words[0]]
    found.filters.append(Contains(col=words[0], op="contains", value=text))
    found.used.update(one.start for one in scene.columns if one.column == words[0])


def not_missing(columns: list[str]) -> list[Filter]:
    return [Presence(col=column, op="not_null") for column in columns]
