"""Phrases about a known table, by the reader of questions: columns, conditions, groups."""

import calendar
import re
from typing import Any, NamedTuple

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.frame import Frame
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.reading import read_question
from sanbo.agents.analysis.rules.scene import scene_of
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    Contains,
    Filter,
    Presence,
)
from sanbo.plans.designing.vocabulary import find, has, language_of, plain, without

_OPERATORS = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_PRESENCE = {"is_null": "empty", "not_null": "filled"}
_GOOD = 0.75
"""How well a phrase must fit a heading."""

Condition = dict[str, Any]


class Measured(NamedTuple):
    column: str | None
    """None: rows are counted."""
    op: str


class Grouped(NamedTuple):
    column: str
    unit: str | None


class Conditions(NamedTuple):
    all: list[Condition]
    unread: tuple[str, ...]


def columns_named(text: str, profile: DatasetProfile) -> list[str]:
    """From left to right: headings as they stand, else what the words mean."""
    said = plain(text)
    taken: list[tuple[int, int, str]] = []
    for name in sorted((one.name for one in profile.columns), key=len, reverse=True):
        written = plain(name)
        ascii_edges = r"(?<![a-z0-9]){}(?![a-z0-9])" if written.isascii() else "{}"
        for form in dict.fromkeys((written, written.replace("_", " "))):
            for match in re.finditer(ascii_edges.format(re.escape(form)), said):
                if all(match.end() <= start or end <= match.start() for start, end, _ in taken):
                    taken.append((*match.span(), name))
    exact = list(dict.fromkeys(name for _, _, name in sorted(taken)))
    rest = said
    for start, end, _ in taken:
        rest = rest[:start] + "、" * (end - start) + rest[end:]
    meant = [
        item.sense.name
        for item in items_of(rest, scene_of(profile))
        if item.sense.kind == "column" and item.sense.quality >= _GOOD
    ]
    return list(dict.fromkeys((*exact, *(name for name in meant if name not in exact))))


_LIST_WORDS = re.compile(
    "write|save|export|output|put|list|the|and|columns?|only|と|や|・|、|,|の|列|項目|だけ|のみ|[\\s「」]"
)
_LISTED = re.compile("(.{3,200}?)(?:を|\\b(?:to|into|in|as)\\b)")


def columns_listed(text: str, profile: DatasetProfile | None) -> list[str]:
    """伝票番号・取引日・売上金額をCSVに出す: columns alone are what is to be written."""
    found = _LISTED.match(text)
    if profile is None or found is None:
        return []
    names = columns_named(found[1], profile)
    rest = found[1]
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(plain(name), "")
    is_list = len(names) > 1 and not _LIST_WORDS.sub("", rest)
    return names if is_list and len(names) < len(profile.columns) else []


def frame_of(text: str, profile: DatasetProfile) -> Frame:
    return read_question(text, profile).frame


_ROWS = re.compile(
    r"(?:の)?(?:行|データ|明細|レコード|もの|分)(?:だけ|のみ)?(?:を|に|が|は)?[、\s]*$"
)


def conditions_in(text: str, profile: DatasetProfile) -> Conditions:
    """Which rows are meant; that they are to be kept or left out is said by other words."""
    phrase = without(_without_subject(text, profile), ("excludes", "steps.filter", "steps.write"))
    phrase = _ROWS.sub("", phrase.replace("月分", "月")).strip("、 ")
    if not _UNTIL.search(phrase):
        phrase = _FROM_MONTH.sub("in ", phrase)
    if not phrase:
        return Conditions([], ())
    asked = f"{phrase}の行" if language_of(text) == "ja" else f"rows where {phrase}"
    frame = frame_of(asked, profile)
    if not frame.conditions and language_of(text) == "en":
        frame = frame_of(f"rows {phrase}", profile)
    made: list[Condition] = []
    unread = list(frame.unread)
    for one in frame.conditions:
        condition = block_condition(one, profile)
        if condition is None:
            unread.append(text)
        else:
            made.append(condition)
    return Conditions(made, tuple(unread))


_FROM_MONTH = re.compile(r"\bfrom (?=[a-z]{3,9} \d{4}|\d{4})")
_UNTIL = re.compile(r"\b(?:(?:to|until|till|through) (?=[a-z]{3,9} \d|\d)|onwards?\b|and later\b)")
_PERIOD = re.compile(r"\d{4}(?:-\d{2})?")


def _in_period(column: str, op: str, period: str) -> Condition:
    """A month or a year of a column of days, as days."""
    year, _, month = period.partition("-")
    last = calendar.monthrange(int(year), int(month or 12))[1]
    first_day, last_day = f"{year}-{month or '01'}-01", f"{year}-{month or '12'}-{last:02}"
    match op:
        case "==" | "!=":
            between = "between" if op == "==" else "not_between"
            return {"field": column, "operator": between, "value": first_day, "value2": last_day}
        case ">=" | "<":
            return {"field": column, "operator": _OPERATORS[op], "value": first_day}
        case _:
            return {"field": column, "operator": _OPERATORS[op], "value": last_day}


def _without_subject(text: str, profile: DatasetProfile) -> str:
    """売上明細のうち, all sales: the table itself is no condition."""
    stem = plain(profile.name.rpartition(".")[0] or profile.name)
    for name in dict.fromkeys((plain(profile.sheet), stem, stem.replace("_", " "))):
        if len(name) > 1:
            edge = r"(?<![a-z0-9]){}(?![a-z0-9])" if name.isascii() else "{}"
            tail = r"(?:のうち|から|の中から|の中で|について|では|で|を)?、?"
            text = re.sub(rf"(?:all |the ){{0,2}}{edge.format(re.escape(name))}{tail}", "", text)
    return text


def block_condition(one: Filter, profile: DatasetProfile) -> Condition | None:
    match one:
        case AnyOf():
            parts = [block_condition(part, profile) for part in one.any_of]
            return None if None in parts else {"any": parts}
        case Compare() if isinstance(one.value, str) and _PERIOD.fullmatch(one.value):
            return _in_period(one.col, one.op, one.value)
        case Compare() | Contains():
            operator = _OPERATORS.get(one.op, one.op)
            return {"field": one.col, "operator": operator, "value": one.value}
        case Among():
            return {"field": one.col, "operator": one.op, "value": list(one.value)}
        case Presence():
            return {"field": one.col, "operator": _PRESENCE[one.op]}
        case _:
            return None


_AGGREGATES = {"mean": "avg", "nunique": "count_distinct"}


def measures_in(text: str, profile: DatasetProfile) -> tuple[list[Grouped], list[Measured]]:
    frame = frame_of(without(text, ("steps.write",)), profile)
    groups = [Grouped(one.column, one.unit) for one in frame.groups]
    measures: list[Measured] = []
    for one in frame.measures:
        if one.column is None:
            measures.append(Measured(None, "count"))
        elif one.column not in {group.column for group in groups}:
            agg = one.agg or "sum"
            measures.append(Measured(one.column, _AGGREGATES.get(agg, agg)))
    return groups, list(dict.fromkeys(measures))


def is_descending(text: str) -> bool | None:
    """None where nothing is said."""
    down, up = find("descending", text), find("ascending", text)
    if down and up:
        return down.start < up.start
    return True if down else False if up else None


def amount_column(profile: DatasetProfile, text: str = "") -> str | None:
    """The column of figures that a text names, or the one that is added up by nature."""
    numeric = [one for one in profile.columns if one.is_numeric and not one.is_identifier]
    for name in columns_named(text, profile):
        if any(one.name == name for one in numeric):
            return name
    scene = scene_of(profile)
    money = [one.name for one in numeric if scene.columns[one.name].is_money and not one.is_rate]
    return next(iter(money), None) or next((one.name for one in reversed(numeric)), None)


def shared_key(
    left: DatasetProfile, right: DatasetProfile, text: str = ""
) -> tuple[str, str] | None:
    """The columns by which two tables belong together: named, or the likeliest of the same name."""
    names = {plain(one.name): one for one in right.columns}
    both = [(one, names[plain(one.name)]) for one in left.columns if plain(one.name) in names]
    said = columns_named(text, left)
    for one, other in both:
        if one.name in said:
            return one.name, other.name
    ranked = sorted(
        both,
        key=lambda pair: (
            -pair[1].distinct / max(1, right.rows),
            pair[0].is_numeric and not pair[0].is_identifier,
            pair[0].is_temporal,
        ),
    )
    if ranked:
        fit = [pair for pair in ranked if not (pair[0].is_numeric and not pair[0].is_identifier)]
        best = (fit or ranked)[0]
        return best[0].name, best[1].name
    return _by_values(left, right)


def _by_values(left: DatasetProfile, right: DatasetProfile) -> tuple[str, str] | None:
    """Columns with other names, whose values are the same."""
    best: tuple[float, str, str] = (0.5, "", "")
    for one in left.columns:
        mine = {plain(value) for value in one.values}
        for other in right.columns:
            theirs = {plain(value) for value in other.values}
            if mine and theirs and not one.is_temporal:
                share = len(mine & theirs) / len(mine)
                best = max(best, (share, one.name, other.name))
    return (best[1], best[2]) if best[1] else None


def is_exclusion(text: str) -> bool:
    return has("excludes", text)
