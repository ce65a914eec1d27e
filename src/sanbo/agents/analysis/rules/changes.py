"""Time against time as operations: two periods, or each beside the one before.

Time against time: 前月比, へった店舗, one period against another.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

from sanbo.agents.analysis.rules.frame import Direction, Frame, Growth, Measure, columns_of
from sanbo.agents.analysis.rules.groups import UNIT, time_word
from sanbo.agents.analysis.rules.items import ORDER, Items
from sanbo.agents.analysis.rules.lexicon import set_of
from sanbo.agents.analysis.rules.steps import (
    MOST_GROUPS,
    Steps,
    column_term,
    condition,
    figure_fields,
    metrics_of,
    op_of,
    require,
)
from sanbo.agents.analysis.rules.times import BEFORE, apart, is_change, sort_key, whole
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.words import TimeUnit, written_span

_FISCAL_START = 4
_EITHER = frozenset(("どっち", "どちら"))
_MOVES = ("increase", "decrease", "change")

# pyrefly: ignore[bad-assignment]
_GROWTH_UNITS: dict[str, tuple[TimeUnit, Literal["previous", "year_before"]]] = {
    **{word: (unit, "previous") for word, unit in BEFORE.items()},
    "year_before_month": ("month", "year_before"),
    "year_before_period": ("quarter", "year_before"),
}


def read_growth(items: Items) -> None:
    frame, named = items.frame, time_word(items)
    _how(items)
    for at in items.words(*_GROWTH_UNITS) if items.scene.dates or items.scene.years else ():
        unit, beside = _GROWTH_UNITS[items.name(at)]
        if not is_change(items, at):
            continue  # the last month of 2016
        if unit == "year" and items.has("grouped.month"):
            unit, beside = "month", "year_before"
        elif unit == "year" and named == "fiscal_year":
            unit = "fiscal_year"
        frame.growth = Growth(unit, beside)
        items.use("period", at)
    is_year = frame.growth is not None and "year" in (frame.growth.unit, frame.growth.against[:4])
    if is_year and named is None:
        _same_span(items)
    direction = _direction(items)
    frame.options["is_sought"] = _is_sought(items)
    is_told = items.words(*_MOVES, "compare", "comparative", "difference")
    is_choice = any(items.text(at) in _EITHER for at in items.words("which"))
    if frame.growth is None and (is_told or is_choice) and _two_periods(items):
        direction = _OTHER_WAY.get(direction)  # 10月の売上が11月より高い: it went down
        items.doubt(1.0 if items.has(*ORDER) else 0.0)
    rates = [at for at in items.words("change", "share") if _is_rate(items.text(at))]
    frame.options["is_rate"] = bool(rates)
    if frame.growth is not None:
        items.take("increase", "decrease", "change", "compare", "difference", "share", role="order")
        # 前月比 shows how much; へった店舗 asks which ones.
        if items.has_grouping() or any(
            items.is_kind(at, "word") and items.name(at).startswith(UNIT)
            for at in range(len(items.all))
        ):
            frame.direction = direction
    elif items.words(*_MOVES) and named is not None and (items.scene.dates or items.scene.years):
        items.take(*_MOVES, role="order")
        frame.growth = Growth(named, "previous")
        frame.direction = direction
        frame.is_trend = True
    elif items.words(*_MOVES):
        _two_values(items, direction)


def _how(items: Items) -> None:
    """How did it change over the years, 月ごとにどう動いたか: along time, and not by how much."""
    if items.has("compare", "difference", "increase", "decrease", *_GROWTH_UNITS):
        return
    for at in items.words("change"):
        asked = any(items.text(one) in ("how", "どう") for one in range(at))
        if asked and (items.has("trend") or time_word(items)):
            items.use("group", at)
            items.frame.is_trend = True


def _same_span(items: Items) -> None:
    """2025年4月から9月、前年の同じ時期: some months, and the same of the year before."""
    frame = items.frame
    for date in items.scene.dates:
        said = [one for one in frame.conditions if columns_of(one) == {date}]
        spans = _spans(said)
        if len(spans) == 1 and spans[0][0] != spans[0][1]:
            year, before = spans[0][0][:4], str(int(spans[0][0][:4]) - 1)
            if all(one.startswith(year) for one in spans[0]):
                frame.conditions = [one for one in frame.conditions if one not in said]
                earlier = tuple(before + one[4:] for one in spans[0])
                frame.options["spans"] = (earlier, spans[0])


def _two_values(items: Items, direction: Direction | None) -> None:
    """令和4年度から令和6年度までの伸び率, where these are words of a column."""
    frame = items.frame
    for one in frame.conditions:
        if isinstance(one, Among) and one.op == "in" and len(one.value) == 2:
            values = sorted(map(str, one.value), key=sort_key)
            if all(written_span(value) is not None for value in values):
                items.take(*_MOVES, role="order")
                frame.options["values"], frame.direction = (one.col, values[1]), direction
                return


def _is_rate(text: str) -> bool:
    return text.endswith("率") or "%" in text or "rate" in text or "percent" in text


_MORE = re.compile("[多高大長上超]|届|達|more|higher|greater|larger|above")
_LESS = re.compile("[少低小短下]|届か|及ば|達しな|less|lower|fewer|smaller|below")


def _direction(items: Items) -> Direction | None:
    """ふえた, へった; 前年同月を下回る."""
    more, less = bool(items.words("increase")), bool(items.words("decrease"))
    for at in items.words("comparative"):
        more |= items.text(at) in set_of("more")
        less |= items.text(at) in set_of("less")
    for at in items.words("compare"):  # 11月より多い, as one word
        less_said = _LESS.search(items.text(at)) is not None
        more |= _MORE.search(items.text(at)) is not None and not less_said
        less |= less_said
        if items.text(at) == "より":  # 10月より11月のほうが多い
            more |= items.has("many", "high")
            less |= items.has("few", "low")
    for at, item in enumerate(items.all):
        if not items.is_word(at, *_GROWTH_UNITS):
            continue
        behind, ahead = items.after(at), items.before(at)
        if items.is_word(ahead, "gt") and not item.is_japanese:
            items.use("order", ahead)  # over the previous month
        if behind is not None and items.text(behind) == "より":
            items.use("order", behind)
        elif items.is_word(behind, "gt", "lt"):
            items.use("order", behind)
            more |= items.is_word(behind, "gt")
            less |= items.is_word(behind, "lt")
    return None if more == less else "increased" if more else "decreased"


def _is_sought(items: Items) -> bool:
    """Which regions grew, 減った月: those alone; by how much each region grew is told of all."""
    moves = items.words("increase", "decrease", "comparative")
    heads = [items.after(at) for at in moves if items.all[at].is_japanese]
    return any(
        items.is_category(one) or (one is not None and items.name(one).startswith(UNIT))
        for one in heads
    ) or any(not items.text(at).startswith(("what", "何")) for at in items.words("which", "who"))


def read_fiscal_start(items: Items) -> None:
    """年度は4月始まり: said of what is so anyway."""
    for at in items.free("when"):
        figure = items.figure(at)
        is_first = figure is not None and figure.moment.only == figure.moment.month == _FISCAL_START
        if is_first and items.text(at + 1) in set_of("beginnings"):
            items.use("period", at)


_OTHER_WAY: dict[Direction | None, Direction] = {
    "increased": "decreased",
    "decreased": "increased",
}


def _held_against(items: Items) -> str:
    """11月より, 11月と比べて, than in November: the period that another one is compared with."""
    for at in range(len(items.all)):
        is_japanese = items.all[at].is_japanese
        is_than = not is_japanese and items.text(at).endswith("than")
        if not is_than and not items.is_word(at, "compare"):
            continue
        beside = items.before(at) if is_japanese else items.after(at)
        if beside is not None and items.is_kind(beside, "when"):
            said = items.condition_at(beside)
            return str(said.value) if isinstance(said, Compare) else ""
    return ""


def _two_periods(items: Items) -> bool:
    """8月とくらべて9月に, 7〜9月が4〜6月から, 上期と下期の差: the later by the earlier.

    Whether it was said the other way round.
    """
    frame, held = items.frame, _held_against(items)
    is_moved = bool(items.words(*_MOVES))
    for date in items.scene.dates:
        said = [one for one in frame.conditions if columns_of(one) == {date}]
        spans = _spans(said)
        if len(spans) == 1 and is_moved and spans[0][0] != spans[0][1]:
            spans = [(end, end) for end in spans[0]]  # from one to the other
            is_backwards = sort_key(spans[0][0]) > sort_key(spans[1][0])
            items.doubt(1.0 if is_backwards else 0.0)
        pairs = [one for one in said if isinstance(one, AnyOf) and len(one.any_of) == 2]
        if len(spans) != 2 and len(pairs) == 1:
            spans = _spans(pairs)  # 12月の1か月間（11月30日と12月31日の差）
            items.doubt(1.0)
        if len(spans) != 2:
            continue
        earlier, later = sorted(spans, key=lambda span: sort_key(span[0]))
        if sort_key(earlier[0]) == sort_key(later[0]) or sort_key(earlier[1]) > sort_key(later[0]):
            continue
        frame.conditions = [one for one in frame.conditions if one not in said]
        hold_beside(frame, date, earlier, later, time_word(items))
        return held == later[0] == later[1]
    return False


def hold_beside(
    frame: Frame,
    date: str,
    earlier: tuple[str, str],
    later: tuple[str, str],
    named: TimeUnit | None = None,
) -> None:
    """The later period by the earlier; `named`: the unit of time that is told."""
    ends = [start if start == end else whole(start, end) for start, end in (earlier, later)]
    found = apart(*(end for end in ends if end)) if all(ends) else None
    if found is None or (found.periods not in (1, found.in_year)):
        frame.growth = Growth(found.unit if found else "month", "previous")
        frame.options["spans"] = (earlier, later)
        return
    unit, periods, in_year = found
    if unit == "year" and named in ("month", "quarter"):
        unit, periods = named, in_year  # quarterly sales 2016 vs 2017
    is_year = periods == in_year and unit != "year" and not unit.endswith("_year")
    frame.growth = Growth(unit, "year_before" if is_year else "previous")
    frame.conditions.append(Compare(col=date, op="==", value=ends[1] or later[1]))


def _spans(said: Sequence[Filter]) -> list[tuple[str, str]]:
    """Times that are told, each from its first to its last period; none where one is open."""
    spans: list[tuple[str, str]] = []
    starts: list[str] = []
    for one in said:
        for part in one.any_of if isinstance(one, AnyOf) else (one,):
            value = str(part.value) if isinstance(part, Compare) else ""
            if op_of(part) == "==":
                spans.append((value, value))
            elif op_of(part) == ">=" and one is part:
                starts.append(value)
            elif op_of(part) == "<=" and one is part and starts:
                spans.append((starts.pop(), value))
            else:
                return []
    return [] if starts else spans


_IN_A_YEAR = {"month": 12, "quarter": 4}


def _compared(column: str, op: str, value: str) -> dict[str, Any]:
    right = {"fn": "constant", "value": value}
    return {"fn": "compare", "left": column_term(column), "op": op, "right": right}


class Changes(Steps):
    def _growth(self) -> None:
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        if not self.scene.dates:  # years that stand as numbers: 1970, 1971
            require(growth.unit == "year", self.scene.years, frame.measures, not frame.direction)
            year = self.scene.years[0]
            require(set(self._names) <= {year}, not self._taken(year))
            metrics = metrics_of(frame.measures[:1])
            self.step(op="groupby_agg", group_cols=[year], metrics=metrics)
            self.add(op="lag", column=self._metric(), order_by=year)
            return
        time, others, measure = self._time, self._names, self._grown()
        column = time.column if time else frame.options.get("dated") or self._date()
        said = [one for one in self._filters if isinstance(one, Compare) and one.col == column]
        period = next((one for one in said if one.op == "=="), None)
        is_one = period is not None and (growth.unit.endswith("year") or len(str(period.value)) > 4)
        if is_one and time is not None and time.unit == growth.unit:
            time = None  # 2025年度 against the year before: two, and no series
        if spans := frame.options.get("spans"):
            self._between(column, measure, others, spans)
            return
        is_series = time is not None or frame.is_trend
        is_alone = not others and period is None
        is_told = bool(frame.options.get("is_latest"))
        if not is_series and is_alone and frame.direction is None and not is_told:
            is_series = self.choose("growth", [(True, 0.2), (False, 0.5)])
        if is_series or (frame.direction and is_alone and not is_told):
            self._series(column, measure, others)
            return
        self._filters = tuple(one for one in self._filters if one is not period)
        only = frame.direction if others and self._is_sought else None
        is_least = frame.ascending or frame.direction == "decreased"
        is_ranked = frame.ascending is not None or frame.is_superlative
        sort = f"{self._change}_{'asc' if is_least else 'desc'}" if is_ranked else None
        self.add(
            op="compare_periods",
            date_col=column,
            unit=growth.unit,
            by=others,
            against=growth.against,
            period=str(period.value) if period is not None else None,
            only=only,
            top_k=frame.limit,
            sort=sort,
            **figure_fields(measure, "column"),
        )

    def _date(self) -> str:
        return self.choose("date", self.scene.date_options(self.frame.options["said"]))

    @property
    def _is_sought(self) -> bool:
        """Which regions grew; by how much sales grew in each region is told of all of them."""
        marked = self.frame.options.get("marked", ())
        groups = [group.column for group in self.frame.groups]
        is_each = bool(groups) and all(name in marked for name in groups)
        return not is_each or self.frame.options.get("is_sought", False)

    @property
    def _change(self) -> str:
        return "rate" if self.frame.options.get("is_rate") else "difference"

    def _between(
        self, column: str, measure: Measure, others: list[str], spans: Sequence[tuple[str, str]]
    ) -> None:
        """上期と下期: two periods that may lie anywhere, as values of a column."""
        labels = [start if start == end else f"{start}〜{end}" for start, end in spans]
        name = f"{column}（{', '.join(labels)}）"
        tree: dict[str, Any] | None = None
        for (start, end), label in zip(spans, labels, strict=True):
            then: dict[str, Any] = {"fn": "constant", "value": label}
            if start != end:
                then = {"fn": "if", "condition": _compared(column, "<=", end), "then": then}
            begun = _compared(column, "==" if start == end else ">=", start)
            rest = {} if tree is None else {"otherwise": tree}
            tree = {"fn": "if", "condition": begun, "then": then, **rest}
        held, self._filters = self._filters, ()
        self.step(op="derive", name=name, expression=tree)
        self._filters = (*held, condition(name, "in", value=labels))
        self._beside(name, measure, others, labels[1])

    def _beside(self, column: str, measure: Measure, others: list[str], later: str) -> None:
        """One value of a column beside another, in each group."""
        frame = self.frame
        metrics = metrics_of([measure])
        self.step(op="groupby_agg", group_cols=[*others, column], metrics=metrics)
        metric = self._metric(measure)
        self.step(op="lag", column=metric, order_by=column, by=others)
        self._filters = (condition(column, "==", value=later),)
        change = f"{metric}_{self._change}"
        if frame.direction is not None and others and self._is_sought:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (condition(change, op, value=0),)
        is_ranked = frame.ascending is not None or frame.is_superlative
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([change] if is_ranked else [], n, ascending=is_least)

    def _grown(self) -> Measure:
        """What grows, where nothing says so: a number that adds up, or rows."""
        frame, columns = self.frame, self.scene.columns
        if frame.measures and not frame.is_count_guessed:
            # 燃料費が減った月は何回: of the number, and the months are counted by whoever looks.
            return min(frame.measures, key=lambda measure: measure.column is None)
        adding = [name for name in self.scene.measures if columns[name].adds is not False]
        first = 0.0 if len(adding) == 1 else 0.5
        options = [(name, first + 0.2 * n) for n, name in enumerate(adding[:2])]
        name = self.choose("grown", [*options, ("", 1.0 if options else 0.0)])
        return Measure(name, "sum") if name else Measure(None, "count")

    def _series(self, column: str, measure: Measure, others: list[str]) -> None:
        """Each period beside the one before; only those that rose or fell, or the largest step."""
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        is_year = growth.against == "year_before"
        back = _IN_A_YEAR.get(growth.unit, 1) if is_year else 1
        # What a period is compared with may lie before the asked ones: they are chosen afterwards.
        asked = self._taken(column)
        when = {"date_col": column, "unit": growth.unit, "by": others}
        self.step(op="resample", metrics=metrics_of([measure]), **when)
        metric = self._metric(measure)
        lag = {"column": metric, "order_by": column, "by": others, "periods": back}
        is_ranked = frame.is_superlative or frame.limit is not None
        is_sought = frame.direction is not None and self._is_sought and not is_ranked
        if not (asked or is_sought or is_ranked):
            self.add(op="lag", **lag)
            return
        self.step(op="lag", **lag)
        change = f"{metric}_{self._change}"
        self._filters = asked
        if is_sought:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (condition(change, op, value=0),)
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = (frame.limit or 1) if is_ranked else MOST_GROUPS
        self._ranked([change] if is_ranked else [], n, ascending=is_least)
