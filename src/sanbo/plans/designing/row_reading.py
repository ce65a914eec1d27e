"""Phrases about known rows, by the reader of questions: conditions, groups, measures, order."""

import calendar
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.frame import Frame
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.reading import read_question
from sanbo.agents.analysis.rules.scene import scene_of
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Contains, Filter, Presence
from sanbo.plans.designing.vocabulary import has, language_of, plain, without

_OPERATORS = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_PRESENCE = {"is_null": "empty", "not_null": "filled"}
_AGGREGATES = {"mean": "avg", "nunique": "count_distinct"}
_GOOD = 0.75
"""How well a phrase must fit a heading."""

Condition = dict[str, Any]


class RowReading(NamedTuple):
    conditions: list[Condition]
    groups: list[tuple[str, str | None]]
    """Columns, and the unit of those that are times."""
    measures: list[tuple[str | None, str]]
    """Columns with what is computed of them; None: rows are counted."""
    limit: int | None
    is_cross: bool
    unread: list[str]
    counted: Condition | None = None
    """How many rows a group must have: 3回以上の人."""


# ---- columns ----


def columns_named(text: str, profile: DatasetProfile) -> list[str]:
    """From left to right: headings as they stand, else what the words mean."""
    said = plain(text)
    taken: list[tuple[int, int, str]] = []
    for name in sorted((one.name for one in profile.columns), key=len, reverse=True):
        for start, end in places_of(name, said):
            if all(end <= first or last <= start for first, last, _ in taken):
                taken.append((start, end, name))
    rest = said
    for start, end, _ in taken:
        rest = rest[:start] + "、" * (end - start) + rest[end:]
    at = 0
    for item in items_of(rest, scene_of(profile)):
        if item.sense.kind == "column" and item.sense.quality >= _GOOD:
            at = max(at, getattr(item, "start", at))
            taken.append((at, at, item.sense.name))
    return list(dict.fromkeys(name for _, _, name in sorted(taken)))


def places_of(name: str, said: str) -> Iterator[tuple[int, int]]:
    """Where a heading stands in a text in plain form, with or without its unit in brackets."""
    written = plain(name)
    bare = re.sub(r"[((\[].{1,12}[)\])]$", "", written).strip()
    for form in dict.fromkeys((written, bare, re.sub(r"\bno\.?$", "number", bare))):
        if not form:
            continue
        if form.isascii():
            loose = re.escape(form).replace("_", "[ _-]").replace(r"\ ", "[ _-]")
            pattern = rf"(?<![a-z0-9]){loose}s?(?![a-z0-9])"
        else:
            pattern = re.escape(form)
        found = [match.span() for match in re.finditer(pattern, said)]
        if found:
            yield from found
            return


# ---- figures ----


def amount_column(profile: DatasetProfile, text: str = "") -> str | None:
    """The column of figures that a text names, or the one that is added up by nature."""
    numeric = [one for one in profile.columns if one.is_numeric and not one.is_identifier]
    if text:
        for name in columns_named(text, profile):
            if any(one.name == name for one in numeric):
                return name
    scene = scene_of(profile)
    money = [one.name for one in numeric if scene.columns[one.name].is_money and not one.is_rate]
    return money[-1] if money else next((one.name for one in reversed(numeric)), None)


# ---- conditions, groups ----

_SAID = (
    # Tokyo only, the others are not wanted: said once already.
    (
        re.compile(
            "、?(?:他|ほか|その他|それ以外|残り)(?:の[^、。]{0,8})?(?:は|を)(?:要|いら|いり|"
            "不要|除|載せ|含め|入れ|出さ)[^、。]{0,10}|,? ?(?:not|without|no) (?:the "
            ")?(?:others|rest|other rows)"
        ),
        "",
    ),
    (
        re.compile(
            "(?:は|を)?(?:要りません|要らない|いりません|いらない|"
            "不要|載せません|載せない|含めません|含めない|飛ばし[てま]?[すい]*|"
            "使わない|対象にしません|対象としない|対象にしない|数えない|"
            "見ない)"
        ),
        "を除く",
    ),
    (re.compile(r"\b(?:leave|leaving) (?P<x>[^,.;]{1,60}?) out\b"), r"except \g<x>"),
    (re.compile(r"\b(?:are|is) (?:not (?:listed|counted|included|needed)|left out)\b"), "excluded"),
    (re.compile("に(?:満たない|達しない|達していない|届かない|満たなかった)"), "未満の"),
    (re.compile(r" of (?=[$£€]?\d[\d,.]{0,12} or )"), " is "),
    (re.compile(r"\bon or after\b"), "since"),
    (re.compile(r"\bon or before\b|\bno later than\b"), "until"),
    (re.compile("月分|月度"), "月"),
    (re.compile(r"\bq([1-4]) (?:of )?(\d{4})\b"), r"\2-q\1"),
    (
        re.compile(
            r"\b(?:dated |falling )?(?:within|inside|during)(?= (?:[a-z]{3,9} \d{4}|the month))"
        ),
        "in",
    ),
    (re.compile(r"[((][^()]{0,24}(?:含|inclusive|included)[^()]{0,8}[))]"), ""),
    (re.compile("(?:に)?なって(?:い)?る"), "である"),
)
_KEEPS = re.compile(
    "(?:だけ|のみ)を?(?:抜|拾|残|取|選)[^、。]{0,8}|を?抜き(?:出|"
    "取)[^、。]{0,8}|(?:から|うち)[^、。]{0,30}抜い[^、。]{0,6}"
)


def read_rows(text: str, profile: DatasetProfile) -> Iterator[RowReading]:
    """What a phrase may mean, the likeliest first."""
    said = _KEEPS.sub(
        lambda found: "だけ" if found[0].startswith(("だけ", "のみ")) else " ", plain(text)
    )
    for pattern, instead in _SAID:
        said = pattern.sub(instead, said)
    said = _MONTH_END.sub(_last_day, said)
    said = _turned(said, profile)
    if any(one.is_numeric and any(places_of(one.name, said)) for one in profile.columns):
        said = _UNIT.sub(r"\1\2", said).replace("以内", "以下")
    said = without(said, ("acts.write", "acts.ask")).strip(" 、,.")
    if not said:
        return
    readings = read_question(said, profile)
    frames = [readings.frame, *(one.frame for one in readings.all[:4])]
    if language_of(said) == "ja":
        frames.append(read_question(f"{said}の行", profile).frame)
    else:
        frames.append(read_question(f"rows where {said}", profile).frame)
    for frame in frames:
        yield _reading(frame, said, profile)


_OVERDUE = re.compile(
    r"(?:are |is )?(?:overdue|past due)(?: as of| on| at| by| as at)? (?P<e>\d{4}-\d{1,2}-\d{1,2})|"
    r"(?P<j>\d{4}[-年/]\d{1,2}[-月/]\d{1,2}日?)(?:時点|現在)で?、?(?:支払)?(?:"
    r"期限|期日)(?:を|が)(?:過ぎ|切れ|超過)(?:た|て(?:い)?る)?|"
    r"(?P<k>\d{4}[-年/]\d{1,2}[-月/]\d{1,2}日?)(?:時点|現在)で?期限切れの?"
)


def _turned(said: str, profile: DatasetProfile) -> str:
    """未払い, unpaid, まだ払っていない where cells know 支払済 and Paid only; overdue as a day."""
    values = [plain(str(value)) for one in profile.columns for value in one.values]
    for value in dict.fromkeys(values):
        if len(value) < 2 or value.isdigit():
            continue
        if value.isascii():
            if not any(other in (f"un{value}", f"not {value}") for other in values):
                said = re.sub(
                    rf"\b(?:un{re.escape(value)}|(?:not|hasn't|haven't|isn't|"
                    rf"aren't)(?: been)?(?: yet| fully){{0,2}} {re.escape(value)}(?: yet)?)\b",
                    f"not {value}",
                    said,
                )
            continue
        stem = re.sub("(?:済み?|完了|あり)$", "", value)
        if stem == value or not stem:
            continue
        known = next((other for other in values if f"未{stem}" in other), "")
        lack = (
            rf"(?:まだ)?{re.escape(stem)}(?:が|を)?(?:され|し|でき|終わっ)?て?い?(?:な"
            rf"い|ません)|未{re.escape(stem)}"
        )
        said = re.sub(lack, known or f"{value}以外", said)
    if match := _OVERDUE.search(said):
        days = [one.name for one in profile.columns if one.is_temporal]
        due = next((name for name in days if re.search("期限|期日|due|deadline", plain(name))), "")
        if due:
            day = next(part for part in match.groups() if part)
            told = f"{plain(due)} before {day}" if match["e"] else f"{due}が{day}より前"
            said = f"{said[: match.start()]}{told}{said[match.end() :]}"
    return said


_UNIT = re.compile(
    r"(?<![\d月/-])(\d{1,9}(?:\.\d{1,4})?)\s?(?:日間?|時間|"
    r"分|[かヶカ]月|回|人|名|歳|年|個|本|枚|点|kg|days?|hours?)"
    r"(\s?(?:以上|以下|未満|超|を超|を上|を下|より|以内|or more|or less|or fewer|$|、|\sand|から))"
)
_MONTH_END = re.compile(r"(\d{4})年(\d{1,2})月末日?")


def _last_day(found: re.Match[str]) -> str:
    last = calendar.monthrange(int(found[1]), int(found[2]))[1]
    return f"{found[1]}年{found[2]}月{last}日"


def _reading(frame: Frame, text: str, profile: DatasetProfile) -> RowReading:
    conditions = [block_condition(one) for one in frame.conditions]
    unread = list(frame.unread)
    if None in conditions:
        unread.append(text)
    known = [_whole_value(one, profile) for one in conditions if one is not None]
    if against := frame.options.get("against"):
        left, op, right, factor = against
        if factor is None:
            known.append({"field": left, "operator": _OPERATORS[op], "value_field": right})
        else:  # 目標の9割: no condition of a filter
            unread.append(text)
    groups = [(one.column, one.unit) for one in frame.groups]
    if not has("acts.group", f" {text} "):
        groups = []
    measures = _measures(frame, text, profile, {name for name, _ in groups})
    if not has("acts.measure", text) and not (groups and measures):
        measures = []
    is_cross = (bool(frame.options.get("pivot")) or bool(_CROSS.search(text))) and len(groups) > 1
    counted: Condition | None = None
    for one in frame.having:
        bound = {"operator": _OPERATORS[one.op], "value": one.value}
        column = one.column or next((each.column for each in frame.measures if each.column), None)
        if one.agg == "count" and (column is None or _TIMES.search(text)):
            counted = bound
        elif column is not None and not groups and isinstance(one.value, int | float):
            known.append({"field": column, **bound})
        else:
            unread.append(str(one.value))
    return RowReading(known, groups, measures, frame.limit, is_cross, unread, counted)


def _whole_value(condition: Condition, profile: DatasetProfile) -> Condition:
    """本社3階 is that cell, not 旧本社3階 as well."""
    column = profile.column(str(condition.get("field")))
    if condition.get("operator") != "contains" or column is None:
        return condition
    is_whole = any(plain(str(value)) == plain(str(condition["value"])) for value in column.values)
    return {**condition, "operator": "eq"} if is_whole else condition


def _measures(
    frame: Frame, text: str, profile: DatasetProfile, groups: set[str]
) -> list[tuple[str | None, str]]:
    made: list[tuple[str | None, str]] = []
    for one in frame.measures:
        if one.column is None:
            made.append((None, "count"))
        elif one.column not in groups:
            agg = one.agg or "sum"
            column = profile.column(one.column)
            if agg == "nunique" and not _DISTINCT.search(text):
                made.append((None, "count"))
                continue
            if column is not None and not column.is_numeric and agg == "sum":
                continue
            made.append((one.column, _AGGREGATES.get(agg, agg)))
    return list(dict.fromkeys(made))


_CROSS = re.compile(
    r"rows?\b.{0,40}\bcolumns?|down.{0,30}across|across the top|"
    r"縦.{0,20}横|横.{0,20}縦|行に.{0,20}列に|列に.{0,20}行に"
)
_TIMES = re.compile(r"\d ?(?:回|件|度|times|orders|entries|rows)")
_DISTINCT = re.compile("種類|異な|ユニーク|重複|distinct|unique|different")
_PERIOD = re.compile(r"(FY)?(\d{4})(?:-(\d{2})|-Q([1-4])|-H([12]))?")


def _days_of(period: re.Match[str]) -> tuple[str, str]:
    """The first and the last day of a month, a quarter, a half, or a year; fiscal from April."""
    year, start, months = int(period[2]), 4 if period[1] else 1, 12
    if period[3]:
        start, months = int(period[3]), 1
    elif period[4]:
        start, months = start + 3 * int(period[4]) - 3, 3
    elif period[5]:
        start, months = start + 6 * int(period[5]) - 6, 6
    end = start + months - 1
    (first_year, first), (last_year, last) = (
        (year + (month - 1) // 12, (month - 1) % 12 + 1) for month in (start, end)
    )
    day = calendar.monthrange(last_year, last)[1]
    return f"{first_year}-{first:02}-01", f"{last_year}-{last:02}-{day:02}"


def _in_period(column: str, op: str, period: re.Match[str]) -> Condition:
    """A period of a column of days, as days."""
    first_day, last_day = _days_of(period)
    match op:
        case "==" | "!=":
            between = "between" if op == "==" else "not_between"
            return {"field": column, "operator": between, "value": first_day, "value2": last_day}
        case ">=" | "<":
            return {"field": column, "operator": _OPERATORS[op], "value": first_day}
        case _:
            return {"field": column, "operator": _OPERATORS[op], "value": last_day}


def block_condition(one: Filter) -> Condition | None:
    match one:
        case AnyOf():
            parts = [block_condition(part) for part in one.any_of]
            return None if None in parts else {"any": parts}
        case Compare() if isinstance(one.value, str) and (found := _PERIOD.fullmatch(one.value)):
            return _in_period(one.col, one.op, found)
        case Compare() | Contains():
            operator = _OPERATORS.get(one.op, one.op)
            return {"field": one.col, "operator": operator, "value": one.value}
        case Among():
            return {"field": one.col, "operator": one.op, "value": list(one.value)}
        case Presence():
            return {"field": one.col, "operator": _PRESENCE[one.op]}
        case _:
            return None
