"""Articles and their items: the one tells where the other belongs."""

from sanbo.agents.comparison.alignment.align import align
from tests.unit.agents.comparison.alignment.clauses import JAPANESE, linked, side


def test_a_short_item_goes_with_its_article() -> None:
    old = [JAPANESE[0], "その他", JAPANESE[1], "その他", JAPANESE[2], "その他"]
    parents = {1: 0, 3: 2, 5: 4}
    new = [JAPANESE[2], "その他", JAPANESE[0], "その他", JAPANESE[1], "その他"]
    alignment = align(side("A", old, parents=parents), side("B", new, parents=parents))
    assert linked(alignment) == {
        ("A1", "B3"),
        ("A2", "B4"),
        ("A3", "B5"),
        ("A4", "B6"),
        ("A5", "B1"),
        ("A6", "B2"),
    }


def test_a_heading_that_was_renamed_is_known_by_what_stands_under_it() -> None:
    old = ["業務の報告", *JAPANESE[:3], "雑則", *JAPANESE[3:]]
    new = ["報告及び支払", *JAPANESE[:3], "雑則", *JAPANESE[3:]]
    parents = {1: 0, 2: 0, 3: 0, 5: 4, 6: 4, 7: 4, 8: 4}
    alignment = align(
        side("A", old, parents=parents, headings=(0, 4)),
        side("B", new, parents=parents, headings=(0, 4)),
    )
    assert ("A1", "B1") in linked(alignment)
