"""The stretches of a question while they are given their parts: who stands beside whom."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, cast

from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame
from sanbo.agents.analysis.rules.lexicon import ADJECTIVE
from sanbo.agents.analysis.rules.mentions import Item, Kind, Sense
from sanbo.agents.analysis.rules.scene import KnownColumn, Scene
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter
from sanbo.agents.analysis.spec.words import Aggregate

AGGREGATES: tuple[str, ...] = (
    "sum", "mean", "median", "max", "min", "std", "var", "q25", "q75", "range", "mode",
)  # fmt: skip
EXCLUDES = ("exclude", "not_contain")
_COMPARISONS = ("ge", "gt", "le", "lt", "equals")
_RANGE_SIGNS = frozenset(("から", "~", "〜", "-", "–", "—", "to", "through", "until", "till"))
_AFTERWARDS = frozenset(("excluded", "removed", "omitted", "ignored", "left out", "aside", "apart"))
_REACH = 5
TAILS = frozenset(
    ("コード", "名", "名前", "番号", "name", "names", "code", "codes", "number", "numbers")
)
_RATES = frozenset(("rate", "rates", "ratio", "percentage", "率"))
# Words that only say that something is asked; nothing is lost without them.
HARMLESS = frozenset(
    (
        "filler",
        "which",
        "chart",
        "rows",
        "compare",
        "both",
        "same",
        "also",
        "instead",
        "trend",
        "style",
        "too",
        "how_much",
    )
)
T = TypeVar("T")


class Items:
    def __init__(self, items: Sequence[Item], scene: Scene, chooser: Chooser) -> None:
        self.all = items
        self.scene = scene
        self.frame = Frame()
        self.roles: dict[int, str] = {}
        self._chooser = chooser
        self._said: list[int] = []

    # ---- what is there ----

    def free(self, kind: Kind) -> list[int]:
        return [
            at
            for at, item in enumerate(self.all)
            if item.sense.kind == kind and at not in self.roles
        ]

    def words(self, *names: str) -> list[int]:
        return [at for at in self.free("word") if self.all[at].sense.name in names]

    def has(self, *names: str) -> bool:
        return any(item.sense.kind == "word" and item.sense.name in names for item in self.all)

    def is_used(self, at: int) -> bool:
        return at in self.roles

    def use(self, at: int, role: str) -> None:
        if 0 <= at < len(self.all):
            self.roles[at] = role

    def take(self, *names: str, role: str = "step") -> bool:
        """Whether one of these words stands there; it counts as read."""
        places = self.words(*names)
        for at in places:
            self.use(at, role)
        return bool(places)

    def known(self, at: int) -> KnownColumn:
        return self.scene.columns[self.all[at].sense.name]

    def condition(self, at: int, *made: Filter) -> None:
        """One more that rows must meet, said at this place."""
        self.frame.conditions += made
        self._said += [at] * len(made)

    def join_alternatives(self) -> None:
        """X または Y: one of the two conditions, where each is one."""
        for at in self.words("and_or"):
            if self.all[at].text == "か" and not self._is_between(at):
                continue  # ありますか
            before = [n for n, place in enumerate(self._said) if place < at]
            after = [n for n, place in enumerate(self._said) if place > at]
            if not before or not after:
                continue
            first, second = self.frame.conditions[before[-1]], self.frame.conditions[after[0]]
            if isinstance(first, AnyOf) or isinstance(second, AnyOf):
                continue
            both = AnyOf(any_of=(first, second))
            rest = [one for one in self.frame.conditions if one is not first and one is not second]
            self.frame.conditions = [*rest, both]
            self.use(at, "condition")
            return

    def _is_between(self, at: int) -> bool:
        beside = (self.before(at), self.after(at))
        roles = [self.roles.get(place, "") for place in beside if place is not None]
        return all(role == "condition" for role in roles)

    def choose(self, key: str, options: Sequence[tuple[T, float]]) -> T:
        return self._chooser.choose(key, options)

    def doubt(self, cost: float) -> None:
        self._chooser.cost += cost

    def unread(self) -> list[str]:
        lost: list[str] = []
        for at, item in enumerate(self.all):
            sense = item.sense
            if at in self.roles or not item.is_content or sense.kind in ("join", "glue"):
                continue
            if sense.kind == "word" and sense.name in HARMLESS:
                continue
            ahead = self.before(at)
            if item.text in TAILS and ahead is not None and self.all[ahead].sense.kind == "column":
                continue  # 商品のコード
            if self._is_unit(item.text, ahead):
                continue
            lost.append(item.text)
        return lost

    def _is_unit(self, text: str, ahead: int | None) -> bool:
        """千円, 何kg, the rate of an occupancy rate: the unit says nothing more."""
        measured = {one.column for one in self.frame.measures}
        known = [one for name, one in self.scene.columns.items() if name in measured]
        if any(text == one.profile.unit.casefold() for one in known):
            return True
        if text not in _RATES or ahead is None or self.all[ahead].sense.kind != "column":
            return False
        profile = self.known(ahead).profile
        return profile.is_rate or profile.type == "percent"

    def done(self) -> Frame:
        self.frame.unread = self.unread()
        self.frame.cost = self._chooser.cost + UNREAD * len(self.frame.unread)
        return self.frame

    # ---- neighbours ----

    def is_void(self, at: int) -> bool:
        sense = self.all[at].sense
        return sense.kind in ("glue", "join") or (
            sense.kind == "word" and sense.name in ("filler", "same", "only", "both", "style")
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

    def is_word(self, at: int | None, *names: str) -> bool:
        if at is None:
            return False
        sense = self.all[at].sense
        return sense.kind == "word" and sense.name in names

    def next_of(self, at: int, kind: Kind) -> int | None:
        found = self.after(at)
        return found if found is not None and self.all[found].sense.kind == kind else None

    def next_text(self, at: int) -> str:
        return self.all[at + 1].text if at + 1 < len(self.all) else ""

    def near(self, at: int, fits: Callable[[Sense], bool], reach: int = 3) -> int | None:
        """The nearest word that fits: behind it first in Japanese, before it in English."""
        order = (1, -1) if self.all[at].is_japanese else (-1, 1)
        for direction in order:
            for far in range(1, reach + 1):
                place = at + direction * far
                if not 0 <= place < len(self.all):
                    break
                sense = self.all[place].sense
                if sense.kind == "word" and fits(sense) and place not in self.roles:
                    return place
        return None

    def near_column(
        self, at: int, fits: Callable[[KnownColumn], bool], *, also_rows: bool = False
    ) -> int | None:
        """Named before it; or just behind it. `also_rows`: one that names the rows, too."""
        for place in range(at - 1, max(-1, at - 1 - _REACH), -1):
            item = self.all[place]
            if item.text in ("。", ";"):
                break
            if item.sense.kind == "column" and self._may(place, fits, also_rows=also_rows):
                return place
            if item.sense.kind in ("number", "when") and item.is_japanese:
                break
        behind = self.after(
            at, over=lambda one: self.is_word(one, *_COMPARISONS, "exclude", "and_or")
        )
        if (
            behind is not None
            and self.all[behind].sense.kind == "column"
            and self._may(behind, fits, also_rows=also_rows)
        ):
            return behind
        return None

    def _may(self, at: int, fits: Callable[[KnownColumn], bool], *, also_rows: bool) -> bool:
        known = self.known(at)
        return (
            fits(known)
            and self.roles.get(at) != "group"
            and (also_rows or not self.scene.is_entity(known.name))
        )

    # ---- what compares and negates ----

    def comparison(self, at: int) -> int | None:
        behind = self.after(at)
        if self.is_word(behind, *_COMPARISONS) and behind is not None:
            item = self.all[behind]
            if item.is_japanese or item.text.startswith(("or ", "and ")):
                return behind
        ahead = self.before(at)
        if (
            ahead is not None
            and self.is_word(ahead, *_COMPARISONS)
            and not self.all[ahead].is_japanese
        ):
            return ahead
        return None

    def exclusion(self, first: int, last: int) -> int | None:
        """What says that this stretch is left out; every such word belongs to one stretch."""
        behind = self.after(last, over=lambda one: self._is_own(one) or self.is_word(one, "rows"))
        if behind is not None and self.is_word(behind, *EXCLUDES) and not self.is_used(behind):
            item = self.all[behind]
            if item.is_japanese or item.text in _AFTERWARDS:
                return behind
        ahead = self.before(
            first,
            over=lambda one: (
                self._is_own(one) or self.is_word(one, *_COMPARISONS, "contain", "rows", "each")
            ),
        )
        if ahead is not None and self.is_word(ahead, *EXCLUDES) and not self.is_used(ahead):
            item = self.all[ahead]
            if not item.is_japanese and item.text not in _AFTERWARDS:
                return ahead
        return None

    def negation(self, marker: int) -> int | None:
        return self.exclusion(marker, marker)

    def _is_own(self, at: int) -> bool:
        """A column's name between a value and what excludes it."""
        return self.all[at].sense.kind == "column" and not self.is_word(self.after(at), "each")

    # ---- chains and ranges ----

    def are_joined(self, first: int, last: int) -> bool:
        between = self.all[first + 1 : last]
        if not between:
            return self.all[first].is_japanese or self.all[last].is_japanese
        return all(
            self.is_void(at) or self.is_word(at, "and_or") for at in range(first + 1, last)
        ) and any(
            item.sense.kind == "join" or (item.sense.kind == "word" and item.sense.name == "and_or")
            for item in between
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
        between = [item.text for item in self.all[first + 1 : last]]
        if any(text in _RANGE_SIGNS for text in between):
            return True
        is_and = any(text in ("and", "と") for text in between)
        return is_and and (
            self.is_word(self.before(first), "between") or self.next_text(last) == "の間"
        )

    def use_between(self, chain: Sequence[int]) -> None:
        for at in range(chain[0], chain[-1] + 1):
            if self.is_void(at) or self.is_word(at, "and_or"):
                self.use(at, "join")

    def use_words_around(self, first: int, last: int, *names: str, role: str) -> None:
        for at in (self.before(first), self.after(last)):
            if at is not None and self.is_word(at, *names):
                self.use(at, role)

    def following_word(self, at: int, name: str) -> bool:
        return self.is_word(self.after(at), name)

    # ---- columns and their words ----

    def column_place(self, at: int, column: str) -> int | None:
        places = [
            place
            for place, item in enumerate(self.all)
            if item.sense.kind == "column"
            and item.sense.name == column
            and abs(place - at) <= _REACH + 1
        ]
        return min(places, key=lambda place: abs(place - at), default=None)

    def is_beside_column(self, at: int, column: str) -> bool:
        place = self.column_place(at, column)
        if place is None:
            return False
        low, high = sorted((place, at))
        return all(
            self.is_void(one) or self.is_word(one, "equals", "exclude")
            for one in range(low + 1, high)
        )

    def aggregate_at(self, column: int) -> int | None:
        """The word beside a column's name that says what is computed of it."""
        behind = self.after(column)
        if behind is not None and self.is_word(behind, *AGGREGATES) and not self.is_used(behind):
            item = self.all[behind]
            if (
                item.is_japanese
                or self.before(column) is None
                or not self.is_word(self.before(column), *AGGREGATES)
            ):
                return behind
        ahead = self.before(column)
        if ahead is None or not self.is_word(ahead, *AGGREGATES) or self.is_used(ahead):
            return None
        return ahead if not self.all[ahead].is_japanese or column - ahead == 1 else None

    def aggregate(self, at: int) -> Aggregate:
        return cast("Aggregate", self.all[at].sense.name)

    def count_before(self, at: int) -> int | None:
        ahead = self.before(at, over=lambda one: self.is_word(one, *_COMPARISONS))
        return ahead if self.is_word(ahead, "count", "people") else None

    def has_grouping(self) -> bool:
        return self.has("each", "each_before", "which") or any(
            item.sense.kind == "column"
            and not self.known(at).is_measure
            and not self.known(at).is_date
            and not self.scene.is_entity(item.sense.name)
            for at, item in enumerate(self.all)
        )

    def column_of_concept(self, concept: str) -> str | None:
        found = [name for name, known in self.scene.columns.items() if concept in known.concepts]
        return found[0] if found else None

    def use_own_column(self, at: int, column: str) -> None:
        """店舗が新宿店, the West region: the column's name says nothing more."""
        for place in (self.before(at), self.after(at)):
            if place is None or self.all[place].sense.kind != "column":
                continue
            if self.all[place].sense.name != column or abs(place - at) > 3:
                continue
            marked = self.is_word(self.after(place), "each") or self.is_word(
                self.before(place), "each", "which", "each_before"
            )
            if not marked:
                self.use(place, "condition")

    def use_head_noun(self, at: int) -> None:
        """Corporate customers: what the value is said of."""
        place = at + 1
        if place >= len(self.all) or self.all[place].is_japanese:
            return
        item = self.all[place]
        if item.sense.kind != "column" or self.known(place).is_measure or self.known(place).is_date:
            return
        if not self.is_word(self.before(at), "each") and place not in self.roles:
            self.use(place, "condition")

    def use_heads_of_conditions(self) -> None:
        """却下以外の申請: a noun behind a condition says what the rows are."""
        for at in self.free("column"):
            sense = self.all[at].sense
            ahead = self.before(at)
            if sense.quality >= 0.78 or ahead is None or self.roles.get(ahead) != "condition":
                continue
            if not self.all[at].is_japanese or self.is_word(self.after(at), "each"):
                continue
            if self.known(at).is_measure:
                continue
            behind = self.after(at)
            if behind is None or not self.is_word(behind, *AGGREGATES):
                self.use(at, "rows")

    def is_limit(self, at: int) -> bool:
        """5 of 上位5件, top 5, 5 highest, 多い順に5つ."""
        figure = self.all[at].sense.figure
        if figure is None or figure.value is None or figure.value.denominator != 1:
            return False
        if figure.kind not in ("number", "count") or self.comparison(at) is not None:
            return False
        ranks = ("top", "bottom", "high", "low", "most", "many", "few")
        beside = (self.before(at), self.after(at))
        if any(self.is_word(place, *ranks) for place in beside) or any(
            place is not None and self.all[place].sense.name.startswith(ADJECTIVE)
            for place in beside
        ):
            return True
        ordered = self.has(
            "order", "desc", "asc", "top", "bottom", "high", "low", "most", "many", "few"
        ) or any(item.sense.name.startswith(ADJECTIVE) for item in self.all)
        ahead = beside[0]
        return ordered and (
            self.is_word(ahead, "order", "desc", "asc")
            or figure.unit in ("件", "個", "人", "社")
            or self.next_text(at) in ("つ", "位", "店", "件", "位まで")
            or (
                beside[1] is not None
                and self.all[beside[1]].sense.kind == "column"
                and not self.known(beside[1]).is_measure
            )
        )

    def merge_conditions(self) -> None:
        """Two values of one column: either of them."""
        merged: list[object] = []
        by_column: dict[str, int] = {}
        for one in self.frame.conditions:
            if (
                isinstance(one, Compare)
                and one.op == "=="
                and isinstance(one.value, str)
                and not self.scene.columns[one.col].is_date
            ):
                if one.col in by_column:
                    place = by_column[one.col]
                    before = merged[place]
                    values = (
                        before.value
                        if isinstance(before, Among)
                        else (cast("Compare", before).value,)
                    )
                    merged[place] = Among(
                        col=one.col, op="in", value=tuple(dict.fromkeys((*values, one.value)))
                    )
                    self.frame.options.setdefault("compared", one.col)
                    continue
                by_column[one.col] = len(merged)
            merged.append(one)
        self.frame.conditions = cast("list[object]", merged)  # type: ignore[assignment]


def places(items: Iterable[int]) -> list[int]:
    return sorted(items)
