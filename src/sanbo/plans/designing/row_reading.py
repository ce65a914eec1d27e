"""Phrases about known rows, by the reader of questions: conditions, groups, measures, order."""

import calendar
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sanbo.agents.analysis.building.frame import Frame, columns_of
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import ANSWERS, scene_of
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.reading import Reading
from sanbo.agents.analysis.reader.readings import read_question
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Contains, Filter, Presence
from sanbo.plans.designing.wording import has, language_of, plain, without

_OPERATORS = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_PRESENCE = {"is_null": "empty", "not_null": "filled"}
AGGREGATES = {"mean": "avg", "nunique": "count_distinct"}
_GOOD = 0.75
"""How well a phrase must fit a heading."""

Condition = dict[str, Any]


class Order(NamedTuple):
    column: str
    is_down: bool
    is_named: bool = True
    """Whether the words name the column."""


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
    for form in dict.fromkeys((written, bare)):
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


# ---- order ----

_JA_ORDER = re.compile(
    r"(?P<of>[^、。]{0,40}?)(?P<how>昇順|降順|(?:大き|小さ|高|低|安|多|少な|新し|古|早|遅|長|短|重|軽|近|若|良)(?:い|な)(?:方|ほう|もの|人|日|順)?(?:から)?(?:順)?)(?:に|で|の|と[しす]|、|$|並)"
)
_EN_SUPER = (
    r"(?:largest|highest|most|newest|latest|biggest|greatest|longest|heaviest|"
    r"smallest|lowest|least|oldest|earliest|soonest|cheapest|shortest|lightest|fewest|nearest|best|worst)"
)
_EN_ORDER = (
    re.compile(
        rf"(?:by |in order of )?(?P<before>[a-z ]{{0,40}}?),? ?(?P<how>{_EN_SUPER}(?: "
        rf"[a-z]{{1,20}} "
        rf"?){{0,3}}?)\s?(?:first|on top|at the top|to (?:the )?(?:lowest|smallest|least|"
        rf"oldest|latest|highest|largest)\b)"
    ),
    re.compile(
        r"\b(?:sort|order|rank|arrang)[a-z]{0,4} (?:(?:it|them|the [a-z]{1,20}|everything) "
        r")?(?:by|on|"
        r"according to) (?P<before>[^,.;]{1,50})(?P<how>)"
    ),
    re.compile(r"(?P<before>[a-z ]{0,40})(?P<how>(?:a|de)scending|alphabetical)[a-z ]{0,12}"),
)


def order_in(text: str, profile: DatasetProfile) -> tuple[Order | None, str]:
    """The order that a text asks for, and the text without it."""
    for pattern in (_JA_ORDER, *_EN_ORDER):
        for match in pattern.finditer(text):
            how = match["how"]
            said = match[0]
            if (
                pattern is _JA_ORDER
                and "順" not in how
                and "順" not in text[match.end() - 1 : match.end() + 3]
                and "並" not in text[match.start() :]
            ):
                continue
            is_up = has("ascending", how or said) and not has("descending", how)
            is_down = not is_up and has("descending", how or said)
            names = columns_named(said, profile)
            if how and not _ALPHABET.search(how):
                names = [name for name in names if _is_ordered(name, profile)]
            column = names[-1] if names else _column_for(how, profile)
            if column is None:
                continue
            first = match.start()
            if names:
                spans = [span for name in names[-1:] for span in places_of(name, said)]
                first += max((start for start, _ in spans), default=0)
            return Order(column, is_down, bool(names)), f"{text[:first]} {text[match.end() :]}"
    return None, text


_ALPHABET = re.compile("昇順|降順|若|ascending|descending|alphabetical")


def _is_ordered(name: str, profile: DatasetProfile) -> bool:
    """What has a largest one: figures, days, numbers of things."""
    column = profile.column(name)
    return column is not None and (column.is_numeric or column.is_temporal or column.is_identifier)


def _column_for(how: str, profile: DatasetProfile) -> str | None:
    if has("of_days", how):
        days = [one.name for one in profile.columns if one.is_temporal]
        if days:
            return days[-1]
    return amount_column(profile)


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
            "(?:は|を)?(?:要りません|要らない|いりません|いらない|不要|載せません|載せない|含めません|含めない|飛ばし[てま]?[すい]*|使わない|対象にしません|対象としない|対象にしない|数えない|見ない)"
        ),
        "を除く",
    ),
    (re.compile(r"\b(?:leave|leaving) (?P<x>[^,.;]{1,60}?) out\b"), r"except \g<x>"),
    (re.compile(r"\b(?:are|is) (?:not (?:listed|counted|included|needed)|left out)\b"), "excluded"),
    (re.compile("月分"), "月"),
    (re.compile(r"[((][^()]{0,24}(?:含|inclusive|included)[^()]{0,8}[))]"), ""),
    (re.compile("(?:に)?なって(?:い)?る"), "である"),
)
_KEEPS = re.compile(
    "(?:だけ|のみ)を?(?:抜|拾|残|取|選)[^、。]{0,8}|を?抜き(?:出|取)[^、。]{0,8}|(?:から|うち)[^、。]{0,30}抜い[^、。]{0,6}"
)


def as_question(text: str) -> str:
    """An instruction as one would ask for it: what only says that rows are kept is left out."""
    said = _KEEPS.sub(
        lambda found: "だけ" if found[0].startswith(("だけ", "のみ")) else " ", plain(text)
    )
    for pattern, instead in _SAID:
        said = pattern.sub(instead, said)
    said = _MONTH_END.sub(_last_day, said)
    return without(said, ("acts.write", "acts.ask")).strip(" 、,.")


def read_rows(text: str, profile: DatasetProfile) -> Iterator[RowReading]:
    """What a phrase may mean: as it stands, the likeliest first, then as one for rows."""
    said = _unquoted(as_question(text), profile)
    if not said:
        return
    found = _likely(said, profile, _LIKELY)
    for one in (*found, *_likely(of_rows(said), profile, _CERTAIN)[:1]):
        yield _reading(one, said, profile)


def _likely(said: str, profile: DatasetProfile, least: float) -> list[Reading]:
    """None where two are as likely: what stands in an instruction is often no question."""
    found = read_question(said, profile)
    kept = [one for one in found.all if one.chance >= max(least, found.declined)]
    fewest = min((len(one.unread) for one in kept), default=0)
    best = [one.chance for one in kept if len(one.unread) == fewest]
    return [] if len(best) > 1 and best[1] > _CLOSE * best[0] else kept


def of_rows(said: str) -> str:
    return f"{said}の行" if language_of(said) == "ja" else f"rows where {said}"


def _unquoted(text: str, profile: DatasetProfile) -> str:
    """「なし」, of a column that has it, as one would ask for it."""
    known = {value for column in profile.columns for value in column.values}
    known |= {word for words in ANSWERS.values() for word in words}
    return _QUOTED.sub(lambda found: found[1] if found[1] in known else found[0], text)


_QUOTED = re.compile("「([^「」]{1,30})」")
_LIKELY, _CERTAIN, _CLOSE = 0.4, 0.6, 0.75
_MONTH_END = re.compile(r"(\d{4})年(1[0-2]|0?[1-9])月末日?")


def _last_day(found: re.Match[str]) -> str:
    last = calendar.monthrange(int(found[1]), int(found[2]))[1]
    return f"{found[1]}年{found[2]}月{last}日"


def _reading(reading: Reading, text: str, profile: DatasetProfile) -> RowReading:
    frame, unread = reading.frame, list(reading.unread)
    conditions = [block_condition(one) for one in frame.conditions]
    is_calculated = any(columns_of(one) & frame.derived.keys() for one in frame.conditions)
    if None in conditions or is_calculated or frame.weekdays:
        unread.append(text)
    known = [one for one in conditions if one is not None and not is_calculated]
    if frame.against is not None:
        left, op, right, days = frame.against
        if days is None:
            known.append({"field": left, "operator": _OPERATORS[op], "value_field": right})
        else:  # no condition says how many days lie between
            unread.append(text)
    groups = [(one.column, one.unit) for one in frame.groups]
    if not has("acts.group", f" {text} "):
        groups = []
    measures = _measures(frame, text, profile, {name for name, _ in groups})
    if not has("acts.measure", text) and not (groups and measures):
        measures = []
    said = {item.sense.name for item in items_of(text, scene_of(profile))}
    is_cross = "pivot" in said and len(groups) > 1
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
    # pyrefly: ignore[bad-argument-type]
    return RowReading(known, groups, measures, frame.limit, is_cross, unread, counted)


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
            made.append((one.column, AGGREGATES.get(agg, agg)))
    return list(dict.fromkeys(made))


_TIMES = re.compile(r"\d ?(?:回|件|度|times|orders|entries|rows)")
_DISTINCT = re.compile("種類|異な|ユニーク|重複|distinct|unique|different")
_PERIOD = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2]))?")


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


def block_condition(one: Filter) -> Condition | None:
    match one:
        case AnyOf():
            parts = [block_condition(part) for part in one.any_of]
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
