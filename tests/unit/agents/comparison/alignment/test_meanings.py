"""The same in other words is found by what the words mean; what is about something else is not."""

import pytest

from sanbo.agents.comparison.alignment.align import align
from tests.unit.agents.comparison.alignment.clauses import linked, side

LEASE = [
    "乙は、毎月末日までに、翌月分の賃料を甲の指定口座に振り込む。",
    "本物件の維持に必要な修繕は、甲が行う。",
    "乙は、本物件で犬や猫などの動物を飼ってはならない。",
    "乙は、契約時に賃料の二か月分の敷金を甲に預ける。",
]
REVISED = [
    "入居にあたり、借りる者は家賃二月分に当たる保証金を差し入れる。",
    "ペットを室内で飼育することは禁止する。",
    "建物が傷んだときの補修は、貸す側の負担で実施する。",
    "家賃は、前の月が終わる日までに、貸主の銀行口座へ送金する。",
]
POLICY = [
    "Employees must report lost laptops to the IT desk within one hour.",
    "Travel must be booked at least ten days before departure.",
    "Receipts are kept for seven years.",
    "Passwords have at least twelve characters.",
]
ANEW = [
    "Secret login codes shall be no shorter than twelve letters.",
    "Invoices and bills have to be stored for seven years.",
    "A missing computer is to be notified to technical support in sixty minutes.",
    "Flights and trains are reserved ten days ahead of the trip.",
]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (LEASE, REVISED, {("A1", "B4"), ("A2", "B3"), ("A3", "B2"), ("A4", "B1")}),
        (POLICY, ANEW, {("A1", "B3"), ("A2", "B4"), ("A3", "B2"), ("A4", "B1")}),
    ],
)
def test_clauses_in_quite_other_words_and_another_order_are_found(
    old: list[str], new: list[str], expected: set[tuple[str, str]]
) -> None:
    alignment = align(side("A", old), side("B", new))
    assert linked(alignment) == expected
    assert all(link.confidence < 0.9 for link in alignment.links), "no letter speaks for it"


@pytest.mark.parametrize(("old", "new"), [(LEASE, POLICY), (POLICY, LEASE)])
def test_two_languages_share_nothing(old: list[str], new: list[str]) -> None:
    assert not align(side("A", old), side("B", new)).links


def test_documents_about_other_things_share_nothing() -> None:
    menu = [
        "カレーライスは七百円、大盛りは百円増しです。",
        "食堂は十一時半に開き、十四時に閉まります。",
        "食器は返却口へお戻しください。",
        "アレルギーのある方は調理員にお尋ねください。",
    ]
    assert not align(side("A", LEASE), side("B", menu)).links
