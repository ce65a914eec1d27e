"""What moved is what left the order that most of the document kept."""

import pytest

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.alignment.matches import heaviest_increasing, moved_links
from sanbo.agents.comparison.model import Link
from tests.unit.agents.comparison.alignment.clauses import JAPANESE, side


def _moved(old: list[str], new: list[str]) -> set[str]:
    before, after = side("A", old), side("B", new)
    links = align(before, after).links
    return {links[index].old[0] for index in moved_links(before, after, links)}


def test_one_clause_that_went_to_the_end_moved_and_no_other() -> None:
    assert _moved(list(JAPANESE), [*JAPANESE[1:], JAPANESE[0]]) == {"A1"}


def test_what_was_inserted_or_deleted_moves_nothing() -> None:
    assert _moved(list(JAPANESE), [JAPANESE[0], "新しい条項を設ける。", *JAPANESE[2:]]) == set()


def test_a_stretch_that_moved_is_the_smaller_part() -> None:
    assert _moved(list(JAPANESE), [*JAPANESE[4:], *JAPANESE[:4]]) == {"A5", "A6", "A7"}


def test_a_split_stands_where_its_longest_part_does() -> None:
    old = side("A", ["長い文章である。短い。", "次の文章である。"])
    new = side("B", ["長い文章である。", "次の文章である。", "短い。"])
    links = [
        Link(old=("A1",), new=("B1", "B3"), confidence=0.9),
        Link(old=("A2",), new=("B2",), confidence=1),
    ]
    assert moved_links(old, new, links) == frozenset()


@pytest.mark.parametrize(
    ("values", "weights", "kept"),
    [([], [], []), ([3, 1, 2], [1, 1, 1], [1, 2]), ([3, 1, 2], [5, 1, 1], [0])],
)
def test_the_heaviest_run_is_kept_not_the_longest(
    values: list[int], weights: list[float], kept: list[int]
) -> None:
    assert heaviest_increasing(values, weights) == kept
