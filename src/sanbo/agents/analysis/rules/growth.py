"""Time against time: 前月比, へった店舗, one period against another."""

from collections.abc import Sequence
from typing import Literal

from sanbo.agents.analysis.rules.conditions import BEFORE
from sanbo.agents.analysis.rules.frame import Growth
from sanbo.agents.analysis.rules.groups import UNIT, time_word
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.lexicon import set_of
from sanbo.agents.analysis.rules.periods import apart, whole
from sanbo.agents.analysis.spec.filters import AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.words import TimeUnit

_FISCAL_START = 4

_GROWTH_UNITS: dict[str, tuple[TimeUnit, Literal["previous", "year_before"]]] = {
    **{word: (unit, "previous") for word, unit in BEFORE.items()},
    "year_before_month": ("month", "year_before"),
    "year_before_period": ("quarter", "year_before"),
}


def read_growth(items: Items) -> None:
    frame, named = items.frame, time_word(items)
    if not items.scene.dates and not items.scene.years:
        return
    for at in items.words(*_GROWTH_UNITS):
        unit, beside = _GROWTH_UNITS[items.name(at)]
        if unit == "year" and items.has("grouped.month"):
            unit, beside = "month", "year_before"
        elif unit == "year" and named == "fiscal_year":
            unit = "fiscal_year"
        frame.growth = Growth(unit, beside)
        items.use("period", at)
    direction = _direction(items)
    is_told = items.words("increase", "decrease", "change", "compare", "comparative")
    if frame.growth is None and is_told:
        _two_periods(items)
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
    elif items.has("change", "increase", "decrease") and named is not None:
        items.take("change", "increase", "decrease", role="order")
        frame.growth = Growth(named, "previous")
        frame.direction = direction
        frame.is_trend = True


def _is_rate(text: str) -> bool:
    return text.endswith("率") or "%" in text or "rate" in text or "percent" in text


def _direction(items: Items) -> Literal["increased", "decreased"] | None:
    """ふえた, へった; 前年同月を下回る."""
    more, less = bool(items.words("increase")), bool(items.words("decrease"))
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


def read_fiscal_start(items: Items) -> None:
    """年度は4月始まり: said of what is so anyway."""
    for at in items.free("when"):
        figure = items.figure(at)
        is_first = figure is not None and figure.moment.only == figure.moment.month == _FISCAL_START
        if is_first and items.text(at + 1) in set_of("beginnings"):
            items.use("period", at)


def _two_periods(items: Items) -> None:
    """8月とくらべて9月に, from one to the other, 7〜9月が4〜6月から: the later by the earlier."""
    frame = items.frame
    for date in items.scene.dates:
        said = [one for one in frame.conditions if isinstance(one, Compare) and one.col == date]
        among = [one for one in frame.conditions if isinstance(one, AnyOf)]
        equal = [str(one.value) for one in said if one.op == "=="]
        ends = [str(one.value) for one in said if one.op in (">=", "<=")]
        conditions: Sequence[Filter] = said
        if len(equal) != 2 and among and _dates_of(among[0], date):
            equal, conditions = _dates_of(among[0], date), among[:1]
        elif len(ends) == 4:
            equal = [text for text in (whole(*ends[:2]), whole(*ends[2:])) if text is not None]
        elif len(ends) == 2 and items.words("increase", "decrease", "change"):
            equal = ends
        found = apart(*sorted(equal)) if len(equal) == 2 else None
        if found is None or not found.periods:
            continue
        unit, periods, in_year = found
        named = time_word(items)
        if unit == "year" and named in ("month", "quarter"):
            unit, periods = named, in_year  # quarterly sales 2016 vs 2017
        is_year = periods == in_year and unit != "year" and not unit.endswith("_year")
        frame.growth = Growth(unit, "year_before" if is_year else "previous")
        frame.conditions = [one for one in frame.conditions if one not in conditions]
        frame.conditions.append(Compare(col=date, op="==", value=max(equal)))
        if periods not in (1, in_year):
            frame.options["earlier"] = min(equal)
        return


def _dates_of(one: AnyOf, date: str) -> list[str]:
    values = [part.value for part in one.any_of if isinstance(part, Compare) and part.col == date]
    return [str(value) for value in values] if len(values) == len(one.any_of) == 2 else []
