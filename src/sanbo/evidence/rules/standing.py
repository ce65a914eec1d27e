"""Which of two documents rules where they differ: by what they are, their edition, their year."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

import yaml

from sanbo.evidence.model import Passage
from sanbo.evidence.rules.values import years
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import narrow

Why = Literal["replaced", "kind", "edition", "year"]
_EDITION = re.compile(
    r"第\s?([0-9]{1,3})\s?版|\b([0-9]{1,3})(?:st|nd|rd|th)[ _-]?ed(?:ition)?", re.I
)
_LATIN = re.compile(r"[a-z&]+")


@cache
def _table() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, frozenset[str]], tuple[str, ...]]:
    told = yaml.safe_load(files(__package__ or "").joinpath("standing.yaml").read_text("utf-8"))
    return (
        {kind: tuple(words.split()) for kind, words in told["kinds"].items()},
        {kind: frozenset(others.split()) for kind, others in told["rules_over"].items()},
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
    kinds, _, replaced = _table()
    edition = _EDITION.search(form)
    return Standing(
        kind=next((kind for kind, words in kinds.items() if _has_any(form, words)), ""),
        edition=int(edition[1] or edition[2]) if edition else 0,
        year=max((int(year) for year in years(form) if year.isdecimal()), default=0),
        replaced=_has_any(form, replaced),
    )


def _has_any(form: str, words: tuple[str, ...]) -> bool:
    latin = frozenset(_LATIN.findall(form))
    return any(word in latin if word.isascii() else word in form for word in words)


def are_of_other_kinds(one: Passage, other: Passage) -> bool:
    """A regulation and an FAQ may be about the same, whatever else their names say."""
    ours, theirs = standing_of(one).kind, standing_of(other).kind
    return bool(ours and theirs and ours != theirs)


def ruling(one: Passage, other: Passage) -> tuple[Passage, Passage, Why] | None:
    """The one that rules, the other, and why; None where their names do not decide it."""
    for mine, theirs in ((one, other), (other, one)):
        for why, holds in _reasons(standing_of(mine), standing_of(theirs)):
            if holds:
                return mine, theirs, why
    return None


def _reasons(mine: Standing, theirs: Standing) -> Iterator[tuple[Why, bool]]:
    alike = mine.kind == theirs.kind
    yield "replaced", alike and theirs.replaced and not mine.replaced
    rules_over = _table()[1].get(mine.kind, frozenset[str]())
    yield "kind", theirs.kind in rules_over and not mine.replaced
    yield "edition", alike and mine.edition > theirs.edition > 0
    yield "year", alike and mine.edition == theirs.edition and mine.year > theirs.year > 0


def told_ruling(one: Passage, other: Passage, language: Language) -> str:
    found = ruling(one, other)
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
