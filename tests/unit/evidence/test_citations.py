"""A citation is what stands in the source, or it is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from sanbo.documents.model import Document, Paragraph, Position, Table
from sanbo.evidence.citations import Citations, Folded, span_of
from sanbo.evidence.model import Citation, Passage, Quoted
from sanbo.kernel.problems import Conflict
from sanbo.retrieval.catalogue import KeptDocument
from tests.unit.evidence.handbook import (
    CARRIED,
    FOUND,
    HANDBOOK_READ,
    LEAVE,
    OLD_READ,
    OLD_RULE,
    TEXTS,
    KeptTexts,
    passage,
    passage_with,
)

NOWHERE = KeptTexts()


def resolve(
    passage_id: str,
    quote: str,
    passages: list[Passage] = FOUND,
    texts: KeptTexts = TEXTS,
) -> Citation | None:
    return Citations(passages, texts).resolve(Quoted(passage=passage_id, quote=quote))


def holding(passage_id: str, quote: str, *more: object) -> Citation:
    # pyrefly: ignore[bad-argument-type]
    citation = resolve(passage_id, quote, *more)
    assert citation is not None
    return citation


def test_a_quote_is_found_in_the_document_itself() -> None:
    citation = holding(passage_with("10日"), "年次有給休暇を10日取得できる")
    assert HANDBOOK_READ.text[citation.start : citation.end] == "年次有給休暇を10日取得できる"
    assert citation.verified
    assert citation.document == "就業規則.md"
    assert citation.headings == ("就業規則", "第4章 休暇")


def test_an_invented_passage_is_no_citation() -> None:
    assert resolve("P77", "年次有給休暇を10日取得できる") is None
    assert resolve("", "年次有給休暇を10日取得できる") is None


@pytest.mark.parametrize(
    "quote",
    [
        "年次有給休暇を20日取得できる",
        "年次有給休暇を取得できる",
        "10日年次有給休暇を取得できる",
        "",
    ],
)
def test_an_altered_quote_is_no_citation(quote: str) -> None:
    assert resolve(passage_with("10日"), quote) is None


def test_a_quote_of_another_passage_is_no_citation() -> None:
    assert resolve(passage_with("12日"), LEAVE) is None
    assert resolve(passage_with("12日"), OLD_RULE) is not None


@pytest.mark.parametrize(
    "quote",
    [
        "入社から6か月勤務したとき、年次有給休暇を１０日取得できる",
        "入社から６か月勤務したとき、 年次有給休暇を\n10日取得できる",
        "「入社から６か月勤務したとき、年次有給休暇を10日取得できる…」",
    ],
)
def test_width_white_space_and_marks_around_do_not_matter(quote: str) -> None:
    citation = holding(passage_with("10日"), quote)
    assert citation.quote == "入社から６か月勤務したとき、年次有給休暇を10日取得できる"


def test_a_line_break_in_the_source_does_not_matter_and_is_kept_in_the_quote() -> None:
    citation = holding(passage_with("翌年度"), "翌年度に限り繰り越すことができる")
    assert citation.quote == CARRIED[CARRIED.index("翌") : -1]
    assert citation.verified


def test_numbers_in_neighbouring_cells_do_not_grow_together() -> None:
    row = passage("P1", "売上高\t10\t20\t備考なし")
    assert resolve("P1", "売上高1020備考なし", [row], NOWHERE) is None
    assert resolve("P1", "売上高 10 20 備考なし", [row], NOWHERE) is not None


def test_half_width_kana_and_combined_letters_are_quoted_whole() -> None:
    narrow = passage("P1", "ｶﾞｲﾄﾞﾗｲﾝを定める。")
    assert holding("P1", "ガイドライン", [narrow], NOWHERE).quote == "ｶﾞｲﾄﾞﾗｲﾝ"


def test_what_is_too_short_proves_nothing_unless_it_is_a_whole_cell() -> None:
    row = passage("P1", "項目\t担当\n休暇の申請\t総務部")
    assert resolve("P1", "総務", [row], NOWHERE) is None
    assert holding("P1", "総務部", [row], NOWHERE).quote == "総務部"
    assert holding("P1", "はい", [passage("P1", "はい")], NOWHERE).quote == "はい"


@pytest.mark.parametrize("written", ["[P1]", "p1", "Ｐ１", " P1 "])
def test_an_id_may_be_written_in_several_ways(written: str) -> None:
    assert resolve(written, FOUND[0].text) is not None


def test_where_the_document_is_not_kept_the_passage_is_the_source() -> None:
    foreign = passage(
        "P1", LEAVE, position=Position(start=40, end=40 + len(LEAVE), page=7, headings=("休暇",))
    )
    citation = holding("P1", "年次有給休暇を10日取得できる", [foreign], NOWHERE)
    assert (citation.page, citation.headings, citation.verified) == (7, ("休暇",), True)
    assert citation.start == 40 + LEAVE.index("年次")


def test_a_document_that_has_changed_since_does_not_verify_the_quote() -> None:
    changed = HANDBOOK_READ.model_copy(update={"text": HANDBOOK_READ.text.replace("10日", "11日")})
    found = passage_with("10日")
    assert not holding(found, "年次有給休暇を10日取得できる", FOUND, KeptTexts(changed)).verified


def test_a_document_that_is_gone_does_not_verify_the_quote() -> None:
    texts = KeptTexts(OLD_READ)
    assert not holding(passage_with("10日"), LEAVE, FOUND, texts).verified
    assert holding(passage_with("12日"), OLD_RULE, FOUND, texts).verified


def test_a_document_that_could_not_be_read_is_read_again_for_the_next_quote() -> None:
    class BusyTexts(KeptTexts):
        @override
        def read(self, document_id: str) -> KeptDocument | None:
            if not self.reads:
                self.reads.append(document_id)
                raise Conflict("collection_busy", collection="規程")
            return super().read(document_id)

    citations = Citations(FOUND, BusyTexts(OLD_READ))
    gone = Quoted(passage=passage_with("10日"), quote=LEAVE)
    with pytest.raises(Conflict):
        citations.resolve(gone)
    citation = citations.resolve(gone)
    assert citation is not None
    assert not citation.verified


def test_what_can_not_be_seen_in_the_source_does_not_matter() -> None:
    web = passage("P1", "宿泊\u200b費の上限は1泊12,000\u00ad円と\ufeffする。\u200b")
    quote = "宿泊費の上限は1泊12,000円とする。"
    assert holding("P1", quote, [web], NOWHERE).quote == web.text[:-1]


def test_the_page_is_the_one_on_which_the_quote_stands() -> None:
    first, second = "一枚目の本文はここまで。", "二枚目の本文はここから。"
    text = f"{first}\n\n{second}"
    at = len(first) + 2
    read = Document(
        name="規程.md",
        format="pdf",
        text=text,
        blocks=(
            Paragraph(position=Position(start=0, end=len(first), page=1)),
            Paragraph(position=Position(start=at, end=len(text), page=2, headings=("附則",))),
        ),
    )
    both = passage("P1", text, position=Position(start=0, end=len(text), page=1))
    citation = holding("P1", "二枚目の本文", [both], KeptTexts(read))
    assert (citation.page, citation.headings) == (2, ("附則",))
    assert holding("P1", "一枚目の本文", [both], KeptTexts(read)).page == 1


def test_the_row_is_the_one_in_which_the_quote_stands() -> None:
    lines = ["品目\t金額", "会議用の机\t12000", "会議用の椅子\t8000"]
    text = "\n".join(lines)
    starts = (len(lines[0]) + 1, len(lines[0]) + len(lines[1]) + 2)
    read = Document(
        name="規程.md",
        format="xlsx",
        text=text,
        blocks=(
            Table(
                columns=("品目", "金額"),
                rows=(("会議用の机", "12000"), ("会議用の椅子", "8000")),
                row_starts=starts,
                row_numbers=(2, 4),
                position=Position(start=0, end=len(text), sheet="備品", row=1),
            ),
        ),
    )
    found = passage("P1", text, position=Position(start=0, end=len(text), sheet="備品", row=1))
    citation = holding("P1", "会議用の椅子\t8000", [found], KeptTexts(read))
    assert (citation.sheet, citation.row) == ("備品", 4)


def test_one_place_has_one_number_and_a_document_is_read_once() -> None:
    texts = KeptTexts(HANDBOOK_READ)
    citations = Citations(FOUND, texts)
    found = passage_with("10日")
    quotes = (
        "年次有給休暇を10日取得できる",
        "年次有給休暇を１０日取得できる",
        "入社から６か月勤務",
    )
    numbers: list[int] = []
    for quote in quotes:
        resolved = citations.resolve(Quoted(passage=found, quote=quote))
        assert resolved is not None
        numbers.append(citations.number(resolved).id)
    assert numbers == [1, 1, 2]
    assert texts.reads == ["就業規則.md"]


@given(
    st.text("あ亜ｱｶﾞ gaA1 2１\n\t　。", min_size=1, max_size=60),
    st.integers(0, 60),
    st.integers(1, 60),
)
def test_whatever_stands_in_a_text_is_found_in_it_as_it_is(
    text: str, start: int, length: int
) -> None:
    quote = text[start : start + length]
    span = span_of(quote, Folded.of(text))
    if span is not None:  # whole letters: ｶﾞ is never cut in two
        found = Folded.of(text[slice(*span)]).form
        assert Folded.of(quote).form in found
        assert len(found) <= len(Folded.of(quote).form) + 2
    else:
        assert not quote.strip() or "ﾞ" in quote or "ﾞ" in text[start + length :][:1]
