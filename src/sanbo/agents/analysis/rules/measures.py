"""What a question computes: aggregates with their columns, counts, money without a name."""

import re

from sanbo.agents.analysis.rules.frame import Measure
from sanbo.agents.analysis.rules.groups import GROUPED, UNIT
from sanbo.agents.analysis.rules.items import AGGREGATES, RANKS, STATISTICS, Items
from sanbo.agents.analysis.rules.lexicon import set_of
from sanbo.agents.analysis.rules.tokens import forms
from sanbo.agents.analysis.spec.filters import Compare


def read_measures(items: Items) -> None:
    frame = items.frame
    taken: dict[int, list[int]] = {}
    for at in items.words(*AGGREGATES):
        if ranks_groups(items, at):
            continue
        is_of_periods = _beside_time(items, at) or items.has("per_period")
        if items.is_word(at, "mean") and is_of_periods:
            frame.options["period_mean"] = True
        elif is_of_periods and not items.all[at].is_japanese and not items.is_word(at, "sum"):
            items.doubt(1.0)  # median monthly use by building: in each month, or of the months
        column = _column_of_aggregate(items, at)
        if column is not None:
            taken.setdefault(column, []).append(at)
            items.use("measure", at)
    # 平均と最大: one column, several aggregates.
    for column, aggregates in taken.items():
        items.use("measure", column)
        for at in aggregates:
            _add_aggregate(items, column, at)
        _add_joined(items, column, aggregates)
    if frame.formula is not None:
        _of_formula(items)
    _money(items)
    _counts(items)
    _default_measure(items)
    for at in items.free("column"):
        if items.is_measure(at) and not items.known(at).is_year:
            items.use("measure", at)
            if items.all[at].sense.quality < 0.7:
                items.doubt(1.0 if items.has("count") else 0.6)  # how many were renewed?
            if not _is_subject(items, at):
                add_measure(items, Measure(items.name(at)))


def _of_formula(items: Items) -> None:
    """貸出から返却までの日数の中央値."""
    options = items.frame.options
    items.take("sum", role="measure")
    is_mean = items.take("mean", role="measure")
    is_both = options.get("is_mean_per") and items.has(*STATISTICS)
    options["mean_of_formula"] = is_mean or bool(is_both)  # average and median per litre
    for at in items.words(*STATISTICS):
        if not ranks_groups(items, at):
            items.use("measure", at)
            is_of_row = items.text(at + 1) in _OF and items.is_word(items.after(at), "rows")
            items.doubt(1.0 if is_of_row else 0.0)  # 日数が最大の依頼: which one it is
            options["agg_of_formula"] = items.aggregate(at)


def _is_subject(items: Items, at: int) -> bool:
    """Guests who stayed, how many nights on average: a number beside one that is computed of.

    It may be who they are, and nothing to compute.
    """
    told = [one for one in items.frame.measures if one.agg is not None and one.column]
    beside = [one for one in (items.before(at), items.after(at)) if one is not None]
    is_joined = any(
        items.roles.get(one) == "measure" and items.are_joined(*sorted((one, at))) for one in beside
    )
    known = items.known(at)
    is_counted = known.profile.type == "integer" and not known.is_money and known.adds is not False
    if not told or is_joined or items.all[at].is_japanese or items.frame.chart or not is_counted:
        return False
    return items.choose(f"subject:{at}", [(False, 0.0), (True, 0.5)])


_OF = frozenset(("の", "だっ", "な", "と", "に"))


_OWNS = frozenset(("has", "have", "had", "with", "got", "shows", "reached", "saw"))


def ranks_groups(items: Items, at: int) -> bool:
    """売上が最大の月, the store with the maximum sales: which group, not its largest row."""
    if not items.is_word(at, "max", "min"):
        return False
    if not items.all[at].is_japanese:
        return items.text(at - (2 if items.text(at - 1) == "the" else 1)) in _OWNS
    if items.text(at + 1) not in _OF:
        return False
    head = items.after(at)
    if head is None or not any(items.is_measure(one) for one in range(at)):
        return False
    is_period = items.is_kind(head, "word") and items.name(head).startswith(UNIT)
    is_period |= items.is_word(head, "rows") and items.frame.formula is None  # 工賃が最高の伝票
    return is_period or (items.is_category(head) and not items.scene.is_entity(items.name(head)))


def _add_aggregate(items: Items, column: int, at: int) -> None:
    known = items.known(column)
    if items.is_word(at, "sum") and known.adds is False:
        if items.text(at) in set_of("altogether") and items.after(at) != column:
            add_measure(items, Measure(known.name))  # the best rate overall
            return
        items.doubt(1.0 if known.profile.is_rate or known.profile.type == "percent" else 0.0)
    add_measure(items, Measure(known.name, items.aggregate(at)))


def _add_joined(items: Items, column: int, aggregates: list[int]) -> None:
    """Average age and pay, 売上と利益の平均: of both."""
    is_added = items.text(aggregates[0]).startswith("足")
    is_japanese = items.all[column].is_japanese
    is_sum = items.is_word(aggregates[0], "sum") and not is_added
    if len(aggregates) != 1 or (is_sum and not is_japanese):  # total sales and discount rate
        return
    if (aggregates[0] > column) != is_japanese:
        return
    other = items.before(column) if is_japanese else items.after(column)
    if other is None or not items.is_measure(other) or items.is_used(other):
        return
    has_own = items.aggregate_at(other) not in (None, *aggregates)
    if not items.are_joined(*sorted((column, other))) or has_own:
        return
    if is_added:
        items.doubt(1.0)  # 部品代と作業費を足す: one figure of both, rather
        return
    if is_sum and items.has(*RANKS, "desc", "asc", "ge", "gt", "le", "lt"):
        items.doubt(1.0)  # 国語と数学の合計が150以上: of both together
        return
    agg = items.aggregate(aggregates[0])
    if items.choose(f"joined:{other}", [("same", 0.0), ("own", 1.0)]) == "same":
        items.use("measure", other)
        add_measure(items, Measure(items.name(other), agg))
        _add_joined(items, other, aggregates)  # 国語、数学、英語の平均


def add_measure(items: Items, measure: Measure) -> None:
    if measure not in items.frame.measures:
        items.frame.measures.append(measure)


def _add_all(items: Items, name: str, aggregates: list[int]) -> None:
    items.use("measure", *aggregates)
    for at in aggregates:
        add_measure(items, Measure(name, items.aggregate(at)))


def _money(items: Items) -> None:
    """金額, money, いくら: a number in money, where no other is named."""
    words = items.words("money", "how_much")
    found = [name for name in items.scene.measures if _may_be_money(items, name)]
    said = [items.name(at) for at in range(len(items.all)) if items.is_measure(at)]
    if items.words("money") and not set(said).isdisjoint(found):
        items.use("measure", *words)  # 一番売れたのは？金額も
    named = [items.name(at) for at in items.free("column") if items.is_measure(at)]
    named += [one.column or "" for one in items.frame.measures]
    if items.words("money"):
        named = [one for one in named if one in found]  # how much money is 30 days overdue
    if not words or named or not found or items.frame.formula:
        return
    name = items.choose("money", [(name, 0.2 + 0.4 * n) for n, name in enumerate(found[:3])])
    items.use("measure", *words)
    aggregates = items.words(*AGGREGATES)
    _add_all(items, name, aggregates)
    if not aggregates:
        add_measure(items, Measure(name))


def _may_be_money(items: Items, name: str) -> bool:
    """Requested, beside Spent: like what is money in all, and called nothing else."""
    known, columns = items.scene.columns[name], items.scene.columns.values()
    money = [one.profile for one in columns if one.is_money and one.is_measure]
    if known.is_money or known.concepts or not known.is_amount:
        return known.is_money
    own, most = known.profile, float(known.profile.maximum or 0)
    return any(
        (own.type, own.unit) == (one.type, one.unit) and 0.1 < most / float(one.maximum or 1) < 10
        for one in money
    )


def _default_measure(items: Items) -> None:
    """合計して with no number named: the one that there is."""
    words = [at for at in items.words(*AGGREGATES) if not ranks_groups(items, at)]
    frame, scene = items.frame, items.scene
    if not words:
        return
    is_count = bool(frame.measures) and all(one.column is None for one in frame.measures)
    is_told = is_count or (bool(frame.having) and not frame.measures)
    if is_told and all(items.text(at) in set_of("altogether") for at in words):
        items.take("sum", role="measure")  # 全部で何件, lost money overall
        return
    is_summed = any(one.agg == "sum" for one in frame.measures)
    if is_summed and all(items.text(at) in set_of("altogether") for at in words):
        items.use("measure", *words)
        return
    is_named = any(items.is_measure(at) for at in items.free("column"))
    if is_named or (frame.measures and not is_count):
        return
    compared = [one for one in frame.conditions if isinstance(one, Compare)]
    told = [one.col for one in compared if one.col in scene.measures]
    is_sum = all(items.is_word(at, "sum") for at in words)
    adding = [name for name in scene.measures if is_sum and scene.columns[name].adds]
    names = told or adding or scene.measures
    if names:
        name = items.choose("measure", [(name, 0.3 + 0.3 * n) for n, name in enumerate(names[:3])])
        frame.is_measure_guessed = True
        _add_all(items, name, words)


def _beside_time(items: Items, at: int) -> bool:
    """月平均, average monthly: of the periods' totals, maybe."""
    beside = (items.before(at), items.after(at))
    return any(
        place is not None
        and items.is_kind(place, "word")
        and items.name(place).startswith((UNIT, GROUPED))
        and not items.text(place).endswith(("ごと", "毎", "別"))  # 月ごとの平均: of each
        for place in beside
    )


def _column_of_aggregate(items: Items, at: int) -> int | None:
    def is_free(place: int | None) -> bool:
        return place is not None and items.is_measure(place) and not items.is_used(place)

    def over(place: int) -> bool:
        skipped = items.is_word(place, *AGGREGATES, "count", "each", "unit.month")
        return skipped or items.roles.get(place) in ("group", "condition", "period", "limit")

    ahead, behind = items.before(at, over=over), items.after(at, over=over)
    is_behind = not items.all[at].is_japanese or at + 1 == behind
    for place in (behind, ahead) if is_behind else (ahead, behind):
        if is_free(place):
            return place
    free = [place for place in items.free("column") if is_free(place)]
    return free[0] if len(free) == 1 else None


# ---- counts ----


def _counts(items: Items) -> None:
    for at in items.words("count", "people", "shops", "distinct"):
        word = items.name(at)
        if items.is_used(at):
            continue
        items.use("measure", at)
        if _is_of_measure(items, at) or _is_number_of_deeds(items, at):
            continue
        if word == "distinct" and items.is_word(items.before(at), "each"):
            continue  # for each kind of contract
        column = _counted(items, at)
        if column is None and word == "distinct":
            categories = [one for one in items.free("column") if not items.is_measure(one)]
            if not categories:
                items.roles.pop(at)
                continue
            column = categories[0]
        if column is not None:
            items.use("measure", column)
            _count_of(items, at, column)
        elif word != "people" or not (_are_told(items) or _people(items)):
            store = items.column_of_concept("store") if word == "shops" else None
            add_measure(items, Measure(store, "nunique" if store else "count"))


def _count_of(items: Items, at: int, column: int) -> None:
    known, is_distinct = items.known(column), items.has("distinct")
    rows = Measure(None, "count")
    if is_distinct:
        items.doubt(1.5 if known.is_date else 0.0)
        add_measure(items, Measure(known.name, "nunique"))
    elif items.is_word(at, "people") and _are_one(items, known.name) and _people(items):
        return  # 申請した人は何人
    elif not known.is_measure:
        _entities(items, known.name, is_event=_is_event(items, at, column))
    elif items.text(at) in _NUMBERS:
        add_measure(items, Measure(known.name))  # 陽性者数, of a column that counts them
    elif items.all[column].sense.quality < 0.9:
        add_measure(items, rows)  # 申請件数, where there is 申請額
    else:
        is_counted = known.is_counted or known.profile.type == "number"
        is_sum = is_counted and not known.is_money and known.adds is not False
        options = [("sum", 0.0), ("count", 1.0)] if is_sum else [("sum", 0.3), ("count", 0.5)]
        how = items.choose(f"count:{column}", options)
        add_measure(items, Measure(known.name, "sum") if how == "sum" else rows)


def _is_of_measure(items: Items, at: int) -> bool:
    """平均はいくつ, 生産数は何個減ったか, how many nights on average: of a number."""
    text, behind = items.text(at), items.after(at)
    places = [one for one in range(len(items.all)) if items.is_measure(one)]
    named = [items.known(one) for one in places if items.roles.get(one) != "condition"]
    if text in HOW_MANY:
        return bool(named) or items.has(*AGGREGATES)
    if not items.all[at].is_japanese:
        return behind in places and items.roles.get(behind or 0) == "measure"
    if len(text) > 1 and any(text in one.name for one in named):
        return True  # 日数の多い順, of 有休取得日数
    unit = text.removeprefix("何")
    is_asked = text.startswith("何") and unit
    return bool(is_asked) and any(
        unit == one.profile.unit or f"{unit}数" in one.name for one in named
    )


def _is_number_of_deeds(items: Items, at: int) -> bool:
    """作った数: how many rows there are, or what a column counts, 生産数?"""
    ahead = items.text(at - 1) if at else ""
    if items.text(at) != "数" or ahead not in ("た", "だ", "る"):
        return False
    counts = [name for name in items.scene.measures if re.split("[（(]", name)[0].endswith("数")]
    options = [(name, 0.5 + 0.2 * n) for n, name in enumerate(counts[:2])]
    name = items.choose(f"deeds:{at}", [*options, ("", 1.0)]) if counts else ""
    add_measure(items, Measure(name, "sum") if name else Measure(None, "count"))
    return True


HOW_MANY = frozenset(("いくつ", "幾つ"))
_NUMBERS = frozenset(("数", "人数", "個数", "本数", "枚数", "台数"))
_EVENTS = frozenset(("者", "員", "日", "日付", "区分", "額"))


def _is_event(items: Items, at: int, column: int) -> bool:
    """申請件数, where there is 申請者: what happened is counted, not who did it."""
    item, name = items.all[column], items.name(column)
    if not item.is_japanese or item.sense.quality >= 0.9:
        return False
    is_told = items.text(at) in ("件数", "何件", "回数", "何回")
    return is_told or name.removeprefix(item.text) in _EVENTS


def _are_told(items: Items) -> bool:
    """入院者がいちばん多かった日とその人数: a column has their number."""
    places = range(len(items.all))
    return any(items.is_measure(at) and items.text(at)[-1] in "者人客数" for at in places)


def _are_one(items: Items, name: str) -> bool:
    """Whether that is the only column of people."""
    columns = items.scene.columns.values()
    return [one.name for one in columns if one.concepts & set_of("people")] == [name]


def _people(items: Items) -> bool:
    """何人: different people where they have several rows each; else rows."""
    rows = items.scene.profile.rows
    people = [one for one in items.scene.columns.values() if one.concepts & set_of("people")]
    if not people or any(one.is_row(rows) for one in people):
        return False
    how = items.choose("people", [(people[0].name, 0.0), ("", 1.0)])
    add_measure(items, Measure(how, "nunique") if how else Measure(None, "count"))
    items.use("measure", *(at for at in items.free("column") if items.name(at) == how))
    return True


_NAMES = frozenset(("名", "名前", "コード", "番号", "name", "nam", "id", "no", "cod", "code", "cd"))


def _entities(items: Items, column: str, *, is_event: bool = False) -> None:
    """顧客数: how many different ones there are; the same as rows where each has one row."""
    known = items.scene.columns[column]
    rows = Measure(None, "count")
    if known.profile.distinct >= items.scene.profile.rows - known.profile.missing:
        add_measure(items, rows)
        return
    said = [items.all[at] for at in range(len(items.all)) if items.is_kind(at, "column")]
    named = next((item.sense.quality for item in said if item.sense.name == column), 1.0)
    is_name = named >= 0.7 and bool(set(forms(column)[-1:]) & _NAMES)
    unsure = 0.0 if named >= 0.9 or is_name or known.profile.is_identifier else 1.0
    unsure = 1.5 if known.is_date else unsure
    is_near = known.profile.distinct >= 0.8 * items.scene.profile.rows
    options = [("nunique", unsure), ("count", unsure + (0.5 if unsure or is_near else 1.0))]
    if is_event or (items.scene.is_named_by_number(known) and not known.profile.is_identifier):
        options = [("count", 0.0), ("nunique", 1.0)]
    how = items.choose(f"entities:{column}", options)
    add_measure(items, Measure(column, "nunique") if how == "nunique" else rows)


def _counted(items: Items, at: int) -> int | None:
    """What is counted: 顧客|数, 店舗は何件, number of |customers."""

    def is_free(place: int | None) -> bool:
        if place is None or not items.is_kind(place, "column") or items.is_used(place):
            return False
        return not items.known(place).is_date or items.has("distinct")  # people joined

    if not items.all[at].is_japanese:
        place = items.after(at, over=lambda one: items.is_word(one, "distinct", "count"))
        return place if is_free(place) else None
    if at and is_free(at - 1):
        return at - 1
    if items.text(at).startswith("何") and items.text(at + 1) == "の" and is_free(items.after(at)):
        return items.after(at)  # 何社の顧客
    place = items.before(at, over=lambda one: items.is_word(one, "sum"))
    if place is None or not is_free(place):
        return None
    between = {item.text for item in items.all[place + 1 : at]}
    is_number = items.text(at) in _NUMBERS and between == {"の"}  # 不良の数, of 不良数
    is_told = is_number or items.is_word(at, "distinct") or between & {"は", "が", "って"}
    return place if is_told else None
