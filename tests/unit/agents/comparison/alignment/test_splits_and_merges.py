"""One clause that became several, and several that became one."""

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.alignment.candidates import Part, groups_of
from sanbo.agents.comparison.alignment.matches import Matches
from tests.unit.agents.comparison.alignment.clauses import ENGLISH, JAPANESE, side


def _links(old: list[str], new: list[str]) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    return {(link.old, link.new) for link in align(side("A", old), side("B", new)).links}


def test_a_clause_cut_in_two_is_one_link_to_both() -> None:
    old = [JAPANESE[0], JAPANESE[1] + JAPANESE[2], *JAPANESE[3:]]
    assert (("A2",), ("B2", "B3")) in _links(old, list(JAPANESE))


def test_the_parts_need_not_stand_together() -> None:
    old = [ENGLISH[0] + " " + ENGLISH[1], *ENGLISH[2:]]
    new = [ENGLISH[0], *ENGLISH[2:], ENGLISH[1]]
    assert (("A1",), ("B1", "B5")) in _links(old, new)


def test_three_clauses_made_one_are_one_link() -> None:
    new = ["".join(JAPANESE[:3]), *JAPANESE[3:]]
    assert (("A1", "A2", "A3"), ("B1",)) in _links(list(JAPANESE), new)


def test_a_heading_is_not_part_of_a_clause_that_has_its_words() -> None:
    old = side("A", JAPANESE)
    new = side("B", ["専属管轄", *JAPANESE[:-1], JAPANESE[-1] + "第一審に限る。"], headings=(0,))
    assert all("B1" not in link.new for link in align(old, new).links)


def test_a_chunk_that_seems_both_a_part_and_a_whole_is_in_one_link_only() -> None:
    split = Part(part=0, whole=0, share=0.6, cosine=0.5, lead=0.3, is_new=True)
    merge = Part(part=1, whole=0, share=0.9, cosine=0.5, lead=0.3, is_new=False)
    groups = groups_of(Matches.none(2, 1), [split], [merge])
    assert [(group.old, group.new) for group in groups] == [((1,), (0,))]
