"""Only places that surely speak of the same thing are said to disagree."""

import pytest

from sanbo.evidence.model import Part, Passage
from sanbo.evidence.rules import answer
from sanbo.evidence.rules.standing import ruling, told_ruling
from tests.unit.evidence.rules.passages import passage, view


def _told(question: str, *passages: Passage) -> list[Part]:
    parts = answer(view(question, *passages), "ja")
    return [part for part in parts if part.section == "disagreement"]


def _two(one: str, other: str) -> list[Part]:
    return _told(
        one,
        passage(one, 0.95, nth=1, document="旅費規程.docx"),
        passage(other, 0.9, nth=2, document="社内FAQ.md"),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("国内出張の日当は10,000円とする。", "国内出張の日当は１２，０００円です。"),
        ("国内出張の日当は一万円とする。", "国内出張の日当は1.2万円です。"),
        ("精算の期限は出張後7日以内とする。", "精算の期限は、出張後14日以内とします。"),
        ("本規程は令和7年4月1日から施行する。", "本規程は2025年10月1日から施行する。"),
        ("社員は副業を行うことができる。", "社員は副業を行うことができない。"),
        ("出張時のタクシーの利用は認めない。", "出張時のタクシーの利用を認める。"),
        ("The hotel limit is 12,000 yen per night.", "The hotel limit is 15,000 yen per night."),
        ("Employees may work from home.", "Employees may not work from home."),
    ],
)
def test_other_figures_or_the_opposite_about_the_same_are_told(one: str, other: str) -> None:
    parts = _two(one, other)
    assert len(parts) == 1
    assert {quoted.quote for quoted in parts[0].quotes} == {one, other}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2023年度の売上は10億円であった。", "2024年度の売上は12億円であった。"),
        ("2023年の売上は増加した。", "2024年の売上は増加した。"),
        ("国内出張の日当は10,000円とする。", "海外出張の日当は12,000円とする。"),
        ("勤続3年の社員には14日を与える。", "勤続5年の社員には16日を与える。"),
        ("部長の日当は3,000円とする。", "課長の日当は2,500円とする。"),
        ("日当は10,000円とする。", "日当は一万円とする。"),
        ("施行日は4月1日とする。", "施行日は2025年4月1日とする。"),
        ("会議は4月1日に開催された。", "会議は4月8日に開催された。"),
        ("この建物の費用は10億円であった。", "この建物の費用は12億円であった。"),
        ("第3条の日当は10,000円とする。", "第4条の日当は10,000円とする。"),
        ("申請は所属長に提出しなければならない。", "申請は所属長に提出する。"),
        ("宿泊費は10,000円以上とする。", "宿泊費は12,000円以下とする。"),
        ("The fee is 100 dollars per month.", "The fee is 100 dollars per year."),
    ],
)
def test_what_speaks_of_something_else_is_no_disagreement(one: str, other: str) -> None:
    assert _two(one, other) == []


def test_it_names_both_documents_and_both_values() -> None:
    (part,) = _two("国内出張の日当は10,000円とする。", "国内出張の日当は12,000円です。")
    assert part.text == (
        "「国内出張の日当」について、『旅費規程.docx』では10,000円、『社内FAQ.md』では12,000円とされています。"
        "規程はFAQに優先するため、『旅費規程.docx』によります。"
    )


def test_it_says_which_document_rules_and_why() -> None:
    for first, second, rules in (
        ("旅費規程.docx", "出張FAQ.md", "規程はFAQに優先するため、『旅費規程.docx』"),
        ("旅費規程_第5版.docx", "旅費規程_第4版.docx", "新しい版の『旅費規程_第5版.docx』"),
        ("旅費規程.docx", "【旧】旅費規程.docx", "『【旧】旅費規程.docx』は廃止された旧版"),
        ("旅費規程.docx", "12月の締切.eml", "どちらが優先するかは"),
    ):
        for one, other in ((first, second), (second, first)):
            found = ruling(
                passage("", 0.9, nth=1, document=one), passage("", 0.9, nth=2, document=other)
            )
            told = told_ruling(found, "ja")
            assert rules in told, (one, other, told)


def _same_sentence(**other: object) -> list[Part]:
    one, two = "家賃補助は月額10,000円とする。", "家賃補助は月額12,000円とする。"
    return _told(
        "家賃補助はいくらですか",
        passage(one, 0.95, nth=1, document="手当一覧 東京支店.docx", headings=("手当",)),
        passage(two, 0.9, nth=2, **other),  # type: ignore[arg-type]
    )


def test_documents_of_two_branches_or_years_may_differ() -> None:
    assert _same_sentence(document="手当一覧 大阪支店.docx", headings=("手当",)) == []
    one, two = "家賃補助は月額10,000円とする。", "家賃補助は月額12,000円とする。"
    years = _told(
        "家賃補助はいくらですか",
        passage(one, 0.95, nth=1, document="手当2023.docx"),
        passage(two, 0.9, nth=2, document="手当2024.docx"),
    )
    assert years == []


def test_an_answer_in_a_list_of_questions_contradicts_a_rule_of_the_same_folder() -> None:
    faq = "Q. 国内出張の日当はいくらですか。\nA. 国内出張の日当は、1日につき2,000円です。"
    rule = "国内出張の日当は、1日につき2,500円とする。"
    parts = _told(
        "国内出張の日当はいくらですか",
        passage(rule, 0.95, nth=1, document="社内/旅費規程.md", headings=("第5条（日当）",)),
        passage(faq, 0.9, nth=2, document="社内/質問集.md"),
    )
    assert len(parts) == 1


def test_sections_of_one_document_may_differ() -> None:
    document = "手当一覧 東京支店.docx"
    assert _same_sentence(document=document, headings=("単身者",)) == []
    (part,) = _same_sentence(document=document, headings=("手当",), page=4)
    assert f"{document}（4ページ）" in part.text


def test_rows_of_two_tables_are_held_against_each_other() -> None:
    header = "品名\t単価\n"
    one = passage(f"{header}コピー用紙\t480円", 0.95, nth=1, document="価格表.csv", rows=(2, 2))
    two = passage(f"{header}コピー用紙\t520円", 0.9, nth=2, document="見積.csv", rows=(2, 2))
    other = passage(f"{header}封筒\t700円", 0.9, nth=3, document="備品.csv", rows=(2, 2))
    (part,) = _told("コピー用紙の単価はいくらですか", one, two, other)
    assert part.text.startswith("「コピー用紙 単価」について、『価格表.csv』では480円、")


RULE = "第6条 宿泊費は、次の額を上限とします。東京都区部は12,000円、その他は9,500円とします。"


def test_another_document_that_answers_with_another_amount_is_told() -> None:
    faq = "東京都区部の宿泊費は、1泊につき10,000円を上限としています。"
    (part,) = _told(
        "東京都区部の宿泊費の上限はいくらですか",
        passage(faq, 0.9, nth=1, document="よくある質問.md"),
        passage(RULE, 0.5, nth=2, document="旅費規程.md"),
    )
    assert "『旅費規程.md』では12,000円、『よくある質問.md』では10,000円" in part.text


def test_an_answer_of_a_table_is_held_against_a_rule() -> None:
    table = "1\tテレワークは週に何日までできますか。\t週2日までです。"
    (part,) = _told(
        "テレワークは週に何日までできますか",
        passage(table, 0.9, nth=1, document="FAQ.csv", context="番号 質問 回答", rows=(2, 2)),
        passage("テレワークは、週3日を上限とします。", 0.5, nth=2, document="規程.docx"),
    )
    assert "2日まで" in part.text
    assert "3日" in part.text


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("国内の日当はいくらですか", "国内の日当は2,500円です。", "海外の日当は7,000円です。"),
        ("出張の日当はいくらですか", "部長の日当は3,000円です。", "課長の日当は2,500円です。"),
        ("有給休暇は何日ですか", "勤続3年の有給休暇は14日です。", "勤続5年の有給休暇は16日です。"),
        ("売上の額はいくらですか", "2023年の売上の額は1億円です。", "2024年の売上の額は2億円"),
        ("会費はいくらですか", "会費は500円です。", "会費は500円とします。"),
    ],
)  # fmt: skip
def test_a_figure_for_something_else_is_no_other_answer(
    question: str, one: str, other: str
) -> None:
    first = passage(one, 0.9, nth=1, document="規程.docx")
    assert not _told(question, first, passage(other, 0.6, nth=2, document="案内.md"))


def _parts(section: str, question: str, *passages: Passage) -> list[str]:
    parts = answer(view(question, *passages), "ja")
    return [part.text for part in parts if part.section == section]


def test_the_newer_edition_of_a_regulation_leads_and_the_summary_says_what_the_older_one_said() -> (
    None
):
    old = "出張を命じられた者は、出発の3日前までに出張申請書を所属長に提出しなければならない。"
    new = "出張を命じられた者は、出発の5営業日前までに出張申請書を所属長に提出しなければならない。"
    summary = _parts(
        "summary",
        "出張申請はいつまでに出しますか",
        passage(old, 0.9, nth=1, document="旅費規程_2020年版.docx"),
        passage(new, 0.88, nth=2, document="旅費規程_2025年版.docx"),
    )
    assert summary[0] == new
    assert (
        "『旅費規程_2025年版.docx』では5営業日前まで、『旅費規程_2020年版.docx』では3日前まで"
        in summary[1]
    )
    assert "新しい『旅費規程_2025年版.docx』によります" in summary[1]


def test_one_word_is_enough_between_two_editions() -> None:
    summary = _parts(
        "summary",
        "日当はいくらですか",
        passage("日当は、1日につき2,500円とする。", 0.9, nth=1, document="旅費規程_2020年版.docx"),
        passage("日当は、1日につき3,000円とする。", 0.8, nth=2, document="旅費規程_2025年版.docx"),
    )
    assert summary[0] == "日当は、1日につき3,000円とする。"


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("出張の日当", "日当は、1日につき2,500円とする。", "日当は、1日につき3,000円とする。"),
        (
            "旅費の仮払いはできますか",
            "第7条　会社は、出張者の請求により旅費の仮払いをすることができる。",
            "第8条　会社は、出張者の請求により旅費の仮払いをすることができない。",
        ),
    ],
)
def test_the_newer_edition_leads_also_where_no_figure_is_asked_for(
    question: str, old: str, new: str
) -> None:
    found = (
        passage(old, 0.9, nth=1, document="旅費規程_2020年版.docx"),
        passage(new, 0.8, nth=2, document="旅費規程_2025年版.docx"),
    )
    assert _parts("summary", question, *found)[0] == new.replace("　", " ")


def test_asked_for_a_year_the_edition_of_that_year_answers() -> None:
    summary = _parts(
        "summary",
        "2020年の旅費規程では、日当はいくらですか",
        passage("日当は、1日につき2,500円とする。", 0.9, nth=1, document="旅費規程_2020年版.docx"),
        passage("日当は、1日につき3,000円とする。", 0.8, nth=2, document="旅費規程_2025年版.docx"),
    )
    assert summary[0] == "日当は、1日につき2,500円とする。"


@pytest.mark.parametrize(
    ("question", "before", "notice"),
    [
        (
            "経費精算の締め日はいつですか",
            "経費精算の締め日はいつですか\n毎月20日締め、当月末払いです。",
            "経費精算の締め日を、毎月20日から毎月15日に変更します。",
        ),
        (
            "宿泊費の上限はいくらですか",
            "宿泊費の上限は、1泊につき9,000円です。",
            "宿泊費の上限を9,000円（税込）から12,000円に引き上げます。",
        ),
        (
            "How much is the hotel limit?",
            "The hotel limit is 9,000 yen.",
            "The hotel limit is raised from 9,000 yen to 12,000 yen.",
        ),
    ],
)
def test_what_a_notice_changes_holds_as_the_notice_says(
    question: str, before: str, notice: str
) -> None:
    found = (
        passage(before, 0.9, nth=1, document="総務FAQ.md"),
        passage(notice, 0.8, nth=2, document="経理からのお知らせ.txt"),
    )
    assert _parts("summary", question, *found)[0] == notice
    (told,) = _parts("disagreement", question, *found)
    assert "変更を知らせている『経理からのお知らせ.txt』によります" in told
