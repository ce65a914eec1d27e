import pytest

from sanbo.agents.comparison.differences.renumbering import Directory, address_of
from sanbo.agents.comparison.references import references

LABELS = [
    "第一条",
    "第二条",
    "第二条第二項",
    "第二条第二項第一号",
    "第三条",
    "第三条の二",
    "附則第一条",
]


def led(text: str, own: str) -> list[str | None]:
    """Where the references of a text lead, as labels would be written in digits."""
    targets = Directory(LABELS).targets(references(text), address_of(own))
    return [
        None
        if target is None
        else ("他" if target.external else "")
        + "".join(f"{unit[:2]}{'-'.join(map(str, number))}" for unit, number in target.address)
        for target in targets
    ]


@pytest.mark.parametrize(
    ("text", "own", "expected"),
    [
        ("第三条第一項", "第一条", ["ar3pa1"]),
        ("第二項の規定", "第二条第三項", ["ar2pa2"]),
        ("前項の規定", "第二条第二項", ["ar2pa1"]),
        ("前項の規定", "第二条", [None]),
        ("次項の規定", "第二条", ["ar2pa2"]),
        ("前条の規定", "第三条の二", ["ar3"]),
        ("次条の規定", "第三条", ["ar3-2"]),
        ("第一号に掲げる", "第二条第二項第二号", ["ar2pa2it1"]),
        ("第二条第一項及び第二項", "第三条", ["ar2pa1", "ar2pa2"]),
        ("第二条第一項、同条第二項及び同項第一号", "第一条", ["ar2pa1", "ar2pa2", "ar2pa2it1"]),
        ("民法第九十条及び同条第二項", "第一条", ["他ar90", "他ar90pa2"]),
        ("前二項の規定", "第二条第三項", [None]),
        ("附則第一条", "第二条", ["suar1"]),
        ("第二条の規定", "附則第一条", [None]),
    ],
)
def test_a_reference_leads_to_a_place(text: str, own: str, expected: list[str | None]) -> None:
    assert led(text, own) == expected


def test_english_sections_are_found_by_their_numbers() -> None:
    directory = Directory(["1", "2.1", "Section 3", "Exhibit A"])
    (target,) = directory.targets(references("as in Section 2.1"), ())
    assert target is not None
    assert target.address == address_of("2.1")
    assert address_of("Section 3") == address_of("3")
    assert address_of("Exhibit A") != address_of("A")


def test_a_first_paragraph_without_a_number_is_its_article() -> None:
    directory = Directory(LABELS)
    assert directory.canonical(address_of("第三条第一項")) == address_of("第三条")
    assert directory.canonical(address_of("第二条第二項")) == address_of("第二条第二項")
