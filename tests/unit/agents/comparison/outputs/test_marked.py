"""Texts with their changed words: complete, printable, shortened where nothing happens."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.outputs.rows import new_spans, old_spans
from sanbo.reports.letters import Span, excerpt, plain_text, printable, shortened
from tests.examples import examples
from tests.unit.agents.comparison.outputs.written_changes import Written, changes_of

_XML = re.compile("[\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def test_only_changed_words_are_marked_on_either_side() -> None:
    change = changes_of([Written("changed", "月額[[50万円|60万円]]を[[|必ず]]支払う")])[0]
    assert old_spans(change) == [Span("月額", False), Span("50万円", True), Span("を支払う", False)]
    assert [span.text for span in new_spans(change) if span.marked] == ["60万円", "必ず"]


def test_white_space_around_changed_words_is_not_marked_but_alone_it_is() -> None:
    change = changes_of([Written("changed", "[[５　|６　]]本契約は[[ |]]有効")])[0]
    assert [span.text for span in new_spans(change) if span.marked] == ["６"]
    assert [span.text for span in old_spans(change) if span.marked] == ["５", " "]
    assert plain_text(old_spans(change)) == change.old_text


def test_added_and_deleted_texts_are_marked_as_a_whole() -> None:
    added, deleted, same = changes_of(
        [Written("added", "甲"), Written("deleted", "乙"), Written("unchanged", "丙")]
    )
    assert new_spans(added) == [Span("甲", True)]
    assert old_spans(added) == []
    assert old_spans(deleted) == [Span("乙", True)]
    assert old_spans(same) == [Span("丙", False)]


@given(st.text())
def test_every_text_becomes_one_that_xml_can_hold(text: str) -> None:
    assert _XML.fullmatch(printable(text))


def test_letters_that_turn_the_writing_around_are_left_out() -> None:
    assert printable("100\u202e円\u2066") == "100円"
    assert printable("一\r\n二\x0c三\x07") == "一\n二\n三�"


@settings(max_examples=examples(100))
@given(
    st.lists(st.text("あいう、。x", min_size=1, max_size=200), min_size=2, max_size=8),
    st.integers(20, 300),
)
def test_shortened_texts_are_short_and_begin_with_the_first_difference(
    parts: list[str], most: int
) -> None:
    spans = [Span(text, at % 2 == 1) for at, text in enumerate(parts)]
    short = shortened(spans, most)
    assert len(plain_text(short)) <= most + 2
    if len(plain_text(spans)) > most:
        kept = next(span.text for span in short if span.marked)
        assert parts[1].startswith(kept.removesuffix("…"))


def test_excerpt_is_one_line() -> None:
    assert excerpt("一\n二　三", 20) == "一 二 三"
    assert excerpt("あ" * 50, 10) == "あ" * 10 + "…"
