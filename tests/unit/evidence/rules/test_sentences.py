"""Sentences are spans of the text, whatever the text looks like."""

from hypothesis import given
from hypothesis import strategies as st

from sanbo.evidence.rules.sentences import LONGEST, one_line, sentences
from tests.cpu_time import timed
from tests.unit.evidence.rules.passages import MINUTES, POLICY, PRICES


def _texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_a_full_stop_in_brackets_ends_nothing() -> None:
    text = "社長は「本日をもって終わる。以上。」と述べた。次は来週である。"
    assert _texts(text) == ["社長は「本日をもって終わる。以上。」と述べた。", "次は来週である。"]


def test_a_bracket_that_never_closes_does_not_swallow_the_rest() -> None:
    assert _texts("彼は「はいと言った。次に進む。") == ["彼は「はいと言った。", "次に進む。"]


def test_short_forms_do_not_end_an_english_sentence() -> None:
    assert _texts(POLICY)[1:] == [
        "Employees must submit expense claims within 30 days of the end of the trip.",
        "Claims above 50,000 yen, e.g. for flights, need the approval of a director.",
        "Mr. Sato in Finance answers questions about this policy.",
    ]


def test_items_of_a_list_are_sentences_with_or_without_a_full_stop() -> None:
    assert _texts(MINUTES)[1:] == [
        "・在宅勤務の対象は、全部署に広げることとした。",
        "・試行の開始は10月1日とする。",
        "・備品の貸与は総務部が担当する",
    ]
    assert sentences(MINUTES)[0].is_heading


def test_a_line_that_the_page_broke_goes_on() -> None:
    text = (
        "申請は、所属長の承認を受けたうえで総務部\nに提出しなければならない。\n期限は月末とする。"
    )
    assert _texts(text) == [
        "申請は、所属長の承認を受けたうえで総務部\nに提出しなければならない。",
        "期限は月末とする。",
    ]
    assert (
        one_line(_texts(text)[0])
        == "申請は、所属長の承認を受けたうえで総務部に提出しなければならない。"
    )


def test_rows_of_a_table_stay_rows() -> None:
    assert [sentence.is_row for sentence in sentences(PRICES)] == [True] * 4


def test_a_sentence_without_end_is_cut_at_its_commas() -> None:
    pieces = _texts("対象は本社、" * 200)
    assert all(len(piece) <= LONGEST for piece in pieces)
    assert all(piece.endswith("、") for piece in pieces)


@given(st.text(alphabet="あ漢。、「」（）\n\t .!?aB1・Q", max_size=200) | st.text(max_size=200))
def test_every_sentence_is_a_span_and_nothing_but_white_space_is_lost(text: str) -> None:
    found = sentences(text)
    at = 0
    for sentence in found:
        assert sentence.start >= at
        assert text[at : sentence.start].strip() == ""
        assert sentence.text == text[sentence.start : sentence.end] != ""
        at = sentence.end
    assert text[at:].strip() == ""


def test_hostile_texts_take_linear_time() -> None:
    hostile = ("「" * 20_000, "（。" * 10_000, "1." * 10_000, "a " * 10_000, "\n\t" * 10_000)
    assert timed(lambda: [sentences(text) for text in hostile])[1] < 5


def test_a_clause_heading_in_brackets_is_one_also_as_the_last_line() -> None:
    text = "日当は、1日につき2,500円とする。\n\n（宿泊費）"
    assert [each.is_heading for each in sentences(text)] == [False, True]
    assert not any(each.is_heading for each in sentences("（1）出張申請書\n（ア）旅程表"))
