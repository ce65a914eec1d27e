"""Text is read as its writer saw it, in whichever encoding an office saved it."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sanbo.documents.encodings import decode, decode_as
from sanbo.kernel.problems import InvalidInput, UnsupportedFormat
from tests.examples import examples
from tests.unit.documents.office_text import (
    ENCODERS,
    HALF_WIDTH_WORDS,
    WORDS,
    as_euc_jp,
    as_iso_2022_jp,
    words,
)

LETTER = "お客様各位\n平素より㈱三和をご利用いただき、ありがとうございます。①納期　②金額\n"


def misread(texts: Sequence[str], *encodings: str) -> list[tuple[str, str]]:
    """Of these texts, which are not read as they were written, and in which encoding."""
    return [
        (encoding, text)
        for encoding in encodings or ENCODERS
        for text in texts
        if decode(_encoded(text, encoding)).text != text
    ]


def _encoded(text: str, encoding: str) -> bytes:
    return ENCODERS[encoding](text) if encoding in ENCODERS else text.encode(encoding)


def test_a_letter_is_the_same_text_in_every_encoding() -> None:
    for encoding, encode in ENCODERS.items():
        decoded = decode(encode(LETTER))
        assert (decoded.text, decoded.encoding, decoded.replaced) == (LETTER, encoding, 0)


@given(st.lists(words(), min_size=2, max_size=8).map("、".join).filter(lambda text: len(text) >= 3))
@settings(max_examples=examples(60))
def test_words_of_the_office_are_read_in_every_encoding(text: str) -> None:
    assert misread([text]) == []


def test_a_single_word_of_three_characters_is_enough() -> None:
    assert misread([word for word in WORDS if len(word) >= 3]) == []


def test_characters_that_only_windows_knows_are_read() -> None:
    written = ["2025年", "12月分", "①", "㈱", "髙", "ｱ", "ﾔﾏﾀﾞ", "山﨑", "～", "－"]
    assert misread([f"氏名,{text}\n" for text in written]) == []


def test_a_word_that_stands_in_every_line_is_read() -> None:
    assert misread([f"12,{word}\r\n" * 40 for word in (*WORDS, *HALF_WIDTH_WORDS)]) == []


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
@pytest.mark.parametrize(("length", "least"), [(3, 0.8), (8, 0.9), (20, 0.98)])
def test_even_random_kanji_are_mostly_told_apart(encoding: str, length: int, least: float) -> None:
    chance = random.Random(7)
    level_1 = [chr(code) for code in range(0x4E00, 0x9FA0) if _is_level_1(chr(code))]
    texts = ["".join(chance.choices(level_1, k=length)) for _ in range(400)]
    assert len(misread(texts, encoding)) <= (1 - least) * len(texts)


def _is_level_1(character: str) -> bool:
    try:
        return b"\x88\x9f" <= character.encode("cp932") <= b"\x98\x72"
    except UnicodeEncodeError:
        return False


def test_random_kana_are_always_told_apart() -> None:
    chance = random.Random(7)
    kana = [chr(code) for code in (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))]
    texts = ["".join(chance.choices(kana, k=3)) for _ in range(300)]
    assert misread(texts) == []


@given(st.lists(st.sampled_from(HALF_WIDTH_WORDS), min_size=3, max_size=9).map(" ".join))
@settings(max_examples=examples(60))
def test_the_half_width_kana_of_bank_files_are_not_taken_for_kanji(text: str) -> None:
    assert misread([text], "cp932") == []


@given(st.lists(words(), min_size=1, max_size=8).map(",".join))
@settings(max_examples=examples(60))
def test_utf_16_without_a_mark_shows_by_its_line_ends(line: str) -> None:
    assert misread([f"{line}\r\n"], "utf-16-le", "utf-16-be") == []


def test_european_letters_in_utf_8_are_not_taken_for_japanese() -> None:
    texts = ["café", "Müller, Straße", "5°C", "±3", "¥1,000", "Привет, мир", "©2025", "Ångström"]
    assert misread(texts, "utf-8") == []


def test_a_french_letter_of_windows_is_read() -> None:
    text = "Veuillez trouver ci-joint le relevé de février : réglé à Orléans.\n"
    assert decode(text.encode("cp1252")).text == text


def test_european_text_of_windows_is_not_taken_for_japanese() -> None:
    texts = [
        "The supplier’s quote… can’t be accepted",
        "It’s ok",
        "I’ll go, we’ve done it, you’re late",
        "Mr. O’Brien",
        "25°C",
        "Temperature 25°C, humidity 40%",
        "Name;Preis;Menge\nÄpfel;1,50;3\nBirnen;2,75;4\n",
        "GRÖSSE",
        "10 µm",
        "garçon",
        "Price: 5£ per unit",
        "Total: £1,000.50",
    ]
    assert misread(texts, "cp1252") == []


def test_japanese_next_to_letters_stays_japanese() -> None:
    texts = [
        "Excel版",
        "Web会議",
        "A社,B社",
        "p値",
        "iPad用",
        "Aｺｰｽ",
        "1｢A｣",
        "3ｹ月",
        "Aｶ",
        "in坪,x缶",
    ]
    assert misread(texts, "cp932") == []


def test_chinese_and_russian_are_recognised_as_such() -> None:
    chinese = "这是一个测试文件，用于检查编码。我们公司今年的销售额增长了百分之十。\n" * 3
    russian = "Это тестовый документ на русском языке. Мы проверяем кодировку файла.\n" * 3
    assert decode(chinese.encode("gb18030")).text == chinese
    assert decode(russian.encode("cp1251")).text == russian


def test_files_put_together_with_a_mark_each_lose_both() -> None:
    assert decode(b"\xef\xbb\xbf\xef\xbb\xbfid,name\n").text == "id,name\n"


def test_ordinary_text_with_terminal_escapes_is_not_iso_2022_jp() -> None:
    text = "\x1b[1m完了\x1b(B\x1b[m\n"
    assert decode(text.encode("utf-8")).text == text


def test_iso_2022_jp_of_the_standard_is_read_too() -> None:
    text = "〒100-0001 東京都千代田区 〜 纊"
    assert decode(text.encode("iso2022_jp_ext")).text == text.replace("〜", "～")


def test_nothing_is_an_empty_text() -> None:
    assert decode(b"").text == ""


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "euc_jp"])
def test_a_few_broken_bytes_are_replaced_and_counted(encoding: str) -> None:
    text = LETTER * 100
    data = ENCODERS[encoding](text)
    at = len(ENCODERS[encoding](LETTER))  # after a line end
    decoded = decode(data[:at] + b"\xff" + data[at:])
    assert decoded.replaced == 1
    assert decoded.text.replace("\ufffd", "") == text
    assert decoded.encoding == encoding


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp"])
def test_one_broken_byte_does_not_cost_a_short_text(encoding: str) -> None:
    text = LETTER * 3
    at = len(_encoded(LETTER, encoding))
    data = _encoded(text, encoding)
    decoded = decode(data[:at] + b"\xff" + data[at:])
    assert (decoded.encoding, decoded.replaced) == (encoding, 1)
    assert decoded.text.replace("\ufffd", "") == text


def test_a_byte_inside_a_character_breaks_no_more_than_that_character() -> None:
    data = (LETTER * 8).encode()
    for at in range(300, 304):
        decoded = decode(data[:at] + b"\xff" + data[at:])
        assert decoded.encoding == "utf-8"
        assert 1 <= decoded.replaced <= 4


@pytest.mark.parametrize("sentence", ["He said “hello” and left. ", "Müller wohnt in Köln. "])
def test_broken_european_text_in_utf_8_is_not_taken_for_another_encoding(sentence: str) -> None:
    decoded = decode((sentence * 20).encode() + b"\xff end")
    assert (decoded.encoding, decoded.replaced) == ("utf-8", 1)
    assert decoded.text == sentence * 20 + "\ufffd end"


def test_a_mark_decides_whatever_the_damage() -> None:
    decoded = decode(b"\xef\xbb\xbf" + "日付,金額\n".encode() + b"\xff\xfe\xff,\xff\n")
    assert (decoded.text, decoded.replaced) == ("日付,金額\n\ufffd\ufffd\ufffd,\ufffd\n", 4)


def test_a_download_that_broke_off_inside_a_character_is_read_to_there() -> None:
    decoded = decode("売上,日本".encode()[:-1])
    assert (decoded.text, decoded.encoding, decoded.replaced) == ("売上,日\ufffd", "utf-8", 1)


@pytest.mark.parametrize(
    "data",
    [
        bytes(64),
        b"\x00\x01" * 40,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x02\x00\x00",
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00\x00\x00!\x00",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
        random.Random(3).randbytes(2000),
        b"\xff\xfe" + random.Random(4).randbytes(2000),
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat) as refused:
        decode(data)
    assert refused.value.problem.text_id == "text_encoding_unknown"


@given(st.binary(max_size=400))
@settings(max_examples=examples(200))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        decoded = decode(data)
    except UnsupportedFormat:
        return
    assert decoded.replaced == decoded.text.count("\ufffd")


def test_an_encoding_that_a_person_names_is_used() -> None:
    for encoding, encode in ENCODERS.items():
        assert decode_as(encode(LETTER), encoding).text == LETTER, encoding


def test_shift_jis_means_what_windows_calls_by_that_name() -> None:
    assert decode_as("①髙".encode("cp932"), "Shift_JIS").text == "①髙"


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "hex", ""])
def test_an_encoding_that_is_none_is_refused(encoding: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode_as(b"abc", encoding)
    assert refused.value.problem.params["encoding"] == encoding


@given(st.text(alphabet="あ亜ア①ｱ～髙 aA1\n", max_size=30))
def test_euc_jp_and_iso_2022_jp_carry_the_characters_of_windows(text: str) -> None:
    assert decode_as(as_euc_jp(text), "euc_jp").text == text
    assert decode_as(as_iso_2022_jp(text), "iso2022_jp").text == text
    assume("\x1b$" in as_iso_2022_jp(text).decode("ascii"))
    assert decode(as_iso_2022_jp(text)).text == text
