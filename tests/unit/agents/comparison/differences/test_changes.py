from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.differences.changes import attention_first, changes_of
from sanbo.agents.comparison.model import Candidate, Change, Decision, Doubt, Link, Pair, Side
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples

from .documents import link, pair

CLAUSES = [
    "会員は、会費を納める。",
    "当社は、サービスを提供する。",
    "利用者は、退会することができる。",
    "裁判所は、東京地方裁判所とする。",
]


def rows(compared: Pair, *decisions: Decision) -> list[Change]:
    return changes_of(compared, decisions, number=0, language="ja")


def kinds(changes: Sequence[Change]) -> list[tuple[str, str, str]]:
    return [(change.kind, " ".join(change.old), " ".join(change.new)) for change in changes]


# ---- Kinds ----


def test_the_same_document_twice_is_unchanged() -> None:
    changes = rows(pair(CLAUSES, CLAUSES))
    assert {change.kind for change in changes} == {"unchanged"}
    assert all(not change.diff and not change.explanation for change in changes)
    assert not any(change.needs_attention for change in changes)


def test_white_space_makes_no_change() -> None:
    assert rows(pair(["附　則"], ["附則"]))[0].kind == "unchanged"


def test_another_word_is_a_change() -> None:
    (change,) = rows(pair(["会費は100万円とする。"], ["会費は120万円とする。"]))
    assert (change.kind, change.flags) == ("changed", ("amount",))
    assert change.explanation == "金額が「100万円」から「120万円」に変わりました。"


def test_another_way_of_writing_is_a_change_of_notation_that_nobody_has_to_look_at() -> None:
    (change,) = rows(pair(["ＡＢＣ社、甲"], ["ABC社，甲"]))
    assert (change.kind, change.flags) == ("changed", ("notation",))
    assert not change.needs_attention


def test_what_has_no_counterpart_was_added_or_deleted() -> None:
    compared = pair(CLAUSES[:2], CLAUSES[1:3], [link("A2", "B1")], unlinked={"A1": 0.8, "B2": 0.7})
    changes = rows(compared)
    assert kinds(changes) == [
        ("deleted", "A1", ""),
        ("unchanged", "A2", "B1"),
        ("added", "", "B2"),
    ]
    assert [change.confidence for change in changes] == [0.8, 0.9, 0.7]
    assert changes[2].flags == ("obligation",)


def test_an_article_that_was_added_is_one_row_with_its_caption() -> None:
    clause, caption, article = "第1条　会費を納める。", "（退会）", "第2条　退会することができる。"
    added = rows(pair([clause], [clause, caption, article], [link("A1", "B1")]))
    assert [change.kind for change in added] == ["unchanged", "added"]
    assert added[1].new_text == f"{caption}\n{article}"


def test_what_left_its_order_has_moved() -> None:
    links = [link("A1", "B3"), link("A2", "B1"), link("A3", "B2")]
    changes = rows(pair(CLAUSES[:3], [CLAUSES[1], CLAUSES[2], CLAUSES[0]], links))
    assert kinds(changes) == [
        ("unchanged", "A2", "B1"),
        ("unchanged", "A3", "B2"),
        ("moved", "A1", "B3"),
    ]
    changed = [CLAUSES[1], CLAUSES[2], "会員は、会費を払う。"]
    assert rows(pair(CLAUSES[:3], changed, links))[-1].kind == "moved_changed"


def test_an_article_that_moved_with_its_number_alone_changed_has_moved() -> None:
    old = [("第一条", "第一条　甲。"), ("第二条", "第二条　乙。"), ("第三条", "第三条　丙。")]
    new = [("第一条", "第一条　乙。"), ("第二条", "第二条　丙。"), ("第三条", "第三条　甲。")]
    changes = rows(pair(old, new, [link("A1", "B3"), link("A2", "B1"), link("A3", "B2")]))
    assert [change.kind for change in changes] == ["renumbered", "renumbered", "moved"]
    assert "第一条から第三条" in changes[-1].explanation


def test_one_that_became_several_was_split_and_several_that_became_one_were_merged() -> None:
    whole = CLAUSES[0] + CLAUSES[1]
    (split,) = rows(pair([whole], CLAUSES[:2], [link("A1", "B1 B2")]))
    assert (split.kind, split.diff) == ("split", ())
    assert split.new_text == "\n".join(CLAUSES[:2])
    (merged,) = rows(pair(CLAUSES[:2], [whole], [link("A1 A2", "B1")]))
    assert merged.kind == "merged"
    assert [place.id for place in merged.old_places] == ["A1", "A2"]


def test_one_document_alone_is_all_added_or_all_deleted() -> None:
    assert {change.kind for change in rows(pair(None, CLAUSES))} == {"added"}
    deleted = rows(pair(CLAUSES, None))
    assert {change.kind for change in deleted} == {"deleted"}
    assert {change.confidence for change in deleted} == {1.0}
    assert rows(pair([], [])) == []


def test_a_row_tells_where_it_stands() -> None:
    (change,) = rows(pair([("第一条", "第一条　甲。")], [("第一条", "第一条　乙。")]))
    (place,) = change.old_places
    assert (place.id, place.label, place.start, place.end) == ("A1", "第一条", 0, 6)
    assert (place.page, place.headings) == (1, ("総則",))


# ---- Decisions ----

DOUBT = Doubt(old="A1", reason="unmatched", candidates=(Candidate(id="B1", score=0.5),))


def test_a_doubt_that_nobody_settled_is_shown() -> None:
    compared = pair(["会員は、会費を納める。"], ["会員は、会費を払う。"], doubts=[DOUBT])
    (change,) = rows(compared)
    assert (change.flags, change.decided_by) == (("doubtful",), "rules")
    assert "ご確認ください" in change.explanation


def test_a_decision_settles_a_doubt_and_explains() -> None:
    compared = pair(CLAUSES[:1], ["会員は、会費を払う。"], [], doubts=[DOUBT])
    decision = Decision(old="A1", new=("B1",), explanation="言い換えです。", confidence=0.7)
    (change,) = rows(compared, decision)
    assert (change.kind, change.flags, change.decided_by) == ("changed", (), "model")
    assert (change.explanation, change.confidence) == ("言い換えです。", 0.7)


def test_a_decision_replaces_the_link_of_its_chunk() -> None:
    compared = pair(CLAUSES[:1], CLAUSES[:2], [link("A1", "B2")])
    changes = rows(compared, Decision(old="A1", new=("B1",), confidence=0.9))
    assert kinds(changes) == [("unchanged", "A1", "B1"), ("added", "", "B2")]
    assert changes[1].decided_by == "model"


def test_a_decision_for_nothing_deletes() -> None:
    changes = rows(pair(CLAUSES[:1], CLAUSES[:1]), Decision(old="A1", confidence=0.6))
    assert kinds(changes) == [("deleted", "A1", ""), ("added", "", "B1")]
    assert changes[0].confidence == 0.6


def test_decisions_that_share_a_chunk_merge() -> None:
    compared = pair(CLAUSES[:2], [CLAUSES[0] + CLAUSES[1]], [link("A1", "B1")])
    (change,) = rows(compared, Decision(old="A2", new=("B1",), confidence=0.8))
    assert (change.kind, change.old, change.decided_by) == ("merged", ("A1", "A2"), "model")
    assert change.confidence == 0.8


def test_a_decision_for_several_splits() -> None:
    compared = pair([CLAUSES[0] + CLAUSES[1]], CLAUSES[:2])
    (change,) = rows(compared, Decision(old="A1", new=("B1", "B2"), confidence=0.8))
    assert (change.kind, change.new) == ("split", ("B1", "B2"))


def test_a_decision_that_failed_keeps_the_link_and_shows_its_problem() -> None:
    problem = InvalidInput("run_not_found", run_id="x").problem
    changes = rows(pair(CLAUSES[:2], CLAUSES[:2]), Decision(old="A1", problem=problem))
    assert kinds(changes) == [("unchanged", "A1", "B1"), ("unchanged", "A2", "B2")]
    assert (changes[0].problem, changes[0].flags) == (problem, ("doubtful",))
    assert changes[1].flags == ()


def test_ids_that_no_document_has_are_left_aside() -> None:
    compared = pair(CLAUSES[:1], CLAUSES[:1])
    decisions = [
        Decision(old="A1", new=("B1", "B99"), confidence=0.9),
        Decision(old="A99", new=("B1",), confidence=0.9),
    ]
    assert kinds(rows(compared, *decisions)) == [("unchanged", "A1", "B1")]


# ---- Order ----


def test_rows_follow_the_new_document_with_what_was_deleted_where_it_stood() -> None:
    links = [link("A1", "B1"), link("A4", "B3")]
    changes = rows(pair(CLAUSES, [CLAUSES[0], "新しい文。", CLAUSES[3]], links))
    assert [(change.old or change.new)[0] for change in changes] == ["A1", "A2", "A3", "B2", "A4"]
    assert [change.order for change in changes] == [0, 1, 2, 3, 4]
    later = changes_of(pair(CLAUSES, CLAUSES), [], number=2, language="ja", first_order=10)
    assert [(change.pair, change.order) for change in later] == [(2, 10), (2, 11), (2, 12), (2, 13)]


def test_what_needs_attention_comes_first() -> None:
    old = ["甲は通知することができる。", "甲は30日以内に払う。", "同じ。", "甲は100万円を払う。"]
    new = ["甲は通知しなければならない。", "甲は60日以内に払う。", "同じ。", "甲は90万円を払う。"]
    changes = rows(
        pair(old, [*new, "乙は5万円を払う。"], [link(f"A{n}", f"B{n}") for n in range(1, 5)])
    )
    first = attention_first(changes)
    assert [change.new[0] for change in first] == ["B4", "B5", "B1", "B2", "B3"]


# ---- Every character is in exactly one row ----

WORDS = st.sampled_from(
    [
        "第三条　",
        "２　",
        "会員は、",
        "30日以内に",
        "100万円を",
        "第五条の規定により、",
        "払う。",
        "\n",
        " x y ",
    ]
)
PARAGRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=5).map("".join), max_size=6)


@st.composite
def generated(draw: st.DrawFn) -> tuple[Pair, list[Decision]]:
    old, new = draw(PARAGRAPHS), draw(PARAGRAPHS)
    olds = draw(st.permutations([f"A{at + 1}" for at in range(len(old))]))
    news = draw(st.permutations([f"B{at + 1}" for at in range(len(new))]))
    links: list[Link] = []
    while olds and news and draw(st.booleans()):
        here, there = draw(st.integers(1, 2)), draw(st.integers(1, 2))
        links.append(Link(old=tuple(olds[:here]), new=tuple(news[:there]), confidence=0.5))
        olds, news = olds[here:], news[there:]
    numbers = st.sets(st.integers(1, 7), max_size=2)
    decisions = [
        Decision(old=f"A{at + 1}", new=tuple(f"B{number}" for number in draw(numbers)))
        for at in range(len(old))
        if draw(st.booleans())
    ]
    return pair(old, new, links), decisions


def rebuilt(side: Side, changes: Sequence[Change], *, old: bool) -> str:
    """From the rows alone; what stands between them is white space of the document."""
    text = list(" " * len(side.text))
    for change in changes:
        rest = change.old_text if old else change.new_text
        for place in change.old_places if old else change.new_places:
            length = place.end - place.start
            assert text[place.start : place.end] == [" "] * length, "in two rows"
            # pyrefly: ignore[unsupported-operation]
            text[place.start : place.end] = rest[:length]
            rest = rest[length + 1 :]
    return "".join(text)


@given(generated())
@settings(max_examples=examples(80))
def test_both_documents_are_rebuilt_from_the_rows(given_: tuple[Pair, list[Decision]]) -> None:
    compared, decisions = given_
    changes = changes_of(compared, decisions, number=0, language="en")
    for side, old in ((compared.old, True), (compared.new, False)):
        assert side is not None
        assert rebuilt(side, changes, old=old).split() == side.text.split()
        ids = [id for change in changes for id in (change.old if old else change.new)]
        assert sorted(ids) == sorted(chunk.id for chunk in side.chunks)
    for change in changes:
        if change.diff:
            assert "".join(piece.old for piece in change.diff) == change.old_text
            assert "".join(piece.new for piece in change.diff) == change.new_text
    assert [change.order for change in changes] == list(range(len(changes)))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_row_that_is_not_unchanged_is_explained(language: str) -> None:
    old = [*CLAUSES, "一。二。"]
    new = [CLAUSES[0], "当社は、支援を提供する。", "新しい文。", "一。", "二。"]
    links = [link("A1", "B1"), link("A2", "B2"), link("A5", "B4 B5")]
    changes = changes_of(
        pair(old, new, links), [], number=0, language="ja" if language == "ja" else "en"
    )
    assert all(bool(change.explanation) == (change.kind != "unchanged") for change in changes)
