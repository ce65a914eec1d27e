"""Words of about the same meaning, in two languages, from the vectors that ship."""

import pytest

from sanbo.language.likeness import likeness, neighbours


@pytest.mark.parametrize(
    ("word", "like", "unlike"),
    [("上司", "上長", "宿泊"), ("費用", "経費", "病気"), ("trip", "journey", "salary")],
)
def test_what_means_the_same_is_more_alike(word: str, like: str, unlike: str) -> None:
    (near,), (far,) = likeness((word,), (like,)), likeness((word,), (unlike,))
    assert near > 0.3 > far
    assert like in dict(neighbours(word))


def test_the_word_itself_is_alike_and_an_unknown_one_is_like_nothing() -> None:
    assert likeness(("xqzzy", "上司"), ("上司",)) == [0.0, 1.0]
    assert likeness(("xqzzy",), ("xqzzy",)) == [1.0]
    assert likeness(("上司",), ()) == [0.0]
    assert neighbours("xqzzy") == []


def test_neighbours_are_of_the_same_language_and_the_most_alike_come_first() -> None:
    for word in ("申請", "invoic"):
        found = neighbours(word)
        assert found
        assert all(other.isascii() == word.isascii() for other, _ in found)
        shares = [share for _, share in found]
        assert shares == sorted(shares, reverse=True)
        assert max(shares) <= 1.0 + 1e-6
