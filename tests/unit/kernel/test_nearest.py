"""Did you mean: what is told of names that are not there."""

from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.nearest import nearest

SHOPS = ("新橋店", "新宿店", "大阪店")


def test_a_slip_of_the_pen_is_found() -> None:
    assert nearest("analyse", ["analyze", "research", "compare"]) == ["analyze"]
    assert nearest("Ｓａｌｅｓ", ["sales", "cost"]) == ["sales"]


def test_what_contains_it_is_nearer_than_what_is_spelt_alike() -> None:
    assert nearest("新宿", SHOPS)[0] == "新宿店"
    assert nearest("sales", ["sale_ids", "sales_amount"])[0] == "sales_amount"


def test_nothing_near_is_nothing_unless_any_will_do() -> None:
    assert nearest("xyz", SHOPS) == []
    assert set(nearest("xyz", SHOPS, 3, least=0)) == set(SHOPS)
    assert nearest("xyz", [], 3, least=0) == []


def test_beside_a_near_one_the_far_ones_are_left_out() -> None:
    assert nearest("新宿本店", ("新宿店", "札幌支社"), 2, least=0) == ["新宿店"]


@given(st.text(), st.lists(st.text()), st.integers(1, 5))
def test_only_known_names_none_twice_and_no_more_than_asked(
    name: str, known: list[str], count: int
) -> None:
    found = nearest(name, known, count, least=0)
    assert len(found) == len(set(found)) <= count
    assert set(found) <= set(known)
    assert bool(found) == bool(known)


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_name_that_is_there_is_the_nearest(known: list[str]) -> None:
    from sanbo.kernel.text import matching_form  # noqa: PLC0415 - what counts as the same

    name = known[-1]
    if matching_form(name):
        assert matching_form(nearest(name, known)[0]) == matching_form(name)
