"""Conditions on words: 新宿店だけ, 大阪以外, excluding returns."""

import re

from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.selection import Conditions
from sanbo.agents.analysis.rules.values import ValueMention
from sanbo.agents.analysis.spec.filters import (
    Among,
    Compare,
)


def value_conditions(scene: Scene, table: Table, found: Conditions) -> None:
    named = {mention.column for mention in scene.columns}
    kept: dict[str, list[str]] = {}
    excluded: dict[str, list[str]] = {}
    for place, mention in reversed(list(enumerate(scene.values))):
        follower = scene.values[place + 1] if place + 1 < len(scene.values) else None
        column, value = _home(mention.found, named, table.columns)
        _qualified(scene, mention, column, found)
        if follower and _OR_LIST.fullmatch(scene.masked[mention.end : follower.start]):
            found.alternatives.add(column)
        side = excluded if scene.exclusions.has(mention) else kept
        side.setdefault(column, []).insert(0, value)
    for column, found_values in kept.items():
        values = list(dict.fromkeys(found_values))
        if column not in found.alternatives:
            found.values += [(column, value) for value in values]
        if len(values) == 1:
            found.filters.append(
                Compare(col=column, op="==", value=_typed(values[0], table, column))
            )
        else:
            found.filters.append(
                Among(
                    col=column,
                    op="in",
                    value=tuple(_typed(value, table, column) for value in values),
                )
            )
    for column, values in excluded.items():
        for value in dict.fromkeys(values):
            if value in kept.get(column, ()):
                found.homeless.append(value)  # asked for, and left out
            found.filters.append(Compare(col=column, op="!=", value=_typed(value, table, column)))


_OR_LIST = re.compile(r"\s?(?:または|もしくは|あるいは|か|,?\s?or)\s?(?:in |the )?")


_BESIDE = re.compile(r"\s?(?:が|は|の|=|:|「)?\s?|\s(?:is |of |was |= )?|\s?-\s?")


def _qualified(scene: Scene, mention: ValueMention, column: str, found: Conditions) -> None:
    """A column beside its own value only says what the value is: low priority, 店舗が新宿店."""
    for one in scene.columns:
        if column not in one.columns:
            continue
        if (
            one.end <= mention.start and _BESIDE.fullmatch(scene.masked[one.end : mention.start])
        ) or (
            mention.end <= one.start
            and re.fullmatch(r"[\s\-]", scene.masked[mention.end : one.start])
        ):
            found.used.add(one.start)


def _home(found: tuple[tuple[str, str], ...], named: set[str], columns: Columns) -> tuple[str, str]:
    """The column that the question names too, else the one with the fewest different values."""
    for column, value in found:
        if column in named:
            return column, value
    return min(found, key=lambda one: (columns.roles[one[0]] == "id", columns[one[0]].distinct))


def _typed(value: str, table: Table, column: str) -> str | bool:
    if table.columns[column].type == "boolean" and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value
