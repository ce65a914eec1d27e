"""Paragraphs too long to be compared as one."""

from sanbo.agents.comparison.chunking.paragraphs import LONGEST, short_enough

SENTENCES = [f"第{n}の手順では、担当者が帳票{n * 7}号を確かめて記録する。" for n in range(400)]


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in short_enough(text)]


def test_a_paragraph_of_usual_length_is_never_cut() -> None:
    text = "".join(SENTENCES)[:LONGEST]
    assert pieces(text) == [text]


def test_a_long_one_is_cut_where_sentences_end_and_nothing_is_lost() -> None:
    text = "".join(SENTENCES)
    assert "".join(pieces(text)) == text
    assert len(pieces(text)) > 20
    assert all(len(piece) <= LONGEST and piece.endswith("。") for piece in pieces(text))


def test_a_sentence_put_in_at_the_beginning_does_not_move_the_other_cuts() -> None:
    before = pieces("".join(SENTENCES))
    after = pieces("はじめに責任者を定める。" + "".join(SENTENCES))
    assert len(set(before) & set(after)) >= len(before) - 2


def test_a_text_without_sentences_is_cut_all_the_same() -> None:
    text = "x" * 3 * LONGEST
    assert "".join(pieces(text)) == text
    assert all(len(piece) <= LONGEST for piece in pieces(text))
