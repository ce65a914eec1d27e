"""What a question says and nothing read leads to a question back, never to an answer without it."""

import pytest

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.kernel.messages import Language
from tests.unit.agents.analysis.rules.tables import answer, day, number, table, words

LOANS = table(
    day("貸出日"),
    day("返却日").model_copy(update={"missing": 40}),
    words("館名", "中央図書館", "北分館", "南分館"),
    words("資料区分", "図書", "雑誌", "DVD"),
    words("利用者ID", "U1", distinct=90),
    number("年齢", 6, 90, distinct=80),
    number("貸出冊数", 1, 10, distinct=10),
    number("延滞日数", 0, 20, distinct=20),
    rows=400,
)
PEOPLE = table(
    words("社員番号", "E1", distinct=250),
    words("氏名", "佐藤", distinct=240),
    words("部署", "営業部", "開発部", "総務部"),
    day("入社日"),
    number("評価年度", 2023, 2025, distinct=3),
    words("評価ランク", "S", "A", "B", "C"),
    number("評価点", 40, 100, distinct=60),
    number("残業時間", 0, 60, distinct=200),
    number("基本給", 200_000, 700_000, distinct=200),
    number("賞与", 200_000, 2_000_000, distinct=200),
    words("在宅勤務", "可", "不可"),
    rows=250,
)
ACCOUNTS = table(
    words("account_id", "A1", distinct=300),
    day("signup_date"),
    words("plan", "Free", "Pro", "Enterprise"),
    words("country", "Japan", "USA", "Germany"),
    number("seats", 1, 200, distinct=150),
    number("mrr", 0, 5000, distinct=280),
    number("nps_score", 0, 10, distinct=11),
    rows=300,
)


@pytest.mark.parametrize(
    ("profile", "language", "question", "word"),
    [
        (PEOPLE, "ja", "賞与が基本給の3倍以上の社員は何人いますか", "3倍以上"),
        (PEOPLE, "ja", "勤続10年以上の社員の平均賞与", "10年以上"),
        (PEOPLE, "ja", "評価点が高い社員の平均残業時間", "高い"),
        (PEOPLE, "ja", "新入社員の平均評価点", "新入"),
        (LOANS, "ja", "若い利用者の平均貸出冊数", "若い"),
        (LOANS, "ja", "延滞率が高い館は？", "延滞率"),
        (LOANS, "ja", "延滞したことがある利用者は何人", "延滞した"),
        (LOANS, "ja", "返却期限を過ぎた貸出の件数", "期限を過ぎた"),
        (LOANS, "ja", "夏休み期間の図書の貸出冊数", "夏休み"),
        (LOANS, "ja", "65歳以上と未満で貸出冊数を比べて", "未満"),
        (LOANS, "ja", "貸出冊数が一番多い棟は？", "棟"),
        (ACCOUNTS, "en", "Average MRR in Canada", "canada"),
        (ACCOUNTS, "en", "average seats in canada", "canada"),
        (ACCOUNTS, "en", "Average MRR of customers who upgraded", "upgraded"),
        (ACCOUNTS, "en", "Count of promoters (score 9 or 10) by country", "9"),
        (ACCOUNTS, "en", "Total MRR for large accounts", "large"),
        (ACCOUNTS, "en", "Number of paying accounts by country", "paying"),
    ],
)
def test_what_was_not_understood_is_asked_by_its_own_words(
    profile: DatasetProfile, language: Language, question: str, word: str
) -> None:
    found = answer(profile, question, language=language)
    assert found.last.next_action == "ask"
    assert word in found.last.clarifying_questions[0]
    assert not found.specs


def _only(profile: DatasetProfile, question: str, language: Language = "ja") -> list[object]:
    found = answer(profile, question, language=language)
    assert found.analyses, found.last.clarifying_questions
    kept = [one for spec in found.analyses for one in spec.filters]
    return [tuple(one.model_dump(exclude_none=True).values()) for one in kept]


@pytest.mark.parametrize(
    ("profile", "language", "question", "expected"),
    [
        (LOANS, "ja", "まだ返却されていない貸出は何件？", [("返却日", "is_null")]),
        (PEOPLE, "ja", "2024年度の部署別評価点", [("評価年度", "==", 2024)]),
        (PEOPLE, "ja", "在宅勤務が可の社員の部署別人数", [("在宅勤務", "==", "可")]),
        (
            PEOPLE,
            "ja",
            "評価点が80点台の人は何人",
            [("評価点", ">=", 80), ("評価点", "<", 90)],
        ),
        (
            PEOPLE,
            "ja",
            "基本給が30万円台の人数",
            [("基本給", ">=", 300_000), ("基本給", "<", 400_000)],
        ),
        (
            ACCOUNTS,
            "en",
            "Average MRR of customers who signed up in the last quarter of 2024",
            [("signup_date", ">=", "2024-10-01"), ("signup_date", "<", "2025-01-01")],
        ),
    ],
)
def test_a_condition_said_in_other_words_is_read(
    profile: DatasetProfile, language: Language, question: str, expected: list[object]
) -> None:
    assert _only(profile, question, language) == expected


def test_one_character_names_a_column_of_names() -> None:
    spec = answer(LOANS, "DVDの貸出が一番多い館はどこ？").analyses[0]
    assert spec.op == "groupby_agg"
    assert spec.group_cols == ("館名",)


def test_days_between_two_dates_are_not_the_days_of_another_column() -> None:
    found = answer(LOANS, "貸出日から返却日までの平均日数")
    assert [spec.op for spec in found.analyses] == ["derive", "groupby_agg"]


def test_people_are_counted_once_where_they_come_back() -> None:
    spec = answer(LOANS, "北分館で借りた60歳以上は何人？").analyses[0]
    assert spec.op == "groupby_agg"
    assert spec.metrics == {"利用者ID": ("nunique",)}


def test_a_sum_of_two_columns_is_what_is_ranked() -> None:
    made, ranked = answer(PEOPLE, "基本給と賞与を足した年収の上位5人").analyses
    assert made.op == "derive"
    assert ranked.op == "top_rows"
    assert ranked.by == (made.name,)
    assert ranked.n == 5


def test_a_share_of_alternatives_counts_both() -> None:
    made, share = answer(PEOPLE, "評価ランクがSまたはAの人の割合").analyses
    assert made.op == "derive"
    assert share.op == "share_ratio"
    assert {"S", "A"} <= set(made.name)


def test_a_bound_on_an_average_is_a_bound_on_groups() -> None:
    mean, kept = answer(PEOPLE, "部署別の平均評価点が70点以上の部署").analyses
    assert mean.filters == ()
    assert kept.filters[0].model_dump()["col"] == "評価点_mean"


def test_people_of_each_kind_are_grouped_by_it() -> None:
    spec = answer(PEOPLE, "部署ごとに評価ランクの人数を教えて").analyses[0]
    assert spec.op == "groupby_agg"
    assert spec.group_cols == ("部署", "評価ランク")
    assert spec.metrics == {}


def test_a_number_in_quoted_words_is_theirs() -> None:
    assert _only(LOANS, "利用者IDに「U00」を含む貸出の件数") == [("利用者ID", "contains", "U00")]


def test_one_number_per_another_is_a_ratio() -> None:
    found = answer(ACCOUNTS, "MRR per seat by plan", language="en")
    assert [spec.op for spec in found.analyses] == ["groupby_agg", "derive"]


def test_a_date_that_was_chosen_for_a_condition_is_stated() -> None:
    found = answer(LOANS, "2024年の館別の貸出冊数の合計")
    assert any("貸出日" in one for one in found.assumptions)
