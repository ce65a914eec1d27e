"""Which rows: values and texts, what is not there, with what negates or compares them.

One column against another, row by row: 在庫数が発注点を下回る, less … than.
"""

import re
from collections.abc import Iterable, Iterator
from operator import eq, ge, gt, le, lt

from sanbo.agents.analysis.rules.frame import Having
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.lexicon import USED_UP, set_of
from sanbo.agents.analysis.rules.quantities import (
    OPPOSITE,
    OPS,
    PERIODS,
    compare,
    either,
    read_numbers,
)
from sanbo.agents.analysis.rules.scene import KnownColumn
from sanbo.agents.analysis.rules.times import read_times
from sanbo.agents.analysis.rules.tokens import forms
from sanbo.agents.analysis.spec.filters import (
    Among,
    Compare,
    Condition,
    Contains,
    Filter,
    Outlying,
    Presence,
)


def read_sides(items: Items) -> None:
    """在庫数が発注点を下回る, less on hand than the reorder level: in each row."""
    _more_than(items)
    for at, op in _between_columns(items):
        if "against" in items.frame.options:
            return
        beside = items.before(at) if items.all[at].is_japanese else items.after(at)
        is_dated = items.is_kind(beside, "column") and items.known(beside or 0).is_date
        columns = [
            place
            for place in items.free("column")
            if _is_side(items.known(place), is_dated=is_dated) and abs(place - at) <= 6
        ]
        before = [place for place in columns if place < at]
        behind = [place for place in columns if place > at]
        is_japanese = items.all[at].is_japanese
        two = before[-2:] if is_japanese else [*before[-1:], *behind[:1]]
        names = [items.name(place) for place in two]
        planned = _against_plan(items, names[0]) if two == [beside] else None
        if planned is not None:
            names = [planned, *names]
        elif two == [beside] and (is_dated or items.text(at) not in _PARTICLES):
            other = _other_side(items, at, names[0])
            names = [other, *names] if other is not None else []
        if len(set(names)) != 2:
            continue
        left, right = names
        items.use("condition", *(one for one in columns if items.name(one) in names), at)
        part = items.before(at) if is_japanese else items.after(at)
        factor = _factor(items, part)
        items.use("condition", part if factor is not None else None)
        items.frame.options["against"] = (left, op, right, factor)
        if items.is_word(items.after(at), *PERIODS):
            items.doubt(1.0)  # months: of their totals, or of rows


def _more_than(items: Items) -> None:
    """売上より原価のほうが大きい."""
    for at in [one for one in items.words("gt") if items.text(one) == "より"]:
        right, left = items.before(at), items.after(at)
        if (
            right is None
            or left is None
            or not (items.is_measure(right) and items.is_measure(left))
        ):
            continue
        order = items.after(left)
        is_more, is_less = items.is_word(order, "high", "many"), items.is_word(order, "low", "few")
        if is_more or is_less:
            items.use("condition", right, at, left, order)
            sides = items.name(left), ">" if is_more else "<", items.name(right)
            items.frame.options["against"] = (*sides, None)


_FACTORS = {"half": 0.5, "半分": 0.5, "twice": 2.0, "double": 2.0}


def _factor(items: Items, at: int | None) -> float | None:
    """原価が売価の8割を超える, 予算の2倍, less than half of the capacity."""
    figure = items.figure(at)
    if at is None or figure is None or figure.value is None:
        return _FACTORS.get(items.text(at) if at is not None else "")
    if figure.kind == "share":
        return float(figure.value / 100)
    is_multiple = figure.unit == "倍" or items.text(at).endswith("times")
    return float(figure.value) if is_multiple else None


def _against_plan(items: Items, named: str) -> str | None:
    """Over budget, 予算オーバー: what came of it is."""
    columns, known = items.scene.columns, items.scene.columns[named]
    is_budget = "budget" in known.concepts
    if not is_budget and "target" not in known.concepts:
        return None
    concepts = ("actual", "expense", "cost") if is_budget else ("actual",)
    found = [items.column_of_concept(one) for one in concepts]
    own = [one for one in found if one is not None and one != named]
    own = [one for one in own if columns[one].is_money == known.is_money]
    items.doubt(0.3 if own else 0.0)
    return next(iter(own), None)


def _is_side(known: KnownColumn, *, is_dated: bool) -> bool:
    return known.is_date if is_dated else known.is_measure and not known.is_year


_PARTICLES = frozenset(("から", "より", "まで", "from", "over", "within", "through", "after"))


def _between_columns(items: Items) -> Iterator[tuple[int, str]]:
    """Where two are compared, and how; less … than is one word in two."""
    for at in items.words("gt", "lt", "ge", "le"):
        if items.text(at) not in ("from", "since", "starting", "starting from", "through"):
            yield at, OPS[items.name(at)]
    for at in items.words("equals"):
        yield at, "=="
    for at in [one for one in items.words("comparative") if items.text(one) == "than"]:
        for ahead in range(at - 1, max(-1, at - 7), -1):
            if items.is_word(ahead, "comparative") and not items.is_used(ahead):
                is_less = items.text(ahead) in set_of("less")
                if is_less or items.text(ahead) in set_of("more"):
                    yield at, "<" if is_less else ">"
                    if items.roles.get(at) == "condition":
                        items.use("condition", ahead)
                    break


def _other_side(items: Items, at: int, named: str) -> str | None:
    """Below its reorder point: what is? Another number of the kind, and never at once."""
    if items.is_kind(items.after(at), "number", "when") or items.frame.having:
        return None
    known, columns = items.scene.columns[named], items.scene.columns
    alike = [
        name
        for name in (items.scene.dates if known.is_date else items.scene.measures)
        if name != named and columns[name].is_money == known.is_money
    ]
    if not alike:
        return None
    told = [name for name in alike if name in map(items.name, items.free("column"))]
    if len(told) == 1 and known.is_date and items.all[at].is_japanese:
        items.doubt(0.3)  # 返却予定日を過ぎて返却された
        return told[0]
    return items.choose(f"other:{at}", [(name, 1.0 + 0.2 * n) for n, name in enumerate(alike[:3])])


_MEETS = {"==": eq, ">=": ge, ">": gt, "<=": le, "<": lt}
_NUMBERED = re.compile(r"(\D*)(\d{1,4})(\D*)", re.ASCII)


def read_conditions(items: Items) -> None:
    for at in items.words("whatever"):  # 承認状況は問いません, 中止も含めて
        place = items.before(at) if items.all[at].is_japanese else items.after(at)
        if items.is_kind(place, "column"):
            items.use("join", at, place)
        for chain in items.chains("value"):
            if place in chain and len({*_columns(items, chain)}) == 1:
                items.use("join", at, *chain)
                others = [one for one in items.free("value") if one not in chain]
                is_more = {*_columns(items, chain)} & {*_columns(items, others)}
                items.doubt(1.0 if is_more else 0.0)  # 大阪店の売上、オンラインも含めて
    _texts(items)
    read_times(items)
    read_numbers(items)
    _values(items)
    _gaps(items)
    _signs(items)
    _used_up(items)
    read_sides(items)
    items.join_alternatives()
    items.use_heads_of_conditions()
    if items.frame.conditions or items.frame.having:
        items.take("only", role="condition")


def _used_up(items: Items) -> None:
    """在庫切れ, out of stock: there is nothing of it."""
    for at in items.free("word"):
        if items.name(at).startswith(USED_UP):
            column = items.column_of_concept(items.name(at).removeprefix(USED_UP))
            if column is not None:
                negation = items.exclusion(at, at)
                items.use("condition", at, negation)
                items.condition(at, compare(column, "==" if negation is None else "!=", 0))


def _columns(items: Items, places: Iterable[int]) -> list[str]:
    values = [items.all[at].sense.value for at in places]
    return [value.column for value in values if value is not None]


def _texts(items: Items) -> None:
    """店舗名に宿を含む, names containing 'x', ending with …"""
    for at in items.free("literal"):
        text = items.name(at)
        marker = items.near(at, "contain", "starts", "ends", reach=4)
        column = items.near_column(
            at, lambda known: not known.is_measure and not known.is_date, also_rows=True
        )
        if column is not None:
            name = items.name(column)
            if name not in (items.scene.holding(text) or (name,)):
                items.doubt(1.0)
        else:
            columns = items.scene.profile.columns
            names = items.scene.holding(text) or [c.name for c in columns if c.type == "text"][:3]
            if not names:
                continue
            name = items.choose(f"text:{at}", [(name, 0.3 * n) for n, name in enumerate(names)])
        place = at if marker is None else marker
        negation = items.exclusion(place, place)
        word = "contain" if marker is None else items.name(marker)
        op = {"contain": "contains", "starts": "starts_with", "ends": "ends_with"}[word]
        if negation is not None:
            if op != "contains":
                continue
            op = "not_contains"
        named = [one for one in range(at + 1, at + 4) if items.text(one) in set_of("names")]
        items.use("condition", column, negation, at, marker, *named)
        items.condition(at, Contains.model_validate({"col": name, "op": op, "value": text}))


def _values(items: Items) -> None:
    for at in items.free("value"):
        _ranks_above(items, at)
    for chain in items.chains("value"):
        by_column: dict[str, list[int]] = {}
        for at in chain:
            value = items.all[at].sense.value
            assert value is not None
            by_column.setdefault(value.column, []).append(at)
        negation = _negation(items, chain)
        items.use("condition", *chain, negation)
        _joined(items, chain)
        if negation is not None:
            _doubt_negation(items, chain, items.text(negation))
            noun, only = items.after(negation), [items.before(one) for one in items.words("only")]
            items.use("condition", noun if noun in only else None)  # 食品でもないカテゴリだけ
        own = _excluded(items, by_column)
        for column, places in by_column.items():
            refused = negation if column in own else None
            names: list[object] = list(dict.fromkeys(items.name(at) for at in places))
            if items.scene.columns[column].profile.type == "boolean":
                names = [name == "TRUE" for name in names]
            items.use_own_column(places[0], column)
            items.use_head_noun(places[-1])
            if len(names) == 1:
                made: Filter = compare(column, "==" if refused is None else "!=", names[0])
            else:
                op = "in" if refused is None else "not_in"
                made = Among.model_validate({"col": column, "op": op, "value": names})
            if refused is not None and items.scene.columns[column].profile.missing:
                # pyrefly: ignore[bad-argument-type]
                made = either([made, Presence(col=column, op="is_null")])  # what is blank is not it
            items.condition(places[0], made)
            if refused is None:
                items.frame.options.setdefault("compared" if len(names) > 1 else "single", column)
        is_either = len(by_column) > 1 and negation is None and items.has("and_or")
        items.use_between(chain[:1] if is_either else chain)  # open, or in East
        near = [at for at in items.words("only") if min(abs(at - one) for one in chain) <= 2]
        items.use("condition", *near)
        items.frame.options["is_narrowed"] = bool(near)
        is_together = any(item.text in set_of("together") for item in items.all)
        if (near or is_together) and len(chain) > 1:
            items.frame.options["is_only"] = True
    for chain in items.chains("part"):
        _parts(items, chain)
    items.merge_conditions()


def _negation(items: Items, chain: list[int]) -> int | None:
    """What leaves these values out: 以外 behind them, 未 before them; 未承認を除く takes both."""
    negation, ahead = items.exclusion(chain[0], chain[-1]), chain[0] - 1
    if ahead < 0 or items.text(ahead) not in set_of("not_yet"):
        return negation
    items.use("condition", ahead, negation)
    items.doubt(1.0)  # all that is not 承認済, or some of it
    return ahead if negation is None else None


def _excluded(items: Items, by_column: dict[str, list[int]]) -> set[str]:
    """優先度が高く完了していない: of two columns the last, where nothing joins them."""
    if len(by_column) < 2 or not items.all[max(map(max, by_column.values()))].is_japanese:
        return {*by_column}
    last = list(by_column)[-1]
    others = [at for column, places in by_column.items() if column != last for at in places]
    between = range(max(others) + 1, min(by_column[last]))
    is_joined = any(items.is_kind(at, "join") or items.is_word(at, "and_or") for at in between)
    return {*by_column} if is_joined else {last}


def _joined(items: Items, chain: list[int]) -> None:
    if any(items.is_word(at, "and_or") for at in range(chain[0], chain[-1])):
        items.frame.options["is_either"] = True  # poor or dead: taken together
    ahead = items.before(chain[0])
    if len(chain) > 1 and items.is_word(ahead, "between"):
        items.use("join", ahead)  # between Coffee and Cake


def _doubt_negation(items: Items, chain: list[int], said: str) -> None:
    if said in set_of("auxiliaries"):
        # That didn't ship to the West: which of the two was not so? Products that were never
        # sold there: of those no row tells.
        is_later = any(at > chain[-1] for at in items.free("value"))
        items.doubt(1.0 if is_later or items.has("which", "who") else 0.0)
    if said.startswith(("し", "され")):  # 承認されていない: with those sent back?
        columns = [items.scene.columns[one].profile for one in _columns(items, chain)]
        is_of_end = all(items.text(at) in set_of("ended") for at in chain)  # 完了していない
        items.doubt(1.0 if any(one.distinct > 2 for one in columns) and not is_of_end else 0.0)


def _ranks_above(items: Items, at: int) -> None:
    """要介護3以上: words of a column that differ in a number."""
    comparison, value = items.comparison(at), items.all[at].sense.value
    if comparison is None or value is None or items.exclusion(at, comparison) is not None:
        return
    told = _NUMBERED.fullmatch(value.value)
    others = [
        (each, found)
        for each in items.scene.columns[value.column].profile.values
        if (found := _NUMBERED.fullmatch(each))
    ]
    if told is None:
        return
    meets = _MEETS[OPS[items.name(comparison)]]
    names = [
        each
        for each, found in others
        if (found[1], found[3]) == (told[1], told[3]) and meets(int(found[2]), int(told[2]))
    ]
    if not names:
        return
    items.use("condition", at, comparison)
    items.use_own_column(at, value.column)
    made = Among.model_validate({"col": value.column, "op": "in", "value": sorted(names)})
    items.condition(at, made)
    items.frame.options["is_only"] = True


def _parts(items: Items, chain: list[int]) -> None:
    """横浜市: rows whose value holds it."""
    negation = items.exclusion(chain[0], chain[-1])
    op = "contains" if negation is None else "not_contains"
    values = [value for at in chain if (value := items.all[at].sense.value) is not None]
    made: list[Condition] = [
        Contains.model_validate({"col": one.column, "op": op, "value": one.value}) for one in values
    ]
    items.use("condition", *chain, negation)
    items.use_between(chain)
    for one in values:
        items.use_own_column(chain[0], one.column)
    is_named = all(items.all[at].is_japanese or items.all[at].is_capital for at in chain)
    is_named |= all(
        items.is_beside_column(at, one.column) for at, one in zip(chain, values, strict=False)
    )
    items.doubt(0.3 if is_named else 1.0)
    own = [one for one in items.frame.conditions if isinstance(one, Compare) and one.op == "=="]
    joined = [one for one in own if negation is None and one.col in {part.col for part in made}]
    if joined:  # 内科と外科, where one is a part of several names
        items.frame.conditions = [one for one in items.frame.conditions if one not in joined]
        made = [*joined, *made]
    items.condition(chain[0], *(made if negation is not None else [either(made)]))


def _gaps(items: Items) -> None:
    for at in items.words("empty", "filled"):
        column = items.near_column(at, lambda _: True, also_rows=True)
        behind = items.after(at)
        if items.is_kind(behind, "column") and not items.all[at].is_japanese:
            column = behind  # staff have no rating
        negation = items.exclusion(at, at)
        measures = [one for one in range(len(items.all)) if items.is_measure(one)]
        if column is None and negation is not None and len({*map(items.name, measures)}) == 1:
            column = measures[0]  # 空欄の人は計算に入れない: of what is computed
        if column is None or items.is_word(items.before(at), "duplicates"):
            continue  # 重複して登録されている
        if items.is_kind(behind, "value") and items.text(at) in _NO:
            continue  # carriers that have no Air shipments
        is_empty = items.is_word(at, "empty") == (negation is None)
        nothing = _nothing(items, at, column, is_empty=is_empty)
        if nothing is not None:
            items.use("condition", at, negation, column)
            items.condition(at, compare(items.name(column), "==", nothing))
            continue
        empty = Presence(col=items.name(column), op="is_null")
        if items.is_word(at, "filled") and empty in items.frame.conditions:
            items.use("condition", at)  # no supplier filled in
            continue
        is_computed = column in measures and items.aggregate_at(column) is not None
        items.use("condition", at, negation, None if is_computed else column)
        op = "is_null" if is_empty else "not_null"
        items.condition(at, Presence.model_validate({"col": items.name(column), "op": op}))
    _of_some(items)
    _undone(items)
    _answered(items)
    _lacking(items)
    _not_yet(items)
    for at in items.words("ongoing"):
        closed = items.column_of_concept("closed")
        if closed is not None and items.scene.columns[closed].profile.missing:
            negation = items.exclusion(at, at)
            items.use("condition", at, negation)
            op = "is_null" if negation is None else "not_null"
            items.condition(at, Presence.model_validate({"col": closed, "op": op}))
    for at in items.words("outliers"):
        negation, column = items.exclusion(at, at), items.near_measure(at)
        if negation is None or column is None:
            continue
        method = "zscore" if items.words("by_zscore") else "iqr"
        items.use("condition", at, negation, *items.words("by_zscore", "by_iqr"))
        items.condition(at, Outlying(col=items.name(column), op="not_outlier", method=method))


def _nothing(items: Items, at: int, column: int, *, is_empty: bool) -> str | bool | int | None:
    """遅延なし, with no absences: none of what is counted; with no resolution: it says no."""
    known, said = items.known(column), items.text(at)
    answer = known.truth(not is_empty)
    if answer is not None and not known.profile.missing:
        return answer
    if not known.is_measure or said not in ("なし", "無し", *_NO):
        return None
    missing = bool(known.profile.missing)
    options = [("zero", 0.0), ("empty", 0.5 if missing else 2.0)]
    options = options[::-1] if missing and said in _NO else options
    return 0 if items.choose(f"none:{at}", options) == "zero" else None


def _of_some(items: Items) -> None:
    """有給を取っていない人, 欠勤した人: of whom a number from 0 on is 0, or more."""
    for at in items.free("column"):
        known, negation = items.known(at), items.after(at)
        if not (items.all[at].is_japanese and known.is_measure and known.profile.minimum == 0):
            continue
        if negation is None or not items.is_word(negation, "none", "exclude"):
            negation = None
        noun = items.after(at if negation is None else negation)
        if noun is None or noun < at + 2:
            continue
        is_of_rows = items.is_word(noun, "rows")
        if items.is_kind(noun, "column"):
            whose = items.known(noun)
            is_of_rows = items.scene.is_entity(whose.name)
            is_of_rows |= negation is None and bool(whose.concepts & set_of("people"))
        is_told = noun - 1 == negation if negation else items.text(noun - 1) in _DONE
        if is_of_rows and is_told:
            items.use("condition", *range(at, noun))
            items.condition(at, compare(known.name, ">" if negation is None else "==", 0))


_DONE = frozenset(("た", "だ", "いる", "ある"))
"""How a verb ends before the noun that it is about."""


def _undone(items: Items) -> None:
    """Not closed yet, not reopened, just new patients, without a rating."""
    for at in items.words("exclude", "only"):
        is_japanese = items.all[at].is_japanese
        column = items.before(at) if is_japanese else items.after(at)
        if column is None or items.is_used(at) or not items.is_kind(column, "column"):
            continue
        known = items.known(column)
        if (value := known.truth(items.is_word(at, "only"))) is not None:
            items.use("condition", at, column)  # that were not reopened, just new patients
            items.condition(at, compare(known.name, "==", value))
            continue
        is_without = items.text(at) == "without"
        if items.is_word(at, "only"):
            continue
        is_without |= known.is_date  # not closed yet, まだ復旧していない
        between = {*" ".join(map(items.text, range(at, column))).split()}
        is_without |= bool(between & _HAS) and not is_japanese  # don't have a score
        is_without |= "been" in between and items.text(column).endswith("ed")
        is_without |= items.text(at) == "no" and column == at + 1 and not is_japanese
        if is_without and known.profile.missing:
            items.use("condition", at, column)
            items.condition(at, Presence(col=known.name, op="is_null"))


_NO = frozenset(("with no", "has no", "have no"))
_HAS = frozenset(("have", "has", "had", "got"))


def _lacking(items: Items) -> None:
    """次回予定日がまだ決まっていない: whatever it is that was not done with what is empty."""
    for at in items.words("none", "exclude"):
        verb = items.before(at)
        column = items.before(verb) if verb is not None else None
        if column is None or verb is None or not items.is_kind(verb, "unknown"):
            continue
        told = "".join(map(items.text, range(column + 1, verb)))
        if not items.is_kind(column, "column") or told not in ("が", "は", "がまだ", "はまだ"):
            continue
        known = items.known(column)
        if not set_of("come").issuperset(forms(items.text(verb))[:1]):
            continue  # 承認が要らない
        if known.profile.missing and items.all[at].is_japanese:
            items.use("condition", at, verb, column)
            items.condition(at, Presence(col=known.name, op="is_null"))


def _answered(items: Items) -> None:
    """Billable entries: of a column of two answers, those that are."""
    for at in items.free("column"):
        known, behind = items.known(at), items.after(at)
        ahead = items.before(at)
        told = items.text(behind) if behind is not None else ""
        answer = known.truth(told == "yes") if told in ("yes", "no") else None
        if answer is not None and not items.is_used(behind or 0):  # where Resolved = no
            items.use("condition", at, behind)
            items.condition(at, compare(known.name, "==", answer))
            continue
        is_plain = not items.all[at].is_japanese and not items.is_word(ahead, *_GROUPS)
        value = known.truth(is_true=True)
        if is_plain and behind == at + 1 and items.is_word(behind, "rows") and value is not None:
            items.use("condition", at, behind)
            items.condition(at, compare(known.name, "==", value))


_GROUPS = ("each", "which", "exclude", "only")


def _not_yet(items: Items) -> None:
    """未入金, 入金済み, unpaid: 入金日 is empty, or filled in."""
    for at in items.free("unknown"):
        text, is_un = items.text(at), items.text(at).startswith("un")
        is_open = is_un or text == "未"
        deed = at + 1 if text == "未" else at - 1
        if not is_un and (text not in ("未", "済", "済み") or not items.is_kind(deed, "column")):
            continue
        begins = text.removeprefix("un") if is_un else items.text(deed)
        columns = [items.scene.columns[name] for name in items.scene.dates]
        days = [one for one in columns if one.name.casefold().startswith(begins)]
        days = [one for one in days if one.profile.missing]
        if len(days) == 1:
            is_timed = any(items.is_kind(one, "when") for one in range(len(items.all)))
            is_timed |= items.has("newest", "oldest", "recent")  # by which day?
            items.doubt(1.0 if is_open and is_timed and len(items.scene.dates) > 1 else 0.0)
            items.use("condition", at, None if is_un else deed)
            op = "is_null" if is_open else "not_null"
            items.condition(at, Presence.model_validate({"col": days[0].name, "op": op}))


def _signs(items: Items) -> None:
    """赤字の店舗, negative balances."""
    for at in items.words("negative", "positive", "zero"):
        op = {"negative": "<", "positive": ">", "zero": "=="}[items.name(at)]
        column, behind = items.near_measure(at), items.after(at)
        is_period = items.is_word(behind, *PERIODS)  # 不良ゼロの日
        negation = items.exclusion(at, behind if behind is not None and is_period else at)
        if negation is not None:
            op = OPPOSITE[op]
            items.use("condition", negation, behind if is_period else None)
        if behind is not None and items.is_measure(behind) and not items.all[at].is_japanese:
            column = behind  # sales over 500 and a negative profit
        profit = items.column_of_concept("profit")
        if column is None and profit is not None and op != "==":
            items.use("condition", at)
            of_groups = (
                [("groups", 0.0)] if items.has_grouping() else [("rows", 0.0), ("groups", 0.4)]
            )
            if items.choose(f"sign:{at}", of_groups) == "groups":
                items.frame.having.append(Having("sum", profit, op, 0))
            else:
                items.condition(at, compare(profit, op, 0))
        elif column is not None and (behind == column or not items.is_measure(behind)):
            items.use("condition", at, column)
            is_which = items.has("which") and items.has_grouping() and op != "=="
            is_which |= is_period and negation is None
            levels = [("groups", 0.0), ("rows", 0.4)] if is_which else [("rows", 0.0)]
            if items.has_grouping() and not is_which and op != "==":
                levels.append(("groups", 0.4))  # the profit of states that lost money
            if items.choose(f"sign:{at}", levels) == "groups":
                items.frame.having.append(Having(None, items.name(column), op, 0))
            else:
                items.condition(at, compare(items.name(column), op, 0))
