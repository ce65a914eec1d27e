"""A question into its reading: every slot from the marked text."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal, cast

from sanbo.agents.analysis.rules import lexicon
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.conditions import Conditions, conditions
from sanbo.agents.analysis.rules.contrasts import contrast, filling, rate_of
from sanbo.agents.analysis.rules.formulas import duration, formula, ratio_named, written
from sanbo.agents.analysis.rules.number_conditions import WITHOUT_ZERO
from sanbo.agents.analysis.rules.parts import Played, aggregates_in, classes_in, measures_in, play
from sanbo.agents.analysis.rules.reading import Ask, Axis, ChartWord, Measure, Reading
from sanbo.agents.analysis.rules.remainder import unexplained
from sanbo.agents.analysis.rules.scene import Scene, Table, scene
from sanbo.agents.analysis.rules.unread import (
    unread_conditions,
    unread_names,
    unread_numbers,
    unread_ratios,
    unread_selection,
    unread_sums,
)
from sanbo.agents.analysis.spec.filters import Filter, Outlying, Presence
from sanbo.agents.analysis.spec.words import TimeUnit
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
    "from_mean": lexicon.FROM_MEAN,
    "top_percent": lexicon.TOP_PERCENT,
    "rows": lexicon.ROWS,
    "which": lexicon.WHICH,
    "growth": lexicon.GROWTH_ANY,
    "normalized": lexicon.NORMALIZED,
    "follow_up": lexicon.FOLLOW_UP,
    "additive": lexicon.ADDITIVE,
    "panels": lexicon.PANELS,
}


_IN_NAMES_TOO: tuple[Ask, ...] = ("distinct", "follow_up")
_LEFT_OUT = (
    r"(?:値|行|データ|セル|の行|のデータ)?(?:を|は|が)?(?:除|のぞ|省|抜|外し|無視|"
    r"削除|取り除|含めな)"
)


_WITHOUT: Mapping[Ask, re.Pattern[str]] = {
    "missing": re.compile(
        rf"(?:欠損|空欄|空白|未入力|未記入){_LEFT_OUT}|(?:excluding|exclude|"
        rf"without|ignoring|ignore|dropping|drop|removing|remove)(?: (?:rows with|"
        rf"any|the|all))* (?:missing|blank|null|empty)"
    ),
    "outliers": re.compile(
        rf"(?:外れ値|はずれ値|異常値){_LEFT_OUT}|(?:excluding|exclude|without|"
        rf"ignoring|ignore|removing|remove|dropping)(?: (?:any|the|all))* "
        rf"(?:outliers?|anomalies)"
    ),
    "duplicates": re.compile(
        rf"(?:重複|ダブり)(?:した行)?{_LEFT_OUT}|(?:excluding|exclude|without|"
        rf"ignoring|removing|remove|dropping|drop)(?: (?:any|the|all))* duplicat"
    ),
}


_LEFT_OUT_ASKS: tuple[tuple[Ask, Ask], ...] = (
    ("missing", "without_missing"),
    ("outliers", "without_outliers"),
    ("duplicates", "without_duplicates"),
)
_ONLY_MISSING = re.compile(
    r"(?<=■)(?:欄)?(?:が|の|は)(?:まだ)?(?:入って(?:い)?な|入力され(?:てい)?な|"
    r"記入され(?:てい)?な|登録され(?:てい)?な|未記入|未入力|未登録|未回答|未設定|"
    r"未定|未返信|未提出|空欄|空白|"
    r"欠損して|欠損の|空(?:の|に|だ)|抜けて|な(?:い|し)の?(?:記録|行|データ|もの|"
    r"人|件|申請|注文|物件))"
    r"|(?<=■) (?:is|are|was) (?:missing|blank|null|empty|not filled)|"
    r"(?<![a-z])(?:have|has|had|having|with|where there is) (?:no|a missing|"
    r"missing|an? empty|an? blank|blank|empty) (?=■)|(?<![a-z])(?:without an? |"
    r"without any |no |missing )(?=■+ (?:date|time|value)?)(?=■)"
)


_PERCENT_OF = re.compile(
    r"何(?:%|パーセント|割)|what (?:%|percent(?:age)?|share|proportion|fraction)"
)


def read(question: str, table: Table) -> Reading:
    return interpret(scene(question, table), question, table)


def interpret(marked: Scene, question: str, table: Table) -> Reading:  # noqa: PLR0915 - slot by slot
    text, masked = marked.text, marked.masked
    asks: set[Ask] = {name for name, words in _ASKS.items() if words.search(masked)}
    for name in _IN_NAMES_TOO:
        if _ASKS[name].search(text):
            asks.add(name)
    date_column = _date_column(marked, table)
    rows = conditions(marked, question, table, date_column)
    played, doubts = play(marked, table.columns, rows.used)
    played = [one for one in played if not _is_rate_of_value(one, marked)]
    growth: tuple[TimeUnit, int] | None = next(
        ((unit, back) for unit, back, words in lexicon.GROWTH if words.search(text)), None
    )
    period_mean: TimeUnit | None = next(
        (unit for unit, words in lexicon.PERIOD_MEAN if words.search(masked)), None
    )
    unit = _unit(masked, period_mean)
    aggregates = aggregates_in(masked, period_mean)
    rate = rate_of(text, table)
    named_ratio = ratio_named(marked, table.columns)
    made = named_ratio or formula(
        text, table.columns, {one.column for one in played if one.mention.strength >= 4}
    )
    if made and made.name in text:  # 在庫 of 在庫金額 is no number of its own
        start = text.index(made.name)
        inside = range(start, start + len(made.name))
        played = [one for one in played if one.mention.start not in inside or one.is_marked]
    measures, loose = measures_in(played, aggregates, marked)
    lasting = duration(marked, table)
    if lasting:  # 日数 counts nothing here, and the dates are no groups
        played = [one for one in played if one.column not in (lasting.start, lasting.end)]
        measures = [Measure(lasting.name, name) for name in loose or ["mean"]]
        loose = []
        asks -= {"count", "distinct", "trend", "difference", "compare"}
        unit = None if unit == "day" else unit
    axes = _axes(played, table)
    extreme, order, top = _order(text, masked)
    unit = unit or (rows.unit if not axes else None)
    if (
        order == "asc"
        and _WORST.search(text)
        and any(_BAD.search((one.column or "").lower()) for one in measures)
    ):
        order = "desc"  # the worst of what is bad is the most of it
    asks -= _shadowed(asks, masked, growth is not None)
    chart, wants_chart = _chart(masked)
    filters = [*rows.filters, *_explicit(masked, measures, played), *_not_yet(text, table.columns)]
    for shown, without in _LEFT_OUT_ASKS:
        if _WITHOUT[shown].search(masked):
            asks.discard(shown)
            asks.add(without)
    absent = {one.col for one in filters if isinstance(one, Presence) and one.op == "is_null"}
    if absent:
        asks.discard("missing")
        asks.add("only_missing")
        measures = [one for one in measures if one.column not in absent]
    fill = filling(masked)
    if fill:
        asks.discard("missing")
    if any(one.part == "versus" for one in played) and len(measures) > 1:
        asks.add("versus")
    classes = classes_in(text, masked, played, table)
    if classes:
        axes = [*(one for one in axes if one.column != classes.column), classes]
        others = [one for one in measures if one.column != classes.column]
        measures = others or [one for one in measures if one.aggregate]
    share_of = rate[0] if rate else _share_of(marked, rows)
    if share_of and not made:
        asks.add("share")
    left = unexplained(marked, table)
    others = (*_WITHOUT.values(), _ONLY_MISSING, lexicon.NO_CHART, lexicon.DISTINCT, WITHOUT_ZERO)
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
        values=(*rows.values, *((rate,) if rate else ())),
        share_of=share_of,
        chart=chart,
        wants_chart=wants_chart,
        wants_table_only=bool(lexicon.NO_CHART.search(masked)),
        color=next((one.column for one in played if one.part == "color"), None),
        facet=next((one.column for one in played if one.part == "facet"), None),
        is_horizontal=True
        if lexicon.HORIZONTAL.search(masked)
        else False
        if lexicon.VERTICAL.search(masked)
        else None,
        bins=_bins(masked),
        order=order,
        top=top,
        extreme=extreme,
        growth=growth,
        period_mean=period_mean,
        per=None
        if named_ratio
        else next((one.column for one in played if one.part == "per"), None),
        formula=made,
        having=rows.having,
        test=next((name for name, words in lexicon.TESTS.items() if words.search(masked)), None),
        method=_method(masked),
        doubts=tuple(doubts),
        unknown_values=(
            *left.values,
            *rows.homeless,
            *unread_conditions(marked, filters, table.columns),
            *unread_numbers(marked),
            *unread_names(masked, question),
        ),
        unread_selection=unread_selection(marked, rows.read, others),
        unknown_groups=left.groups,
        unknown_words=(
            *left.words,
            *(() if made or lasting else unread_sums(masked)),
            *unread_ratios(
                marked,
                is_per_read=bool(made or period_mean) or any(one.part == "per" for one in played),
                is_rate_read=bool(made or share_of or growth or "growth" in asks),
            ),
        ),
        assumptions=(
            *rows.assumptions,
            *(tell("analysis_rules.assumed.row_noun", word=word) for word in left.rows if not made),
        ),
        columns_seen=tuple(
            dict.fromkeys(
                one.column for one in played if one.part != "filter" and one.column not in absent
            )
        ),
        fill=fill,
        duration=lasting,
        contrast=contrast(marked, table.columns),
    )


_PART_AFTER = re.compile(
    r"(?:の|した|だった|である|な|で)?(?:人|もの|件|注文|申請|客|数|データ|行|■++|"
    r"売上|金額|の){0,3}(?:が占める)?の?(?:割合|比率|構成比|シェア|率|は?何(?:%|"
    r"パーセント|割))|\s?(?:■+ )?(?:rate|share|percentage|proportion)(?![a-z])"
)


_PART_BEFORE = re.compile(
    r"(?:percentages?|proportion|share|fraction|percent|%|rate) of (?:the |all |"
    r"our |total )?(?:■+ |[a-z]+ ){0,3}(?:(?:that |which |who )?(?:are|were|is|"
    r"was|come from|came from|comes from|in|from) )?(?:the )?$|[一-龠]率\s?[(:=]\s?$"
)


_RATE = re.compile(r"\s(?:rates?|ratio)(?![a-z])")


def _is_rate_of_value(one: Played, marked: Scene) -> bool:
    """The rate of win rate is no column, where some rows say won."""
    return any(
        one.mention.start == value.end + 1 and _RATE.match(marked.text[value.end :])
        for value in marked.values
    )


def _share_of(marked: Scene, rows: Conditions) -> str | None:
    """The column of the value whose share is asked: キャンセルの割合, share of returned orders."""
    for mention in marked.values:
        if (
            _PART_AFTER.match(marked.masked[mention.end :])
            or _RATE.match(marked.text[mention.end :])
            or _PART_BEFORE.search(marked.masked[: mention.start])
        ):
            return next(
                (
                    column
                    for column, _ in rows.values
                    if column in {one for one, _ in mention.found}
                ),
                None,
            )
    return None


def _date_column(marked: Scene, table: Table) -> str | None:
    """The date that is named, else the first one."""
    times = table.columns.times
    for mention in marked.columns:
        named = [column for column in mention.columns if column in times]
        if named:
            return named[0]
    return times[0] if times else None


def _unit(masked: str, period_mean: TimeUnit | None) -> TimeUnit | None:
    if period_mean:
        masked = next(words for unit, words in lexicon.PERIOD_MEAN if unit == period_mean).sub(
            "", masked
        )
    for unit, words in lexicon.UNITS:
        if words.search(masked):
            return unit
    return None


_UNIT_NAMES: Mapping[str, TimeUnit] = {
    "年": "year",
    "年度": "fiscal_year",
    "月": "month",
    "曜日": "weekday",
    "四半期": "quarter",
}


def _axes(played: list[Played], table: Table) -> list[Axis]:
    axes: list[Axis] = []
    for one in played:
        if one.part == "group" or (
            one.part == "date" and table.columns.roles[one.column] != "time"
        ):
            axis = Axis(one.column)
            if axis not in axes:
                axes.append(axis)
    return axes


Order = Literal["desc", "asc"]
_WORST = re.compile(r"ワースト|worst")
_BAD = re.compile(
    r"不良|欠陥|クレーム|残業|返品|遅延|遅刻|欠勤|事故|コスト|経費|defect|return|"
    r"delay|complaint|overtime|error|cost|response|resolution"
)


def _order(text: str, masked: str) -> tuple[Literal["max", "min"] | None, Order | None, int | None]:
    """Which end is asked for, in which order, and how many."""
    top = _counted(lexicon.TOP, masked) or _counted(lexicon.OLDEST, text)
    bottom = _counted(lexicon.BOTTOM, masked) or _counted(lexicon.YOUNGEST, text)
    most, least = lexicon.MOST.search(text), lexicon.LEAST.search(text)
    is_least = least is not None and (most is None or least.start() < most.start())
    extreme: Literal["max", "min"] | None = "min" if is_least else "max" if most else None
    if bottom is not None and top is None:
        return None, "asc", bottom
    if top is not None:
        return None, "asc" if lexicon.ASCENDING.search(masked) else "desc", top
    order = (
        "asc"
        if lexicon.ASCENDING.search(masked)
        else "desc"
        if lexicon.DESCENDING.search(masked)
        else None
    )
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
        hidden |= (
            {"share"}
            if "cumulative" in found
            and "pareto" not in found
            and not re.search("構成比|share", masked)
            else set()
        )
    if is_growth:
        hidden |= {"growth", "share", "compare"}
    if "growth" in found:
        hidden |= {"share"}
    return hidden


def _chart(masked: str) -> tuple[ChartWord | None, bool]:
    kinds = [kind for kind, words in lexicon.CHARTS if words.search(masked)]
    if "bar" in kinds and "hist" in kinds and len(kinds) == 2:
        kinds = ["hist"]
    if (
        "line" in kinds
        and len(kinds) > 1
        and not re.search(r"折れ?線|line (?:chart|graph|plot)", masked)
    ):
        kinds.remove("line")
    wants = bool(kinds) or bool(lexicon.CHART.search(masked))
    return (cast("ChartWord", kinds[0]) if kinds else None), wants


def _bins(masked: str) -> int | None:
    found = lexicon.BINS.search(masked)
    return max(1, min(500, int(found["n"] or found["k"] or found["m"]))) if found else None


def _method(masked: str) -> str | None:
    if lexicon.SPEARMAN.search(masked):
        return "spearman"
    if lexicon.KENDALL.search(masked):
        return "kendall"
    return "zscore" if lexicon.ZSCORE.search(masked) else None


_NOT_DONE = "(?:を|が|は)?(?:(?:まだ)?(?:され|し)て(?:い)?な[いか]|が?未(?:了|済))"


def _not_yet(text: str, columns: Columns) -> list[Filter]:
    """返却されていない: the day on which it was is empty."""
    return [
        Presence(col=name, op="is_null")
        for name in columns.times
        if columns[name].missing and re.search(f"(?:{written(name)}){_NOT_DONE}", text)
    ]


def _explicit(masked: str, measures: list[Measure], played: list[Played]) -> list[Filter]:
    """Conditions on cells themselves: outliers or missing ones left out, only missing ones."""
    named = [one.column for one in measures if one.column]
    filters: list[Filter] = []
    if _WITHOUT["outliers"].search(masked):
        filters += [Outlying(col=column, op="not_outlier") for column in dict.fromkeys(named)]
    if _WITHOUT["missing"].search(masked):
        columns = named or [one.column for one in played]
        filters += [Presence(col=column, op="not_null") for column in dict.fromkeys(columns)]
    for found in _ONLY_MISSING.finditer(masked):
        beside = [
            one.column
            for one in played
            if found.start() in (one.mention.end,) or one.mention.start == found.end()
        ]
        filters += [Presence(col=column, op="is_null") for column in beside[:1]]
    return filters
