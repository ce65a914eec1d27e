import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.comparison.references import masked, references


def written(text: str) -> list[str]:
    return [text[found.start : found.end] for found in references(text)]


def numbers(text: str) -> list[list[tuple[str, tuple[int, ...]]]]:
    return [[(part.unit, part.number) for part in found.parts] for found in references(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第三十九条第八項の規定", ["第三十九条第八項"]),
        ("第三条の二第一項第三号イに掲げる", ["第三条の二第一項第三号イ"]),
        ("第3条第2項", ["第3条第2項"]),
        ("第３条の２", ["第３条の２"]),
        ("第3-2条による", ["第3-2条"]),
        ("民法90条1項", ["90条1項"]),
        ("第三条から第五条まで", ["第三条", "第五条"]),
        ("第八条及び第九条", ["第八条", "第九条"]),
        ("第一項若しくは第二項", ["第一項", "第二項"]),
        ("前条第二項", ["前条第二項"]),
        ("同条第三項ただし書", ["同条第三項"]),
        ("前二項の規定", ["前二項"]),
        ("第三条同条第二項", ["第三条", "同条第二項"]),
        ("前各号に掲げる", ["前各号"]),
        ("次条において", ["次条"]),
        ("別表第一に定める", ["別表第一"]),
        ("別紙2のとおり", ["別紙2"]),
        ("様式第1号", ["様式第1号"]),
        ("附則第三条第一項", ["附則第三条第一項"]),
        ("第二章第一節", ["第二章第一節"]),
        ("第三条の一部を改める", ["第三条"]),
        ("第五条の三分の一", ["第五条"]),
        ("Section 5.2(b) applies", ["Section 5.2(b)"]),
        ("Sections 5, 6 and 7 apply", ["Sections 5", "6", "7"]),
        ("Section 5 and 30 days", ["Section 5"]),
        ("paragraph (b) of Article III", ["paragraph (b)", "Article III"]),
        ("see § 512(c) and Exhibit A", ["§ 512(c)", "Exhibit A"]),
        ("Section D.5", ["Section D.5"]),
    ],
)
def test_references_are_found_whole(text: str, expected: list[str]) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "第三者に提供する",
        "第一回の会議",
        "第二四半期",
        "第一種免許",
        "平成十六年法律第百二十二号",
        "令和三年厚生労働省令第四十号",
        "内閣府告示第12号",
        "第一号被保険者",
        "第三号議案",
        "第一項目",
        "三条市と五条通",
        "条件と条約と項目",
        "this section applies in part",
        "a clause of the contract",
        "the article a user wrote",
    ],
)
def test_what_only_looks_like_a_reference_is_none(text: str) -> None:
    assert written(text) == []


def test_a_reference_has_structured_parts() -> None:
    assert numbers("第三条の二第一項第三号ロ") == [
        [("article", (3, 2)), ("paragraph", (1,)), ("item", (3,)), ("subitem", (2,))]
    ]
    assert numbers("Section 5.2(b)") == [[("section", (5, 2, 1002))]]


def test_a_relative_reference_has_no_number() -> None:
    (reference,) = references("前二項の規定")
    assert reference.is_relative
    assert (reference.parts[0].relative, reference.parts[0].count) == ("previous", 2)
    assert masked("前二項の規定") == "前二項の規定"


@pytest.mark.parametrize(
    ("text", "external"),
    [
        ("同法第六十一条", True),
        ("民法第九十条", True),
        ("労働基準法（昭和二十二年法律第四十九号。以下「労基法」という。）第九条", True),
        ("日本国憲法第九条", True),
        ("基本契約第五条", True),
        ("「取引基本契約」第五条", True),
        ("本契約第五条", False),
        ("「本契約」第五条", False),
        ("本秘密保持契約第五条", False),
        ("この法律第五条", False),
        ("会員は、第五条", False),
        ("Section 230 of the Communications Decency Act", True),
        ("17 U.S.C. § 512", True),
        ("Section 5 of this Agreement", False),
    ],
)
def test_a_reference_into_another_law_is_told_apart(text: str, external: bool) -> None:
    assert references(text)[-1].external is external


def test_what_goes_on_from_a_reference_stays_in_its_law() -> None:
    first, second = references("民法第四条第一項若しくは第二項に規定する")
    assert (first.joined, second.joined) == (False, True)
    assert second.external


def test_every_number_that_refers_is_masked_and_no_other() -> None:
    assert masked("第三条の二第一項及び第十条の30日以内") == "第#条第#項及び第#条の30日以内"
    assert masked("Section 5.2 within 30 days") == "Section # within 30 days"
    assert masked("平成十六年法律第百二十二号第三条") == "平成十六年法律第百二十二号第#条"


@given(st.text(alphabet="第三十2条の項号及び前同法（）イSection 5(b).,別表附則", max_size=60))
def test_references_are_in_order_and_disjoint(text: str) -> None:
    done = 0
    for reference in references(text):
        assert done <= reference.start < reference.end <= len(text)
        done = reference.end
        for part in reference.parts:
            assert reference.start <= part.start <= part.end <= reference.end
    masked(text)
