"""Days between two dates: 基準日から満了日までが90日以内, 支払期限を30日以上過ぎた."""

import re
from collections.abc import Mapping
from typing import Any

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.row_formula import column_expression
from sanbo.plans.designing.row_reading import places_of
from sanbo.plans.designing.vocabulary import plain

_SPAN = re.compile(
    r"(?P<n>\d{1,4}) ?(?:日|days?)(?P<how>以内|以上|を超え|超|未満| or more| or less| or fewer)?"
)
_AT_MOST = re.compile(
    r"within|no more than|at most|less than|in the next|以内|未満| or less| or fewer"
)
_STRICT = re.compile(r"(?<!no )more than|over|を超え|超|未満|less than")
_BEFORE = re.compile(r"前|過ぎ|経過|超過|before|ago|overdue|past|old|earlier|since")

Span = tuple[dict[str, str], list[dict[str, Any]], dict[str, str], str]


def days_between(profile: DatasetProfile, text: str, asked: Mapping[str, str]) -> Span | None:
    """The computed column, conditions on it, values that it needs, and the rest of the text."""
    said = plain(text)
    span = _SPAN.search(said)
    days = [
        one.name for one in profile.columns if one.is_temporal and any(places_of(one.name, said))
    ]
    names = [name for name in asked if name in said]
    if span is None or not (days and (names or len(days) > 1)):
        return None
    values: dict[str, str] = {}
    if names:
        base, column = "base", column_expression(days[0])
        values["base"] = asked[names[0]]
        is_back = bool(_BEFORE.search(said[span.end() :])) or bool(
            re.search("より前|overdue|past", said)
        )
        expression = (
            f"daysBetween({column}, {base})" if is_back else f"daysBetween({base}, {column})"
        )
    else:
        one, other = (column_expression(name) for name in days[:2])
        expression = f"daysBetween({one}, {other})"
    name = f"{days[0]}_days"
    around = said[max(0, span.start() - 14) : span.end()]
    number = int(span["n"])
    if _AT_MOST.search(around):
        operator = "lt" if _STRICT.search(around) and "以内" not in around else "lte"
        conditions = [
            {"field": name, "operator": "gte", "value": 0},
            {"field": name, "operator": operator, "value": number},
        ]
    else:
        conditions = [
            {"field": name, "operator": "gt" if _STRICT.search(around) else "gte", "value": number}
        ]
    return (
        {name: expression},
        conditions,
        values,
        _rest(said, days, names, span),
    )


def _rest(said: str, days: list[str], names: list[str], span: re.Match[str]) -> str:
    """What stands before the first of the dates."""
    places = [start for name in days for start, _ in places_of(name, said)]
    places += [said.find(name) for name in names]
    return said[: min((*places, span.start()))].rstrip("、でかつ ")
