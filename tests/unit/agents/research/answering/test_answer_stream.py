"""Sentences are taken out of a model's stream, however it is cut and whatever stands between."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.research import model_thinking
from sanbo.agents.research.model_thinking import LONGEST_OBJECT, MOST_PARTS, PartScanner, read_part
from sanbo.evidence.model import Part, Quoted

SUMMARY: dict[str, Any] = {
    "section": "summary",
    "sub_question": 1,
    "quotes": [{"passage": "P1", "quote": '「10日」と"定める" {第3条} [注] \\ '}],
    "text": "有給休暇は10日です。",
}
FINDING: dict[str, Any] = {
    "section": "finding",
    "sub_question": 2,
    "text": "翌年度に繰り越せます。",
    "quotes": [{"passage": "P2", "quote": "翌年度に限り"}, {"passage": "P3", "quote": "繰り越す"}],
}
GAP: dict[str, Any] = {"section": "gap", "text": "上限はわかりません。", "quotes": []}
PARTS = [read_part(SUMMARY), read_part(FINDING), read_part(GAP)]


def lines(*objects: object) -> str:
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in objects)


STREAMS = {
    "lines": lines(SUMMARY, FINDING, GAP),
    "array": json.dumps([SUMMARY, FINDING, GAP]),
    "wrapped": json.dumps({"parts": [SUMMARY, FINDING, GAP]}, indent=2),
    "wrapped late": json.dumps({"language": "ja", "sentences": [SUMMARY, FINDING, GAP]}),
    "fenced": f"```json\n{lines(SUMMARY, FINDING, GAP)}\n```",
    "prose": f"次のとおり {{P1}} を参照。\n{lines(SUMMARY)}\n続き\n{lines(FINDING, GAP)}以上}}",
    "commas": ",\n".join((lines(SUMMARY), lines(FINDING), lines(GAP))),
    "open brace": '{"つまり" ' + lines(SUMMARY, FINDING, GAP),
    "raw line break": lines(SUMMARY, FINDING, GAP).replace("有給休暇は", "有給休暇\nは"),
}


def scan(pieces: list[str]) -> tuple[list[Part], PartScanner]:
    scanner = PartScanner()
    parts = [part for piece in pieces for part in scanner.feed(piece)]
    return [*parts, *scanner.end()], scanner


@pytest.mark.parametrize("form", STREAMS)
def test_whatever_stands_between_the_sentences_is_passed_over(form: str) -> None:
    parts, _ = scan([STREAMS[form]])
    told = [part.model_copy(update={"text": part.text.replace("\n", "")}) for part in parts]
    assert told == PARTS


@given(st.sampled_from(sorted(STREAMS)), st.lists(st.integers(0, 700), max_size=40))
def test_a_stream_may_be_cut_anywhere(form: str, cuts: list[int]) -> None:
    text = STREAMS[form]
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(ends)]
    whole, _ = scan([text])
    assert scan(pieces)[0] == whole
    assert scan(list(text))[0] == whole


@given(st.text('{}[]":, \\ntex{"P1', max_size=60), st.integers(1, 7))
def test_no_text_breaks_the_reading_or_depends_on_its_pieces(text: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    parts, scanner = scan(pieces)
    whole, other = scan([text])
    assert (parts, scanner.skipped) == (whole, other.skipped)


def test_a_sentence_is_given_as_soon_as_it_is_whole() -> None:
    scanner = PartScanner()
    text = json.dumps({"parts": [SUMMARY, FINDING]})
    first_end = text.index(', {"section": "finding"')
    assert list(scanner.feed(text[: first_end - 1])) == []
    assert list(scanner.feed(text[first_end - 1 : first_end])) == [PARTS[0]]


def test_objects_that_are_no_sentence_are_skipped_and_counted() -> None:
    bad: list[object] = [
        {"section": "poem", "text": "春はあけぼの。"},
        {"section": "finding", "quotes": []},
        {"section": "finding", "text": "  "},
        {"section": "finding", "text": ["一つ"]},
        {"answer": 42},
    ]
    parts, scanner = scan([lines(*bad, GAP)])
    assert parts == [PARTS[2]]
    assert (scanner.found, scanner.skipped) == (1, len(bad))


@pytest.mark.parametrize(
    "told",
    [
        {"sub_question": "Q2"},
        {"sub_question": "2"},
        {"section": "Findings"},
        {"quotes": {"passage": "P2", "quote": "翌年度に限り"}},
        {"quotes": [{"id": "P2", "text": "翌年度に限り"}, "P3", 5, {"passage": "P4"}]},
    ],
)
def test_small_slips_of_form_are_read_as_they_are_meant(told: dict[str, Any]) -> None:
    given = FINDING | {"quotes": [{"passage": "P2", "quote": "翌年度に限り"}]} | told
    assert read_part(given) == Part(
        section="finding",
        sub_question=1,
        text="翌年度に繰り越せます。",
        quotes=(Quoted(passage="P2", quote="翌年度に限り"),),
    )


def test_an_object_without_end_does_not_hide_the_next() -> None:
    endless = '{"section": "finding", "text": "' + "あ" * (LONGEST_OBJECT + 10)
    parts, _ = scan([endless, lines(GAP)])
    assert parts == [PARTS[2]]


def test_an_answer_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, scanner = scan([lines(GAP) + "\n"] * (MOST_PARTS + 20))
    assert len(parts) == MOST_PARTS
    assert scanner.is_full
    monkeypatch.setattr(model_thinking, "LONGEST_ANSWER", 2_000)
    assert len(scan([lines(GAP) + "\n"] * 100)[0]) < 40


def test_a_hostile_stream_is_given_up_soon() -> None:
    parts, scanner = scan(['{"' * 5_000, lines(GAP)])
    assert scanner.is_full
    assert parts == []


def test_half_a_surrogate_pair_becomes_a_letter_that_can_be_written() -> None:
    parts, _ = scan(['{"section": "gap", "text": "不明\\ud800です。"}'])
    assert parts[0].text == "不明?です。"
