"""A table as questions speak of it: the forms of its columns' names and values."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from sanbo.agents.analysis.mentions.lexicon import (
    BRACKETS,
    KIN,
    Concept,
    concepts,
    concepts_of,
    forms_of,
    is_code,
    is_planned,
    lowest_heading,
    own_names,
    phrases,
    phrases_of,
    romanised,
    set_of,
    shared_forms,
    strong_forms,
    synonyms,
    value_families,
    without_unit,
)
from sanbo.agents.analysis.mentions.tokens import UNSAID, forms, narrowed, split_case, stem, tokens
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile

_MANY = 100
"""A column of numbers with more different ones is measured, not grouped by."""
MANY = 100
"""Of a column with more different words nobody wants a row for each."""
LONGEST_VALUE = 60
_YEARS = range(1800, 2201)


ANSWERS = {
    True: ("true", "yes", "y", "はい", "有", "有り", "あり", "済", "済み", "○", "〇", "可"),
    False: ("false", "no", "n", "いいえ", "無", "無し", "なし", "未", "×", "✕", "不可"),
}
_ENGLISH = re.compile("[a-z]{4,}")


class Named(NamedTuple):
    """A name of a column or value in forms, and how good a match with it is."""

    forms: tuple[str, ...]
    quality: float


class KnownColumn(NamedTuple):
    profile: ColumnProfile
    names: tuple[Named, ...]
    concepts: frozenset[str]
    adds: bool | None
    """Whether its figures are summed when nothing is said; None where that is open."""

    @property
    def name(self) -> str:
        return self.profile.name

    @property
    def is_measure(self) -> bool:
        return self.profile.is_numeric and not self.profile.is_identifier

    def is_row(self, rows: int) -> bool:
        """Whether each row has its own: it names what the rows are, and nobody groups by it."""
        return self.profile.distinct >= 0.97 * max(1, rows - self.profile.missing) and rows > 1

    @property
    def is_date(self) -> bool:
        return self.profile.is_temporal

    @property
    def is_year(self) -> bool:
        """Whole numbers that are years."""
        if self.profile.type != "integer":
            return False
        is_named = bool(self.names) and self.names[0].forms[-1:] in (forms("year"), forms("年"))
        ends = (self.profile.minimum, self.profile.maximum)
        return is_named or all(end in _YEARS for end in ends)

    @property
    def is_amount(self) -> bool:
        """Few here and many there, of whole things or money: a group has their sum."""
        if self.adds is not None or self.is_year or _is_level(self.profile):
            return bool(self.adds)
        said = {*forms(self.name), *forms(self.profile.unit)}
        low = self.profile.minimum
        high = self.profile.maximum
        is_counted = self.profile.type == "integer" and isinstance(low, int | float) and low >= 0
        is_counted &= isinstance(high, int | float) and high >= _MANY  # no humidity, no cylinders
        return self.is_money or (is_counted and forms_of("standing").isdisjoint(said))

    @property
    def is_either(self) -> bool:
        """Rents, weights: added up or averaged, as one asks."""
        return any(concept.either for concept in concepts() if concept.name in self.concepts)

    @property
    def is_counted(self) -> bool:
        return _is_counted(self.profile)

    def truth(self, is_true: bool) -> str | bool | None:
        """How a column of two answers writes yes or no; None where it has others."""
        words = {each.casefold(): each for each in self.profile.values}
        found = [words[one] for one in ANSWERS[is_true] if one in words]
        if self.profile.distinct != 2 or not found:
            return None
        return is_true if self.profile.type == "boolean" else found[0]

    @property
    def is_money(self) -> bool:
        said = self.profile.unit + "".join(BRACKETS.findall(self.name))
        is_told = any(sign in said for sign in set_of("currencies"))
        return is_told or self.profile.type == "currency" or bool(self.concepts & set_of("money"))


class KnownValue(NamedTuple):
    column: str
    value: str
    quality: float


class Scene(NamedTuple):
    profile: DatasetProfile
    columns: Mapping[str, KnownColumn]
    column_names: Mapping[str, tuple[tuple[tuple[str, ...], str, float], ...]]
    """By the first form of a name: its forms, the column, the quality of a match."""
    values: Mapping[str, tuple[tuple[tuple[str, ...], KnownValue], ...]]
    """By the first form of a value."""
    written: Mapping[str, tuple[str, ...]]
    """Columns by their names as they stand."""
    written_values: Mapping[str, tuple[KnownValue, ...]]
    terms: re.Pattern[str]
    """Japanese names, their parts and values, which stand as words in a question."""
    deeds: frozenset[str]
    """What each row is one of, by the names of columns: 契約, of 契約番号."""

    def is_entity(self, name: str) -> bool:
        """What the rows are: it names each, or it is the name to a number that does."""
        known = self.columns[name]
        if known.is_date or known.is_measure:
            return False
        return (
            known.profile.is_identifier
            or known.is_row(self.profile.rows)
            or self._is_of_rows(known)
        )

    def _is_of_rows(self, known: "KnownColumn") -> bool:
        rows = self.profile.rows
        others = (one for one in self.columns.values() if one is not known and one.is_row(rows))
        is_many = known.profile.distinct > rows / 2
        is_one = any(known.concepts & one.concepts for one in others)
        return is_many and (is_one or self.is_named_by_number(known))

    def is_named_by_number(self, known: "KnownColumn") -> bool:
        """Property, beside a Property ID that each row has its own of: names may stand twice."""
        rows, own = self.profile.rows, strong_forms(forms(without_unit(known.name)))
        return any(
            one is not known
            and one.profile.is_identifier
            and one.is_row(rows)
            and strong_forms(forms(one.name)) == own
            for one in self.columns.values()
        )

    @property
    def dates(self) -> tuple[str, ...]:
        return tuple(name for name, one in self.columns.items() if one.is_date)

    def holding(self, text: str) -> tuple[str, ...]:
        """Columns of words whose values have this text in them."""
        return tuple(
            column.name
            for column in self.profile.columns
            if column.type == "text"
            and any(_holds(narrowed(value), text) for value in column.values)
        )[:3]

    @property
    def subject(self) -> frozenset[str]:
        """What the file's name says that its rows are: cars.csv."""
        name = self.profile.name.rpartition(".")[0] or self.profile.name
        own = frozenset(forms(name)) - forms_of("weak")
        alike = {
            said[0]
            for concept in concepts()
            if any(len(said) == 1 and said[0] in own for said in concept.words)
            for said in concept.words
            if len(said) == 1
        }
        return own | alike | self.deeds

    def spellings(self) -> tuple[frozenset[str], frozenset[str]]:
        """The English words of its columns and its name, and those of its values."""
        names = [split_case(one.name) for one in self.profile.columns] + [self.profile.name]
        said = (narrowed(" ".join(some)) for some in (names, self.written_values))
        first, second = (frozenset(_ENGLISH.findall(one)) for one in said)
        return first, second

    @property
    def years(self) -> tuple[str, ...]:
        return tuple(name for name, one in self.columns.items() if one.is_year)

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(
            name for name, one in self.columns.items() if one.is_measure and not one.is_year
        )


def scene_of(profile: DatasetProfile) -> Scene:
    return _scene(profile)


@lru_cache(maxsize=8)
def _scene(profile: DatasetProfile) -> Scene:
    shared = shared_forms(column.name for column in profile.columns)
    columns = {column.name: _column(column, shared) for column in profile.columns}
    if any(column.is_date for column in columns.values()):
        # What is written down day by day may well be added up, whatever its numbers are like.
        are_named = any(_is_name(column, profile.rows) for column in columns.values())
        columns = {
            name: _with_open_level(column, are_named=are_named) for name, column in columns.items()
        }
    columns = {name: _alone(column, columns) for name, column in columns.items()}
    columns = {name: _coded(column, columns) for name, column in columns.items()}
    columns = {name: _dated(column, columns) for name, column in columns.items()}
    columns = {name: _with_kin(column, columns) for name, column in columns.items()}
    columns = {name: _with_shared_head(column, columns) for name, column in columns.items()}
    deeds = _deeds(columns.values(), profile.rows)
    names: dict[str, list[tuple[tuple[str, ...], str, float]]] = {}
    for column in columns.values():
        for name in column.names:
            is_deed = name.forms[0] in deeds and len(name.forms) == 1 and name.quality < 1
            is_deed &= not (column.is_measure and name.forms[0].isascii())  # what was claimed
            quality = min(name.quality, _FAINT) if is_deed else name.quality
            names.setdefault(name.forms[0], []).append((name.forms, column.name, quality))
    values: dict[str, list[tuple[tuple[str, ...], KnownValue]]] = {}
    for column in profile.columns:
        for said, known in _values(column):
            values.setdefault(said[0], []).append((said, known))
    return Scene(
        profile,
        columns,
        {first: tuple(found) for first, found in names.items()},
        {first: tuple(found) for first, found in values.items()},
        _by_text([*((title, name) for name, title in _titles(profile)), *_groups(profile)]),
        _by_text(
            (narrowed(value), KnownValue(one.name, value, 1.0))
            for one in profile.columns
            for value in one.values
            if 1 < len(value) <= LONGEST_VALUE
        ),
        _terms(profile),
        deeds,
    )


def _deeds(columns: Iterable[KnownColumn], rows: int) -> frozenset[str]:
    """What has a number for each row, or in Japanese a day and something else: 申請日, 申請者."""
    begun: dict[str, list[KnownColumn]] = {}
    for column in columns:
        whole = forms(split_case(without_unit(column.name)))
        if len(whole) > 1:
            begun.setdefault(whole[0], []).append(column)
    return frozenset(
        first
        for first, found in begun.items()
        if first not in forms_of("weak")
        and any(
            (one.profile.is_identifier and one.is_row(rows))
            or (
                len(found) > 1
                and one.is_date
                and not one.profile.missing  # 返却, where not all is back, is no row
                and not first.isascii()
                and not any(two.is_measure for two in found)
            )
            for one in found
            if len(strong_forms(forms(without_unit(one.name)))) == 1
        )
    )


def _holds(value: str, text: str) -> bool:
    """As a whole word, where words have blanks between them."""
    if not text.isascii():
        return text in value
    return text in re.split(r"[^a-z0-9]+", value)


T = TypeVar("T")


def _by_text(pairs: Iterable[tuple[str, T]]) -> Mapping[str, tuple[T, ...]]:
    made: dict[str, tuple[T, ...]] = {}
    for text, one in pairs:
        made[text] = (*made.get(text, ()), one)
    return made


_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿豈-﫿々〆〇ー]{2,30}")
MOST_TERMS = 4000


def _titles(profile: DatasetProfile) -> list[tuple[str, str]]:
    """Each column, and what it is called without its unit."""
    return [(one.name, narrowed(without_unit(one.name))) for one in profile.columns]


def _groups(profile: DatasetProfile) -> list[tuple[str, str]]:
    """県, 得意先 of 県別, 得意先ごと, where columns are called 県名, 得意先名."""
    titles = _titles(profile)
    known = {title for _, title in titles}
    called = [(title.removesuffix("名"), name) for name, title in titles if title.endswith("名")]
    return [(said, name) for said, name in called if said and said not in (*known, *"年月日週曜時")]


def _terms(profile: DatasetProfile) -> re.Pattern[str]:
    found: dict[str, None] = {}
    for column in profile.columns:
        name = narrowed(without_unit(column.name))
        found |= dict.fromkeys(_JAPANESE.findall(name))
        found |= dict.fromkeys(token.text for token in tokens(name) if len(token.text) > 1)
        found |= dict.fromkeys(one for value in column.values for one in (narrowed(value),))
    for about in synonyms()["concepts"].values():
        found |= dict.fromkeys(about["words"])
    whole = [term for term in found if _JAPANESE.fullmatch(term)][:MOST_TERMS]
    whole.sort(key=len, reverse=True)
    single = {title for _, title in _titles(profile) if len(title) == 1}
    single |= {said for said, _ in _groups(profile)}
    each = [f"{re.escape(name)}(?=別|ごと|毎|単位)" for name in single]
    each += ["内訳", "各(?=[ァ-ヶ一-龠])", "(?:あたり|当たり)(?=[のがを、一-龠ァ-ヶ]|$)"]
    return re.compile("|".join([*map(re.escape, whole), *each]) or r"(?!)")


def _column(column: ColumnProfile, shared: Mapping[str, int]) -> KnownColumn:
    title = split_case(without_unit(column.name))
    whole = forms(title)
    names = own_names(whole, shared)
    if len(whole) > 1 and all(form.isascii() for form in whole):
        together = "".join(title.casefold().replace("_", " ").replace("-", " ").split())
        names.setdefault((stem(together),), 1.0)
    if (lowest := lowest_heading(title)) and all(shared[form] == 1 for form in forms(lowest)[-1:]):
        names[forms(lowest)] = max(names.get(forms(lowest), 0.0), 0.9)
    if len(whole) > 1 and forms_of("costs").issuperset(whole[-1:]):  # 燃料代, of 燃料費
        names = dict.fromkeys(((*whole[:-1], each) for each in forms_of("costs")), 0.75) | names
    found = concepts_of(whole)
    strong = strong_forms(whole)
    for concept in found:
        # gender is rather gender than gender_cd.
        is_whole = any(
            said and (said in (whole, strong) or strong[-len(said) :] == said)
            for said in concept.words
        )
        quality = _CODE_QUALITY if is_code(whole) else 0.75 if is_whole else 0.55
        for said in concept.words:
            if not (is_code(whole) and said[-1:] in (forms("名"), forms("name"), forms("名前"))):
                is_other = is_planned(whole[:1]) and not is_planned(said)
                names[said] = max(names.get(said, 0.0), KIN if is_other else quality)
    if column.is_temporal:  # orders are rather those of Order ID than of Order Date
        names = {
            said: min(quality, _FAINT)
            if said != whole and any(shared.get(form, 0) > 1 for form in said)
            else quality
            for said, quality in names.items()
        }
    if column.unit and column.is_numeric and (unit := forms(column.unit)) and len(column.unit) > 2:
        names.setdefault(unit, 0.7)  # kWh, by region
    return KnownColumn(
        column,
        tuple(Named(said, quality) for said, quality in names.items() if said),
        frozenset(concept.name for concept in found),
        _adds(column, whole, found),
    )


def _adds(column: ColumnProfile, whole: tuple[str, ...], found: tuple[Concept, ...]) -> bool | None:
    by_name = _adds_by_name(column, whole, found)
    return False if by_name is None and _is_level(column) else by_name


def _adds_by_name(
    column: ColumnProfile, whole: tuple[str, ...], found: tuple[Concept, ...]
) -> bool | None:
    if column.is_rate or column.type == "percent" or forms_of("averaging") & set(whole[-1:]):
        return False
    if column.unit in set_of("counted") or whole[-1:] in phrases_of("count"):
        return True  # 遅延件数: they are counted, though a delay is not added up
    kinds = [concept for concept in found if concept.adds or concept.averages]
    if kinds and not (_is_counted(column) and not _is_head(kinds[0], whole)):
        return kinds[0].adds
    if whole and any(whole[-1:] == forms(word)[-1:] for word in synonyms()["adding"]):
        return True
    return None


def _is_head(concept: Concept, whole: tuple[str, ...]) -> bool:
    """Late arrivals are arrivals, and no delay."""
    strong = strong_forms(whole)
    return any(
        said and said in (whole[-len(said) :], strong[-len(said) :]) for said in concept.words
    )


_COUNTED = re.compile(r"(?:[a-z]+[ _-])*[a-z]{3,}(?<![sui])s")
_JOINING = frozenset(("of", "to", "per", "in", "on", "for", "since", "until"))


def _is_counted(column: ColumnProfile) -> bool:
    """Parcels, Late Arrivals: whole numbers of things, told in the plural."""
    title = split_case(without_unit(column.name)).casefold().strip()
    is_plural = _COUNTED.fullmatch(title) is not None and not _JOINING & set(title.split())
    is_plural &= stem(title.split()[-1] if title else "") not in forms_of("measuring")
    low = column.minimum  # what never comes down to one is what there is, not what happens
    return is_plural and column.type == "integer" and low in (0, 1)


def _is_name(column: KnownColumn, rows: int) -> bool:
    """Of the rows, and no number: the model of a car."""
    is_number = column.profile.is_identifier or is_code(forms(column.name))
    return column.is_row(rows) and column.profile.type == "text" and not is_number


def _with_open_level(column: KnownColumn, *, are_named: bool) -> KnownColumn:
    whole = forms(split_case(without_unit(column.name)))
    is_open = column.is_either and not are_named
    if not is_open and _adds_by_name(column.profile, whole, concepts_of(whole)) is not None:
        return column
    return column._replace(adds=True if _is_counted(column.profile) else None)


def _alone(column: KnownColumn, columns: Mapping[str, KnownColumn]) -> KnownColumn:
    """A code that no other column has the name of is what the name means: 大分類, of its code."""
    others = [one.concepts for name, one in columns.items() if name != column.name]
    if not column.concepts or any(column.concepts & concepts for concepts in others):
        return column
    names = tuple(
        one._replace(quality=0.75) if one.quality == _CODE_QUALITY else one for one in column.names
    )
    return column._replace(names=names)


def _coded(column: KnownColumn, columns: Mapping[str, KnownColumn]) -> KnownColumn:
    """Employees, where each Employee ID has its Employee Name: by the name."""
    whole = forms(split_case(without_unit(column.name)))
    own, distinct = strong_forms(whole), column.profile.distinct
    is_named = is_code(whole) and any(
        not one.profile.is_identifier
        and one.profile.distinct == distinct
        and strong_forms(forms(split_case(one.name))) == own
        and not is_code(forms(split_case(one.name)))
        for one in columns.values()
    )
    names = column.names[:1] if is_named else column.names
    return column._replace(names=names)


def _dated(column: KnownColumn, columns: Mapping[str, KnownColumn]) -> KnownColumn:
    """返却 is 返却日 rather than 返却予定日, where nothing but days is called so."""
    strong = strong_forms(forms(column.name))
    others = [one for one in columns.values() if {*strong} & {*forms(one.name)}]
    if not column.is_date or len(strong) != 1 or not all(one.is_date for one in others):
        return column
    names = [
        one._replace(quality=max(one.quality, 0.6)) if one.forms == strong else one
        for one in column.names
    ]
    return column._replace(names=tuple(names))


def _with_kin(column: KnownColumn, columns: Mapping[str, KnownColumn]) -> KnownColumn:
    """What films cost, where only a budget is told: words for what no column is."""
    there = frozenset(one for known in columns.values() for one in known.concepts)
    families = [set(family) for family in synonyms()["kin"] if column.concepts & set(family)]
    lacking = {one for family in families for one in family} - there
    known = {name.forms for name in column.names}
    words = [said for concept in concepts() if concept.name in lacking for said in concept.words]
    table = phrases()
    names = tuple(
        Named(said, KIN)
        for said in dict.fromkeys(filter(None, words))
        if said not in known and not any(said == one.forms for one in table.get(said[0], ()))
    )
    return column._replace(names=(*column.names, *names))


def _with_shared_head(column: KnownColumn, columns: Mapping[str, KnownColumn]) -> KnownColumn:
    """The amount, of a Quoted and an Ordered Amount: either, though one of them has a synonym."""
    head = forms(split_case(without_unit(column.name)))[-1:]
    if not column.is_measure or any(name.forms == head for name in column.names):
        return column
    others = [one for one in columns.values() if one.is_measure and one.name != column.name]
    told = [
        name.quality
        for one in others
        for name in one.names
        if name.forms == head and head[0] in forms(one.name)
    ]
    names = (*column.names, Named(head, max(told))) if told else column.names
    return column._replace(names=names)


_CODE_QUALITY = 0.6
_FAINT = 0.45


MOST_TIMES = 12


def _is_level(column: ColumnProfile) -> bool:
    """Numbers of one order, such as horsepower: nobody adds them up."""
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return column.is_numeric and low > 0 and column.distinct > 2 and high <= MOST_TIMES * low


def _values(column: ColumnProfile) -> Iterable[tuple[tuple[str, ...], KnownValue]]:
    families = value_families()
    seen: dict[tuple[str, ...], tuple[str, float]] = {}
    several: set[tuple[str, ...]] = set()

    def say(said: tuple[str, ...], value: str, quality: float) -> None:
        if not said:
            return
        known = seen.get(said)
        if known is not None and known[0] != value:
            if known[1] == quality:
                several.add(said)
            if known[1] >= quality:
                return
        seen[said] = (value, quality)

    if column.type == "boolean":
        for value, words in zip(("TRUE", "FALSE"), synonyms()["truths"], strict=True):
            for word in words if value in column.values else ():
                said = forms(f"{without_unit(column.name)}{word}")
                say(tuple(form for form in said if form not in UNSAID), value, 1.0)
    for value in column.values if column.type != "boolean" else ():
        if len(value) > LONGEST_VALUE:
            continue
        said = forms(value)
        say(said, value, 1.0)
        for ending in map(forms, synonyms()["endings"]):
            if len(said) > len(ending) and said[-len(ending) :] == ending:
                say(said[: -len(ending)], value, 0.85)
        for other in families.get(said, ()):
            say(other, value, 0.8)
        for other in romanised(said):
            say(other, value, 0.85)
    for said, (value, quality) in seen.items():
        if said not in several:
            yield said, KnownValue(column.name, value, quality)
