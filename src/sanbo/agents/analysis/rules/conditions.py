"""Which rows a question is about: filters made of the values, moments and bounds in it."""

import re
from dataclasses import dataclass, field
from datetime import date

from sanbo.agents.analysis.rules.amounts import Amount, Bound
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.mentions import ColumnMention
from sanbo.agents.analysis.rules.moments import Moment
from sanbo.agents.analysis.rules.reading import Having
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.spec.filters import Among, Compare, CompareOp, Contains, Filter, Presence
from sanbo.kernel.messages import tell


@dataclass(slots=True)
class Conditions:
    filters: list[Filter] = field(default_factory=list[Filter])
    weekdays: tuple[int, ...] = ()
    values: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    used: set[int] = field(default_factory=set[int])
    """Starts of the column mentions that only say which rows."""
    having: Having | None = None
    homeless: list[str] = field(default_factory=list[str])
    """Bounds for which no column was found."""
    assumptions: list[str] = field(default_factory=list[str])


def conditions(scene: Scene, question: str, table: Table, date_column: str | None) -> Conditions:
    found = Conditions()
    _values(scene, table, found)
    _moments(scene, table, date_column, found)
    for bound in scene.bounds:
        _bound(bound, scene, table, found)
    _contained(scene, question, table, found)
    return found


# ---- values ----

_EXCLUDED_AFTER = re.compile(r"(?:さん|の?データ|の?分|」|』|\")?(?:以外|を?除|を?のぞ|を?外し|ではな|じゃな|でな|を?含めな|を?含まな|は?抜き|はなし)")
_EXCLUDED_BEFORE = re.compile(
    r"(?:excluding|exclude|except(?: for)?|other than|without|not(?: in| from)?|besides|ignoring|outside(?: of)?|but not|leaving out|apart from|non)[\s\-]+(?:the |in |from |rows? (?:with|where) |those |for |all |any |■+ )*$"
)
_LIST = re.compile(r"(?:店|さん)?(?:[、,・/&]|と|や|及び|および|または|か|and|or|\s|vs\.?)+(?:the )?$")


def _values(scene: Scene, table: Table, found: Conditions) -> None:
    named = {mention.column for mention in scene.columns}
    kept: dict[str, list[str]] = {}
    excluded: dict[str, list[str]] = {}
    is_excluded_next = False
    for place, mention in reversed(list(enumerate(scene.values))):
        after = scene.masked[mention.end :]
        is_excluded = bool(_EXCLUDED_AFTER.match(after)) or bool(_EXCLUDED_BEFORE.search(scene.masked[: mention.start]))
        follower = scene.values[place + 1] if place + 1 < len(scene.values) else None
        if follower and is_excluded_next and _LIST.fullmatch(scene.masked[mention.end : follower.start]):
            is_excluded = True
        is_excluded_next = is_excluded
        column, value = _home(mention.found, named, table.columns)
        (excluded if is_excluded else kept).setdefault(column, []).insert(0, value)
    _spread_exclusion(scene, table, kept, excluded)
    for column, values in kept.items():
        values = list(dict.fromkeys(values))
        found.values += [(column, value) for value in values]
        if len(values) == 1:
            found.filters.append(Compare(col=column, op="==", value=_typed(values[0], table, column)))
        else:
            found.filters.append(Among(col=column, op="in", value=tuple(_typed(value, table, column) for value in values)))
    for column, values in excluded.items():
        for value in dict.fromkeys(values):
            found.filters.append(Compare(col=column, op="!=", value=_typed(value, table, column)))


def _spread_exclusion(scene: Scene, table: Table, kept: dict[str, list[str]], excluded: dict[str, list[str]]) -> None:
    """English says it once before a list: excluding Tokyo and Osaka."""
    named = {mention.column for mention in scene.columns}
    for one, other in zip(scene.values, scene.values[1:], strict=False):
        column, value = _home(one.found, named, table.columns)
        next_column, next_value = _home(other.found, named, table.columns)
        between = scene.masked[one.end : other.start]
        if column == next_column and value in excluded.get(column, ()) and re.fullmatch(r"(?:,|and|or|\s)+", between) and next_value in kept.get(next_column, ()):
            kept[next_column].remove(next_value)
            excluded[column].append(next_value)
            if not kept[next_column]:
                del kept[next_column]


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


# ---- moments ----

_SINCE = re.compile(r"(?:以降|以後|から(?!.{0,12}(?:まで|にかけて|◇))|より後|より後|スタート|onwards?| or later|\+)")
_UNTIL = re.compile(r"(?:以前|まで|より前|or earlier|末まで)")
_BEFORE = re.compile(r"(?:より前|前の|前は)")
_TO = re.compile(r"\s?(?:から|〜|-|–|to|through|until|till|and)\s?(?:the )?(?:end of )?")
_SINCE_EN = re.compile(r"(?:since|from|starting(?: in| from)?|beginning(?: in)?)\s(?:the )?(?:start of )?$")
_AFTER_EN = re.compile(r"(?:after|later than)\s(?:the )?(?:end of )?$")
_UNTIL_EN = re.compile(r"(?:until|till|through|up to|by the end of)\s(?:the )?$")
_BEFORE_EN = re.compile(r"(?:before|prior to|earlier than)\s(?:the )?$")


def _moments(scene: Scene, table: Table, date_column: str | None, found: Conditions) -> None:
    whole = [one for one in scene.moments if not one.weekdays]
    found.weekdays = tuple(day for one in scene.moments for day in one.weekdays)
    if not whole:
        return
    column = date_column
    if column is None:
        _without_date(whole, table, found)
        return
    for assumed in dict.fromkeys(one.assumed for one in whole if one.assumed):
        if assumed == "newest" and table.newest:
            found.assumptions.append(tell("analysis_rules.assumed.newest", date=table.newest.isoformat()))
        elif assumed == "fiscal":
            found.assumptions.append(tell("analysis_rules.assumed.fiscal"))
        elif assumed == "calendar_quarter":
            found.assumptions.append(tell("analysis_rules.assumed.calendar_quarter"))
    place = 0
    alternatives: list[Moment] = []
    while place < len(whole):
        one = whole[place]
        following = whole[place + 1] if place + 1 < len(whole) else None
        if following and _TO.fullmatch(scene.text[one.end : following.start]) and _is_stretch(scene, one, following):
            found.filters += _between(column, one, following, table)
            place += 2
            continue
        place += 1
        since = _side(scene, one)
        if since is None:
            alternatives.append(one)
        else:
            found.filters += _open(column, one, since, table)
    if alternatives:
        found.filters += _within(column, alternatives, scene, table)


def _is_stretch(scene: Scene, one: Moment, other: Moment) -> bool:
    between = scene.text[one.end : other.start].strip()
    if between == "and":
        return "between" in scene.text[max(0, one.start - 12) : one.start]
    return True


def _side(scene: Scene, one: Moment) -> CompareOp | None:
    after, before = scene.text[one.end : one.end + 12], scene.text[: one.start]
    if _BEFORE.match(after) and not _UNTIL.match(after):
        return "<"
    if _SINCE.match(after) or _SINCE_EN.search(before):
        return ">="
    if _UNTIL.match(after) or _UNTIL_EN.search(before):
        return "<" if after.startswith("より前") else "<="
    if _AFTER_EN.search(before):
        return ">"
    if _BEFORE_EN.search(before):
        return "<"
    return None


def _open(column: str, one: Moment, op: CompareOp, table: Table) -> list[Filter]:
    first, last = _days(one, column, table, is_end=op in ("<=", ">"))
    if first is None or last is None:
        return [_months_filter(column, one.months, table)]
    edge = last if op in ("<=", ">") else first
    return [Compare(col=column, op=_exact(op), value=_edge(edge, op))]


def _exact(op: CompareOp) -> CompareOp:
    return {"<=": "<", ">": ">="}.get(op, op)  # pyright: ignore[reportReturnType]


def _edge(day: date, op: CompareOp) -> str:
    """Ends of days are written as the start of the next: a time of day never falls outside."""
    return (_next(day) if op in ("<=", ">") else day).isoformat()


def _next(day: date) -> date:
    return date.fromordinal(min(day.toordinal() + 1, date.max.toordinal()))


def _days(one: Moment, column: str, table: Table, *, is_end: bool) -> tuple[date | None, date | None]:
    """A month without a year is of the data's only year, or else of its first (last) year."""
    if one.first is not None:
        return one.first, one.last
    span = table.span(column)
    if span is None or not one.months:
        return None, None
    year = span[1].year if is_end else span[0].year
    if span[0].year != span[1].year:
        return None, None
    first = date(year, one.months[0], 1)
    last_month = one.months[-1]
    return first, _next_month(year, last_month)


def _next_month(year: int, month: int) -> date:
    start = date(year + 1, 1, 1) if month == 12 else date(year, month + 1, 1)
    return date.fromordinal(start.toordinal() - 1)


def _between(column: str, one: Moment, other: Moment, table: Table) -> list[Filter]:
    if one.first is None and other.first is None:
        months = _month_run(one.months[0], other.months[-1]) if one.months and other.months else ()
        return [_months_filter(column, months, table)] if months else []
    first, last = one.first, other.last
    if first is None and other.first is not None and one.months:
        first = date(other.first.year, one.months[0], 1)
    if last is None and one.last is not None and other.months:  # 2025年4月から6月
        year = one.last.year + (other.months[-1] < one.last.month)
        last = _next_month(year, other.months[-1])
    if first is None or last is None:
        return []
    return _stretch(column, first, last)


def _stretch(column: str, first: date, last: date) -> list[Filter]:
    return [
        Compare(col=column, op=">=", value=first.isoformat()),
        Compare(col=column, op="<", value=_next(last).isoformat()),
    ]


def _month_run(first: int, last: int) -> tuple[int, ...]:
    count = (last - first) % 12 + 1
    return tuple((first - 1 + step) % 12 + 1 for step in range(count))


def _months_filter(column: str, months: tuple[int, ...], table: Table) -> Filter:
    span = table.span(column)
    years = range(span[0].year, span[1].year + 1) if span else range(2000, 2001)
    periods = tuple(f"{year}-{month:02d}" for year in list(years)[-50:] for month in sorted(months))
    if len(periods) == 1:
        return Compare(col=column, op="==", value=periods[0])
    return Among(col=column, op="in", value=periods)


def _within(column: str, found: list[Moment], scene: Scene, table: Table) -> list[Filter]:
    """In one of these: 2024年と2025年. A month beside a year is a month of that year."""
    dated = [one for one in found if one.first is not None]
    cyclic = [one for one in found if one.first is None]
    excluded = [one for one in found if _is_excluded(scene, one)]
    if excluded and len(excluded) == len(found) == 1 and (period := _period(found[0])):
        return [Compare(col=column, op="!=", value=period)]
    if len(dated) == 1 and cyclic and dated[0].first and dated[0].last and dated[0].first.year == dated[0].last.year:
        months = tuple(dict.fromkeys(month for one in cyclic for month in one.months))
        if (dated[0].first.month, dated[0].last.month) == (1, 12):
            periods = tuple(f"{dated[0].first.year}-{month:02d}" for month in months)
            return [_is_one(column, periods)]
        months = (*range(dated[0].first.month, dated[0].last.month + 1), *months)
        return [_is_one(column, tuple(f"{dated[0].first.year}-{month:02d}" for month in dict.fromkeys(months)))]
    if cyclic and not dated:
        return [_months_filter(column, tuple(dict.fromkeys(month for one in cyclic for month in one.months)), table)]
    if len(dated) == 1:
        one = dated[0]
        period = _period(one)
        if period:
            return [Compare(col=column, op="==", value=period)]
        return _stretch(column, one.first, one.last) if one.first and one.last else []
    periods = tuple(period for one in dated if (period := _period(one)))
    if len(periods) == len(dated):
        return [_is_one(column, periods)]
    firsts = [one.first for one in dated if one.first]
    lasts = [one.last for one in dated if one.last]
    return _stretch(column, min(firsts), max(lasts))


def _is_excluded(scene: Scene, one: Moment) -> bool:
    return bool(_EXCLUDED_AFTER.match(scene.masked[one.end :]) or _EXCLUDED_BEFORE.search(scene.masked[: one.start]))


def _is_one(column: str, periods: tuple[str, ...]) -> Filter:
    if len(periods) == 1:
        return Compare(col=column, op="==", value=periods[0])
    return Among(col=column, op="in", value=periods)


def _period(one: Moment) -> str | None:
    """2025, 2025-04 or 2025-04-01, where the moment is just that."""
    if one.first is None or one.last is None:
        return None
    if one.first == one.last:
        return one.first.isoformat()
    if one.last == _next_month(one.first.year, one.first.month) and one.first.day == 1:
        return f"{one.first:%Y-%m}"
    if (one.first.month, one.first.day, one.last.month, one.last.day) == (1, 1, 12, 31) and one.first.year == one.last.year:
        return str(one.first.year)
    return None


def _without_date(found: list[Moment], table: Table, into: Conditions) -> None:
    """Columns 年 and 月 with whole numbers instead of a date."""
    years, cycles = table.columns.of("year"), table.columns.of("cycle")
    for one in found:
        done = False
        if one.first and one.last and years:
            into.filters.append(Compare(col=years[0], op="==", value=one.first.year))
            done = True
        month = one.months[0] if one.months else one.first.month if one.first and one.last and one.first.month == one.last.month else None
        months = [name for name in cycles if name.lower() in ("月", "month")]
        if month and months:
            into.filters.append(Compare(col=months[0], op="==", value=month))
            done = True
        if not done:
            into.homeless.append(str(one.first or one.months))


# ---- bounds ----

_CLOSE = re.compile(r"[がはのをもで、\s]{0,3}|\s?(?:is|are|of|was|were|that is|which is|has|with|at|total|being|worth)?\s?(?:a |the )?")
_OF_GROUPS = re.compile(r"(?:の?(?:合計|平均|総額|件数|トータル)|合計|平均)[がはのをもで\s]{0,3}$|(?:total|average|mean|sum|count)(?: of)?\s?$")
_UNIT_WORDS = {
    "円": ("円",), "ドル": ("ドル", "$"), "歳": ("歳",), "%": ("%",), "個": ("個",), "人": ("人",), "件": ("件",), "時間": ("時間", "h"), "分": ("分",),
    "日": ("日",), "点": ("点",), "m2": ("m2", "㎡"), "kg": ("kg",), "年": ("年",),
}  # fmt: skip
_UNIT_NAMES = {"歳": ("年齢", "age"), "分": ("徒歩", "分", "minute"), "時間": ("時間", "hour"), "日": ("日数", "day"), "年": ("年数", "year", "勤続"), "個": ("数量", "個数", "quantity"), "点": ("点", "score", "評価"), "m2": ("面積",), "人": ("人数",), "%": ("率", "rate", "割合")}
_SCALES = {"千円": 1e3, "万円": 1e4, "百万円": 1e6, "億円": 1e8}


def _bound(bound: Bound, scene: Scene, table: Table, found: Conditions) -> None:
    mention = _named_beside(bound, scene, table.columns)
    column = mention.column if mention else _by_unit(bound.amount, table.columns)
    if column is None:
        measures = [one for one in (table.columns.amounts or table.columns.measures) if table.columns.is_numeric(one)]
        named = [one.column for one in scene.columns if table.columns.is_numeric(one.column)]
        column = named[0] if len(set(named)) == 1 else measures[0] if len(measures) == 1 else None
    if column is None:
        found.homeless.append(scene.text[bound.start : bound.end])
        return
    before = scene.masked[: bound.start]
    value = _scaled(bound.amount, table.columns, column, found)
    if mention and _OF_GROUPS.search(before) and bound.op != "==":
        found.having = Having(bound.op, value)
        return
    if mention:
        found.used.add(mention.start)
    condition = Compare(col=column, op=bound.op, value=value)
    if condition not in found.filters:
        found.filters.append(condition)


def _named_beside(bound: Bound, scene: Scene, columns: Columns) -> ColumnMention | None:
    numeric = [one for one in scene.columns if any(columns.is_numeric(name) for name in one.columns)]
    numeric = [
        ColumnMention(one.start, one.end, tuple(name for name in one.columns if columns.is_numeric(name)), one.strength) for one in numeric
    ]
    before = [one for one in numeric if one.end <= bound.start]
    if before:
        last = before[-1]
        between = scene.masked[last.end : bound.start]
        if _CLOSE.fullmatch(between) or _OF_GROUPS.fullmatch(between) or re.fullmatch(r"(?:の|が|は|を|合計|平均|total|average|of|is|are|amount|value|\s){0,8}", between):
            return last
    after = next((one for one in numeric if one.start >= bound.end), None)
    if after and re.fullmatch(r"\s?(?:of |in |the )*|の", scene.masked[bound.end : after.start]) and not re.search("[ぁ-ん]", scene.masked[bound.end : after.start]):
        return after
    return None


def _by_unit(amount: Amount, columns: Columns) -> str | None:
    numeric = [one for one in columns.table.columns if one.is_numeric]
    if amount.unit == "":
        return None
    fitting = [one.name for one in numeric if one.unit in _UNIT_WORDS.get(amount.unit, (amount.unit,))]
    if not fitting:
        fitting = [one.name for one in numeric if any(part in one.name.lower() for part in _UNIT_NAMES.get(amount.unit, ()))]
    if amount.unit == "円" and not fitting:
        fitting = [one.name for one in numeric if one.unit in _SCALES or one.type == "currency"]
    if not fitting and amount.unit == "%":
        fitting = [one.name for one in numeric if one.type == "percent"]
    return fitting[0] if len(fitting) == 1 else None


def _scaled(amount: Amount, columns: Columns, column: str, found: Conditions) -> float | int:
    """100万円 in a column of 千円 is 1,000; 50% in a column of percentages is 0.5."""
    profile, value = columns[column], amount.value
    if amount.unit == "円" and profile.unit in _SCALES:
        value = value / _SCALES[profile.unit]
        value = int(value) if value == int(value) else value
        found.assumptions.append(tell("analysis_rules.assumed.scale", column=column, unit=profile.unit, value=f"{value:,}"))
    if profile.type == "percent" and (amount.unit == "%" or value > 1):
        value = value / 100
    return value


# ---- words inside of cells ----

_QUOTED = re.compile(r"[「『\"“']([^」』\"”']{1,60})[」』\"”'](?:という(?:言葉|文字|単語|語))?(?:を|が)?(?:含|入っ)|(?:contain(?:s|ing)?|includ(?:es|ing)|mention(?:s|ing)?)(?: the (?:word|text))? [\"“'「]([^\"”'」]{1,60})[\"”'」]")
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
    found.filters = [one for one in found.filters if not (isinstance(one, Compare) and one.col == words[0])]
    found.values = [one for one in found.values if one[0] != words[0]]
    found.filters.append(Contains(col=words[0], op="contains", value=text))
    found.used.update(one.start for one in scene.columns if one.column == words[0])


def not_missing(columns: list[str]) -> list[Filter]:
    return [Presence(col=column, op="not_null") for column in columns]
