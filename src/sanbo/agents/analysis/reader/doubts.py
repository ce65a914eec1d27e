"""What a question says and a reading leaves unsaid: it is asked about, however likely it is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

from sanbo.agents.analysis.building.frame import Frame
from sanbo.agents.analysis.building.steps import Spec
from sanbo.agents.analysis.building.unsaid import disputes, done_by, words_of
from sanbo.agents.analysis.mentions.figures import kind_of
from sanbo.agents.analysis.mentions.lexicon import set_of
from sanbo.agents.analysis.mentions.scene import Scene
from sanbo.agents.analysis.mentions.senses import Item
from sanbo.agents.analysis.reader.choices import is_choice
from sanbo.agents.analysis.reader.features import begins
from sanbo.agents.analysis.reader.network import has_met
from sanbo.agents.analysis.reader.reading import Reading
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Contains
from sanbo.agents.analysis.spec.operations import Derive, Resample, ShareRatio
from sanbo.kernel.text import matching_form

_CHART = "chart."
_DIGIT = re.compile(r"\d")
_SUM = frozenset(("sum", "money", "how_much"))
_NEEDS = {
    "median": ("median",), "std": ("std",), "var": ("var",), "mode": ("mode",),
    "rolling": ("rolling",), "correlation": ("correlation_matrix",), "outliers": ("outliers",),
    "duplicates": ("duplicate_check", "dedup"), "pareto": ("share_ratio",),
    "weighted": (), "quantile_bins": (),
}  # fmt: skip
"""Of some words, what carries them out; what nothing does can't be said."""
_LEFT_OUT = frozenset(("exclude", "not_contain"))
_NOT = frozenset(("!=", "not_in", "not_contains", "is_null", "is_missing"))
_HOLDS = frozenset(("==", "in", "contains"))
_HOLDS_NOT = frozenset(("!=", "not_in", "not_contains"))
_ENDS = frozenset(("。", ".", ";", "、", ","))
_NEAR = 6
_PREFIXES = frozenset(("未", "非", "不"))
_NAMES_NOT = re.compile(
    r"[未×]|[不無非](?!動産|印|常勤)|なし|否|(?:no|not|none|non|never)\b(?!\.)|n$"
    r"|un(?:paid|sold|sent|read|seen|met|known|\w+ed|\w+able)\b",
    re.IGNORECASE,
)
_MONEY = frozenset(("how_much", "money"))
_ORDER = frozenset(("order", "desc", "asc", "newest", "oldest"))
_LOW = frozenset(("bottom", "low", "few", "asc", "last_place"))
_HIGH = frozenset(("top", "high", "many", "desc", "first_place"))
_SEVERAL_TIMES = frozenset(("multiple", "several", "repeat", "複数", "複数回", "何度も"))
_NEVER = frozenset(("never", "一度も"))
"""Of those who have not, no row tells."""
_LIMITS = frozenset(("ge", "gt", "le", "lt"))
_MEASURED = {
    "日": ("日", "期間", "泊", "day", "night"), "週": ("週", "week"), "か月": ("月", "month"),
    "kg": ("kg", "重", "weight"), "g": ("重", "weight"), "t": ("重", "weight"),
    "km": ("km", "距離", "distance", "mile"), "m": ("長", "高", "距離", "length", "height"),
    "l": ("量", "litre", "liter"), "ml": ("量",), "cm": ("長", "高", "幅", "length", "height"),
}  # fmt: skip
"""Units of what is measured, and how columns of it are called."""
_HONOURED = re.compile("さん|氏|様|君|先生")
_HOW_MANY = re.compile("何([^\\W\\d_])")
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_BEGINS = re.compile(r"(?:^|[.?!])\s*\Z")
_SEVERAL, _MANY = 2, 12
CALLED, _TIED = 0.9, 0.02
"""So good a match is the whole name."""


def has_doubts(reading: Reading, items: Sequence[Item], question: str, scene: Scene) -> bool:
    last = [item for item in items[begins(items) :] if not is_choice(item)]
    frame, specs = reading.frame, reading.specs
    return (
        frame.is_year_open
        or is_turned_round(specs, last)
        or bool(disputes(scene.profile, specs))
        or is_drawn_otherwise(frame, last)
        or _sums_what_does_not_add_up(frame, last, scene)
        or _lacks_an_operation(specs, last)
        or _is_the_other_end(frame, last)
        or _lacks_a_part(specs, last, scene)
        or _is_upside_down(specs, last)
        or (_names_more(reading.unread, last, scene) and not frame.wants_rows)
        or _keeps_what_is_replaced(frame, last)
        or _is_either(specs, last, scene)
        or (_has_text(last, _SEVERAL_TIMES) and not frame.having)
        or _has_text(last, _NEVER)
        or not all(map(says_little, reading.unread))
        or _has_name(reading.unread, question)
        or not _are_named(frame, items, scene)
        or _is_figure_of_its_own(frame, items, scene)
        or _is_in_another_unit(specs, last, scene)
        or (_is_count(frame) and _asks_for_figure(last, scene))
        or (_has(last, _ORDER) and not _is_ordered(specs))
        or any(
            _is_limit(value, last)
            or _is_of_several(value, column, question, scene)
            or _is_in_notes(value, column, scene)
            for column, value in _held(specs)
        )
    )


# ---- words that can't be left unsaid ----


def _lacks_an_operation(specs: Sequence[Spec], items: Sequence[Item]) -> bool:
    """A median is asked for, and none is computed."""
    names = (item.sense.name for item in items if item.sense.kind == "word")
    needed = [_NEEDS[name] for name in names if name in _NEEDS]
    return bool(needed) and not all(done_by(specs).intersection(one) for one in needed)


def is_drawn_otherwise(frame: Frame, items: Sequence[Item]) -> bool:
    """Another chart than the one that is named."""
    names = (item.sense.name for item in items if item.sense.kind == "word")
    kinds = [name.removeprefix(_CHART) for name in names if name.startswith(_CHART)]
    return bool(kinds) and frame.chart not in kinds


def _sums_what_does_not_add_up(frame: Frame, items: Sequence[Item], scene: Scene) -> bool:
    """The prices of all: a total, where nobody asks for one?"""
    known = [scene.columns.get(one.column or "") for one in frame.measures if one.agg == "sum"]
    return any(one and one.adds is False for one in known) and not _has(items, _SUM)


def says_little(word: str) -> bool:
    """No number, and no word that the networks have never met: it may be a condition."""
    return has_met(word) and not _DIGIT.search(word)


def _is_the_other_end(frame: Frame, items: Sequence[Item]) -> bool:
    """ワースト3, read as the first three; of what is bad the most is the worst: it is asked."""
    is_low, is_high = _has(items, _LOW), _has(items, _HIGH)
    if frame.ascending is None or is_low == is_high or frame.by_day:
        return False
    return frame.ascending != is_low


def _lacks_a_part(specs: Sequence[Spec], items: Sequence[Item], scene: Scene) -> bool:
    """実績を予算と実績の合計で割る: a column is named twice, and calculated with once; 数量の合計×
    単価の合計, and what is multiplied in each row is another figure."""
    parts = [part for spec in specs if isinstance(spec, Derive) for part in _parts_of(spec)]
    sums = sum(item.sense.kind == "word" and item.sense.name == "sum" for item in items)
    if sums > 1 and "multiply" in parts:
        return True
    named = [item.sense.name for item in items if item.sense.kind == "column"]
    return any(
        named.count(name) > parts.count(name) > 0 and scene.columns[name].is_measure
        for name in set(named)
    )


def _parts_of(spec: Derive) -> list[str]:
    """What is done, and the columns of which; of totals, the columns that were added up."""

    def look(tree: Mapping[str, object]) -> Iterator[str]:
        name = tree.get("name")
        if isinstance(name, str):
            yield name.removesuffix("_sum").removesuffix("_nunique")
        else:
            yield str(tree.get("fn"))
        for side in tree.values():
            if isinstance(side, Mapping):
                yield from look(cast("Mapping[str, object]", side))

    return list(look(spec.expression.model_dump()))


def _is_upside_down(specs: Sequence[Spec], items: Sequence[Item]) -> bool:
    """売上に占める原価の割合: what stands before it is what is divided by."""
    at = next((at for at, item in enumerate(items) if item.text.startswith("占め")), 0)
    whole = {item.sense.name for item in items[:at] if item.sense.kind == "column"}
    parts = [_parts_of(spec) for spec in specs if isinstance(spec, Derive)]
    return any(one[0] == "divide" and one[1] in whole for one in parts)


def _names_more(unread: Sequence[str], items: Sequence[Item], scene: Scene) -> bool:
    """A column is named as it is called, and has no part in it; 物件 may be what the rows are."""
    return any(
        sense.kind == "column" and sense.quality >= CALLED and not scene.is_entity(sense.name)
        for item in items
        for sense in item.senses
        if item.text in unread
    )


def _is_either(specs: Sequence[Spec], items: Sequence[Item], scene: Scene) -> bool:
    """売上, of 国内売上 and 海外売上: one of them is taken, and nothing says which."""
    said = words_of(specs)
    tied = [_tied(item) for item in items]
    for place, names in enumerate(tied):
        used = [name for name in names if name in said]
        others = tied[:place] + tied[place + 1 :]
        is_told = any(used == [*other] for other in others)
        is_one = len(names) > 1 and len(used) == 1 and not is_told
        if is_one and scene.columns[used[0]].is_measure:
            return True
    return False


def _tied(item: Item) -> tuple[str, ...]:
    """The columns that it names equally well."""
    first = item.sense
    return tuple(
        one.name
        for one in item.senses
        if first.kind == one.kind == "column" and one.quality >= first.quality - _TIED
    )


def _keeps_what_is_replaced(frame: Frame, items: Sequence[Item]) -> bool:
    """By month instead of by department."""
    at = next((at for at, item in enumerate(items) if item.sense.name == "instead"), len(items))
    replaced = {item.sense.name for item in items[at:] if item.sense.kind == "column"}
    return any(group.column in replaced for group in frame.groups)


def _has_text(items: Sequence[Item], texts: frozenset[str]) -> bool:
    return any(item.text in texts for item in items)


# ---- what is left out ----


def is_turned_round(specs: Sequence[Spec], items: Sequence[Item]) -> bool:
    """Something is left out in words (not counting schools), and nothing in the reading."""
    is_told = _has(items, _LEFT_OUT) and not any(True for _ in _bounds_left_out(items))
    return is_told and not any(_says_not(spec.model_dump(mode="json")) for spec in specs)


def says_the_opposite(specs: Sequence[Spec], items: Sequence[Item], begins_at: int) -> bool:
    """大阪店は除く, except West: none keeps that value, alone or among others; 未承認を除く keeps
    what is 承認済. The last question (from `begins_at` on) may name what one before left out."""
    told: dict[bool, set[tuple[str, str]]] = {False: set(), True: set()}
    negated = dict(_negated(items))
    again = [_values_of(one) for at, one in enumerate(items) if at >= begins_at > 0]
    named = set().union(*again) if begins_at else set[tuple[str, str]]()
    for at, is_left_out in negated.items():
        told[is_left_out] |= _values_of(items[at]) - (named if at < begins_at else set())
    kept, out = (set(_held(specs, ops)) for ops in (_HOLDS, _HOLDS_NOT))
    is_kept = not (kept.isdisjoint(told[True]) and out.isdisjoint(told[False]))
    return is_kept or any(one in set(_bounds(specs)) for one in _bounds_left_out(items))


def _values_of(item: Item) -> set[tuple[str, str]]:
    values = (sense.value for sense in item.senses if sense.value is not None)
    return {(one.column, one.value) for one in values}


def _negated(items: Sequence[Item]) -> Iterator[tuple[int, bool]]:
    """Places of values that something leaves out, or that two negations keep."""
    left = set(_left_out(items))
    for at, item in enumerate(items):
        is_not = at > 0 and items[at - 1].text in _PREFIXES and item.start == items[at - 1].end
        if at in left or is_not:
            yield at, (at in left) != is_not


def _left_out(items: Sequence[Item]) -> Iterator[int]:
    """The places beside what leaves them out, with those that are joined to them."""
    for at, item in enumerate(items):
        if item.sense.kind == "word" and item.sense.name in _LEFT_OUT:
            step = -1 if item.is_japanese else 1
            beside = _past(items, at + step, step, ("glue", "column"))
            while 0 <= beside < len(items) and items[beside].sense.value is not None:
                yield beside
                beside = _past(items, beside + step, step, ("join",))


def _bounds_left_out(items: Sequence[Item]) -> Iterator[tuple[str, float]]:
    """1000円未満は除く, drop anything under 1000: which way, and how much."""
    for at, item in enumerate(items):
        if item.sense.kind == "word" and item.sense.name in _LEFT_OUT:
            places = range(at - 1, max(-1, at - _NEAR), -1)
            if not item.is_japanese:
                places = range(at + 1, min(len(items), at + _NEAR))
            beside = [items[place] for place in places]
            ends = [n for n, one in enumerate(beside) if one.text in _ENDS]
            beside = beside[: ends[0]] if ends else beside
            limits = [one.sense.name for one in beside if one.sense.name in _LIMITS]
            figures = [one.sense.figure for one in beside if one.sense.kind == "number"]
            values = [one.value for one in figures if one is not None and one.value is not None]
            if len(limits) == len(values) == 1:
                yield limits[0][0], float(values[0])


def _bounds(specs: Sequence[Spec]) -> Iterator[tuple[str, float]]:
    """What rows, or groups, have to be below (l) or above (g)."""
    for one, value in _limits_of(specs):
        if one.op[0] in "<>":
            yield ("l" if one.op[0] == "<" else "g"), value


def _past(items: Sequence[Item], at: int, step: int, kinds: tuple[str, ...]) -> int:
    while 0 <= at < len(items) and items[at].sense.kind in kinds:
        at += step
    return at


def _says_not(part: object) -> bool:
    """What is said not to be so, or is so by its own name: 未回答, unpaid, 0."""
    if isinstance(part, Mapping):
        told = cast("Mapping[str, object]", part)
        is_none = told.get("op") in _HOLDS and _is_none(told.get("value"))
        return is_none or any(map(_says_not, told.values()))
    if isinstance(part, list):
        return any(map(_says_not, cast("list[object]", part)))
    return part in _NOT


def _is_none(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_is_none, cast("list[object]", value)))
    if isinstance(value, str):
        return _NAMES_NOT.match(value) is not None or value in ("0", "0.0")
    return value is not None and value in (False, 0)


# ---- names, figures, order ----


def _has_name(words: Sequence[str], question: str) -> bool:
    """Smith, met or not: somebody's name may be a condition. All capitals say nothing."""
    if question.isupper():
        return False
    written = {
        found[0].casefold()
        for found in _WORD.finditer(question)
        if found[0][0].isupper() and not _BEGINS.search(question, 0, found.start())
    }
    return not written.isdisjoint(words)


def _are_named(frame: Frame, items: Sequence[Item], scene: Scene) -> bool:
    """Of several figures each is told; one alone may go without saying."""
    columns = {one.column for one in frame.measures if one.column in scene.columns}
    told = {sense.name for item in items for sense in item.senses if sense.kind == "column"}
    return len(columns) < _SEVERAL or columns <= told


def _is_figure_of_its_own(frame: Frame, items: Sequence[Item], scene: Scene) -> bool:
    """店舗ごとにまとめて: of which figure, where there are several?"""
    told = {sense.name for item in items for sense in item.senses if sense.kind == "column"}
    guessed = [one for one in frame.measures if one.column in scene.measures and one.agg == "sum"]
    is_asked = _has(items, _MONEY) or _has_text(items, set_of("currencies"))
    is_bare = all(one.column not in told for one in guessed) and not is_asked
    is_known = any(item.sense.kind == "unknown" and item.is_content for item in items)
    return bool(guessed) and is_bare and not is_known and len(scene.measures) > 1


def _is_in_another_unit(specs: Sequence[Spec], items: Sequence[Item], scene: Scene) -> bool:
    """10日以上, of a column that is counted in nothing, and is not called so."""
    limited = {(one.col, value) for one, value in _limits_of(specs)}
    for item in items:
        figure = item.sense.figure if item.sense.kind == "number" else None
        if figure is None or figure.value is None or figure.unit not in _MEASURED:
            continue
        for column, value in limited:
            known = scene.columns.get(column)
            is_plain = known is not None and not known.profile.unit and kind_of(known) == ""
            is_called = any(word in column.casefold() for word in _MEASURED[figure.unit])
            if is_plain and not is_called and value == float(figure.value):
                return True
    return False


def _limits_of(specs: Sequence[Spec]) -> Iterator[tuple[Compare, float]]:
    """Conditions that hold something against a number, and the number."""
    for spec in specs:
        for one in spec.filters:
            for part in one.any_of if isinstance(one, AnyOf) else (one,):
                if isinstance(part, Compare) and isinstance(part.value, int | float):
                    yield part, float(part.value)


def _is_count(frame: Frame) -> bool:
    """Of rows, and of nothing else."""
    is_other = frame.is_share or frame.op or frame.formula or frame.wants_rows
    return bool(frame.measures) and not is_other and all(m.column is None for m in frame.measures)


def _asks_for_figure(items: Sequence[Item], scene: Scene) -> bool:
    """How much; 何頭, where there is 頭数."""
    names = [one.name for one in scene.columns.values() if one.is_measure]
    counted = [found[1] for item in items if (found := _HOW_MANY.match(item.text))]
    is_counted = any(f"{counter}数" in name for counter in counted for name in names)
    return bool(names) and (is_counted or _has(items, _MONEY))


def _is_ordered(specs: Sequence[Spec]) -> bool:
    """Periods stand in their order, and of shares the largest first."""
    return any(
        getattr(spec, "sort", None)
        or getattr(spec, "by", None)
        or isinstance(spec, Resample | ShareRatio)
        for spec in specs
    )


def _has(items: Sequence[Item], names: frozenset[str]) -> bool:
    return any(item.sense.kind == "word" and item.sense.name in names for item in items)


# ---- values of text ----


def _held(specs: Sequence[Spec], ops: frozenset[str] = _HOLDS) -> Iterator[tuple[str, str]]:
    """Columns of text with the values that they have to have, or to contain."""
    for spec in specs:
        for one in spec.filters:
            for part in one.any_of if isinstance(one, AnyOf) else (one,):
                if isinstance(part, Compare | Contains | Among) and part.op in ops:
                    values = part.value if isinstance(part, Among) else (part.value,)
                    yield from ((part.col, value) for value in values if isinstance(value, str))


def _is_limit(value: str, items: Sequence[Item]) -> bool:
    """要介護3以上: more than this one value."""
    form = matching_form(value)
    return any(
        item.is_japanese and matching_form(item.text) == form and limit.sense.name in _LIMITS
        for item, limit in pairwise(items)
        if limit.is_japanese and limit.sense.kind == "word"
    )


def _is_of_several(value: str, column: str, question: str, scene: Scene) -> bool:
    """田中さん, of two of that name."""
    known = scene.columns.get(column)
    at = question.find(value)
    if known is None or at < 0 or not _HONOURED.match(question, at + len(value)):
        return False
    return sum(value in other for other in known.profile.values) >= _SEVERAL


def _is_in_notes(value: str, column: str, scene: Scene) -> bool:
    """至急, where other cells of the notes say more than that."""
    known = scene.columns.get(column)
    if known is None or not (known.profile.missing or known.profile.distinct > _MANY):
        return False
    others = known.profile.values
    longer = [other for other in others if value in other and other != value]
    return value in others and not value.isascii() and bool(longer)
