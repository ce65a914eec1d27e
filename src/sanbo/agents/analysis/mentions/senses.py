"""A stretch of a question, and what it may mean.

What stretches of a question mean beside each other: 4〜9月, IMDBの評価, 840|度.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from sanbo.agents.analysis.mentions import lexicon
from sanbo.agents.analysis.mentions.scene import MANY, KnownValue, Scene
from sanbo.agents.analysis.mentions.tokens import Token, forms, narrowed
from sanbo.language.figures import Figure
from sanbo.language.moments import MONTHS, Moment, Stated

Kind = Literal[
    "column", "value", "part", "word", "number", "when", "literal", "join", "glue", "unknown"
]


class Sense(NamedTuple):
    kind: Kind
    name: str
    """Of the column, the word's sense, or the text itself."""
    quality: float = 1.0
    value: KnownValue | None = None
    figure: Figure | None = None
    is_figure: bool = False
    """A column of numbers, and almost called so."""


class Item(NamedTuple):
    """One stretch of the question."""

    start: int
    end: int
    """Tokens, the end excluded."""
    text: str
    senses: tuple[Sense, ...]
    is_japanese: bool
    is_content: bool
    is_capital: bool = False
    """Written with a capital letter, as names are."""

    @property
    def sense(self) -> Sense:
        return self.senses[0]

    def taken_as(self, sense: Sense) -> "Item":
        return self._replace(senses=(sense,))


def is_column(item: Item) -> bool:
    return all(sense.kind == "column" for sense in item.senses)


LONG = 5
"""Letters of a word that may be misspelt, or a part of a value."""


_KANJI = re.compile("[一-龠]")
_HIRAGANA = re.compile("[ぁ-ん]+")


def settled(items: list[Item], text: str, words: Sequence[Token], scene: Scene) -> list[Item]:
    """The same with what each says of those beside it."""
    items = _with_month_columns(items)
    items = _with_own_columns(_with_truths(_together(_with_months(items), scene)))
    items = _with_counters(_with_parts(_with_units(items, scene), text, words, scene))
    return _with_alike(_with_all_but(_with_compared_times(items)), words, scene)


_ALL = frozenset(("all", "every", "any", "everything", "everyone", "everybody", "everywhere"))


def _with_all_but(items: list[Item]) -> list[Item]:
    """All regions but East: without it."""
    made = list(items)
    for at in range(1, len(items) - 1):
        is_told = any(one.text.split()[-1] in _ALL for one in items[max(0, at - 3) : at])
        if items[at].text == "but" and is_told and items[at + 1].text != "not":
            made[at] = items[at]._replace(senses=(Sense("word", "exclude", 0.9),), is_content=True)
    return made


_HELD_AGAINST = re.compile("より(?![前後以早遅])|[上下]回|超|届|及ば|達")


def _with_compared_times(items: list[Item]) -> list[Item]:
    """12月の売上は11月より多い？, 2024年を上回った店舗: beside another time it is no limit."""
    times = [at for at, item in enumerate(items) if item.sense.kind == "when"]
    held = [
        at
        for at, item in enumerate(items)
        if item.sense.name in ("gt", "lt") and _is_held(items, at, times)
    ]
    if len(times) != 2 or len(held) != 1:
        return items
    sense = Sense("word", "compare", 0.9)
    return [
        item._replace(senses=(sense,)) if at == held[0] else item for at, item in enumerate(items)
    ]


def _is_held(items: list[Item], at: int, times: list[int]) -> bool:
    """11月より, を上回る behind a time; than before one."""
    if items[at].is_japanese:
        ahead = at - 1 - (items[at - 1].text in ("を", "に", "も"))
        return ahead in times and _HELD_AGAINST.search(items[at].text) is not None
    behind = next((n for n in range(at + 1, len(items)) if items[n].text not in _IN), len(items))
    return items[at].text.endswith("than") and behind in times


_IN = frozenset(("in", "during", "the"))


def _with_units(items: list[Item], scene: Scene) -> list[Item]:
    """5000|m|2, 80|点: a number in a unit that a column is in, or that columns' names end with."""
    known = list(scene.columns.values())
    names = {narrowed(one.name) for one in known}  # 上位2|館, where a column is called 館
    units = {narrowed(one.profile.unit) for one in known} | {one.name[-1:] for one in known} - names
    made: list[Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        for far in (2, 1):
            run = items[at + 1 : at + 1 + far]
            text = "".join(one.text for one in run)
            is_unit = (text in units or not units.isdisjoint(_UNITS.get(text, ()))) and not any(
                one.sense.kind == "word" for one in run
            )
            if item.sense.kind == "number" and len(run) == far and is_unit:
                item = item._replace(end=run[-1].end, text=item.text + text)
                at += far
                break
        made.append(item)
        at += 1
    return made


_UNITS = {
    name: units.split()
    for units, names in {
        "l ℓ": "リットル litre litres liter liters",
        "km": "キロメートル kilometre kilometres kilometer kilometers",
        "kg": "キログラム kilogram kilograms kilos",
        "sec s 秒": "秒 second seconds",
        "㎡ m2": "平方メートル",
        "t": "トン ton tons tonne tonnes",
    }.items()
    for name in names.split()
}
"""What units are called in full."""


def _with_counters(items: list[Item]) -> list[Item]:
    """840|度, 何|円: what a number counts, though no table of units knows it."""
    made: list[Item] = []
    for item in items:
        ahead = made[-1] if made else None
        is_counter = item.sense.kind == "unknown" and item.is_japanese and len(item.text) == 1
        is_counter &= item.text not in ("代", "倍", "割")
        is_counter &= item.text not in lexicon.set_of("counters") | lexicon.set_of("counted")
        if ahead is not None and item.text == "円" and ahead.text.startswith("何"):
            asked = ahead._replace(end=item.end, text=ahead.text + item.text)
            made[-1] = asked.taken_as(Sense("word", "how_much", 0.9))  # 何千円, and no pie
        elif ahead is not None and is_counter and ahead.sense.kind == "number":
            made[-1] = ahead._replace(end=item.end, text=ahead.text + item.text)
        else:
            made.append(item)
    return made


def _with_alike(items: list[Item], words: Sequence[Token], scene: Scene) -> list[Item]:
    """走る, where there is 走行距離: a word that means what one column is called by, almost."""
    said = {sense.name for item in items for sense in item.senses if sense.kind == "column"}
    made = list(items)
    for at, item in enumerate(items):
        form = words[item.start].form
        begun = [name for name, one in scene.columns.items() if name.startswith(item.text)]
        if item.sense.kind == "unknown" and _KANJI.match(item.text) and begun:
            senses = tuple(Sense("column", name, lexicon.KIN) for name in begun if name not in said)
            made[at] = item._replace(senses=senses or item.senses)  # 車, of 車両番号 or 車種
            continue
        if item.sense.kind != "unknown" or item.end - item.start > 1 or len(item.text) < 2:
            continue
        ahead = items[at - 2] if at > 1 and items[at - 1].text == "の" else None
        if ahead is not None and ahead.sense.kind == "column" and item.is_japanese:
            rest = ahead.sense.name.replace(ahead.text, "", 1)
            if ahead.sense.quality < 1 and set(_KANJI.findall(item.text)) & set(rest):
                made[at] = item.taken_as(Sense("glue", item.text))._replace(is_content=False)
                continue  # 炉の温度, of 炉温
        if any((form,) in concept.words for concept in lexicon.concepts()):
            continue
        column = _alike(form, tuple(scene.columns))
        if column is not None and column not in said:
            made[at] = item.taken_as(Sense("column", column, lexicon.KIN))
    return made


MEANT = 0.55
"""So alike two words mean the same, almost."""


@lru_cache(maxsize=1024)
def _alike(form: str, names: tuple[str, ...]) -> str | None:
    from sanbo.language.likeness import likeness  # noqa: PLC0415 - NumPy, for unknown words alone

    found = [(max(likeness((form,), forms(name)), default=0.0), name) for name in names]
    best = sorted(found, reverse=True)[:2]
    is_one = len(best) < 2 or best[0][0] > best[1][0]
    return best[0][1] if best and best[0][0] >= MEANT and is_one else None


_TO = frozenset(("~", "〜", "-", "–", "から", "・", "、", "と", "and", "to"))


def _with_months(items: list[Item]) -> list[Item]:
    """4〜9月 are two months, and 2025年4〜9月 are of one year."""
    made = list(items)
    for at in range(len(made) - 2):
        first, sign, last = made[at : at + 3]
        month = last.sense.figure.moment.month if last.sense.figure else None
        number = first.sense.figure.value if first.sense.figure else None
        is_month = last.sense.kind == "when" and month is not None and sign.text in _TO
        if not is_month or first.sense.kind != "number" or number is None:
            continue
        if number not in range(1, 32):
            continue
        moment = last.sense.figure.moment if last.sense.figure else Moment()
        if moment.day is not None:  # between 15 and 30 November 2017
            stated = Stated(first.start, first.end, moment._replace(day=int(number)))
            figure = Figure(first.start, first.end, "date", stated=stated)
            made[at] = first.taken_as(Sense("when", first.text, figure=figure))
            continue
        if number > 12:
            continue
        start, end, year = first.start, first.end, None
        if at and made[at - 1].sense.kind == "when" and made[at - 1].sense.figure:
            before = made[at - 1].sense.figure
            year = before.moment.only if before is not None and before.moment.year else None
        stated = Stated(start, end, Moment(year=year, month=int(number)))
        figure = Figure(start, end, "date", stated=stated)
        made[at] = first.taken_as(Sense("when", first.text, figure=figure))
        if year is not None:
            glue = made[at - 1].taken_as(Sense("glue", made[at - 1].text))
            made[at - 1] = glue._replace(is_content=False)
    return made


_APPOSED = frozenset(("の", "(", "/", "of"))


def _together(items: list[Item], scene: Scene) -> list[Item]:
    """IMDBの評価, 地域(Region): two names beside each other that one column has."""
    made: list[Item] = []
    for item in items:
        before = next((at for at in (1, 2) if len(made) >= at and is_column(made[-at])), None)
        if is_column(item) and before is not None:
            between = made[len(made) - before + 1 :]
            first = made[-before]
            both = {sense.name for sense in first.senses} & {sense.name for sense in item.senses}
            if both and all(one.text in _APPOSED for one in between):
                known = {one.name: one.quality for one in (*first.senses, *item.senses)}
                senses = tuple(
                    Sense("column", name, max(0.9, known[name])) for name in sorted(both)
                )
                text = first.text + "".join(one.text for one in between) + item.text
                del made[len(made) - before :]
                made.append(Item(first.start, item.end, text, senses, item.is_japanese, True))
                continue
        if made and _is_tail(made[-1], item):
            made.append(item.taken_as(Sense("glue", item.text))._replace(is_content=False))
            continue
        is_behind = is_column(item) and made and is_column(made[-1]) and not item.is_japanese
        if is_behind and _says_of_what(made[-1], item, scene):
            made.pop()  # customer segment: the first says of what the second is
        made.append(item)
    return made


def _is_tail(first: Item, second: Item) -> bool:
    """Waiting time, of Wait (min), where there is an Arrival Time too."""
    is_weak = all(one.kind == "word" or one.quality < 0.9 for one in second.senses)
    is_said = second.text in ("time", "date", "number", "amount") and is_weak
    is_there = first.end == second.start and first.sense.kind == "column"
    return is_said and is_there and first.sense.quality >= 0.9 and not second.is_japanese


def _says_of_what(first: Item, second: Item, scene: Scene) -> bool:
    """Customer segment, model year: nobody groups by each of the models."""
    known = scene.columns.get(first.sense.name)
    is_many = known is not None and not known.is_measure and known.profile.distinct > MANY
    return second.sense.quality >= 0.9 and (first.sense.quality < 0.9 or is_many)


def _with_truths(items: list[Item]) -> list[Item]:
    """保険ありとなし: the second is of the same column."""
    made = list(items)
    for at in range(2, len(made)):
        value, sign, item = made[at - 2], made[at - 1], made[at]
        known = value.sense.value
        if sign.sense.kind != "join" or known is None or known.value not in ("TRUE", "FALSE"):
            continue
        other = "FALSE" if known.value == "TRUE" else "TRUE"
        if item.text in lexicon.synonyms()["truths"][other == "FALSE"]:
            twin = KnownValue(known.column, other, 1.0)
            made[at] = item.taken_as(Sense("value", other, value=twin))._replace(is_content=True)
    return made


_SUBJECTS = frozenset(("が", "で", "の", "も", "は", "同じ", "filler", "same"))


def _with_own_columns(items: list[Item]) -> list[Item]:
    """Rated R: of several ratings the one that R is a value of. 店名が重複: a name, and no rows."""
    made = list(items)
    for at, item in enumerate(made):
        named = [sense for sense in item.senses if sense.kind == "column"]
        behind = next((one for one in made[at + 1 :] if one.sense.name not in _SUBJECTS), None)
        if named and item.is_japanese and behind and behind.sense.name == "duplicates":
            made[at] = item.taken_as(named[0])
        if len(item.senses) < 2 or not is_column(item):
            continue
        ahead = at - 2 if at > 1 and made[at - 1].text == "-" else at - 1  # R-rated
        beside = [one for one in (ahead, at + 1) if 0 <= one < len(made)]
        said = [made[one].sense.value for one in beside]
        values = {value.column for value in said if value is not None}
        own = [sense for sense in item.senses if sense.name in values]
        if own:
            made[at] = item.taken_as(own[0])
    return made


def _with_month_columns(items: list[Item]) -> list[Item]:
    """Overtime in August, where there are Overtime Jul and Overtime Aug: the month is of a name."""
    made = list(items)
    months = [item for item in items if item.sense.kind == "when"]
    for at, item in enumerate(items if len(months) == 1 else ()):
        moment = (
            item.sense.figure.moment if item.sense.kind == "when" and item.sense.figure else None
        )
        if moment is None or moment.month is None or moment.only != moment.month:
            continue
        signs = (MONTHS[moment.month - 1], f"{moment.month}月")
        for place, other in enumerate(items):
            own = [sense for sense in other.senses if _is_of_month(sense.name.casefold(), signs)]
            if is_column(other) and len(own) == 1 and len(other.senses) > 1:
                made[place] = other.taken_as(own[0])
                made[at] = item.taken_as(Sense("glue", item.text))._replace(is_content=False)
    return made


def _is_of_month(name: str, signs: tuple[str, str]) -> bool:
    return (
        signs[0] in re.split(r"[^a-z]+", name) or re.search(rf"(?<!\d){signs[1]}", name) is not None
    )


MOST_UNKNOWN = 4


def _with_parts(items: list[Item], text: str, words: Sequence[Token], scene: Scene) -> list[Item]:
    """横浜市, Toyota: what no column is called, but many of its values hold."""
    made: list[Item] = []
    at = 0
    while at < len(items):
        for far in range(min(MOST_UNKNOWN, len(items) - at), 0, -1):
            run = items[at : at + far]
            if run[0].sense.kind != "unknown" or not all(_may_be_part(one) for one in run):
                continue
            if at and run[0].is_japanese and is_column(items[at - 1]):
                continue  # 遅延時間, where notes say 時間指定
            said = text[words[run[0].start].start : words[run[-1].end - 1].end]
            senses = tuple(
                Sense("part", said, 0.8, value=KnownValue(column, said, 0.8))
                for column in scene.holding(said)
            )
            if senses and len(said) > 1 and not _HIRAGANA.fullmatch(said):
                made.append(run[0]._replace(end=run[-1].end, text=said, senses=senses))
                at += far
                break
        else:
            made.append(items[at])
            at += 1
    return made


def _may_be_part(item: Item) -> bool:
    if item.sense.kind == "unknown":
        return item.is_japanese or item.is_capital or len(item.text) >= LONG
    return item.is_japanese and (item.sense.kind == "column" or item.sense.quality < 0.8)
