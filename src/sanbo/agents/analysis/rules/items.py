"""The stretches of a question while they are given their parts: who stands beside whom."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame
from sanbo.agents.analysis.rules.lexicon import ADJECTIVE, KIN, set_of
from sanbo.agents.analysis.rules.scene import KnownColumn, Scene
from sanbo.agents.analysis.rules.senses import Item, Kind
from sanbo.agents.analysis.rules.tokens import forms
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.words import Aggregate
from sanbo.language.figures import Figure

AGGREGATES: tuple[str, ...] = (
    "sum", "mean", "median", "max", "min", "std", "var", "q10", "q25", "q75", "q90",
    "range", "mode",
)  # fmt: skip
STATISTICS = AGGREGATES[2:]
"""Neither the sum nor the mean."""
ORDER = (
    "most", "high", "low", "many", "few", "top", "bottom", "order", "desc", "asc", "first_place",
    "last_place",
)  # fmt: skip
OF_DAYS = ("newest", "oldest")
RANKS = ("top", "bottom", "high", "low", "most", "many", "few")
EXCLUDES = ("exclude", "not_contain")
_COMPARISONS = ("ge", "gt", "le", "lt", "equals")
_REACH = 5
_PLACES = ("condition", "group", "rows", "period", "step")
_OF_ROWS = frozenset(("scatter", "hist", "box", "distribution", "correlation", "outliers"))
"""Charts and operations with a mark for each row."""
_KANJI = re.compile("[一-龠]")
_KANA = re.compile("[ぁ-ん]")
T = TypeVar("T")


_RELATIVE = frozenset(("where", "whose", "who", "which", "that"))
"""Leaving out those | where the score is 0."""


class Items:
    def __init__(self, items: Sequence[Item], scene: Scene, chooser: Chooser) -> None:
        self.all = items
        self.scene = scene
        self.frame = Frame()
        self.roles: dict[int, str] = {}
        self._chooser = chooser
        self._made: list[tuple[int, Filter]] = []
        self.said = frozenset(form for item in items for form in forms(item.text))
        self.frame.options["said"] = self.said
        self.told: dict[str, int] = {}
        """The columns of conditions, and where each was said last."""

    # ---- what is there ----

    def free(self, kind: Kind) -> list[int]:
        return [
            at for at in range(len(self.all)) if self.is_kind(at, kind) and not self.is_used(at)
        ]

    def words(self, *names: str) -> list[int]:
        return [at for at in self.free("word") if self.name(at) in names]

    def has(self, *names: str) -> bool:
        return any(self.is_word(at, *names) for at in range(len(self.all)))

    def is_used(self, at: int) -> bool:
        return at in self.roles

    def use(self, role: str, *places: int | None) -> None:
        for at in places:
            if at is not None and 0 <= at < len(self.all):
                self.roles[at] = role

    def take(self, *names: str, role: str = "step") -> bool:
        """Whether one of these words stands there; it counts as read."""
        places = self.words(*names)
        self.use(role, *places)
        return bool(places)

    def is_kind(self, at: int | None, *kinds: Kind) -> bool:
        return at is not None and at < len(self.all) and self.all[at].sense.kind in kinds

    def is_word(self, at: int | None, *names: str) -> bool:
        return at is not None and self.is_kind(at, "word") and self.name(at) in names

    def name(self, at: int) -> str:
        """Of its column, or what the word stands for."""
        return self.all[at].sense.name

    def text(self, at: int) -> str:
        return self.all[at].text if at < len(self.all) else ""

    def figure(self, at: int | None) -> Figure | None:
        return None if at is None else self.all[at].sense.figure

    def known(self, at: int) -> KnownColumn:
        return self.scene.columns[self.name(at)]

    def is_measure(self, at: int | None) -> bool:
        """Whether a column of figures is named there."""
        return at is not None and self.is_kind(at, "column") and self.known(at).is_measure

    def is_category(self, at: int | None) -> bool:
        if at is None or not self.is_kind(at, "column"):
            return False
        return not self.known(at).is_measure and not self.known(at).is_date

    def condition(self, at: int, *made: Filter) -> None:
        """One more that rows must meet, said at this place."""
        self.frame.conditions += made
        self._made += [(at, one) for one in made]
        self.told |= {one.col: at for one in made if not isinstance(one, AnyOf)}

    def condition_at(self, at: int) -> Filter | None:
        """What was made of what stands there."""
        return next((one for place, one in self._made if place == at), None)

    def join_alternatives(self) -> None:
        """X または Y: one of the two conditions, where each is one."""
        for at in self.words("and_or"):
            if self.text(at) == "か" and not self._is_between(at):
                continue  # ありますか
            before = [made for made in self._made if made[0] < at]
            after = [made for made in self._made if made[0] > at]
            if not before or not after:
                continue  # or two values of one column, which are one condition already
            first = max(before, key=lambda made: made[0])[1]
            second = min(after, key=lambda made: made[0])[1]
            if isinstance(first, AnyOf) or isinstance(second, AnyOf):
                continue
            if first not in self.frame.conditions or second not in self.frame.conditions:
                continue
            rest = [one for one in self.frame.conditions if one is not first and one is not second]
            self.frame.conditions = [*rest, AnyOf(any_of=(first, second))]
            self.use("condition", at)
            return

    def _is_between(self, at: int) -> bool:
        beside = (self.before(at), self.after(at))
        return all(self.roles.get(at) == "condition" for at in beside if at is not None)

    def choose(self, key: str, options: Sequence[tuple[T, float]]) -> T:
        return self._chooser.choose(key, options)

    def doubt(self, cost: float) -> None:
        self._chooser.cost += cost

    def is_unread(self, at: int) -> bool:
        item, ahead = self.all[at], self.before(at)
        if item.text == "より" and not self.is_used(at) and self.is_word(at, "gt"):
            return True  # a particle that compares
        if self.is_used(at) or not item.is_content or self.is_kind(at, "join", "glue"):
            return False
        # Multiple bars; customers with multiple orders are something else.
        drawn = ("drawn",) if self.frame.chart is not None else ()
        if self.is_word(at, *set_of("harmless"), *drawn) or self._is_of_read(at):
            return False
        behind_column = self.is_kind(ahead, "column") or self.roles.get(ahead or -1) == "measure"
        if item.text in set_of("tails") and behind_column and self._is_tail(item.text, ahead):
            return False  # 商品のコード, the performance score, 満足度の平均点
        return not (self._is_void_here(at, ahead) or self._is_unit(at, ahead))

    def _is_void_here(self, at: int, ahead: int | None) -> bool:
        """Suppliers we buy from; less than 5 each; comes from the West; ended in an order."""
        item, behind = self.all[at], self.after(at)
        if item.is_japanese:
            return False
        is_number = self.is_kind(ahead, "number") and ahead in self.roles
        is_last = behind is None and (item.text == "from" or (item.text == "each" and is_number))
        is_end = self.is_word(at, "ends", "starts") and self.is_kind(behind, "value")
        is_place = item.text in ("from", "within", "through", "over", "under")
        is_place &= self.roles.get(behind or -1) in _PLACES
        return is_last or is_place or (is_end and behind in self.roles)

    def _is_of_read(self, at: int) -> bool:
        """What says no more than something that is read: for each film, 30分以上|遅れた."""
        frame, item = self.frame, self.all[at]
        if self.is_word(at, "each", "drawn") and not item.is_japanese:
            return self._is_of_head(at)
        if self.is_word(at, "breakdown"):
            return bool(frame.groups)
        if self.is_word(at, "bins"):
            return "counted_by" in frame.options or frame.chart == "hist"  # a histogram has them
        kanji = set(_KANJI.findall(item.text))
        if not self.is_kind(at, "unknown") or not kanji or not _KANA.search(item.text):
            return False
        return any(kanji <= set(name) for name in self._names_read())

    def _is_of_head(self, at: int) -> bool:
        """For each film, each point: what it is of is read, and it says nothing more."""
        frame = self.frame
        if self.is_word(min(at + 1, len(self.all) - 1), "style"):
            return True
        head = self.after(at, over=lambda one: self.is_word(one, "each", "drawn", "distinct"))
        if head is None or head not in self.roles:
            return False
        is_row = self.is_word(head, "rows") or (
            self.is_kind(head, "column") and self.scene.is_entity(self.name(head))
        )
        is_mark = {frame.chart, frame.op} & _OF_ROWS or frame.options.get("is_compared")
        is_operand = frame.op is not None and self.is_category(head)
        return bool(is_row and is_mark) or is_operand or self.roles[head] == "group"

    def _names_read(self) -> Iterator[str]:
        """All that the columns and values are called that have a part in the question."""
        frame = self.frame
        computed = [one.column for one in (*frame.measures, *frame.groups) if one.column]
        for name in {*computed, *self.told, *frame.columns}:
            yield from ("".join(one.forms) for one in self.scene.columns[name].names)
        for at in self.roles:
            yield self.name(at) if self.is_kind(at, "value") else ""

    def _is_tail(self, text: str, ahead: int | None) -> bool:
        """遅延時間 is no 遅延件数."""
        if text != "時間" or ahead is None or not self.is_kind(ahead, "column"):
            return True
        known = self.known(ahead)
        return known.profile.unit not in set_of("counted") and not known.is_money

    def _is_unit(self, at: int, ahead: int | None) -> bool:
        """千円, 何kg, the rate of an occupancy rate: the unit says nothing more."""
        text, measured = self.text(at), {one.column for one in self.frame.measures}
        measured |= set(self.frame.formula.columns if self.frame.formula else ())
        known = [one for name, one in self.scene.columns.items() if name in measured]
        if any(text.removeprefix("何") == one.profile.unit.casefold() for one in known):
            return True
        called = {column for name, column, _ in self.scene.names_of(text)}
        if called and called <= measured and self.is_kind(at, "unknown"):
            return True  # 何|歳, of an age
        if any(one.is_money for one in known) and set_of("money_units").issuperset(text.split()):
            return True  # thousands of dollars
        if text not in set_of("rates") or ahead is None or not self.is_kind(ahead, "column"):
            return False
        profile = self.known(ahead).profile
        return profile.is_rate or profile.type == "percent"

    def done(self) -> None:
        self.frame.unread = [item.text for at, item in enumerate(self.all) if self.is_unread(at)]
        if any(
            self.is_kind(at, "column") and self.all[at].sense.quality == KIN
            for at in self.roles
            if self.text(at) not in set_of("rates")
        ):
            self.doubt(1.0)
        self.frame.cost = self._chooser.cost + UNREAD * len(self.frame.unread)

    # ---- neighbours ----

    def is_void(self, at: int) -> bool:
        return self.is_kind(at, "glue", "join") or self.is_word(
            at, "filler", "same", "only", "both", "style", "drawn"
        )

    def after(self, at: int, *, over: Callable[[int], bool] | None = None) -> int | None:
        return self._step(at, 1, over)

    def before(self, at: int, *, over: Callable[[int], bool] | None = None) -> int | None:
        return self._step(at, -1, over)

    def _step(self, at: int, by: int, over: Callable[[int], bool] | None) -> int | None:
        at += by
        while 0 <= at < len(self.all):
            if self.all[at].text in ("。", "?", "!", ";"):
                return None
            if not self.is_void(at) and not (over is not None and over(at)):
                return at
            at += by
        return None

    def next_of(self, at: int, kind: Kind) -> int | None:
        found = self.after(at)
        return found if self.is_kind(found, kind) else None

    def near(self, at: int, *names: str, reach: int) -> int | None:
        """The nearest of these words: behind it first in Japanese, before it in English."""
        for direction in (1, -1) if self.all[at].is_japanese else (-1, 1):
            for place in range(at + direction, at + direction * (reach + 1), direction):
                if not 0 <= place < len(self.all):
                    break
                if self.is_word(place, *names) and not self.is_used(place):
                    return place
        return None

    def near_column(
        self, at: int, fits: Callable[[KnownColumn], bool], *, also_rows: bool = False
    ) -> int | None:
        """Named before it; or just behind it. `also_rows`: one that names the rows, too."""

        def may(place: int | None) -> bool:
            if place is None or not self.is_kind(place, "column"):
                return False
            known = self.known(place)
            is_open = self.roles.get(place) != "group"
            return is_open and fits(known) and (also_rows or not self.scene.is_entity(known.name))

        for place in range(at - 1, max(-1, at - 1 - _REACH), -1):
            if self.text(place) in ("。", ";"):
                break
            if may(place):
                return place
            if self.is_kind(place, "number", "when") and self.all[place].is_japanese:
                break
        skipped = (*_COMPARISONS, "exclude", "and_or")
        behind = self.after(at, over=lambda one: self.is_word(one, *skipped))
        return behind if may(behind) else None

    def near_measure(self, at: int) -> int | None:
        return self.near_column(at, lambda known: known.is_measure)

    # ---- what compares and negates ----

    def comparison(self, at: int) -> int | None:
        def is_counted(one: int) -> bool:
            return one == at + 1 and self.is_measure(one) and not self.all[one].is_japanese

        behind, ahead = self.after(at, over=is_counted), self.before(at)  # three guests or more
        if behind is not None and self.is_word(behind, *_COMPARISONS):
            item = self.all[behind]
            if item.is_japanese or item.text.startswith(("or ", "and ", "+")):
                return behind
        if ahead is None or not self.is_word(ahead, *_COMPARISONS):
            return None
        return None if self.all[ahead].is_japanese else ahead

    def exclusion(self, first: int, last: int) -> int | None:
        """What says that this stretch is left out; every such word belongs to one stretch."""

        passed: list[str] = []

        def own(at: int) -> bool:
            """A column's name between a value and what excludes it; of one column alone."""
            if not self.is_kind(at, "column") or self.is_word(self.after(at), "each"):
                return False
            if self.is_kind(first, "when") and not self.known(at).is_date:
                return False  # no sales in 2017
            if "うち" in (self.text(one) for one in range(last, at)):
                return False  # 業務委託のうち自動更新でないもの
            passed.append(self.name(at))
            return len(set(passed)) == 1

        skipped = (*_COMPARISONS, "contain", "rows", "each")
        behind = self.after(last, over=lambda one: own(one) or self.is_word(one, "rows"))
        passed.clear()
        ahead = self.before(
            first,
            over=lambda one: own(one) or self.is_word(one, *skipped) or self.text(one) in _RELATIVE,
        )
        for at in (behind, ahead):
            if at is None or not self.is_word(at, *EXCLUDES) or self.is_used(at):
                continue
            is_behind = self.all[at].is_japanese or self.text(at) in set_of("afterwards")
            is_rest = any(self.text(one) == "それ" for one in range(last, at))  # 新宿店とそれ以外
            if is_behind == (at == behind) and not is_rest:
                return at
        return None

    # ---- chains and ranges ----

    def are_joined(self, first: int, last: int) -> bool:
        between = range(first + 1, last)
        if not between:
            return self.all[first].is_japanese or self.all[last].is_japanese
        return all(
            self.is_void(at) or self.is_word(at, "and_or") or self.roles.get(at) == "join"
            for at in between
        ) and any(
            self.is_kind(at, "join") or self.is_word(at, "and_or") or self.text(at) == "も"
            for at in between
        )

    def chains(self, kind: Kind) -> list[list[int]]:
        made: list[list[int]] = []
        for at in self.free(kind):
            if made and self.are_joined(made[-1][-1], at):
                made[-1].append(at)
            else:
                made.append([at])
        return made

    def is_range(self, first: int, last: int) -> bool:
        if last - first > 4:
            return False
        between = {item.text for item in self.all[first + 1 : last]}
        if between & set_of("ranges") and between.isdisjoint(("and", "or")):  # 3- and 5-cylinder
            return True
        is_told = self.is_word(self.before(first), "between") or self.text(last + 1) == "の間"
        return is_told and not between.isdisjoint(("and", "と"))

    def use_between(self, chain: Sequence[int]) -> None:
        for at in range(chain[0], chain[-1] + 1):
            if self.is_void(at) or self.is_word(at, "and_or"):
                self.use("join", at)

    # ---- columns and their words ----

    def column_place(self, at: int, column: str) -> int | None:
        near = range(max(0, at - _REACH - 1), min(len(self.all), at + _REACH + 2))
        places = [one for one in near if self.is_kind(one, "column") and self.name(one) == column]
        return min(places, key=lambda place: abs(place - at), default=None)

    def is_beside_column(self, at: int, column: str) -> bool:
        place = self.column_place(at, column)
        if place is None:
            return False
        between = range(min(place, at) + 1, max(place, at))
        return all(
            self.is_void(one)
            or self.is_word(one, "equals", "exclude")
            or self.text(one) in set_of("tails")
            for one in between
        )

    def aggregate_at(self, column: int) -> int | None:
        """The word beside a column's name that says what is computed of it."""
        behind, ahead = self.after(column), self.before(column)
        is_ahead = self.is_word(ahead, *AGGREGATES)
        is_behind = self.is_word(behind, *AGGREGATES) and behind not in self.roles
        if behind is not None and is_behind and (self.all[behind].is_japanese or not is_ahead):
            return behind
        if ahead is None or not is_ahead or self.is_used(ahead):
            return None
        return ahead if not self.all[ahead].is_japanese or column - ahead == 1 else None

    def aggregate(self, at: int) -> Aggregate:
        return cast("Aggregate", self.name(at))

    def has_grouping(self) -> bool:
        return self.has("each", "each_before", "which") or any(
            self.is_category(at) and not self.scene.is_entity(self.name(at))
            for at in range(len(self.all))
        )

    def column_of_concept(self, concept: str) -> str | None:
        found = (name for name, known in self.scene.columns.items() if concept in known.concepts)
        return next(found, None)

    def use_own_column(self, at: int, column: str) -> None:
        """店舗が新宿店, the West region: the column's name says nothing more."""
        for place in (self.before(at), self.after(at)):
            if place is None or not self.is_kind(place, "column"):
                continue
            if self.name(place) != column or abs(place - at) > 3:
                continue
            ahead = self.before(place)
            is_marked = self.is_word(ahead, "each", "which", "each_before")
            if not is_marked and not self.is_word(self.after(place), "each"):
                self.use("condition", place)

    def use_head_noun(self, at: int) -> None:
        """Corporate customers: what the value is said of."""
        place = at + 1
        if place >= len(self.all) or self.all[place].is_japanese or not self.is_category(place):
            return
        if not self.is_word(self.before(at), "each") and not self.is_used(place):
            self.use("condition", place)

    def use_heads_of_conditions(self) -> None:
        """却下以外の申請: a noun behind a condition says what the rows are."""
        for at in self.free("column"):
            item, ahead, behind = self.all[at], self.before(at), self.after(at)
            is_behind = ahead is not None and self.roles.get(ahead) == "condition"
            is_noun = item.is_japanese and item.sense.quality < 0.78 and not self.is_measure(at)
            rest = self.name(at).removeprefix(item.text).partition("（")[0].partition("(")[0]
            is_event = self.name(at).startswith(item.text) and item.sense.quality < 0.9
            is_open = not self.is_measure(at) or self.is_word(behind, *EXCLUDES)
            is_noun |= is_event and is_open and rest in ("額", "者", "日")  # 申請を除いて
            is_noun |= self._is_head(at)
            if is_behind and is_noun and not self.is_word(behind, "each", *AGGREGATES):
                self.use("rows", at)
                self.frame.options.setdefault("own", []).append(self.name(at))

    def _is_head(self, at: int) -> bool:
        """研究用途の建物について、合計を: all of them, and no figure for each."""
        is_asked = self.has("which", "who", *ORDER) or not self.has(*AGGREGATES)
        is_one = self.all[at].is_japanese and self.is_category(at)
        is_of_sum = bool(self.frame.having)  # 売上の合計が100万円以上の店舗: which of them
        return is_one and not is_asked and not is_of_sum and self.text(at - 1) == "の"

    def is_limit(self, at: int) -> bool:
        """5 of 上位5件, top 5, 5 highest, 多い順に5つ, the 5 films with the biggest gross."""
        figure = self.figure(at)
        if figure is None or figure.value is None or figure.value.denominator != 1:
            return False
        if figure.kind not in ("number", "count") or self.comparison(at) is not None:
            return False
        if figure.unit in ("か月", "年間", "週", "日"):
            return False  # the last 3 months
        ahead, behind = self.before(at), self.after(at)

        def ranks(place: int | None) -> bool:
            return place is not None and (
                self.is_word(place, *RANKS) or self.name(place).startswith(ADJECTIVE)
            )

        if ranks(ahead) or ranks(behind) or self.is_latest(ahead):
            return True
        if not self.has("order", "desc", "asc", *OF_DAYS) and not any(
            map(ranks, range(len(self.all)))
        ):
            return False
        return (
            self.is_word(ahead, "order", "desc", "asc", *OF_DAYS)
            or figure.unit in ("件", "個", "人", "社")
            or self.text(at + 1) in set_of("counters")
            or (self.is_kind(behind, "column") and not self.is_measure(behind))
            or (self.is_word(behind, "rows") and not self.all[at].is_japanese)
            or self._is_said_again(behind)
        )

    def is_latest(self, at: int | None) -> bool:
        """The last 5 orders, the most recent ticket: of rows, and not the last 5 months."""
        if at is None or not self.is_word(at, "recent") or self.all[at].is_japanese:
            return False
        behind = self.after(at, over=lambda one: self.is_kind(one, "number"))
        return self.is_word(behind, "rows") or self.is_category(behind)

    def _is_said_again(self, at: int | None) -> bool:
        """The ten sales with the highest revenue: another word for what ranks them."""
        if at is None or not self.is_measure(at) or self.all[at].sense.quality >= 0.8:
            return False
        others = (one for one in range(len(self.all)) if self.is_measure(one) and one != at)
        return any(self.name(one) == self.name(at) for one in others)

    def merge_conditions(self) -> None:
        """Two values of one column: either of them."""
        merged: dict[object, Filter] = {}
        for number, one in enumerate(self.frame.conditions):
            if (
                not isinstance(one, Compare)
                or one.op != "=="
                or not isinstance(one.value, str)
                or self.scene.columns[one.col].is_date
            ):
                merged[number] = one
            elif isinstance(before := merged.get(one.col), Compare | Among):
                known = before.value if isinstance(before, Among) else (before.value,)
                values = tuple(dict.fromkeys((*known, one.value)))
                if len(values) == 1:
                    continue  # the Osaka store (大阪店)
                merged[one.col] = Among(col=one.col, op="in", value=values)
                self.frame.options.setdefault("compared", one.col)
            else:
                merged[one.col] = one
        self.frame.conditions = list(merged.values())
