"""Questions are told apart by what they ask for, in both languages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.grace.planner import SIMPLE
from sanbo.agents.grace.rules.questions import (
    Kind,
    calculation_of,
    estimate_complexity,
    is_left_to_work_out,
    kind_of,
)
from tests.examples import examples


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("在宅勤務とは何ですか。", "definition"),
        ("SLAは何の略ですか。", "definition"),
        ("What is annual leave?", "definition"),
        ("手当の種類をすべて挙げてください。", "list"),
        ("List all documents that are needed.", "list"),
        ("有給休暇は何日ありますか。", "amount"),
        ("宿泊費の上限はいくらですか。", "amount"),
        ("How many days of leave do I get?", "amount"),
        ("経費精算はいつまでですか。", "date"),
        ("What is the deadline for expenses?", "date"),
        ("出張は誰が承認しますか。", "person"),
        ("Who approves leave?", "person"),
        ("研修はどこで行いますか。", "place"),
        ("Where is the training held?", "place"),
        ("なぜ領収書が必要ですか。", "reason"),
        ("Why is a receipt needed?", "reason"),
        ("休暇はどうやって申請しますか。", "method"),
        ("How do I apply for leave?", "method"),
        ("在宅勤務は新入社員も使えますか。", "fact"),
        ("正社員と契約社員の休暇の違いは何ですか。", "comparison"),
        ("通常プランと特別プランを比べてください", "comparison"),
        ("AとBを比較してもらえますか", "comparison"),
        ("東京と大阪の宿泊費の上限を比べてください。", "comparison"),
        ("Compare A and B.", "comparison"),
        ("What is the difference between plan A and plan B?", "comparison"),
        ("有給休暇は何日もらえて、申請の期限はいつですか。", "parts"),
        ("When must expenses be claimed and who approves them?", "parts"),
        ("東京と大阪の宿泊費の合計はいくらですか。", "arithmetic"),
        ("What is the total of the hotel rates in Tokyo and Osaka?", "arithmetic"),
    ],
)
def test_a_question_is_of_one_kind(question: str, kind: Kind) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("question", "operation", "figures"),
    [
        ("国内と海外の日当を合わせるといくらになりますか。", "sum",
         ("国内の日当はいくら", "海外の日当はいくら")),
        ("管理職、一般職、契約社員の日当の平均はいくらですか。", "mean",
         ("管理職の日当はいくら", "一般職の日当はいくら", "契約社員の日当はいくら")),
        ("本社と支店の従業員数の差は何人ですか。", "difference",
         ("本社の従業員数は何人", "支店の従業員数は何人")),
        ("プランAとプランBの料金の差額を教えてください。", "difference",
         ("プランAの料金はいくら", "プランBの料金はいくら")),
        ("2024年度の売上高は2023年度の何倍ですか。", "times",
         ("2024年度の売上高はいくら", "2023年度の売上高はいくら")),
        ("営業課の交通費と会議費の2030年度予算の合計はいくらですか。", "sum",
         ("営業課の交通費の2030年度予算はいくら", "営業課の会議費の2030年度予算はいくら")),
        ("2030年度の営業課と購買課の交通費の合計はいくらですか。", "sum",
         ("2030年度の営業課の交通費はいくら", "2030年度の購買課の交通費はいくら")),
        ("営業課の交通費と購買課の会議費の合計はいくらですか。", "sum",
         ("営業課の交通費はいくら", "購買課の会議費はいくら")),
        ("県内とその他の地域の送料の差額はいくらですか。", "difference",
         ("県内の送料はいくら", "その他の地域の送料はいくら")),
        ("営業課の交通費は2029年度と2030年度でいくら違いますか。", "difference",
         ("2029年度の営業課の交通費はいくら", "2030年度の営業課の交通費はいくら")),
        ("正社員と契約社員とでは、休暇は何日違いますか。", "difference",
         ("正社員の休暇は何日", "契約社員の休暇は何日")),
        ("全社員に占める契約社員の割合は何%ですか。", "share", ("契約社員は何人", "全社員は何人")),
        ("What is the total of the hotel rates in Tokyo and Osaka?", "sum",
         ("How much are the hotel rates in Tokyo?", "How much are the hotel rates in Osaka?")),
        ("What is the average of the fee for plan A and the fee for plan B?", "mean",
         ("How much is the fee for plan A?", "How much is the fee for plan B?")),
        ("How many times higher is the fee for plan A than the fee for plan B?", "times",
         ("How much is the fee for plan A?", "How much is the fee for plan B?")),
        ("What percentage of the annual budget is the training budget?", "share",
         ("How much is the training budget?", "How much is the annual budget?")),
        ("How much more is the rent of the office than the rent of the store?", "difference",
         ("What is the rent of the office?", "What is the rent of the store?")),
    ],
)  # fmt: skip
def test_a_question_over_several_figures_asks_for_each(
    question: str, operation: str, figures: tuple[str, ...]
) -> None:
    found = calculation_of(question)
    assert found is not None
    assert (found.operation, found.figures) == (operation, figures)


@pytest.mark.parametrize(
    "question",
    [
        "従業員の平均年齢は何歳ですか。",
        "売上の合計はいくらですか。",
        "正社員と契約社員の制度の差は何ですか。",
        "休暇の差について教えてください。",
        "What is the average age of employees?",
        "What is the difference between plan A and plan B?",
        "",
    ],
)
def test_a_figure_that_stands_in_a_document_is_not_worked_out(question: str) -> None:
    assert calculation_of(question) is None


@pytest.mark.parametrize(
    ("question", "told", "is_left"),
    [
        ("県内と県外で送料の差額はどうなりますか", "県内の送料は500円です。", True),
        ("県内と県外で送料の差額はどうなりますか", "送料の差額は県内と県外で300円です。", False),
        ("売上の合計はいくらですか", "売上は5億円です。", False),
        ("県内と県外の送料はいくらですか", "送料は一律です。", False),
    ],
)
def test_a_figure_of_one_thing_is_no_total_of_several(
    question: str, told: str, is_left: bool
) -> None:
    assert is_left_to_work_out(question, [told]) is is_left


@pytest.mark.parametrize(
    ("simple", "demanding"),
    [
        ("有給休暇は何日ありますか。", "有給休暇は何日もらえて、申請の期限はいつですか。"),
        ("在宅勤務とは何ですか。", "在宅勤務と出社の違いは何ですか。"),
        ("宿泊費はいくらですか。", "東京と大阪の宿泊費の合計はいくらですか。"),
        ("Who approves leave?", "When must expenses be claimed and who approves them?"),
        ("What is annual leave?", "Compare annual leave and sick leave."),
    ],
)
def test_a_question_of_several_parts_is_more_complex(simple: str, demanding: str) -> None:
    assert estimate_complexity(simple) < SIMPLE <= estimate_complexity(demanding)


@settings(max_examples=examples(60))
@given(st.text(max_size=300))
def test_any_text_has_a_kind_and_a_complexity(text: str) -> None:
    assert 0 <= estimate_complexity(text) <= 1
