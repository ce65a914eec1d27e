"""What the network makes of a question beside the rules: surer, or asked about."""

from collections.abc import Sequence

import pytest

from sanbo.agents.analysis.profile import DatasetProfile, Preparation
from sanbo.agents.analysis.reader.doubts import is_turned_round
from sanbo.agents.analysis.reader.opinion import computed
from sanbo.agents.analysis.rules.deciding import readings_of
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.reading import Readings, read_question
from sanbo.agents.analysis.rules.scene import scene_of
from sanbo.agents.analysis.rules.steps import Spec
from sanbo.agents.analysis.spec.chips import reading_text
from sanbo.agents.analysis.spec.filters import Among, Compare
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.plots import Bar, Line, Scatter
from tests.examples import spread
from tests.unit.agents.analysis.profiles import SHOP, day, number, table, words
from tests.unit.agents.analysis.reader.tables import CLAIMS, CLINIC
from tests.unit.agents.analysis.rules import test_exclusions as exclusions
from tests.unit.agents.analysis.rules.test_absence import CARS


def _language(asked: str) -> str:
    return "en" if asked.isascii() else "ja"


def _texts(readings: Readings, asked: str) -> list[str]:
    # pyrefly: ignore[bad-argument-type]
    return [reading_text(one.specs, _language(asked)) for one in readings.offered]


@pytest.mark.parametrize(
    ("asked", "profile", "said"),
    [
        ("来院した患者さんの待ち時間は平均で何分でしょうか。", CLINIC, "待ち時間（分）の平均"),
        ("待ち時間の平均を担当医別に出してちょうだい", CLINIC, "待ち時間（分）の平均・担当医ごと"),
        ("paid out overall for the North folks", CLAIMS, "total of Paid Out, Region is North"),
    ],
)
def test_what_both_read_is_answered_though_a_word_says_nothing(
    asked: str, profile: DatasetProfile, said: str
) -> None:
    assert read_question(asked, profile).sure is None, "rules alone ask"
    sure = readings_of([asked], profile).sure
    assert sure is not None
    # pyrefly: ignore[bad-argument-type]
    assert reading_text(sure.specs, _language(asked)).startswith(said)
    assert sure.set_aside == read_question(asked, profile).all[0].unread


@pytest.mark.parametrize(
    ("asked", "profile", "right"),
    [
        (
            "キャンセル以外の日の予約は何件ありますか",
            CLINIC,
            "件数・キャンセルを除く（来院状況）",
        ),
        ("担当医ごとに何人診た？", CLINIC, "件数・担当医ごと"),
    ],
)
def test_what_the_network_is_certain_of_is_answered_though_the_rules_read_it_otherwise(
    asked: str, profile: DatasetProfile, right: str
) -> None:
    alone = read_question(asked, profile).sure
    assert alone is not None
    readings = readings_of([asked], profile)
    assert readings.sure is not None
    assert readings.sure.specs != alone.specs
    texts = _texts(readings, asked)
    assert texts[0].startswith(right)
    # pyrefly: ignore[bad-argument-type]
    assert reading_text(alone.specs, _language(asked)) in texts, "what the rules read is offered"


BY_TWO = GroupbyAgg(group_cols=("区分", "店"), metrics={"売上": ("sum",)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((BY_TWO,), (BY_TWO.model_copy(update={"group_cols": ("店", "区分")}),)),
        ((BY_TWO,), (Bar(x="店", y="売上", agg="sum", color="区分"),)),
        (
            (BY_TWO,),
            (
                BY_TWO.model_copy(update={"group_cols": ("店",)}),
                Bar(x="店", y="売上", color="区分"),
            ),
        ),
        (
            (Line(x="日付", x_unit="month", color="店"),),
            (Resample(date_col="日付", unit="month", by=("店",)), Line(x="日付", x_unit="month")),
        ),
        ((Scatter(x="売上", y="数量"),), (Scatter(x="数量", y="売上", color="店"),)),
    ],
)
def test_the_same_table_on_other_axes_is_the_same(
    one: Sequence[Spec], other: Sequence[Spec]
) -> None:
    assert computed(one) == computed(other)


@pytest.mark.parametrize(
    "other",
    [
        (BY_TWO.model_copy(update={"group_cols": ("店",)}),),
        (Bar(x="店", y="売上", agg="mean", color="区分"),),
        (Bar(x="店", y="数量", agg="sum", color="区分"),),
        (
            Bar(
                x="店",
                y="売上",
                agg="sum",
                color="区分",
                filters=(Compare(col="店", op="==", value="A"),),
            ),
        ),
        (BY_TWO.model_copy(update={"top_k": 3}),),
        (Bar(x="店", y="売上", agg="sum", color="区分", top_k=3),),
    ],
)
def test_another_figure_group_or_condition_is_not_the_same(other: Sequence[Spec]) -> None:
    assert computed((BY_TWO,)) != computed(other)


def test_what_the_rules_are_sure_of_and_the_network_doubts_is_asked() -> None:
    asked = "claims per month"
    assert read_question(asked, CLAIMS).sure is not None
    readings = readings_of([asked], CLAIMS)
    assert readings.sure is None
    right = "number of rows, by month of Reported Date"
    assert any(text.startswith(right) for text in _texts(readings, asked))


def test_a_column_that_is_not_there_is_not_found_by_the_network_either() -> None:
    asked = "average price of the Japanese cars"
    readings = readings_of([asked], CARS)
    assert readings == read_question(asked, CARS)


@pytest.mark.parametrize(
    ("asked", "profile"),
    [
        ("京都店の売上金額の合計を教えて", SHOP),
        ("total Claimed for customer Smith by region", CLAIMS),
        ("average claimed for widgets", CLAIMS),
        ("北海道支店の担当医別の待ち時間の平均", CLINIC),
        ("average Claimed per claim and per region", CLAIMS),
    ],
)
def test_a_word_that_may_be_a_condition_is_never_set_aside(
    asked: str, profile: DatasetProfile
) -> None:
    assert readings_of([asked], profile).sure is None


@pytest.mark.parametrize("asked", ["3月の売上金額の合計", "4月は何件？"])
def test_a_year_that_was_not_said_is_asked_about(asked: str) -> None:
    assert readings_of([asked], SHOP).sure is None, "the table has two such months"


def test_a_total_that_the_file_disputes_is_asked_about() -> None:
    told = Preparation(kind="totals", text="「売上金額」の合計が合いません", is_done=False)
    disputed = SHOP.model_copy(update={"preparations": (told,)})
    assert readings_of(["売上金額の合計は？"], disputed).sure is None


@pytest.mark.parametrize(
    "asked",
    [
        "regions where Claimed minus Paid Out is over 500",
        "status with average claimed minus paid out above 100",
        "claims in January to March or in July to September",
        "the top 10% of the claims",
    ],
)
def test_what_can_be_written_and_not_computed_costs_no_answer(asked: str) -> None:
    for one in readings_of([asked], CLAIMS).offered:
        assert all(getattr(spec, "n", 0) != 10 for spec in one.specs), "10 % are no ten rows"


def test_a_range_that_ends_before_it_begins_is_not_offered() -> None:
    for one in readings_of(["12月から2月の売上金額の合計"], SHOP).offered:
        limits = {
            condition.op: str(condition.value)
            for condition in one.specs[0].filters
            if isinstance(condition, Compare)
        }
        assert limits.get(">=", "") <= limits.get("<=", "9999")


def test_a_table_without_columns_has_no_second_reading() -> None:
    empty = table(rows=3)
    assert readings_of(["how many rows"], empty) == read_question("how many rows", empty)


def test_no_exclusion_is_inverted_with_the_network_either() -> None:
    def verdict(asked: str, values: Sequence[str]) -> str:
        readings = readings_of([asked], exclusions.TABLE)
        return exclusions.verdict_of(readings, tuple(values))

    judged = [(verdict(asked, names), asked) for asked, names in spread(exclusions.questions(), 80)]
    assert not [one for one in judged if one[0] in ("inverted", "ignored")]
    right = sum(told == "right" for told, _ in judged)
    assert right > 0.8 * len(judged), [one for one in judged if one[0] == "asked"]


JOBS = table(
    words("Customer", *(f"C{at:02}" for at in range(20))),
    words("Cust Type", "School", "Shop", "Private"),
    words("Notes", "deposit waived", "late"),
    number("Deposit", 0, 90),
)


@pytest.mark.parametrize(
    ("asked", "condition", "is_turned"),
    [
        ("customers, not counting schools", {"op": "==", "value": "School"}, True),
        ("customers, not counting schools", {"op": "!=", "value": "School"}, False),
        ("customers, not counting schools", {"op": "in", "value": ["School", "Shop"]}, True),
        ("customers, not counting universities", {"op": "==", "value": "University"}, True),
        ("jobs, leave out the paid ones", {"op": "==", "value": "unpaid"}, False),
        ("jobs, leave out the paid ones", {"op": "in", "value": ["未払い"]}, False),
        ("customers that are schools", {"op": "==", "value": "School"}, False),
    ],
)
def test_what_is_left_out_in_words_is_in_the_reading(
    asked: str, condition: dict[str, object], is_turned: bool
) -> None:
    kind = Among if condition["op"] == "in" else Compare
    one = kind.model_validate({"col": "Cust Type", **condition})
    spec = GroupbyAgg(group_cols=("Customer",), filters=(one,))
    items = items_of(asked, scene_of(JOBS))
    assert is_turned_round([spec], items) is is_turned


@pytest.mark.parametrize("asked", ["", "？", "a" * 3000, "\x00", "売上" * 900])
def test_any_text_has_an_opinion_or_none(asked: str) -> None:
    readings_of([asked], SHOP)


@pytest.mark.parametrize(
    "asked",
    [
        "Claimedの外れ値を教えて",
        "ClaimedとPaid Outの相関",
        "Paid Outがマイナスの件数",
        "年度別のClaimedの合計",
    ],
)
def test_what_the_network_has_no_words_for_it_does_not_doubt(asked: str) -> None:
    alone = read_question(asked, CLAIMS).sure
    assert alone is not None
    assert readings_of([asked], CLAIMS).sure == alone


NAMES = ("佐藤 健", "鈴木 恵", "高橋 翼", "田中 実", "伊藤 葵", "渡辺 楓")
STAFF = table(
    day("勤務日"),
    words("社員番号", *(f"E{number:03}" for number in range(1, 7))),
    words("氏名", *NAMES),
    words("部署", "営業部", "総務部"),
    number("残業時間", 0, 6),
    rows=120,
)


def test_grouped_by_a_number_or_by_its_name_is_one_reading() -> None:
    asked = "残業時間の合計が多い人トップ3は？"
    assert read_question(asked, STAFF).sure is None, "rules alone ask which"
    sure = readings_of([asked], STAFF).sure
    assert sure is not None
    assert reading_text(sure.specs, "ja").startswith("残業時間の合計・氏名ごと・多い順・上位3件")


def test_a_follow_up_is_read_with_what_it_goes_on_from() -> None:
    sure = readings_of(["担当医ごとの予約件数は？", "キャンセルは除いて"], CLINIC).sure
    assert sure is not None
    assert reading_text(sure.specs, "ja").startswith(
        "件数・担当医ごと・キャンセルを除く（来院状況）"
    )


def test_a_word_beside_what_a_reading_points_at_is_no_word_that_was_set_aside() -> None:
    """3万円を超えた: nobody is told that 超え is not in it."""
    orders = table(
        words("店舗", "大阪店", "東京店"), number("数量", 2, 40), number("単価", 500, 9000)
    )
    likeliest = readings_of(["数量×単価が3万円を超えた行は何件？"], orders).all[0]
    assert reading_text(likeliest.specs, "ja").endswith("件数・数量×単価が30,000より大きい")
    assert not {*likeliest.unread, *likeliest.set_aside}
