"""What a chunk says: however it is numbered, spaced and set."""

import pytest

from sanbo.agents.comparison.chunking.paragraphs import key_of
from sanbo.agents.comparison.numbering import own_mark


def key(text: str) -> str:
    return key_of(text, own_mark(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("第八条　甲は、第三条の料金を払う。", "第九条　甲は、第四条の料金を払う。"),
        ("２　乙は、報告する。", "３　乙は、報告する。"),
        ("(1) 監視", "（２）　監視"),
        ("3. Customer shall pay under Section 5.", "4. Customer shall pay under Section 6."),
        ("• 夜間の監視", "・夜間の監視"),
        ("• 夜間の監視", "夜間の監視"),
        ("甲は、乙に\n委託する。", "甲は、乙に委託する。"),
        ("甲は API を　使う。", "甲はＡＰＩを使う。"),
        ("the Service\nis  provided", "The service is provided"),
        ("料金は50 万円とする。", "料金は５０万円とする。"),
    ],
)
def test_the_same_is_said(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("甲は払う。", "乙は払う。"),
        ("料金は50万円とする。", "料金は60万円とする。"),
        ("every thing", "everything"),
        ("30日以内に払う。", "60日以内に払う。"),
    ],
)
def test_something_else_is_said(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_number_alone_has_a_key_that_tells_what_it_numbers() -> None:
    assert key("第三条") == key("第四条") != ""
    assert key("（１）") != ""
