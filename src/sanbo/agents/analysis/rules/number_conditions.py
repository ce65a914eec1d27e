"""Conditions on numbers: 100万円以上, 在庫がマイナス, between 10 and 20."""

import re

from sanbo.agents.analysis.rules.amounts import Amount, Bound
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.mentions import ColumnMention
from sanbo.agents.analysis.rules.reading import Conditions, Having
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import name_words, words
from sanbo.agents.analysis.spec.filters import (
    AnyOf,
    Compare,
    CompareOp,
    Filter,
)
from sanbo.kernel.messages import tell

_CLOSE = re.compile(
    r"[がはのをもで、\s]{0,3}|\s?(?:is|are|of|was|were|that is|which is|has|with|"
    r"at|total|being|worth)?\s?(?:a |the )?"
)


_OF_GROUPS = re.compile(
    r"(?:の?(?:合計|平均|総額|件数|トータル)|合計|平均)[がはのをもで\s]{0,3}$|"
    r"(?:total|average|mean|sum|count)(?: of)?\s?$"
)


_TOTALLED = re.compile(r"(?:平均|合計|総)の?$|(?<![a-z])(?:average|mean|total) $")
_GROUPS_AFTER = re.compile(r"(?:えて?い?る|る|って?い?る)?の?■")
"""平均評価点が70点以上の部署: the average is that of each 部署."""


_UNIT_WORDS = {
    "円": ("円",),
    "ドル": ("ドル", "$"),
    "歳": ("歳",),
    "%": ("%",),
    "個": ("個",),
    "人": ("人",),
    "件": ("件",),
    "時間": ("時間", "h"),
    "分": ("分",),
    "日": ("日",),
    "点": ("点",),
    "m2": ("m2", "㎡"),
    "kg": ("kg",),
    "年": ("年",),
}


_UNIT_NAMES = {
    "歳": ("年齢", "age"),
    "分": ("徒歩", "分", "minute"),
    "時間": ("時間", "hour"),
    "日": ("日数", "day"),
    "年": ("年数", "year", "勤続"),
    "個": ("数量", "個数", "quantity"),
    "点": ("点", "score", "評価"),
    "m2": ("面積",),
    "人": ("人数",),
    "%": ("率", "rate", "割合"),
}


_SCALES = {"千円": 1e3, "万円": 1e4, "百万円": 1e6, "億円": 1e8}


_OR = re.compile(r"または|もしくは|あるいは|か、|(?<![a-z])or(?![a-z])")


def number_conditions(scene: Scene, table: Table, found: Conditions) -> None:
    """AかBか: bounds on two columns with an or between them are alternatives."""
    before: tuple[Bound, Filter] | None = None
    for bound in scene.bounds:
        count = len(found.filters)
        _bound(bound, scene, table, found)
        new = found.filters[count:]
        if len(new) != 1 or isinstance(new[0], AnyOf):
            continue
        is_stretch = before is not None and bound.start == before[0].start
        if before and is_stretch and scene.exclusions.has(bound):  # 20〜29歳を除く
            found.filters = [one for one in found.filters if one not in (before[1], new[0])]
            parts = before[1].any_of if isinstance(before[1], AnyOf) else (before[1],)
            found.filters.append(AnyOf(any_of=(*parts, new[0])))
            continue
        if (
            before
            and bound.start > before[0].end
            and _OR.search(scene.masked[before[0].end : bound.start])
        ):
            found.filters = [one for one in found.filters if one not in (before[1], new[0])]
            parts = before[1].any_of if isinstance(before[1], AnyOf) else (before[1],)
            found.filters.append(AnyOf(any_of=(*parts, new[0])))
            before = (bound, found.filters[-1])
        else:
            before = (bound, new[0])


_SIGN_AFTER = re.compile(
    r"(?:が|は|に|で|の)?(?:\s?(?:is|are|was|were)\s)?(?P<s>マイナス|負|赤字|ゼロ|"
    r"黒字|プラス|negative|positive|zero|below zero)"
)


_SIGN_BEFORE = re.compile(r"(?<![a-z])(?P<s>negative|positive|zero)\s$")


_SIGNS: dict[str, CompareOp] = {
    "マイナス": "<",
    "負": "<",
    "赤字": "<",
    "negative": "<",
    "below zero": "<",
    "ゼロ": "==",
    "zero": "==",
    "黒字": ">",
    "プラス": ">",
    "positive": ">",
}


WITHOUT_ZERO = re.compile(
    r"(?<![\d.,])(?:0|ゼロ)(?:円|件|個|点|回)?(?:の(?:行|データ|もの|件|場合)?)?(?:を|は)?(?:除|のぞ|含め?な)|"
    r"(?<![a-z])(?:excluding|exclude|without|ignoring|except(?: for)?|not counting)"
    r"(?: the| any| all)? (?:zeros?|zeroes|0)(?![a-z\d.,])"
)


def sign_conditions(scene: Scene, table: Table, found: Conditions) -> None:
    """在庫がマイナスの, negative profit, excluding zero."""
    if without := WITHOUT_ZERO.search(scene.masked):
        numeric = {one.column for one in scene.columns if table.columns.is_numeric(one.column)}
        if len(numeric) != 1:
            found.homeless.append(without.group())
        found.filters += [Compare(col=name, op="!=", value=0) for name in list(numeric)[:1]]
        return
    for mention in scene.columns:
        if not table.columns.is_numeric(mention.column):
            continue
        sign = _SIGN_AFTER.match(scene.masked[mention.end :]) or _SIGN_BEFORE.search(
            scene.masked[: mention.start]
        )
        if sign:
            found.filters.append(Compare(col=mention.column, op=_SIGNS[sign["s"]], value=0))
            found.used.add(mention.start)


def _bound(bound: Bound, scene: Scene, table: Table, found: Conditions) -> None:
    mention = _named_beside(bound, scene, table.columns)
    column = mention.column if mention else _by_unit(bound.amount, table.columns)
    if column is None and _row_noun_after(bound, scene, table.columns):
        found.having = Having(bound.op, bound.amount.value)
        return
    if column is None:
        measures = [
            one
            for one in (table.columns.amounts or table.columns.measures)
            if table.columns.is_numeric(one)
        ]
        named = [one.column for one in scene.columns if table.columns.is_numeric(one.column)]
        column = named[0] if len(set(named)) == 1 else measures[0] if len(measures) == 1 else None
        if column and not _may_be_in(bound.amount.unit, column, table.columns):
            column = None
    if column is None:
        found.homeless.append(scene.text[bound.start : bound.end])
        return
    before = scene.masked[: bound.start]
    if mention and mention.start >= bound.end and table.columns.roles[column] == "id":
        found.having = Having(bound.op, bound.amount.value)  # more than 100 leads: how many rows
        return
    value = _scaled(bound.amount, table.columns, column, found)
    is_of_groups = _OF_GROUPS.search(before) or (
        mention
        and mention.end <= bound.start
        and _TOTALLED.search(scene.masked[: mention.start])
        and _GROUPS_AFTER.match(scene.masked[bound.end :])
    )
    if mention and is_of_groups and bound.op != "==":
        found.having = Having(bound.op, value)
        return
    if mention:
        found.used.add(mention.start)
    op = OPPOSITE[bound.op] if scene.exclusions.has(bound) else bound.op
    condition = Compare(col=column, op=op, value=value)
    if condition not in found.filters:
        found.filters.append(condition)


def _row_noun_after(bound: Bound, scene: Scene, columns: Columns) -> bool:
    """The tickets of `fewer than 90 tickets`, where each row has its Ticket No."""
    nouns = {
        name_words(name)[0]
        for name in columns.of("id")
        if name_words(name) and columns.is_unique(name)
    }
    following = words(scene.text[bound.end :])
    return bool(following) and following[0].start <= 1 and following[0].stem in nouns


OPPOSITE: dict[CompareOp, CompareOp] = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "==": "!=",
    "!=": "==",
}


def _named_beside(bound: Bound, scene: Scene, columns: Columns) -> ColumnMention | None:
    numeric = [
        one for one in scene.columns if any(columns.is_numeric(name) for name in one.columns)
    ]
    numeric = [
        ColumnMention(
            one.start,
            one.end,
            tuple(name for name in one.columns if columns.is_numeric(name)),
            one.strength,
        )
        for one in numeric
    ]
    before = [one for one in numeric if one.end <= bound.start]
    if before:
        last = before[-1]
        between = scene.masked[last.end : bound.start]
        if (
            _CLOSE.fullmatch(between)
            or _OF_GROUPS.fullmatch(between)
            or re.fullmatch(
                r"(?:の|が|は|を|合計|平均|total|average|of|is|are|amount|value|\s){0,8}", between
            )
        ):
            return last
    after = next((one for one in numeric if one.start >= bound.end), None)
    if (
        after
        and re.fullmatch(r"\s?(?:of |in |the )*|の", scene.masked[bound.end : after.start])
        and not re.search("[ぁ-ん]", scene.masked[bound.end : after.start])
    ):
        return after
    return None


_OF_ONE_KIND = frozenset(
    ("歳", "年", "か月", "時間", "分", "日", "%", "kg", "km", "cm", "m2", "度")
)


def _may_be_in(unit: str, column: str, columns: Columns) -> bool:
    """勤続10年以上 says nothing of 賞与: years are no amount of money."""
    profile = columns[column]
    if unit not in _OF_ONE_KIND or profile.unit in _UNIT_WORDS.get(unit, (unit,)):
        return True
    return any(part in profile.name.lower() for part in _UNIT_NAMES.get(unit, (unit,)))


def _by_unit(amount: Amount, columns: Columns) -> str | None:
    numeric = [one for one in columns.table.columns if one.is_numeric]
    if amount.unit == "":
        return None
    fitting = [
        one.name for one in numeric if one.unit in _UNIT_WORDS.get(amount.unit, (amount.unit,))
    ]
    if not fitting:
        fitting = [
            one.name
            for one in numeric
            if any(part in one.name.lower() for part in _UNIT_NAMES.get(amount.unit, ()))
        ]
    if amount.unit in ("円", "ドル") and not fitting:
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
        found.assumptions.append(
            tell(
                "analysis_rules.assumed.scale", column=column, unit=profile.unit, value=f"{value:,}"
            )
        )
    if profile.type == "percent" and (amount.unit == "%" or value > 1):
        value = value / 100
    return value
