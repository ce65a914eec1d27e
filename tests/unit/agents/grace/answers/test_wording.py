"""Whether a sentence says what its source says."""

import pytest

from sanbo.agents.grace.citations import departure, sentences_around, strays

FUEL = "社用車の燃料代は、1回につき6,000円まで会社が負担します。"
ASKED = "社用車の燃料代は1回いくらまで会社が負担しますか"
LEAVE = "Employees may carry over unused leave to the next year."


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (FUEL, FUEL),
        ("燃料代は1回6,000円まで会社が負担します。", FUEL),
        ("Unused leave may be carried over to the next year.", LEAVE),
        ("欠勤のときは、上長に連絡しなければなりません。", "欠勤のときは上長に連絡します。"),
    ],
)
def test_the_sources_own_words_depart_from_nothing(text: str, source: str) -> None:
    assert departure(text, [source], [ASKED]) is None


@pytest.mark.parametrize(
    ("text", "source", "departs"),
    [
        ("社用車の燃料代は、会社が負担しません。", FUEL, "denial"),
        ("通勤費は認められます。", "通勤費の二重支給は認められません。", "denial"),
        ("Employees may not carry over leave.", LEAVE, "denial"),
        ("犬は空を飛びます。", FUEL, "unrelated"),
        ("燃料代は全額が自己負担です。", FUEL, "words"),
        # Another language has no word in common, and is no less right for that.
        ("The company pays up to 6,000 yen.", FUEL, "words"),
    ],
)
def test_what_a_source_does_not_say_is_noticed(text: str, source: str, departs: str) -> None:
    assert departure(text, [source], [ASKED]) == departs


def test_a_quote_is_read_with_the_sentence_that_it_stands_in() -> None:
    text = "前文です。二重支給は認められません。次です。"
    start = text.index("二重支給は認め")
    assert sentences_around(text, start, start + 7) == "二重支給は認められません。"
    whole = text.index("次です")
    assert sentences_around(text, start, whole) == "二重支給は認められません。"


def test_an_answer_that_speaks_of_something_else_strays() -> None:
    assert strays("社長の年齢は何歳ですか", [FUEL])
    assert not strays(ASKED, [FUEL])
