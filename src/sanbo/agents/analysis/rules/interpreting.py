"""A question into its reading: every slot from the marked text."""

import re
from collections.abc import Iterable, Mapping
from typing import cast

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.conditions import Conditions, conditions
from sanbo.agents.analysis.rules.formulas import formula
from sanbo.agents.analysis.rules.parts import Played, play
from sanbo.agents.analysis.rules.reading import Ask, Axis, ChartWord, Measure, Reading
from sanbo.agents.analysis.rules.remainder import unexplained
from sanbo.agents.analysis.rules.scene import Scene, Table, scene
from sanbo.agents.analysis.rules.wording import bare
from sanbo.agents.analysis.spec.filters import Filter, Outlying, Presence
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit
from sanbo.kernel.messages import tell

_ASKS: Mapping[Ask, re.Pattern[str]] = {
    "missing": lexicon.MISSING,
    "duplicates": lexicon.DUPLICATES,
    "distinct": lexicon.DISTINCT,
    "count": lexicon.COUNT,
    "summary": lexicon.SUMMARY,
    "overview": lexicon.OVERVIEW,
    "distribution": lexicon.DISTRIBUTION,
    "outliers": lexicon.OUTLIERS,
    "correlation": lexicon.CORRELATION,
    "versus": lexicon.VERSUS,
    "share": lexicon.SHARE,
    "pareto": lexicon.PARETO,
    "pivot": lexicon.PIVOT,
    "cumulative": lexicon.CUMULATIVE,
    "moving": lexicon.MOVING,
    "trend": lexicon.TREND,
    "test": lexicon.TEST,
    "compare": lexicon.COMPARE,
    "difference": lexicon.DIFFERENCE,
    "rows": lexicon.ROWS,
    "which": lexicon.WHICH,
    "growth": lexicon.GROWTH_ANY,
    "normalized": lexicon.NORMALIZED,
    "follow_up": lexicon.FOLLOW_UP,
    "additive": lexicon.ADDITIVE,
    "panels": lexicon.PANELS,
}
_LEFT_OUT = r"(?:値|行|データ|セル|の行|のデータ)?(?:を|は|が)?(?:除|のぞ|省|抜|外し|無視|削除|取り除|含めな)"
_WITHOUT = {
    "missing": re.compile(rf"(?:欠損|空欄|空白|未入力|未記入){_LEFT_OUT}|(?:excluding|exclude|without|ignoring|ignore|dropping|drop|removing|remove)(?: (?:rows with|any|the|all))* (?:missing|blank|null|empty)"),
    "outliers": re.compile(rf"(?:外れ値|はずれ値|異常値){_LEFT_OUT}|(?:excluding|exclude|without|ignoring|ignore|removing|remove|dropping)(?: (?:any|the|all))* (?:outliers?|anomalies)"),
    "duplicates": re.compile(rf"(?:重複|ダブり)(?:した行)?{_LEFT_OUT}|(?:excluding|exclude|without|ignoring|removing|remove|dropping|drop)(?: (?:any|the|all))* duplicat"),
}
_ONLY_MISSING = re.compile(r"(?:が|は)(?:欠損|空欄|空白|未入力|未記入|空)(?:し|の|に|で)|where ■+ is (?:missing|blank|null|empty)|with (?:a |no |missing |blank |empty )+■")
_WIDTH = re.compile(r"(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<size>万|千|億)?(?:歳|円|個|件|点|分|時間|日|kg|m2|平米|年)?(?:ごと|刻み|単位|おき|毎|幅)|(?:bins? of|in steps of|bin (?:width|size) (?:of )?|every|intervals? of|buckets? of)\s?(?P<e>\d[\d,]*)|(?P<b>\d[\d,]*)[- ](?:year|minute|yen|dollar|point|unit|day)s?[- ](?:\w+[- ])?(?:bins?|buckets?|bands?|groups?|intervals?)")
_AGE_CLASSES = re.compile(r"年代|年齢層|(?<![a-z])(?:age (?:groups?|bands?|brackets?)|by decade)(?![a-z])")
_PRICE_CLASSES = re.compile(r"(?:価格|金額|家賃|年収|売上|■+)帯|階級別|層別|(?<![a-z])(?:price|salary|rent|income|■+) (?:bands?|ranges?|brackets?|classes)(?![a-z])")
_PERCENT_OF = re.compile(r"何(?:%|パーセント|割)|what (?:%|percent(?:age)?|share|proportion|fraction)")


def read(question: str, table: Table) -> Reading:
    marked = scene(question, table)
    text, masked = marked.text, marked.masked
    asks = {name for name, words in _ASKS.items() if words.search(masked)}
    asks |= {name for name in ("distinct", "follow_up") if _ASKS[name].search(text)}  # pyright: ignore[reportArgumentType]
    date_column = _date_column(marked, table)
    rows = conditions(marked, question, table, date_column)
    played, doubts = play(marked, table.columns, rows.used)
    growth = next(((unit, back) for unit, back, words in lexicon.GROWTH if words.search(text)), None)
    period_mean = next((unit for unit, words in lexicon.PERIOD_MEAN if words.search(masked)), None)
    unit = _unit(text, masked, period_mean, growth)
    aggregates = _aggregates(masked, period_mean)
    made = formula(text, table.columns, {one.column for one in played if one.mention.strength >= 4})
    measures, loose = _measures(played, aggregates, marked, table)
    axes = _axes(played, table, masked)
    extreme, order, top = _order(text, masked)
    asks -= _shadowed(asks, masked, growth is not None)
    chart, wants_chart = _chart(masked, text)
    filters = [*rows.filters, *_explicit(masked, asks, measures, played)]
    for name, words in _WITHOUT.items():
        if words.search(masked):
            asks.discard(name)  # pyright: ignore[reportArgumentType]
            asks.add(f"without_{name}")  # pyright: ignore[reportArgumentType]
    if _ONLY_MISSING.search(masked):
        asks.discard("missing")
        asks.add("only_missing")
    if any(one.part == "versus" for one in played) and len(measures) > 1:
        asks.add("versus")
    classes = _classes(text, masked, played, table)
    if classes:
        axes = [*(one for one in axes if one.column != classes.column), classes]
        measures = [one for one in measures if one.column != classes.column or one.aggregate]
    left = unexplained(marked, table)
    return Reading(
        text=question,
        asks=frozenset(asks),
        measures=tuple(measures),
        aggregates=tuple(loose),
        axes=tuple(axes),
        unit=unit,
        date_column=date_column if any(one.column == date_column for one in played) else None,
        filters=tuple(filters),
        weekdays=rows.weekdays,
        values=tuple(rows.values),
        chart=chart,
        wants_chart=wants_chart,
        wants_table_only=bool(lexicon.NO_CHART.search(masked)),
        color=next((one.column for one in played if one.part == "color"), None),
        facet=next((one.column for one in played if one.part == "facet"), None),
        is_horizontal=True if lexicon.HORIZONTAL.search(masked) else False if lexicon.VERTICAL.search(masked) else None,
        bins=_bins(masked),
        order=order,
        top=top,
        extreme=extreme,
        growth=growth,
        period_mean=period_mean,
        per=next((one.column for one in played if one.part == "per"), None),
        formula=made,
        having=rows.having,
        test=next((name for name, words in lexicon.TESTS.items() if words.search(masked)), None),
        method=_method(masked),
        doubts=tuple(doubts),
        unknown_values=(*left.values, *rows.homeless),
        unknown_groups=left.groups,
        unknown_words=left.words,
        assumptions=tuple(rows.assumptions),
        columns_seen=tuple(dict.fromkeys(one.column for one in played if one.part != "filter")),
    )


def _date_column(marked: Scene, table: Table) -> str | None:
    """The date that is named, else the first one."""
    times = table.columns.times
    for mention in marked.columns:
        named = [column for column in mention.columns if column in times]
        if named:
            return named[0]
    return times[0] if times else None


def _unit(text: str, masked: str, period_mean: TimeUnit | None, growth: tuple[TimeUnit, int] | None) -> TimeUnit | None:
    if period_mean:
        masked = next(words for unit, words in lexicon.PERIOD_MEAN if unit == period_mean).sub("", masked)
    for unit, words in lexicon.UNITS:
        if words.search(masked):
            return unit
    return growth[0] if growth and not period_mean and False else None


def _aggregates(masked: str, period_mean: TimeUnit | None) -> list[tuple[int, Aggregate]]:
    """Where each stands; words inside of a mean of periods are not theirs."""
    hidden = masked
    if period_mean:
        words = next(words for unit, words in lexicon.PERIOD_MEAN if unit == period_mean)
        hidden = words.sub(lambda found: "　" * len(found.group()), masked)
    found: list[tuple[int, Aggregate]] = []
    for name, words in lexicon.AGGREGATES.items():
        found += [(match.start(), name) for match in words.finditer(hidden)]
    return sorted(found)


def _measures(
    played: list[Played], aggregates: list[tuple[int, Aggregate]], marked: Scene, table: Table
) -> tuple[list[Measure], list[Aggregate]]:
    """Each aggregate goes to the column that it stands beside."""
    columns = [one for one in played if one.part in ("measure", "versus")]
    if not columns:
        return [], list(dict.fromkeys(name for _, name in aggregates))
    own: dict[str, list[Aggregate]] = {one.column: [] for one in columns}
    loose: list[Aggregate] = []
    for place, name in aggregates:
        target = _beside(place, columns, marked) if len(own) > 1 else columns[0]
        if target is None:
            loose.append(name)
        elif name not in own[target.column]:
            own[target.column].append(name)
    if len(own) > 1 and loose:
        for names in own.values():
            if not names:
                names.extend(name for name in loose)
        loose = []
    if len(own) > 1 and len({name for _, name in aggregates}) == 1 and aggregates:
        for names in own.values():  # 売上と数量の合計
            if not names:
                names.append(aggregates[0][1])
    measures = [
        Measure(column, name) for column, names in own.items() for name in (names or [None])
    ]
    return measures, loose


def _beside(place: int, columns: list[Played], marked: Scene) -> Played | None:
    text = marked.masked
    if text[place].isascii():  # average sales, average of sales
        following = next((one for one in columns if one.mention.start > place), None)
        if following and re.fullmatch(r"[a-z.]*[\s(]*(?:of |for |in )?(?:the |all |its )*", text[place : following.mention.start]):
            return following
    for one in columns:  # 売上の合計
        if one.mention.end <= place and re.fullmatch(r"(?:の|\s|別の|ごとの)?", text[one.mention.end : place]):
            return one
    for one in columns:  # 平均売上, average of sales
        if place < one.mention.start and re.fullmatch(r"[a-z.]*[\s(]*(?:of )?(?:the )?(?:all )?|(?:合計|平均|最大|最小|総)?の?", text[place : one.mention.start]):
            return one
    earlier = [one for one in columns if one.mention.end <= place]
    if earlier and re.search("[ぁ-ん一-龠]", text[earlier[-1].mention.end : place] or "の"):
        return earlier[-1]
    return next((one for one in columns if one.mention.start > place), None)


_UNIT_NAMES: Mapping[str, TimeUnit] = {"年": "year", "年度": "fiscal_year", "月": "month", "曜日": "weekday", "四半期": "quarter"}


def _axes(played: list[Played], table: Table, masked: str) -> list[Axis]:
    axes: list[Axis] = []
    for one in played:
        if one.part == "group" or (one.part == "date" and table.columns.roles[one.column] != "time"):
            axis = Axis(one.column)
            if axis not in axes:
                axes.append(axis)
    return axes


def _classes(text: str, masked: str, played: list[Played], table: Table) -> Axis | None:
    """年代別, 10歳ごと, 5万円刻み: a number cut into classes."""
    columns = table.columns
    measures = [one.column for one in played if columns.is_numeric(one.column)]
    if _AGE_CLASSES.search(text):
        ages = [name for name in columns.of("level", "amount") if bare(name) in ("年齢", "age") or bare(name).endswith(("年齢", " age", "_age"))]
        width = _WIDTH.search(text)
        if ages:
            return Axis(ages[0], width=_wide(width) if width else 10.0)
    width = _WIDTH.search(masked)
    if width and (name := _classed(width, measures, masked, played, table)):
        return Axis(name, width=_wide(width))
    if _PRICE_CLASSES.search(masked) and measures:
        return Axis(measures[0], width=0.0)
    return None


def _classed(width: re.Match[str], measures: list[str], masked: str, played: list[Played], table: Table) -> str | None:
    unit = width.group()
    if "歳" in unit:
        ages = [name for name in table.columns.roles if "年齢" in name or name.lower() == "age"]
        if ages:
            return ages[0]
    before = [one.column for one in played if one.mention.end <= width.start() and table.columns.is_numeric(one.column)]
    return before[-1] if before else measures[0] if measures else None


def _wide(found: re.Match[str]) -> float:
    number = float((found["n"] or found["e"] or found["b"]).replace(",", ""))
    return number * {"千": 1e3, "万": 1e4, "億": 1e8}.get(found["size"] or "", 1.0)


def _order(text: str, masked: str):  # pyright: ignore[reportUnknownParameterType]
    top = _counted(lexicon.TOP, masked)
    bottom = _counted(lexicon.BOTTOM, masked)
    extreme = "max" if lexicon.MOST.search(text) else "min" if lexicon.LEAST.search(text) else None
    if lexicon.LEAST.search(text) and (not lexicon.MOST.search(text) or lexicon.LEAST.search(text).start() < lexicon.MOST.search(text).start()):  # pyright: ignore[reportOptionalMemberAccess]
        extreme = "min"
    if bottom is not None and top is None:
        return None, "asc", bottom
    if top is not None:
        return None, "asc" if lexicon.ASCENDING.search(masked) else "desc", top
    order = "asc" if lexicon.ASCENDING.search(masked) else "desc" if lexicon.DESCENDING.search(masked) else None
    return (None if order and extreme else extreme), order, None


def _counted(expression: re.Pattern[str], masked: str) -> int | None:
    found = expression.search(masked)
    if found is None:
        return None
    word = next(part for part in found.groups() if part)
    number = lexicon.NUMBER_WORDS.get(word) or int(word)
    return number if 0 < number <= 1000 else None


def _shadowed(asks: Iterable[str], masked: str, is_growth: bool) -> set[Ask]:
    """Words that stand for something else beside others."""
    hidden: set[Ask] = set()
    found = set(asks)
    if "pareto" in found or "cumulative" in found:
        hidden |= {"share"} if "cumulative" in found and "pareto" not in found and not re.search("構成比|share", masked) else set()
    if is_growth:
        hidden |= {"growth", "share", "compare"}
    if "growth" in found:
        hidden |= {"share"}
    return cast("set[Ask]", hidden)


def _chart(masked: str, text: str) -> tuple[ChartWord | None, bool]:
    kinds = [kind for kind, words in lexicon.CHARTS if words.search(masked)]
    if "bar" in kinds and "hist" in kinds and len(kinds) == 2:
        kinds = ["hist"]
    if "line" in kinds and len(kinds) > 1 and not re.search(r"折れ?線|line (?:chart|graph|plot)", masked):
        kinds.remove("line")
    wants = bool(kinds) or bool(lexicon.CHART.search(masked))
    return (cast("ChartWord", kinds[0]) if kinds else None), wants


def _bins(masked: str) -> int | None:
    found = lexicon.BINS.search(masked)
    return max(1, min(500, int(found["n"] or found["m"]))) if found else None


def _method(masked: str) -> str | None:
    if lexicon.SPEARMAN.search(masked):
        return "spearman"
    if lexicon.KENDALL.search(masked):
        return "kendall"
    return "zscore" if lexicon.ZSCORE.search(masked) else None


def _explicit(masked: str, asks: set[Ask], measures: list[Measure], played: list[Played]) -> list[Filter]:
    """Conditions on cells themselves: outliers or missing ones left out, only missing ones."""
    named = [one.column for one in measures if one.column]
    filters: list[Filter] = []
    if _WITHOUT["outliers"].search(masked):
        filters += [Outlying(col=column, op="not_outlier") for column in dict.fromkeys(named)]
    if _WITHOUT["missing"].search(masked):
        columns = named or [one.column for one in played]
        filters += [Presence(col=column, op="not_null") for column in dict.fromkeys(columns)]
    if _ONLY_MISSING.search(masked) and played:
        found = _ONLY_MISSING.search(masked)
        before = [one for one in played if found and one.mention.start <= found.start() + 8]
        filters.append(Presence(col=(before or played)[-1].column, op="is_null"))
    return filters


__all__ = ["Conditions", "read", "tell"]
