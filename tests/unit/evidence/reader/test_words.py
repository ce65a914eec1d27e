"""What the reader sees of a text: words in one form, numbers as numbers, what ties two words."""

from sanbo.evidence.reader.features import LEVELS, NUMBER, Pool, text_of, words_of
from sanbo.evidence.reader.meanings import meanings_of
from tests.unit.evidence.rules.passages import passage


def _forms(text: str, *, every: bool = False) -> list[str]:
    return [word.form for word in words_of(text, every=every)]


def test_inflections_and_widths_of_a_word_are_one() -> None:
    assert _forms("Claims were claimed") == ["claim", "claim"]
    assert _forms("ＰＣ") == _forms("pc")
    assert _forms("申し込む") == _forms("申込む")


def test_numbers_are_compared_as_written_and_known_as_numbers() -> None:
    (number, *_) = words_of("12,000円")
    assert number == ("12000", NUMBER)


def test_negations_and_limits_say_something_and_particles_do_not() -> None:
    said = _forms("5日までに届け出なければ支給しない")
    assert "まで" in said
    assert "ない" in said
    assert "に" not in said
    assert "not" in _forms("It is not paid")
    assert "is" not in _forms("It is not paid")


def test_the_same_word_is_tied_closer_than_one_that_is_alike() -> None:
    text = text_of(passage("The hotel is booked by the manager.", document="a.md"))
    pair = Pool("who books the hotel, my boss?", [text], [0.0]).pair(0, {})
    asked = [word.form for word in words_of("who books the hotel, my boss?", every=True)]
    told = [word.form for word in text.words]
    levels = pair.levels
    assert levels[asked.index("hotel"), told.index("hotel")] == LEVELS - 1
    assert levels[asked.index("who"), told.index("hotel")] == 0


def test_words_that_mean_about_the_same_are_near_in_either_language() -> None:
    refund, pay_back, lift, travel, cost = meanings_of(
        ("refund", "reimburs", "elevat", "旅費", "交通")
    )
    assert refund @ pay_back > refund @ lift
    assert travel @ cost > 0
    assert travel @ refund == 0
