"""What a document is by its name and title: its kind, edition and year; which of two rules."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

import yaml

from sanbo.evidence.model import Passage
from sanbo.evidence.rules.values import years
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import narrow

Why = Literal["changed", "replaced", "kind", "edition", "year"]
_EDITION = re.compile(
    r"第\s?([0-9]{1,3})\s?版|\b([0-9]{1,3})(?:st|nd|rd|th)[ _-]?ed(?:ition)?", re.I
)
_LATIN = re.compile(r"[a-z&]+")


class _Table(NamedTuple):
    kinds: Mapping[str, tuple[str, ...]]
    rules_over: Mapping[str, frozenset[str]]
    renewed: frozenset[str]
    replaced: tuple[str, ...]


@cache
def _table() -> _Table:
    told = yaml.safe_load(files(__package__ or "").joinpath("standing.yaml").read_text("utf-8"))
    return _Table(
        {kind: tuple(words.split()) for kind, words in told["kinds"].items()},
        {kind: frozenset(others.split()) for kind, others in told["rules_over"].items()},
        frozenset(told["renewed"].split()),
        tuple(told["replaced"].split()),
    )


@dataclass(frozen=True)
class Standing:
    kind: str
    """Empty where its name does not say."""
    edition: int
    """0 where its name does not say."""
    year: int
    replaced: bool


def standing_of(passage: Passage) -> Standing:
    title = passage.context.partition("\n")[0]
    return _standing(passage.document.rpartition("/")[2], title)


@lru_cache(maxsize=512)
def _standing(name: str, title: str) -> Standing:
    form = narrow(f"{name.rpartition('.')[0] or name} {title}").casefold().replace("_", " ")
    table = _table()
    edition = _EDITION.search(form)
    return Standing(
        kind=next((kind for kind, words in table.kinds.items() if _has_any(form, words)), ""),
        edition=int(edition[1] or edition[2]) if edition else 0,
        year=max((int(year) for year in years(form) if year.isdecimal()), default=0),
        replaced=_has_any(form, table.replaced),
    )


def _has_any(form: str, words: tuple[str, ...]) -> bool:
    latin = frozenset(_LATIN.findall(form))
    return any(word in latin if word.isascii() else word in form for word in words)


def are_of_other_kinds(one: Passage, other: Passage) -> bool:
    """A regulation and an FAQ may be about the same, whatever else their names say."""
    ours, theirs = standing_of(one).kind, standing_of(other).kind
    return bool(ours and theirs and ours != theirs)


def are_editions(one: Passage, other: Passage) -> bool:
    """旅費規程 of 2020 and of 2025: the year says since when, and not of which year it speaks."""
    ours, theirs = standing_of(one), standing_of(other)
    renewed = ours.kind == theirs.kind and ours.kind in _table().renewed
    return renewed and one.document_id != other.document_id and 0 < ours.year != theirs.year > 0


class Ruling(NamedTuple):
    rules: Passage
    yields: Passage
    why: Why


def ruling(one: Passage, other: Passage) -> Ruling | None:
    """None where their names do not decide it."""
    for mine, theirs in ((one, other), (other, one)):
        for why, holds in _reasons(standing_of(mine), standing_of(theirs)):
            if holds:
                return Ruling(mine, theirs, why)
    return None


def _reasons(mine: Standing, theirs: Standing) -> Iterator[tuple[Why, bool]]:
    alike = mine.kind == theirs.kind
    yield "replaced", alike and theirs.replaced and not mine.replaced
    rules_over = _table().rules_over.get(mine.kind, frozenset[str]())
    yield "kind", theirs.kind in rules_over and not mine.replaced
    yield "edition", alike and mine.edition > theirs.edition > 0
    yield "year", alike and mine.edition == theirs.edition and mine.year > theirs.year > 0


def told_ruling(found: Ruling | None, language: Language) -> str:
    if found is None:
        return tell("evidence.ruling.open", language)
    rules, yields, why = found
    return tell(
        f"evidence.ruling.{why}",
        language,
        rules=rules.document.rpartition("/")[2],
        yields=yields.document.rpartition("/")[2],
        kind=tell(f"evidence.kind.{standing_of(rules).kind or 'other'}", language),
        lower=tell(f"evidence.kind.{standing_of(yields).kind or 'other'}", language),
    )
