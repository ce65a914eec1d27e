"""The rows of a table of changes in the order of the documents, unchanged stretches as one.

The text of each side is cut into stretches that changed and stretches that did not.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.agents.comparison.model import Change, ComparedPair, ComparisonResult
from sanbo.reports.letters import Span, joined, tight


def old_spans(change: Change) -> list[Span]:
    if change.diff:
        return tight(joined([(piece.old, piece.op != "equal") for piece in change.diff]))
    return joined([Span(change.old_text, not change.new)])


def new_spans(change: Change) -> list[Span]:
    if change.diff:
        return tight(joined([(piece.new, piece.op != "equal") for piece in change.diff]))
    return joined([Span(change.new_text, not change.old)])


def is_blank(text: str) -> bool:
    """Nothing in it can be seen."""
    return all(letter.isspace() or unicodedata.category(letter) == "Cf" for letter in text)


_CAPTION = re.compile(r"[（(][^（）()\n]{1,40}[）)]")
"""（委託料） over an article: it belongs to what follows."""


@dataclass(frozen=True)
class Row:
    number: int
    """In the order of the documents, from 1; the same in every output."""
    change: Change
    above: tuple[Change, ...] = ()
    """Unchanged headings right above it, shown with it so that it can be placed."""


@dataclass(frozen=True)
class Stretch:
    """Rows that a reader need not see."""

    changes: tuple[Change, ...]

    @property
    def paragraphs(self) -> int:
        return sum(max(len(change.old), len(change.new)) for change in self.changes)

    @property
    def is_unchanged(self) -> bool:
        return all(change.kind == "unchanged" for change in self.changes)


@dataclass(frozen=True)
class Section:
    """One pair of documents."""

    number: int
    pair: ComparedPair
    rows: tuple[Row | Stretch, ...]

    @property
    def has_differences(self) -> bool:
        return any(isinstance(row, Row) for row in self.rows)


def sections(result: ComparisonResult, *, fold_renumbered: bool = False) -> list[Section]:
    numbered = numbers(result.changes)
    by_pair: dict[int, list[Change]] = {place: [] for place in range(len(result.pairs))}
    for change in in_order(result.changes):
        by_pair[change.pair].append(change)
    return [
        Section(
            place + 1,
            pair,
            tuple(_rows(by_pair[place], numbered, fold_renumbered=fold_renumbered)),
        )
        for place, pair in enumerate(result.pairs)
    ]


def in_order(changes: Sequence[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: (change.pair, change.order))


def numbers(changes: Sequence[Change]) -> dict[tuple[int, int], int]:
    """The number of each row that is worth reading, by its pair and its order."""
    worth = (change for change in in_order(changes) if is_worth_reading(change))
    return {(change.pair, change.order): number for number, change in enumerate(worth, start=1)}


def is_worth_reading(change: Change) -> bool:
    """A text may be the same and yet refer to an article that is elsewhere now."""
    return change.kind != "unchanged" or change.needs_attention or change.problem is not None


def is_quiet(change: Change, *, fold_renumbered: bool) -> bool:
    """Renumbering that carries a flag is never folded away."""
    if change.kind == "renumbered":
        return fold_renumbered and not change.needs_attention and change.problem is None
    return not is_worth_reading(change)


def is_heading(change: Change) -> bool:
    places = change.new_places or change.old_places
    text = change.new_text if change.new_places else change.old_text
    if len(places) != 1 or not places[0].headings:
        return False
    return " ".join(places[0].headings[-1].split()) == " ".join(text.split())


def _rows(
    changes: Sequence[Change], numbered: dict[tuple[int, int], int], *, fold_renumbered: bool
) -> Iterator[Row | Stretch]:
    quiet: list[Change] = []
    for change in changes:
        if is_quiet(change, fold_renumbered=fold_renumbered):
            quiet.append(change)
            continue
        above = titles_at_end(quiet)
        omitted = quiet[: len(quiet) - len(above)]
        if omitted:
            yield Stretch(tuple(omitted))
        yield Row(numbered[change.pair, change.order], change, above)
        quiet = []
    if quiet:
        yield Stretch(tuple(quiet))


def titles_at_end(quiet: Sequence[Change]) -> tuple[Change, ...]:
    """The unchanged headings and captions that belong to what follows."""
    first = len(quiet)
    while first > 0 and quiet[first - 1].kind == "unchanged" and _is_title(quiet[first - 1]):
        first -= 1
    return tuple(quiet[first:])


def _is_title(change: Change) -> bool:
    return is_heading(change) or _CAPTION.fullmatch(change.new_text.strip()) is not None
