import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.differences.segments import difference
from sanbo.agents.comparison.differences.tokens import read, same_but_for_white_space
from tests.cpu_time import least_seconds, timed
from tests.examples import examples


def marked(old: str, new: str) -> str:
    return "".join(
        piece.new if piece.op == "equal" else f"[{piece.old}|{piece.new}]"
        for piece in difference(old, new)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "第三条　会員は、第五条第二項の規定により、",
            "第三条 会員 は 、 第五条 第二項 の 規定 に より 、",
        ),
        (
            "令和7年4月1日から30日以内に100万円を支払う。",
            "令和7年4月1日 から 30日以内 に 100万円 を 支払 う 。",
        ),
        ("通知しなければならない。", "通知 しなければならない 。"),
        ("The fee is USD 5 within 30 days.", "The fee is USD_5 within_30_days ."),
        ("甲及び乙又は丙等", "甲 及び 乙 又は 丙 等"),
    ],
)
def test_what_is_read_as_one_is_one_token(text: str, expected: str) -> None:
    assert [token.replace(" ", "_") for token in read(text).tokens] == expected.split()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "甲は、100万円を30日以内に支払うことができる。",
            "甲は、120万円を60日以内に支払わなければならない。",
            "甲は、[100万円|120万円]を[30日以内|60日以内]に"
            "[支払うことができる|支払わなければならない]。",
        ),
        ("高度情報通信社会の進展", "デジタル社会の進展", "[高度情報通信|デジタル]社会の進展"),
        ("個人情報の提供", "個人関連情報の提供", "個人[|関連]情報の提供"),
        ("使用者は", "利用者は", "[使用者|利用者]は"),
        ("鉛筆、消しゴム、定規", "鉛筆、ペン、消しゴム、定規", "鉛筆、[|ペン、]消しゴム、定規"),
        ("第八条第二項の規定", "第九条第二項の規定", "[第八条|第九条]第二項の規定"),
        ("令和7年4月1日から", "令和8年4月1日から", "[令和7年4月1日|令和8年4月1日]から"),
        (
            "The Customer may terminate.",
            "The Customer shall not terminate.",
            "The Customer [may |shall not ]terminate.",
        ),
        ("", "新しい文。", "[|新しい文。]"),
        ("古い文。", "", "[古い文。|]"),
        ("同じ文。", "同じ文。", "同じ文。"),
    ],
)
def test_differences_are_marked_by_whole_words(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_a_sentence_that_was_rewritten_is_not_marked_in_shreds() -> None:
    old = "本規程は、当社の従業員が出張する場合の旅費について定める。"
    new = "この規則は、役員の国内における出張手当の支給に関し必要な事項を定めるものとする。"
    assert len([piece for piece in difference(old, new) if piece.op != "equal"]) <= 2


def test_white_space_alone_is_no_difference() -> None:
    pieces = difference("契約\n書を 甲に\n渡す。", "契約書を甲に渡す。")
    assert [piece.op for piece in pieces] == ["equal"]
    assert pieces[0].old == "契約\n書を 甲に\n渡す。"
    assert [piece.op for piece in difference("may  be\nused", "may be used")] == ["equal"]
    assert [piece.op for piece in difference("may be used", "maybe used")] != ["equal"]


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("附　則", "附則", True),
        ("a  b", "a b", True),
        ("may be", "maybe", False),
        ("甲は", "乙は", False),
    ],
)
def test_texts_are_compared_white_space_aside(old: str, new: str, same: bool) -> None:
    assert same_but_for_white_space(old, new) is same


TEXTS = st.text(
    alphabet="第三条の二項号、。（）「」 　\n甲乙は通知することができないなければ30日以内Section5",
    max_size=60,
)


@given(TEXTS, TEXTS)
@settings(max_examples=examples(150))
def test_the_pieces_join_to_both_texts(old: str, new: str) -> None:
    pieces = difference(old, new)
    assert "".join(piece.old for piece in pieces) == old
    assert "".join(piece.new for piece in pieces) == new
    for piece in pieces:
        if piece.op == "equal":
            assert piece.old.split() == piece.new.split() or (
                "".join(piece.old.split()) == "".join(piece.new.split())
            )
        elif piece.op == "insert":
            assert not piece.old
        elif piece.op == "delete":
            assert not piece.new


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=examples(100))
def test_any_characters_are_kept(old: str, new: str) -> None:
    pieces = difference(old, new)
    assert "".join(piece.old for piece in pieces) == old
    assert "".join(piece.new for piece in pieces) == new


def test_long_texts_that_have_nothing_in_common_are_compared_quickly() -> None:
    chance = random.Random(1)
    old = "".join(chr(chance.randrange(0x4E00, 0x6E00)) + "は" for _ in range(10_000))
    new = "".join(chr(chance.randrange(0x6E00, 0x9000)) + "を" for _ in range(10_000))
    difference("甲", "乙")
    pieces, seconds = timed(lambda: difference(old, new))
    assert seconds < 2
    assert "".join(piece.new for piece in pieces) == new


def test_long_texts_that_share_words_are_compared_quickly() -> None:
    chance = random.Random(2)
    words = [chr(0x4E00 + at) * 2 for at in range(300)]
    old, new = ("を".join(chance.choices(words, k=6_500)) for _ in range(2))
    difference("甲", "乙")
    pieces, seconds = timed(lambda: difference(old, new))
    assert seconds < 2
    assert "".join(piece.old for piece in pieces) == old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1" * 20_000, "2" * 20_000),
        ("一" * 20_000, "二" * 20_000),
        (" \n" * 20_000, "　" * 20_000),
        ("第" * 20_000, "第三" * 10_000),
        ("）第三条" * 4_000, "（第四条" * 4_000),
        ("Section 5 and " * 1_500, "Sections 6, 7 and " * 1_500),
    ],
)
def test_no_text_however_odd_takes_long(old: str, new: str) -> None:
    difference("甲", "乙")
    assert least_seconds(lambda: difference(old, new)) < 3
