"""What is told beside the best sentence: a table's rows, and what another document says."""

from sanbo.agents.grace.rules.candidates import candidates
from sanbo.agents.grace.rules_thinking import extract
from sanbo.documents.model import Position
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.sentences import Sentence, paragraphs, readable
from tests.unit.evidence.rules.passages import passage

CLAUSE = (
    "第5条（承認）\n\n1　備品の購入の承認者は、次の表のとおりとする。\n\n"
    "2　承認のない購入は精算しない。"
)
TABLE = "区分\t承認者\n消耗品\t課長\nパソコン\t情報システム部長\n車両\t社長"


def _at(start: int, each: Passage) -> Passage:
    place = Position(start=start, end=start + len(each.text), row=2, last_row=4)
    return each.model_copy(update={"position": place})


def _texts(question: str, *passages: Passage) -> list[str]:
    return [part.text for part in extract(question, passages, "ja").parts]


def test_a_clause_is_told_with_the_row_of_the_table_below_it() -> None:
    clause = passage(CLAUSE, 0.9, nth=1, document="購買規程.docx")
    table = passage(TABLE, 0.01, nth=2, document="購買規程.docx", context="購買規程\n区分 承認者")
    question = "パソコンを購入するときの承認者は誰ですか。"
    below = " ".join(_texts(question, clause, _at(len(CLAUSE) + 1, table)))
    assert "情報システム部長" in below
    assert "車両" not in below


def test_no_row_of_a_table_that_stands_elsewhere_is_told_as_if_it_belonged_to_the_clause() -> None:
    clause = passage(CLAUSE, 0.9, nth=1, document="購買規程.docx")
    table = passage(TABLE, 0.01, nth=2, document="購買規程.docx", context="購買規程\n区分 承認者")
    question = "承認のない購入は精算されますか。"
    told = " ".join(_texts(question, clause, _at(len(CLAUSE) + 500, table)))
    assert "承認のない購入は精算しない" in told
    assert "社長" not in told


def test_what_a_regulation_says_is_told_beside_a_guide_with_its_name() -> None:
    guide = passage(
        "・交通費は毎月末までに精算してください。\n・精算は帰ってから10日以内です。\n・原本は不要です。",
        0.6,
        nth=1,
        document="手引き.md",
        context="経費の手引き",
    )
    rule = passage(
        "第8条（精算）\n\n1　出張の精算は、帰着から7日以内に行う。\n\n2　領収書を添える。",
        0.5,
        nth=2,
        document="規程.docx",
        context="旅費規程（第3版）",
    )
    told = _texts("出張の精算は帰ってから何日以内ですか。", guide, rule)
    assert any("7日以内" in text for text in told)
    assert any("10日以内" in text for text in told)
    assert any("旅費規程（第3版）" in text or "経費の手引き" in text for text in told)


def test_a_question_before_an_answer_counts_for_it() -> None:
    faq = passage("Q. 駐車場は使えますか。\nA. 届け出れば、地下の区画を使えます。", nth=1)
    best = candidates("駐車場は使えますか。", (faq,))[0]
    assert best.chosen.sentence.text.startswith("A.")
    assert best.meant.paragraph == best.meant.sentence == 1.0


def test_headings_and_words_of_one_meaning_count() -> None:
    hotel = passage("上限は1泊につき9,000円とする。", nth=1, headings=("宿泊費",), context="宿泊費")
    other = passage("上限は1回につき9,000円とする。", nth=2, headings=("会議費",), context="会議費")
    found = {
        each.chosen.passage.id: each for each in candidates("ホテルの上限は？", (hotel, other))
    }
    assert found["P1"].meant.around > found["P2"].meant.around
    assert found["P1"].fit > found["P2"].fit


def test_a_rows_last_cells_may_be_empty() -> None:
    row = Sentence(0, 9, "FR-50\t29800", is_row=True)
    assert readable(row, ("品番", "価格", "備考"), "ja") == "品番：FR-50、価格：29800"


def test_a_paragraph_ends_with_its_line() -> None:
    found = paragraphs("第1条　目的。ただし書き。\n第2条　定義。\na\tb")
    assert [len(each) for each in found] == [2, 1, 1]


def test_what_a_notice_has_changed_answers_and_the_old_figure_takes_nothing_off() -> None:
    faq = passage(
        "精算の締め日はいつですか\n毎月20日締め、当月末払いです。",
        0.9,
        nth=1,
        document="総務FAQ.md",
        headings=("経費について", "精算の締め日はいつですか"),
    )
    notice = passage(
        "経費精算の締め日を、毎月20日から毎月15日に変更します。",
        0.6,
        nth=2,
        document="経理からのお知らせ.txt",
    )
    for question in ("経費精算の締め日はいつですか", "締め日は何日？"):
        parts = extract(question, (faq, notice), "ja").parts
        assert "15日に変更" in parts[0].text
        (differing,) = [part for part in parts if part.section == "disagreement"]
        assert "変更を知らせている『経理からのお知らせ.txt』" in differing.text
        assert differing.is_settled
