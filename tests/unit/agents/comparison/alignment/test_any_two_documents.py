"""Whatever the two documents are: every id at most once, nothing lost, always the same."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.alignment.matches import moved_links
from sanbo.agents.comparison.model import Side
from tests.examples import examples
from tests.unit.agents.comparison.alignment.clauses import ENGLISH, JAPANESE, side

_WORDS = st.sampled_from([*JAPANESE, *ENGLISH, "削除", "その他", "1", "。", "a b"])
_TEXTS = st.lists(
    st.one_of(_WORDS, st.tuples(_WORDS, _WORDS).map("".join), st.text(min_size=1, max_size=12)),
    max_size=12,
).map(lambda texts: [text for text in texts if text.strip()])


@st.composite
def _sides(draw: st.DrawFn, letter: str) -> Side:
    texts = draw(_TEXTS)
    parents = {
        place: draw(st.integers(0, place - 1))
        for place in range(1, len(texts))
        if draw(st.booleans())
    }
    return side(letter, texts, parents=parents)


@settings(max_examples=examples(40))
@given(_sides("A"), _sides("B"))
def test_each_id_is_in_one_link_or_alone_and_the_answer_is_always_the_same(
    old: Side, new: Side
) -> None:
    alignment = align(old, new)
    for chunks, ids in (
        (old.chunks, [one for link in alignment.links for one in link.old]),
        (new.chunks, [one for link in alignment.links for one in link.new]),
    ):
        known = {chunk.id for chunk in chunks}
        assert set(ids) <= known
        assert max(Counter(ids).values(), default=1) == 1
        assert known - set(ids) == known & set(alignment.unlinked)
    assert all(link.old and link.new for link in alignment.links)
    assert {doubt.old for doubt in alignment.doubts} <= {chunk.id for chunk in old.chunks}
    assert 0 <= alignment.similarity <= 1
    assert moved_links(old, new, alignment.links) <= set(range(len(alignment.links)))
    assert align(old, new) == alignment


@settings(max_examples=examples(30))
@given(_sides("A"))
def test_a_document_and_itself_correspond_one_to_one_in_order(old: Side) -> None:
    new = side("B", [chunk.text for chunk in old.chunks])
    alignment = align(old, new)
    expected = [((f"A{place}",), (f"B{place}",)) for place in range(1, len(old.chunks) + 1)]
    assert [(link.old, link.new) for link in alignment.links] == expected
    assert not moved_links(old, new, alignment.links)
    assert not alignment.doubts
    assert alignment.similarity == 1
