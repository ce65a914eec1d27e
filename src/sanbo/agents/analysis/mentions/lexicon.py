"""The word table: which phrases ask for what, found at the places of a question."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations
from typing import Any, NamedTuple

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.mentions.tokens import UNSAID, Token, forms, split_case, stem
from sanbo.kernel.messages import read_yaml

_FOLDER = files("sanbo.agents.analysis.mentions")
CHART = "chart."
RATIO = "ratio."
"""粗利率: ratio.gross_profit/sales; 粗利: ratio.sales-cost."""
USED_UP = "used_up."
"""在庫切れ: used_up.stock."""
ADJECTIVE = "adjective."
"""heaviest: adjective.weight.desc."""
"""Senses of the kinds of chart: chart.bar …"""


class Phrase(NamedTuple):
    forms: tuple[str, ...]
    sense: str
    is_japanese: bool


class Concept(NamedTuple):
    name: str
    words: tuple[tuple[str, ...], ...]
    """As forms."""
    adds: bool
    averages: bool
    either: bool
    """Averaged of things that have names; of what happens day by day it may be added up too."""


class Found(NamedTuple):
    start: int
    end: int
    """Tokens, the end excluded."""
    sense: str
    is_japanese: bool


@cache
def phrases() -> Mapping[str, tuple[Phrase, ...]]:
    """By their first form; the longest first."""
    table: dict[str, dict[str, list[str]]] = read_yaml(_FOLDER / "words.yaml")
    for name, kind in KINDS.items():
        known = table.setdefault(f"{CHART}{name}", {"ja": [], "en": []})
        for language, said in kind.words.items():
            known[language] = [*known[language], *said]
    for ratio in synonyms()["ratios"]:
        table[f"{RATIO}{ratio['of']}/{ratio['to']}"] = {"ja": ratio["words"]}
    for rest in synonyms()["differences"]:
        table[f"{RATIO}{rest['of']}-{rest['less']}"] = {"ja": rest["words"]}
    for none_left in synonyms()["used_up"]:
        table[f"{USED_UP}{none_left['concept']}"] = {"ja": none_left["words"]}
    for adjective in synonyms()["adjectives"]:
        name = f"{ADJECTIVE}{adjective['concept']}.{adjective['order']}"
        table[name] = {"ja": adjective["words"]}
    made: dict[str, list[Phrase]] = {}
    for sense, by_language in table.items():
        for language, texts in by_language.items():
            for text in texts:
                if "%" in text and len(forms(text)) == 1:
                    continue  # its sign is no word: 何% is met as it stands
                is_japanese = language == "ja" and not text.isascii()
                for whole in dict.fromkeys((forms(text), _behind_noun(text))):
                    said = tuple(form for form in whole if form not in UNSAID) or whole
                    if said:
                        made.setdefault(said[0], []).append(Phrase(said, sense, is_japanese))
    return {
        first: tuple(sorted(found, key=lambda one: -len(one.forms)))
        for first, found in made.items()
    }


_NOUN = "店舗"


def _behind_noun(text: str) -> tuple[str, ...]:
    """まで alone is taken for another word than behind a noun."""
    whole = forms(_NOUN + text)
    return whole[1:] if whole[:1] == forms(_NOUN) else ()


@cache
def written() -> Mapping[str, tuple[str, ...]]:
    """Senses of Japanese phrases that nothing bends, as they stand."""
    table: dict[str, dict[str, list[str]]] = read_yaml(_FOLDER / "words.yaml")
    made: dict[str, tuple[str, ...]] = {}
    for sense, by_language in table.items():
        for text in by_language["ja"]:
            if len(text) > 1 and not any("ぁ" <= letter <= "ん" for letter in text):
                made[text] = (*made.get(text, ()), sense)
    return made


@cache
def vocabulary() -> frozenset[str]:
    """The English words that the tables of words are written in."""
    said = [
        (_FOLDER / name).read_text(encoding="utf-8") for name in ("words.yaml", "synonyms.yaml")
    ]
    return frozenset(re.findall("[a-z]{4,}", " ".join(said)))


@lru_cache(maxsize=1024)
def is_word(word: str) -> bool:
    """Of English, in one of its forms, and not misspelt."""
    from sanbo.language.likeness import neighbours  # noqa: PLC0415 - NumPy, for unknown words alone

    if stem(word) in set(map(stem, vocabulary())):
        return True
    ends = ("", "s", "es", "ed", "d", "ing", "ly", "er", "ers")
    bare = {word.removesuffix(end) for end in ends} | {word.removesuffix("ing") + "e"}
    bare |= {one[:-1] for one in bare if one[-2:-1] == one[-1:]}
    return any(neighbours(one) for one in bare if len(one) > 3)


@cache
def phrases_of(*senses: str) -> frozenset[tuple[str, ...]]:
    """The forms of all phrases that ask for one of these."""
    return frozenset(
        phrase.forms for found in phrases().values() for phrase in found if phrase.sense in senses
    )


@cache
def fillers() -> Mapping[str, tuple[str, ...]]:
    """How English words of one form begin that say nothing: booked, but not book."""
    table: dict[str, dict[str, list[str]]] = read_yaml(_FOLDER / "words.yaml")
    made: dict[str, tuple[str, ...]] = {}
    for word in table["filler"]["en"]:
        bare = word[:-1] if word.endswith(("e", "y")) else word
        made[forms(word)[0]] = (*made.get(forms(word)[0], ()), bare)
    return made


@cache
def synonyms() -> Mapping[str, Any]:
    return read_yaml(_FOLDER / "synonyms.yaml")


@cache
def made_of(whole: str) -> tuple[str, ...]:
    """What sales-cost makes: profit, gross_profit."""
    made = synonyms()["differences"]
    return tuple(
        name for one in made if whole == f"{one['of']}-{one['less']}" for name in one["makes"]
    )


@cache
def parts_of(concept: str) -> tuple[str, ...]:
    """Of what a figure can be made, where no column has it: profit, of sales and cost."""
    made = synonyms()["differences"]
    return next(((one["of"], one["less"]) for one in made if concept in one["makes"]), ())


@cache
def concepts() -> tuple[Concept, ...]:
    return tuple(
        Concept(
            name,
            tuple(dict.fromkeys(forms(word) for word in about["words"])),
            about.get("adds", False),
            about.get("averages", False),
            about.get("either", False),
        )
        for name, about in synonyms()["concepts"].items()
    )


@cache
def set_of(name: str) -> frozenset[str]:
    """Words that are looked for as they stand."""
    return frozenset(synonyms()["sets"][name])


@cache
def forms_of(name: str) -> frozenset[str]:
    """All forms of a list's words: weak, apart, adding …"""
    return frozenset(form for word in synonyms()[name] for form in forms(word))


def spoken(tokens: Sequence[Token]) -> list[int]:
    """The places of what phrases are met in: no signs, and nothing of how it is said."""
    return [
        place
        for place, token in enumerate(tokens)
        if not token.is_sign and token.form not in UNSAID
    ]


def find(tokens: Sequence[Token]) -> list[Found]:
    """Every phrase of the table, also where they overlap."""
    found = list(_find(tokens))
    known = {(one.start, one.end) for one in found}
    return found + [one for one in _written(tokens) if (one.start, one.end) not in known]


def _find(tokens: Sequence[Token]) -> Iterator[Found]:
    places = spoken(tokens)
    said = [tokens[place].form for place in places]
    for at, first in enumerate(said):
        for phrase in phrases().get(first, ()):
            end = at + len(phrase.forms)
            if tuple(said[at:end]) == phrase.forms and _together(tokens, places[at:end]):
                yield Found(places[at], places[end - 1] + 1, phrase.sense, phrase.is_japanese)


def _written(tokens: Sequence[Token]) -> Iterator[Found]:
    """月次: whatever words the dictionary makes of it where it stands alone."""
    for start, first in enumerate(tokens):
        for end in range(start + 1, min(len(tokens), start + _MOST_TOKENS) + 1):
            last = tokens[end - 1]
            if not first.is_japanese or not (last.is_japanese or last.text == "%"):
                break
            for sense in written().get("".join(one.text for one in tokens[start:end]), ()):
                yield Found(start, end, sense, is_japanese=True)


_MOST_TOKENS = 4
_DIVIDES = frozenset('、。,.;:?!()「」『』"')


def _together(tokens: Sequence[Token], places: Sequence[int]) -> bool:
    between = tokens[places[0] : places[-1] + 1]
    return not any(token.text in _DIVIDES for token in between)


# ---- what names are of ----


def strong_forms(whole: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(form for form in whole if form not in forms_of("weak")) or whole


def concepts_of(whole: tuple[str, ...]) -> tuple[Concept, ...]:
    """Whose word the name is, or ends with after weak ones are left: the longest first."""
    strong = strong_forms(whole)
    matches: list[tuple[int, Concept]] = []
    for concept in concepts():
        best = 0
        for said in concept.words:
            if said in (whole, strong):
                best = max(best, 100 + len(said))
            elif said and (
                whole[-len(said) :] == said
                or strong[-len(said) :] == said
                or (
                    strong[: len(said)] == said and not forms_of("apart") & set(strong[len(said) :])
                )
            ):
                best = max(best, len(said) if any(f not in forms_of("weak") for f in said) else 0)
        if best:
            matches.append((best, concept))
    if not matches:
        return ()
    most = max(length for length, _ in matches)
    return tuple(concept for length, concept in matches if length == most)


def is_planned(said: tuple[str, ...]) -> bool:
    return not forms_of("planned").isdisjoint(said)


def is_code(whole: tuple[str, ...]) -> bool:
    return len(whole) > 1 and whole[-1] in forms_of("codes")


@cache
def value_families() -> Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    made: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for family in synonyms()["values"]:
        said = tuple(forms(word) for word in family)
        for one in said:
            made[one] = tuple(other for other in said if other != one)
    return made


def romanised(said: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    for roman, japanese in synonyms()["places"].items():
        place = forms(japanese)
        if said[: len(place)] == place:
            yield forms(roman)
            rest = said[len(place) :]
            if rest in (forms("店"), forms("支店"), forms("本店")):
                yield (*forms(roman), *forms("store"))
                yield (*forms(roman), *forms("branch"))


# ---- what columns are called ----


KIN = 0.5
"""How good a match of something else of the same kind is."""
_WEAK = 0.3
_UNITS = frozenset((unit,) for unit in ("月", "年", "日", "週"))
_KANA = re.compile("[ぁ-ん]{1,2}")


def shared_forms(names: Iterable[str]) -> Mapping[str, int]:
    """In how many names each form stands."""
    counts: dict[str, int] = {}
    for name in names:
        for form in set(forms(split_case(without_unit(name)))):
            counts[form] = counts.get(form, 0) + 1
    return counts


def without_unit(name: str) -> str:
    """売上（千円） is 売上; Charges ($)_Fee, of two rows of headings, is Charges_Fee."""
    bare = BRACKETS.sub("", name)
    bare = bare if bare.strip(" _") else name
    return "".join(bare.split()) if _SPREAD.fullmatch(bare.strip()) else bare


BRACKETS = re.compile(r"[（(［\[][^（(［\[）)］\]]*(?:[）)］\]]|$)")
_SPREAD = re.compile(r"[^\W\d_a-zA-Z](?:\s{1,9}[^\W\d_a-zA-Z]){1,9}")
"""氏　名, 備　　考: one word, spread over its cell."""


def lowest_heading(title: str) -> str:
    """What stands right above the cells, where headings of several rows were put together."""
    above, joined, lowest = title.rpartition("_")
    is_heading = bool(joined) and lowest.strip() and not title.islower()
    return lowest.strip() if is_heading and above.strip() else ""


def own_names(whole: tuple[str, ...], shared: Mapping[str, int]) -> dict[tuple[str, ...], float]:
    """Of a column, and the parts of its name by how much of it they say."""
    names: dict[tuple[str, ...], float] = {whole: 1.0} if whole else {}
    weights = [_WEAK if form in forms_of("weak") else 1.0 for form in whole]
    for start, end in combinations(range(len(whole) + 1), 2):
        part = whole[start:end]
        if part == whole or (start > 0 and whole[start - 1] == part[0]):
            continue
        if all(form in forms_of("weak") or _KANA.fullmatch(form) for form in part):
            continue
        if part in _UNITS or part in phrases_of("sum", "mean", "max", "min", "count"):
            continue  # 月 and 平均, of 月平均残業
        quality = 0.95 * sum(weights[start:end]) / sum(weights) - 0.1 * is_code(whole)
        if forms_of("apart") & set(whole[end:]):
            quality = min(quality, 0.4)  # 売上原価 is no 売上
        elif is_planned(whole[:start]):
            quality = min(quality, KIN)  # an expected salary is one of several
        elif all(shared[form] == 1 for form in part) and 1 in weights[start:end]:
            quality = max(quality, 0.65 if is_code(whole) else 0.8)
        names[part] = max(quality, names.get(part, 0))
    return names
