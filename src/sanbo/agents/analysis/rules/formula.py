"""Figures that a question defines: 粗利率は（単価－原価）÷単価, 利益を売上で割る, a / b."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from sanbo.agents.analysis.rules.frame import Formula, Measure
from sanbo.agents.analysis.rules.items import ORDER, RANKS, STATISTICS, Items
from sanbo.agents.analysis.rules.lexicon import (
    RATIO,
    concepts,
    forms_of,
    parts_of,
    set_of,
    strong_forms,
)
from sanbo.agents.analysis.rules.quantities import OPS
from sanbo.agents.analysis.rules.scene import FEW, MANY, KnownColumn
from sanbo.agents.analysis.rules.tokens import forms, narrowed
from sanbo.agents.analysis.spec.filters import Presence

_SIGNS = {
    "÷": "divide", "/": "divide", "×": "multiply", "*": "multiply", "-": "subtract",
    "−": "subtract", "–": "subtract", "ー": "subtract", "+": "add", "x": "multiply",
}  # fmt: skip
_WORDS = {"divide": "divide", "minus": "subtract", "times": "multiply", "plus": "add"}
_STRENGTH = {"add": 1, "subtract": 1, "multiply": 2, "divide": 2}
_SHOWN = {"divide": "÷", "subtract": "−", "multiply": "×", "add": "＋"}
_DEFINES = frozenset(("は", "=", "(", ":", "is", "とは", "、", ","))


class _Read(NamedTuple):
    tree: dict[str, Any]
    end: int
    """After its last item."""


def read_formula(items: Items) -> None:
    readers = (
        _elapsed,
        _weighted,
        _signed,
        _added,
        _told,
        _commanded,
        _between_two,
        _towards,
        _worth,
    )
    if not any(read(items) for read in readers):
        _ratios(items)
    if items.frame.formula is None:
        _per_one(items)


def _defined(items: Items, tree: dict[str, Any], used: Iterable[int], *, of_sums: bool) -> bool:
    used = list(used)
    name = _name(items, min(used)) or _name_behind(items, max(used)) or _computed_noun(items)
    items.use("measure", *used)
    level = "sums" if of_sums else "open"
    items.frame.formula = Formula(name or _shown(tree), tree, level)
    return True


def _added(items: Items) -> bool:
    """国語・数学・英語の合計が一番高い生徒: of each row, where rows are ranked by it."""
    is_ranked = items.has(*RANKS, "desc", "asc")
    for at in items.words("sum"):
        number = items.after(at)
        is_limited = items.is_kind(number, "number") and items.comparison(number or 0) is not None
        is_limited &= items.has("count", "people") or not items.has("each")
        if not is_ranked and not is_limited:
            continue
        chain = [one for one in items.chains("column") if one[-1] < at and len(one) > 1]
        chain = [one for one in chain if all(map(items.is_measure, one))]
        ahead = items.before(at)
        is_of_rows = items.has("rows") or any(
            items.is_kind(one, "column") and items.scene.is_entity(items.name(one))
            for one in range(at, len(items.all))
        )
        if not chain or chain[-1][-1] != ahead or not (is_of_rows or is_limited):
            continue
        if items.has("each") and not is_limited:
            continue
        first, *rest = (_column(items.name(one)) for one in chain[-1])
        tree = first
        for one in rest:
            tree = {"fn": "add", "left": tree, "right": one}
        tail = at + 1 if items.text(at + 1) in set_of("tails") else None
        items.use_between(chain[-1])
        items.use("measure", tail)
        items.frame.options["is_rows"] = True
        return _defined(items, tree, [*chain[-1], at], of_sums=False)
    return False


def _name_behind(items: Items, end: int) -> str | None:
    """単価から原価を引いた粗利, 実績÷予算でみた達成率."""
    behind = items.after(end)
    is_named = behind is not None and items.text(behind - 1) in ("た", "as")
    is_named = is_named and not items.is_word(items.after(behind or 0), "each")
    return _take_name(items, behind) if is_named and behind is not None else None


def _take_name(items: Items, at: int) -> str | None:
    """It counts as read wherever it stands, with what is tied to it: click-through rate."""
    name = items.text(at)
    is_name = items.is_kind(at, "unknown") or items.is_measure(at)  # what one groups by is none
    if items.is_used(at) or (not is_name and not items.name(at).startswith(RATIO)):
        return None
    items.use("measure", *(place for place, item in enumerate(items.all) if item.text == name))
    while items.text(at - 2) == "-" and at > 2:
        items.use("measure", at - 1, at - 3)
        at -= 2
    return name


def _computed_noun(items: Items) -> str | None:
    """Total revenue by room type (nights x rate): what is computed, by a name of its own."""
    for at, item in enumerate(items.all):
        ahead = items.before(at)
        if items.is_kind(at, "unknown") and items.is_word(ahead, "sum", "mean"):
            items.use("measure", at)
            return item.text
    return None


def _column(name: str) -> dict[str, Any]:
    return {"fn": "column", "name": name}


def _joined(items: Items, fn: str, left: int, right: int) -> dict[str, Any]:
    return {"fn": fn, "left": _column(items.name(left)), "right": _column(items.name(right))}


def _is_number(items: Items, at: int) -> bool:
    return items.is_measure(at) and not items.is_used(at)


def _total(items: Items, at: int) -> _Read | None:
    """モノクロとカラーの合計枚数, the sum of A and B: one number of several."""
    places = [at]
    while (behind := items.after(places[-1])) is not None and (
        _is_number(items, behind)
        and items.are_joined(places[-1], behind)
        and _SIGNS.keys().isdisjoint(items.text(one) for one in range(places[-1], behind))
    ):
        places.append(behind)
    if len(places) < 2 or not _is_number(items, at):
        return None
    end, is_japanese = places[-1] + 1, items.all[at].is_japanese
    if is_japanese:
        end += items.text(end) == "の"
        if not items.is_word(end if end < len(items.all) else None, "sum"):
            return None
        end += 1
        is_tail = items.text(end) in set_of("tails") or items.is_word(
            end if end < len(items.all) else None, "count"
        )
        end += is_tail  # 合計枚数
    elif not items.is_word(items.before(at), "sum"):
        return None
    tree = _column(items.name(at))
    for one in places[1:]:
        tree = {"fn": "add", "left": tree, "right": _column(items.name(one))}
    return _Read(tree, end)


# ---- with signs ----


def _signed(items: Items) -> bool:
    for start in range(len(items.all)):
        read = _Parser(items).expression(start, 1)
        if read is not None:
            used = range(start, read.end)
            sums = [at for at in used if items.is_word(at, "sum")]
            if read.tree["fn"] == "multiply" and len(sums) == 1:  # 数量×単価の合計: of the products
                return _defined(items, read.tree, {*used} - {*sums}, of_sums=False)
            return _defined(items, read.tree, used, of_sums=bool(sums))
    return False


class _Parser:
    def __init__(self, items: Items) -> None:
        self._items = items

    def expression(self, at: int, strength: int) -> _Read | None:
        """Operators that bind at least so strongly; None where none joins two numbers."""
        left = self._operand(at)
        if left is None:
            return None
        joined = False
        while (sign := self._sign(left.end)) is not None and _STRENGTH[sign[0]] >= strength:
            function, after = sign
            right = self.expression(after, _STRENGTH[function] + 1) or self._operand(after)
            if right is None:
                break
            tree = {"fn": function, "left": left.tree, "right": right.tree}
            left, joined = _Read(tree, right.end), True
        return left if joined else None

    def _operand(self, at: int) -> _Read | None:
        items = self._items
        at = self._over(at)
        if items.text(at) == "(":
            return self._inside(at + 1)
        if self._is_sum(at, is_japanese=False):
            at = self._over(at + 1)
        if at >= len(items.all) or not _is_number(items, at):
            return None
        if (total := _total(items, at)) is not None:
            return total
        end = self._over(at + 1)
        is_summed = self._is_sum(end, is_japanese=True)
        return _Read(_column(items.name(at)), end + 1 if is_summed else at + 1)

    def _is_sum(self, at: int, *, is_japanese: bool) -> bool:
        items = self._items
        is_there = at < len(items.all) and items.is_word(at, "sum")
        return is_there and items.all[at].is_japanese == is_japanese

    def _inside(self, at: int) -> _Read | None:
        """Up to the bracket that closes it."""
        read = self.expression(at, 1) or self._operand(at)
        if read is None:
            return None
        end = self._over(read.end)
        return _Read(read.tree, end + 1) if self._items.text(end) == ")" else None

    def _sign(self, at: int) -> tuple[str, int] | None:
        items = self._items
        at = self._over(at)
        if items.text(at) in _SIGNS:
            return _SIGNS[items.text(at)], at + 1
        if at < len(items.all) and items.is_word(at, *_WORDS) and not items.all[at].is_japanese:
            return _WORDS[items.name(at)], at + 1
        if items.text(at) in ("over", "less") and "(" in (items.text(at - 2), items.text(at - 3)):
            return ("divide" if items.text(at) == "over" else "subtract"), at + 1
        return None

    def _over(self, at: int) -> int:
        while self._items.text(at) in ("の", "the", "of"):
            at += 1
        return at


# ---- in words ----


def _told(items: Items) -> bool:
    """単価から原価を引いて単価で割る: what stands before each verb is joined by it."""
    stack: list[tuple[dict[str, Any], int]] = []
    """Numbers, with where each ends."""
    totals: dict[int, range] = {}
    used: list[int] = []
    for at, item in enumerate(items.all):
        if any(at in places for places in totals.values()):
            continue
        if (total := _total(items, at)) is not None:
            totals[total.end - 1] = range(at, total.end)
            stack.append((total.tree, total.end - 1))
        elif _is_number(items, at):
            stack.append((_column(items.name(at)), at))
        is_verb = items.is_word(at, *_WORDS) and item.is_japanese
        if not is_verb or item.text in _SIGNS or len(stack) < 2:
            continue
        (second, second_at), (first, first_at) = stack.pop(), stack.pop()
        if item.text == "割り算":  # which by which is not said: money by something, rather
            is_money = items.is_measure(second_at) and items.known(second_at).is_money
            is_turned = items.choose("division", [(is_money, 0.0), (not is_money, 0.6)])
            first, second = (second, first) if is_turned else (first, second)
        elif items.text(second_at + 1) == "から" or items.text(first_at + 1) == "で":
            first, second = second, first
        tree = {"fn": _WORDS[items.name(at)], "left": first, "right": second}
        used += [first_at, second_at, at]
        while tree["fn"] == "add" and stack and items.are_joined(stack[-1][1], first_at):
            more, first_at = stack.pop()  # 燃料費と修繕費と保険料を足す
            tree = {"fn": "add", "left": more, "right": tree}
            used.append(first_at)
        stack.append((tree, at))
    made = [tree for tree, at in stack if at in used]
    used += [place for end in totals if end in used for place in totals[end]]
    return bool(made) and _defined(items, made[-1], used, of_sums=False)


def _commanded(items: Items) -> bool:
    """Divide each building's total cost by its electricity, subtract costs from sales."""
    for at in items.words("divide", "minus", "times"):
        numbers = [one for one in range(at + 1, len(items.all)) if _is_number(items, one)]
        if items.text(at) not in _COMMANDS or len(numbers) != 2:
            continue
        within = range(at, numbers[1])
        joined = [one for one in within if items.text(one) in ("by", "from")]
        if len(joined) != 1 or joined[0] < numbers[0]:
            continue
        left, right = numbers[::-1] if items.text(joined[0]) == "from" else numbers
        sums = [one for one in within if items.is_word(one, "sum")]
        tree = _joined(items, _WORDS[items.name(at)], left, right)
        return _defined(items, tree, [at, *numbers, *joined, *sums], of_sums=bool(sums))
    return False


_COMMANDS = frozenset(("divide", "subtract", "multiply"))


def _between_two(items: Items) -> bool:
    """単価と原価の差, the ratio of profit to sales: of the two numbers beside the word."""
    for at in items.words("difference", "divide"):
        is_japanese, is_ratio = items.all[at].is_japanese, items.is_word(at, "divide")
        columns = [place for place in range(len(items.all)) if _is_number(items, place)]
        if is_japanese:
            columns = [place for place in columns if at - 5 <= place < at][-2:]
        else:
            columns = [place for place in columns if at < place <= at + 6][:2]
        if len(columns) != 2 or (is_ratio and not items.text(at).startswith("ratio")):
            continue
        between = {items.text(place) for place in range(columns[0] + 1, columns[1])}
        if items.text(at) in _OFF and not items.are_joined(*columns):
            columns = columns[::-1]  # how far above or below forecast were sales
            _subtracted(items, at, columns)
            return True
        if items.are_joined(*columns) or (is_ratio and between & {"to", "over"}):
            items.use("measure", *columns, at)
            items.use("measure", *(one for one in range(*columns) if items.text(one) == "to"))
            tree = _joined(items, "divide" if is_ratio else "subtract", *columns)
            items.frame.formula = Formula(_shown(tree), tree, "open")
            return True
    return False


_OFF = frozenset(("how far above or below", "above or below", "how far"))


def _subtracted(items: Items, at: int, columns: Sequence[int]) -> None:
    items.use("measure", *columns, at)
    items.take("gt", "lt", "sum", role="measure")
    tree = _joined(items, "subtract", *columns)
    items.frame.formula = Formula(_shown(tree), tree, "open")


def _towards(items: Items) -> bool:
    """売上に対する原価の割合, what share of clicks became orders: the second by the first."""
    for at in items.words("share"):
        is_japanese = items.all[at].is_japanese
        near = range(max(0, at - 9), at) if is_japanese else range(at, min(at + 12, len(items.all)))
        if not is_japanese and items.text(0) in ("of", "out of"):
            near = range(len(items.all))  # of what they requested, which share was awarded
        places = [one for one in near if _is_number(items, one) and not _is_bounded(items, one)]
        first = {items.name(one): one for one in reversed(places)}  # where each is said first
        columns = sorted(first.values())
        columns = columns[-2:] if is_japanese else columns
        if len(columns) != 2 or items.are_joined(*columns):
            continue
        if any(items.is_word(one, "comparative", "gt", "lt") for one in range(*columns)):
            continue  # what share costs more than it brings
        between = "".join(items.text(one) for one in range(columns[0] + 1, at))
        if is_japanese and not any(sign in between for sign in _WITHIN):
            continue
        ahead = "".join(items.text(one) for one in range(columns[0] + 1, columns[1]))
        is_first = not is_japanese or any(sign in ahead for sign in _WITHIN)
        over, under = columns[::-1] if is_first else columns
        if not is_japanese:
            rest = {items.name(one) for one in columns}
            columns = [one for one in places if items.name(one) in rest]
            items.use("measure", *columns, at)
            items.take("top", role="measure")
        tree = _joined(items, "divide", over, under)
        items.use("measure", *range(columns[0], at + 1))
        items.frame.formula = Formula(_shown(tree), tree, "sums")
        return True
    return False


def _is_bounded(items: Items, at: int) -> bool:
    """Where quantity is above 10: it says which rows."""
    near = range(at + 1, min(at + 5, len(items.all)))
    numbers = [one for one in near if items.is_kind(one, "number")]
    return bool(numbers) and items.comparison(numbers[0]) is not None


_WITHIN = ("に対する", "に占める", "のうち")


def _ratios(items: Items) -> None:
    """粗利率, where its two numbers are there: of sums, in each group."""
    for at in items.free("word"):
        if not items.name(at).startswith(RATIO):
            continue
        over, divided, under = items.name(at).removeprefix(RATIO).partition("/")
        if not divided and _is_more_than_figure(items):
            continue
        left = _made(items, over) or (_made(items, "actual") if over == "sales" else None)
        right = _made(items, under) if divided else None
        if left is None or (divided and right is None):
            continue
        tree = {"fn": "divide", "left": left, "right": right} if right else left
        name = _shown(tree) if left["fn"] == "column" else items.text(at)
        formula = Formula(name, tree, "sums" if right else "open")
        places = [one for one in items.free("column") if items.name(one) in formula.columns]
        items.use("measure", at, *places)
        if right:
            items.take("mean", "divide", "minus", "sum", role="measure")
        items.frame.formula = formula


def _is_more_than_figure(items: Items) -> bool:
    """Profit beside other figures, shares or limits of it: that is asked."""
    places = range(len(items.all))
    is_limited = items.has("negative", "positive", "zero", "ge", "gt", "le", "lt", "above_mean")
    is_shared = items.has("share", "divide", "per_period") or "per" in map(items.text, places)
    return is_limited or is_shared or any(map(items.is_measure, places))


def _made(items: Items, concept: str) -> dict[str, Any] | None:
    """The column of a figure; profit, where none has it: sales without their cost."""
    of, _, less = concept.partition("-")
    if not less and not _figures_of(items, of) and (parts := parts_of(of)):
        of, less = parts
    found = [_figures_of(items, one) for one in (of, less) if one]
    if not all(found):
        return None
    items.doubt(1.0 if any(len(one) > 1 for one in found) else 0.0)  # of which half year?
    first, *rest = (_column(one[0]) for one in found)
    if not rest:
        return first
    scene = items.scene
    is_of_one = all(items.column_of_concept(one) for one in ("quantity", "price"))
    items.doubt(1.0 if is_of_one and scene.columns[found[1][0]].adds is None else 0.0)
    return {"fn": "subtract", "left": first, "right": rest[0]}


def _figures_of(items: Items, name: str) -> list[str]:
    """Columns that are called so: Sales Reps are no sales."""
    words = {said for concept in concepts() if concept.name == name for said in concept.words}
    return [
        one.name
        for one in items.scene.columns.values()
        if name in one.concepts and one.is_measure and any(said in words for said in _ends(one))
    ]


def _ends(known: KnownColumn) -> set[tuple[str, ...]]:
    whole = forms(known.name.partition("（")[0].partition("(")[0]) or forms(known.name)
    plain = tuple(form for form in whole if form not in forms_of("weak")) or whole
    last = forms(known.name.rpartition("_")[2])
    return {part[start:] for part in (whole, plain, last) for start in range(len(part))}


def _worth(items: Items) -> bool:
    """Stock value, 在庫金額: how many, at what each costs."""
    columns = items.scene.columns
    prices = [name for name in items.scene.measures if columns[name].concepts & {"price", "cost"}]
    for at in range(len(items.all)):
        behind = items.after(at)
        beside = at + 1 if items.text(at + 1) in set_of("worth") else behind
        if not _is_number(items, at) or items.known(at).is_money or not prices or beside is None:
            continue
        if items.text(beside) not in set_of("worth") or items.known(at).name in prices:
            continue
        if items.choose(f"worth:{at}", [(True, 0.4), (False, 0.6)]):
            right = _column(prices[0])
            tree = {"fn": "multiply", "left": _column(items.name(at)), "right": right}
            return _defined(items, tree, [at, beside], of_sums=False)
    return False


def _weighted(items: Items) -> bool:
    """Handle time weighted by calls, 客数で加重した単価: products by the sum of weights."""
    for at in items.words("weighted"):
        columns = [one for one in range(len(items.all)) if _is_number(items, one)]
        if items.all[at].is_japanese:
            weights = [one for one in columns if one < at and items.text(one + 1) == "で"]
        else:
            weights = [one for one in columns if one > at]
        figures = [one for one in columns if weights and items.name(one) != items.name(weights[0])]
        if not weights or len({items.name(one) for one in figures}) != 1:
            continue
        figure, weight = items.known(figures[0]), items.known(weights[0])
        product = {"fn": "multiply", "left": _column(figure.name), "right": _column(weight.name)}
        tree = {"fn": "divide", "left": _column(_shown(product)), "right": _column(weight.name)}
        items.use("measure", at, *figures, *weights)
        items.take("mean", "sum", "count", role="measure")
        if figure.profile.missing:
            items.condition(at, Presence(col=figure.name, op="not_null"))
        name = f"{figure.name}（{weight.name}）"
        items.frame.formula = Formula(name, tree, "sums", product=product)
        return True
    return False


def _elapsed(items: Items) -> bool:
    """予約からチェックインまで平均何日, how long from order to return: days between two dates."""
    places = [at for at in range(len(items.all)) if _dates_at(items, at)]
    lengths = [at for at in range(len(items.all)) if items.text(at) in set_of("lengths")]
    for first, last in pairwise(places):
        between = {items.text(at) for at in range(first + 1, last + 2)}
        told = [_dates_at(items, at) for at in (first, last)]
        is_span = len({*told[0], *told[1]}) == 2 and bool(between & set_of("spans"))
        if is_span and _longer_than(items, first, last, (told[0][0], told[1][0])):
            return True
        if not lengths or not is_span:
            continue
        start, end = (_column(*names) for names in told)
        items.use("measure", *lengths, *range(first, last + 1))
        items.use("measure", *(at for at in (first - 1, last + 1) if items.text(at) in _ENDS))
        tree = {"fn": "date_difference", "start": start, "end": end, "unit": "days"}
        items.take("how_much", "count", "between", role="measure")
        items.frame.formula = Formula(f"{told[0][0]}–{told[1][0]}", tree, "rows")
        return True
    return False


def _longer_than(items: Items, first: int, last: int, dates: tuple[str, str]) -> bool:
    """受入日から報告日まで7日以上かかった: a condition on the days between them."""
    for at in range(last + 1, min(last + 4, len(items.all))):
        figure, comparison = items.figure(at), items.comparison(at)
        if figure is None or figure.unit != "日" or figure.value is None or comparison is None:
            continue
        ends = (place for place in range(first, last + 2) if items.text(place) in _ENDS)
        items.use("condition", at, comparison, first, last, *ends)
        op = OPS[items.name(comparison)]
        items.frame.options["against"] = (dates[1], op, dates[0], float(figure.value))
        return True
    return False


_ENDS = frozenset(("from", "between", "まで", "から", "to", "until"))


def _dates_at(items: Items, at: int) -> list[str]:
    """The one date that is named there, or whose event is: order, of Order Date."""
    if items.is_used(at):
        return []
    if items.is_kind(at, "column") and items.known(at).is_date:
        return [items.name(at)]
    said = set(forms(items.text(at)))
    own = [name for name in items.scene.dates if said and said <= set(forms(name))]
    own = [name for name in own if said == {*strong_forms(forms(name))}] or own
    return own if len(own) == 1 and said.isdisjoint(forms_of("weak")) else []


# ---- of one ----


def _per_one(items: Items) -> None:
    """1泊あたりの料金, sales per order: so much for each of what a column counts or names."""
    for at in items.words("per_period", "each"):
        is_japanese = items.all[at].is_japanese
        if items.is_word(at, "each") and (is_japanese or items.text(at) != "per"):
            continue
        one = items.before(at) if is_japanese else items.after(at)
        figure = items.figure(one)
        first = one
        if one is not None and items.is_kind(one, "column"):
            first = items.before(one) if is_japanese else one  # 1店舗あたり
            is_one = (number := items.figure(first)) is not None and number.value == 1
            first = first if is_one and not items.is_kind(first, "when") else one
        elif items.is_word(one, "rows") and not is_japanese:
            first = one  # per bill
        elif figure is None or figure.value != 1 or items.is_kind(one, "when"):
            continue
        number = _beside(items, at, is_behind=is_japanese, but=one)
        below = None if one is None else _below(items, one, is_japanese=is_japanese)
        if number is None and below == "" and items.has("mean"):
            items.use("measure", at, one, first)  # 1件あたり平均いくら
        if number is None or below is None or one is None:
            continue
        items.use("measure", at, one, first)
        if below in ("", items.name(number)):  # average revenue per sale: of each row
            below = ""
            noun = items.before(one)  # 申請1件あたり
            if is_japanese and noun is not None and noun == one - 1:
                items.use("rows", noun)
            if items.has(*STATISTICS):
                return  # 1件あたりの金額の平均と中央値
            items.take("mean", role="measure")
            items.frame.measures.append(Measure(items.name(number), "mean"))
            items.use("measure", number)
            return
        items.use("measure", number)
        if items.take("mean", role="measure"):
            items.frame.options["is_mean_per"] = True
            items.doubt(1.0 if items.scene.is_panel(below) else 0.0)
        tree = {"fn": "divide", "left": _column(items.name(number)), "right": _column(below)}
        under = items.scene.columns[below]
        if under.is_measure and under.adds is False and items.scene.dates and not items.has(*ORDER):
            items.doubt(1.0)  # 1㎡あたり, where each month has the whole area again
        counted = None if under.is_measure else below
        level = "sums" if counted else "open"
        items.frame.formula = Formula(_shown(tree), tree, level, counted)
        return


def _beside(items: Items, at: int, *, is_behind: bool, but: int | None) -> int | None:
    """The number that is meant: behind あたり, before per."""
    places = [one for one in items.free("column") if _is_number(items, one) and one != but]
    near = [one for one in places if (one > at) == is_behind]
    ordered = near if is_behind else near[::-1]
    return next(iter(ordered or places), None)


def _below(items: Items, at: int, *, is_japanese: bool) -> str | None:
    """What is divided by: a column of numbers, one whose values are counted; "" for rows."""
    scene, figure = items.scene, items.figure(at)
    if items.is_kind(at, "column"):
        return None if items.is_used(at) else _below_column(items, at, is_japanese=is_japanese)
    if figure is None:
        return "" if items.is_word(at, "rows") else None
    unit = items.text(at + 1)[:1] if is_japanese and not figure.unit else figure.unit
    unit = items.text(at).lstrip("1") or unit  # 1㎡
    units = [one.name for one in scene.columns.values() if one.is_measure and _counts(one, unit)]
    if units:
        return units[0]
    if unit in ("人", "名"):
        people = [one for one in scene.columns.values() if one.concepts & set_of("people")]
        is_row = any(one.is_row(scene.profile.rows) for one in people)
        return people[0].name if people and not is_row else ""
    return "" if unit in ("件", "回", "行") else None


def _below_column(items: Items, at: int, *, is_japanese: bool) -> str | None:
    known = items.known(at)
    if known.is_row(items.scene.profile.rows) and not known.is_measure:
        return ""
    # 店舗あたり is of the shops; per store is by store, per order is not.
    is_many = known.profile.is_identifier or known.profile.distinct > MANY
    is_kind = known.is_year or (known.profile.distinct <= FEW and not known.adds)
    is_number = known.is_measure and not is_kind  # per cylinder is by cylinders
    is_fit = is_number or is_japanese or (is_many and not known.is_measure)
    return known.name if is_fit and not known.is_date else None


def _counts(known: KnownColumn, unit: str) -> bool:
    """個数 counts 個, 泊数（泊） counts 泊."""
    return bool(unit) and (unit == narrowed(known.profile.unit) or f"{unit}数" in known.name)


def _name(items: Items, start: int) -> str | None:
    """What is so defined; a rate, where its definition stands in brackets at the end."""
    at = start - 1
    while at >= 0 and items.text(at) in (*_DEFINES, "the", "as"):
        at -= 1
    if at < 0 or at == start - 1:
        return None
    rates = [one for one in items.free("unknown") if items.text(one) in set_of("rates")]
    is_apart = items.text(start - 1) == "(" and len(rates) == 1
    return _take_name(items, at) or (_take_name(items, rates[0]) if is_apart else None)


def _shown(tree: dict[str, Any]) -> str:
    if tree["fn"] == "column":
        return tree["name"]
    parts = [
        f"({_shown(tree[side])})" if tree[side]["fn"] != "column" else _shown(tree[side])
        for side in ("left", "right")
    ]
    return _SHOWN[tree["fn"]].join(parts)
