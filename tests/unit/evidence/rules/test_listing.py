"""A list is told whole where it is asked for, or where a sentence only leads to it."""

from sanbo.evidence.model import Part
from sanbo.evidence.rules import answer
from tests.unit.evidence.rules.passages import PRICES, passage, view

LEAVES = (
    "第22条（特別休暇） 社員が次の各号のいずれかに当たるときは、特別休暇を与えます。\n\n"
    "（1）本人が結婚するとき　5日\n\n（2）配偶者が出産するとき　3日\n\n（3）父母が死亡したとき　7日"
)
HOTELS = (
    "第4条　宿泊費は、次の金額を上限として実費を支給します。\n"
    "　東京23区・大阪市　13,500円\n　その他の地域　10,500円\n　役員　18,000円"
)


def _parts(question: str, text: str, section: str = "finding") -> list[Part]:
    parts = answer(view(question, passage(text)), "ja")
    return [part for part in parts if part.section == section]


def test_all_items_are_told_in_their_order() -> None:
    told = [part.text for part in _parts("特別休暇がもらえる場合をすべて挙げてください", LEAVES)]
    assert told[0].startswith("第22条")
    assert [text[:3] for text in told[1:]] == ["（1）", "（2）", "（3）"]


def test_the_rows_of_a_table_are_its_items_and_its_header_is_none() -> None:
    told = [part.text for part in _parts("品名と単価をすべて挙げてください", PRICES)]
    assert len(told) == 3
    assert told[0].startswith("品名：コピー用紙A4、単価：480円")


def test_a_sentence_that_leads_to_figures_is_told_with_the_one_asked_for() -> None:
    told = [part.text for part in _parts("大阪の宿泊費はいくらまで支給されますか", HOTELS)]
    assert any("13,500円" in text for text in told)
    assert not any("18,000円" in text for text in told)


def test_one_item_answers_where_one_is_asked_for() -> None:
    assert "7日" in _parts("父母が死亡したときは何日休めますか", LEAVES)[0].text
