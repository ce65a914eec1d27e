"""What has found no part yet: nouns without a mark, units, what compares two.

What a question asks for that the table does not hold: 血圧の平均, which sales rep.
"""

import re
from functools import lru_cache

from sanbo.agents.analysis.rules.frame import Group, Measure
from sanbo.agents.analysis.rules.groups import (
    UNIT,
    add_group,
    bins,
    date_of_groups,
    natural_unit,
    time_group,
    time_word,
)
from sanbo.agents.analysis.rules.items import AGGREGATES, ORDER, Items
from sanbo.agents.analysis.rules.lexicon import RATIO, concepts, forms_of, set_of
from sanbo.agents.analysis.rules.measures import HOW_MANY
from sanbo.agents.analysis.rules.times import LENGTHS
from sanbo.agents.analysis.rules.tokens import forms, stem
from sanbo.agents.analysis.spec.filters import Presence

_NOUN = re.compile("[一-龠々ァ-ヶー]{2,}")
_FIGURES = (*AGGREGATES, *ORDER, "how_much")
_NEAR = 0.2
"""Words that are more alike may mean the same."""
_ASKED_NEAR = 0.4
_ANY_MONEY = frozenset(("money", "cost", "expense", "price"))
"""Where there are figures in money, one of them may be meant."""
_VAGUE = frozenset(("いい", "よい", "良い", "悪い"))
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "had", "do", "does", "did"))
_GROUPS = ("each", "each_before", "which", "who")


def absent(items: Items) -> list[int]:
    """Nouns that no column has to do with, where what is computed or grouped by is named."""
    frame = items.frame
    if frame.formula is not None or frame.op is not None:
        return []
    unread = [at for at in range(len(items.all)) if items.is_unread(at)]
    if strange := _strange(items, unread):
        return strange
    counts = [at for at in range(len(items.all)) if items.is_word(at, "count", "people")]
    is_counted = any(at - 1 not in unread and items.text(at) not in HOW_MANY for at in counts)
    is_named = any(one.column is not None for one in frame.measures) and not (
        frame.is_measure_guessed
    )
    return [
        at
        for at in unread
        if _is_unheard(items, at)
        and (_is_grouped(items, at) or (not (is_counted or is_named) and _is_figure(items, at)))
    ]


def _strange(items: Items, unread: list[int]) -> list[int]:
    """Will it rain, do I need an umbrella: several words, and none has to do with the table."""
    frame, names = items.frame, tuple(f for one in items.scene.columns for f in forms(one))
    is_asked = frame.chart or frame.growth or frame.is_share or frame.having or frame.is_trend
    is_named = any(items.is_kind(at, "column") for at in range(len(items.all)))
    if is_asked or is_named or items.has(*_FIGURES, "count"):
        return []
    found = [at for at in unread if items.is_kind(at, "unknown")]
    found = [at for at in found if items.text(at) not in set_of("rates")]
    said = {at: forms(items.text(at)) for at in found}
    far = [at for at in found if _is_known(said[at]) and max(_alike(said[at], names)) < _ASKED_NEAR]
    return far if len(far) > max(1, len(found) / 2) else []


def _is_figure(items: Items, at: int) -> bool:
    """Beside the word that says what is computed of it."""

    def over(one: int) -> bool:
        return items.is_kind(one, "unknown") or items.is_word(one, "count")

    if items.is_kind(at, "word"):
        return True
    if items.all[at].is_japanese:
        is_rate = items.text(at + 1) in set_of("rates")
        figure = items.after(at, over=over)
        is_vague = figure is not None and items.text(figure) in _VAGUE  # 成績のいい人
        is_asked = _concept(forms(items.text(at))) is not None and _is_object(items, at)
        return is_rate or is_asked or (items.is_word(figure, *_FIGURES) and not is_vague)
    if items.is_kind(items.after(at), "column") and items.text(at + 1) not in ("in", "of", "for"):
        return False
    ahead = items.before(at, over=over)
    is_told = items.is_word(ahead, *AGGREGATES, "how_much")
    return is_told and ahead is not None and not items.all[ahead].is_japanese


def _is_object(items: Items, at: int) -> bool:
    """売上高を教えて."""
    while items.is_kind(at + 1 if at + 1 < len(items.all) else None, "unknown") or (
        items.text(at + 1) in ("高", "額")
    ):
        at += 1
    return items.text(at + 1) == "を"


def _is_grouped(items: Items, at: int) -> bool:
    def over(one: int) -> bool:
        return items.is_kind(one, "unknown", "column")

    if items.all[at].is_japanese:
        return items.is_word(items.after(at), "each")
    mark = items.before(at, over=over)
    if mark is None or items.all[mark].is_japanese or items.text(mark + 1) in _VERBS:
        return False
    if items.text(mark).startswith("what") and mark + 1 != at:
        return False
    # By what each asks it may be misread: by a thing that tables have columns of, then.
    is_thing = _concept(forms(items.text(at))) is not None and items.before(at) == mark
    return items.is_word(mark, "which", "who") or (items.is_word(mark, *_GROUPS) and is_thing)


def _is_unheard(items: Items, at: int) -> bool:
    """Of something else than any column is."""
    item = items.all[at]
    if items.is_kind(at, "word"):
        is_ranked = items.is_word(items.after(at), *ORDER)
        return items.name(at).startswith(RATIO) or (items.is_word(at, "money") and is_ranked)
    if item.text in set_of("tails") or not items.is_kind(at, "unknown"):
        return False
    if not _is_noun(item.text, is_japanese=item.is_japanese):
        return False
    said = forms(item.text)
    names = [name for known in items.scene.columns.values() for name in forms(known.name)]
    if any(item.text in known.name.casefold() for known in items.scene.columns.values()):
        return False
    concept = _concept(said)
    if concept is not None:
        has_money = any(known.is_money for known in items.scene.columns.values())
        return item.text not in set_of("vague") and not (has_money and concept in _ANY_MONEY)
    # Which author: whatever it is like, it would be a column of its own.
    is_asked = at > 0 and items.is_word(at - 1, "which") and not item.is_japanese
    is_asked |= item.is_japanese and items.text(at + 1) in set_of("rates")  # 離職率
    near = _ASKED_NEAR if is_asked else _NEAR
    return _is_known(said) and max(_alike(said, tuple(names))) < near


def _is_noun(text: str, *, is_japanese: bool) -> bool:
    if is_japanese:
        return _NOUN.fullmatch(text) is not None
    return text.isalpha() and not text.endswith(("ed", "ing", "ly", "er", "est"))


@lru_cache(maxsize=256)
def _concept(said: tuple[str, ...]) -> str | None:
    """A thing that tables have columns of; this one has none, or it would have been found."""
    return next((one.name for one in concepts() if said in one.words), None)


@lru_cache(maxsize=256)
def _is_known(said: tuple[str, ...]) -> bool:
    """A word at all, and not one that was misspelt."""
    from sanbo.language.likeness import neighbours  # noqa: PLC0415 - NumPy, as below

    return any(map(neighbours, said))


@lru_cache(maxsize=256)
def _alike(said: tuple[str, ...], names: tuple[str, ...]) -> list[float]:
    from sanbo.language.likeness import likeness  # noqa: PLC0415 - NumPy, for unknown words alone

    return likeness(said, names)


def read_rest(items: Items) -> None:
    frame = items.frame
    has_figure = bool(frame.measures or frame.formula)
    if items.take("rows", role="rows") and not (frame.measures and items.has("how_much")):
        frame.wants_rows = True
    items.take("which", role="group")
    if items.take("who", role="group"):
        _person(items)
    counted = {figure.unit for at in items.roles if (figure := items.figure(at)) and frame.limit}
    people = [one for one in items.scene.columns.values() if one.concepts & set_of("people")]
    is_row = any(one.is_row(items.scene.profile.rows) for one in people)
    if counted & {"人", "名"} and not frame.groups and not is_row:
        _person(items)  # 有給を多く取った2名
    is_compared = frame.growth is not None or "compared" in frame.options
    if is_compared and items.take("comparative", role="group") and not has_figure:
        frame.measures.append(Measure(None, "count"))  # did one close more tickets
    frame.options["is_each"] = any(item.text in set_of("respectively") for item in items.all)
    frame.options["is_difference"] = bool(items.words("difference"))
    pair = [at for at in range(len(items.all)) if items.is_measure(at)]
    frame.options["is_beside"] = len(pair) == 2 and items.are_joined(*pair)
    if items.take("compare", "difference", role="group"):
        frame.options["is_compared"] = True
    numbers = [one for one in frame.measures if one.column is not None and one.agg is None]
    is_along = any(one.unit or items.scene.columns[one.column].is_year for one in frame.groups)
    if frame.groups and items.text(0) != "how much":
        items.take("vary", role="group")  # how horsepower varies each year
    verbs = [at for at in items.words("change") if items.text(at) in _VARYING]
    if is_along and verbs and items.text(0) == "how" and frame.growth is None:
        items.use("group", *verbs)  # how horsepower changes with the years
        frame.is_trend = True
    if len(numbers) == 2 and not frame.growth and items.take("change", "increase", role="group"):
        frame.options["is_compared"] = True  # how does weight change with power?
    _per_period(items)
    _spans(items)
    for at in items.free("column"):
        _column_left(items, at)
    if frame.groups and frame.chart is None:  # 費目別に分けて; of a chart, one for each
        items.take("divide_up", role="group")
    is_plain = not (frame.measures or frame.groups or frame.op or frame.is_share or frame.growth)
    is_list = any(items.text(at) in _ASKED for at in items.roles)
    is_told = bool(frame.conditions) and ("rows" in items.roles.values() or is_list)
    if is_plain and (is_told or "against" in frame.options):
        frame.wants_rows = True  # 値段が入っていない商品, all that is below its reorder point
    _units_left(items)


_VARYING = frozenset(("change", "changes", "changed", "changing"))
_ASKED = frozenset(("which", "where", "どれ", "どの", "どこ"))


def _units_left(items: Items) -> None:
    """月, 日 and date without a mark: a group, or part of what stands beside them."""
    for at in items.free("word"):
        if not items.name(at).startswith(UNIT):
            continue
        is_tail = items.text(at) in set_of("tails") and items.is_kind(items.before(at), "column")
        if items.roles.get(at + 1) == "condition" and items.figure(at + 1):
            items.use("condition", at)  # 月20時間を超える
        elif is_tail or (items.text(at - 1) == "in" and _is_own_unit(items, at)):
            items.use("measure", at)  # the resolved date; in hours
        elif items.frame.op is None and items.scene.dates:
            if any(group.unit for group in items.frame.groups):
                items.use("group", at)
            else:
                time_group(items, at)


def _is_own_unit(items: Items, at: int) -> bool:
    """Average delay in days, where it is counted in days."""
    unit = stem(items.text(at))
    columns = [items.scene.columns[one.column] for one in items.frame.measures if one.column]
    return any(unit in forms(f"{one.name} {one.profile.unit}") for one in columns)


def _ranks_rows(items: Items, at: int) -> bool:
    """The ten largest sales with their customers: of rows, and a column that is shown."""
    limits = [place for place, role in items.roles.items() if role == "limit"]
    if not limits or items.all[at].is_japanese or at < limits[0] or items.frame.groups:
        return False
    noun = items.after(limits[0], over=lambda one: items.is_word(one, *ORDER))
    return items.is_measure(noun) and not items.has("which", "who")


def _column_left(items: Items, at: int) -> None:
    """A noun without a mark: the rows, or groups that are asked for without saying so."""
    frame, known, rows = items.frame, items.known(at), items.scene.profile.rows
    is_ranked = frame.ascending is not None and not known.is_row(rows)
    is_entity = items.scene.is_entity(known.name)
    if frame.wants_rows and not frame.measures and known.profile.is_identifier:
        items.use("rows", at)
    elif at > 0 and items.text(at - 1) in set_of("all"):
        items.use("rows", at)  # 全部門の合計
    elif is_entity and (not is_ranked or frame.groups):
        frame.options["is_rows"] = True
        items.use("rows", at)
    elif _ranks_rows(items, at):
        items.use("rows", at)
        frame.wants_rows = True
    elif known.is_date:
        if frame.op is None:
            _date_left(items, at)
    else:
        _group_left(items, at)


def _group_left(items: Items, at: int) -> None:
    frame, known = items.frame, items.known(at)
    items.use("group", at)
    if known.profile.is_identifier:
        items.doubt(0.95)  # a name is better, where there is one
    if known.name in [group.column for group in frame.groups]:
        return
    is_marked = bool(frame.options.get("marked")) and not items.all[at].is_japanese
    is_marked &= items.text(at - 1) not in ("for", "with", "the", "regarding", "and")
    is_marked &= frame.chart is None and not frame.options.get("pivot") and not known.is_year
    is_first = frame.limit is not None or frame.is_superlative
    is_asked = frame.ascending is not None and (is_first or not is_marked)
    is_asked = is_asked or _is_wanted(items, at) or frame.direction
    is_open = frame.is_share and known.profile.distinct > 2  # of two, both are told
    if is_open and not is_asked and not items.is_word(items.after(at), "share"):
        items.doubt(1.0)  # 資格を持っている社員の比率: by it, or of those who have it
    elif not is_asked and frame.op is None and not frame.is_share:
        is_named = items.all[at].sense.quality >= 0.9
        ahead = items.before(at)  # 研究用途の建物の使用量
        is_head = ahead is not None and items.roles.get(ahead) == "condition"
        options = [("group", 0.4 if is_named else 1.0), ("rows", 0.8 if is_head else 1.4)]
        if is_marked or _is_of_object(items, at):  # spent on fuel; fuel spend per department
            options = [("rows", 1.0), ("group", 1.2)]
        if items.choose(f"left:{at}", options) == "rows":  # 申請された経費, of 申請者
            return
    frame.groups.append(bins(items, known.name))


def _is_of_object(items: Items, at: int) -> bool:
    """What we spent on fuel: not by it."""
    ahead = items.text(at - 1) if items.text(at - 1) != "the" else items.text(at - 2)
    return ahead == "on" and items.frame.chart is None


def _is_wanted(items: Items, at: int) -> bool:
    """Which store, 店舗はどこ; what was the room revenue asks for no room."""
    asking = [one for one in range(len(items.all)) if items.is_word(one, "which", "who")]
    vague = ("what", "何")  # 何か資格を持つ社員
    return any(not items.text(one).startswith(vague) or items.after(one) == at for one in asking)


def _has_happened(items: Items, at: int) -> bool:
    """How many tickets were closed: those that have the date, and not by the date."""
    item, known = items.all[at], items.known(at)
    if item.is_japanese or not item.text.endswith("ed") or " " in item.text:
        return False
    if items.choose(f"happened:{at}", [(True, 0.0), (False, 1.0)]):
        if known.profile.missing:
            items.frame.conditions.append(Presence(col=known.name, op="not_null"))
        return True
    return False


def _per_period(items: Items) -> None:
    """1日あたり."""
    for at in items.words("per_period"):
        unit = items.before(at)
        figure = items.figure(unit)
        if figure is None or figure.value != 1 or figure.unit not in LENGTHS:
            continue
        column = date_of_groups(items)
        if column is not None:
            items.use("group", at, unit)
            add_group(items, Group(column, LENGTHS[figure.unit]))
            items.frame.options["per_period"] = True


def _spans(items: Items) -> None:
    """7〜9月の3か月: how long it is, said again."""
    told = [at for at in items.roles if items.is_kind(at, "when")]
    moments = [figure.moment for at in sorted(told) if (figure := items.figure(at))]
    months = [moment.month for moment in moments if moment.month is not None]
    for at in items.free("number"):
        figure, ahead = items.figure(at), items.before(at)
        if figure is None or figure.unit != "か月" or ahead not in told or len(months) != 2:
            continue
        if figure.value == (months[1] - months[0]) % 12 + 1:
            items.use("period", at)


def _person(items: Items) -> None:
    if any(items.is_category(at) for at in items.free("column")) or items.frame.groups:
        return
    columns = items.scene.columns
    found = [
        name
        for name, known in columns.items()
        if known.concepts & set_of("people") and known.profile.type == "text"
    ]
    names = [name for name in found if not columns[name].profile.is_identifier] or found
    rows = items.scene.profile.rows
    names.sort(key=lambda name: (not columns[name].is_row(rows), bool(_CODES & set(forms(name)))))
    if names:
        name = items.choose("who", [(name, 0.6 * n) for n, name in enumerate(names[:3])])
        items.frame.groups.append(Group(name))


_CODES = forms_of("codes")


def _date_left(items: Items, at: int) -> None:
    name, frame, item = items.name(at), items.frame, items.all[at]
    groups = frame.groups
    items.use("group", at)
    is_along = frame.is_trend or frame.chart or time_word(items)
    if item.is_japanese and item.sense.quality < 0.9 and not (frame.is_trend or time_word(items)):
        return  # 出荷, of 出荷日, are the rows
    if not is_along and name not in items.told:
        if _has_happened(items, at):
            return
        items.doubt(1.0)
    if any(getattr(one, "col", None) == name for one in items.frame.conditions):
        return
    for index, group in enumerate(groups):
        if group.column == name:
            return
        if group.unit is not None:
            groups[index] = Group(name, group.unit)
            return
    add_group(items, Group(name, time_word(items) or natural_unit(items, name)))
