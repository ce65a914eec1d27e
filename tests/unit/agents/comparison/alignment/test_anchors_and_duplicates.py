"""Equal words: what is said once is certain, what is said often is told apart by its place."""

from sanbo.agents.comparison.alignment.align import align
from tests.unit.agents.comparison.alignment.clauses import ENGLISH, JAPANESE, linked, side


def test_what_is_said_once_in_each_is_certain_wherever_it_stands() -> None:
    alignment = align(side("A", JAPANESE), side("B", JAPANESE[::-1]))
    assert linked(alignment) == {(f"A{place}", f"B{8 - place}") for place in range(1, 8)}
    assert {link.confidence for link in alignment.links} == {1.0}
    assert not alignment.doubts
    assert alignment.similarity == 1


def test_deleted_articles_keep_their_place_between_what_did_not_change() -> None:
    old = [JAPANESE[0], "削除", JAPANESE[1], "削除", JAPANESE[2], "削除"]
    new = [JAPANESE[0], JAPANESE[1], "削除", JAPANESE[2], "削除"]
    assert linked(align(side("A", old), side("B", new))) == {
        ("A1", "B1"),
        ("A3", "B2"),
        ("A4", "B3"),
        ("A5", "B4"),
        ("A6", "B5"),
    }


def test_of_two_equal_ones_in_a_row_the_one_with_the_same_number_stays() -> None:
    old = side("A", [JAPANESE[0], "削除", "削除", JAPANESE[1]], labels=["1", "2", "3", "4"])
    new = side("B", [JAPANESE[0], "削除", JAPANESE[1]], labels=["1", "3", "4"])
    assert ("A3", "B2") in linked(align(old, new))


def test_a_stretch_that_moved_takes_its_duplicates_with_it() -> None:
    first = [ENGLISH[0], "Not applicable.", ENGLISH[1]]
    second = [ENGLISH[2], ENGLISH[3], "Not applicable.", ENGLISH[4]]
    alignment = align(side("A", first + second), side("B", second + first))
    assert {("A2", "B6"), ("A6", "B3")} <= linked(alignment)


def test_thousands_of_equal_lines_are_paired_in_order() -> None:
    alignment = align(side("A", ["略"] * 1500), side("B", ["略"] * 1490))
    assert len(alignment.links) == 1490
    assert ("A1", "B1") in linked(alignment)
