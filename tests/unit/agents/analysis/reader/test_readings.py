"""What a question is read as: answered at once, or asked about."""

from collections.abc import Sequence

import pytest

from sanbo.agents.analysis.building.steps import Spec
from sanbo.agents.analysis.deciding import readings_of
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.profile import DatasetProfile, Preparation
from sanbo.agents.analysis.reader.doubts import is_turned_round
from sanbo.agents.analysis.reader.readings import Readings
from sanbo.agents.analysis.reader.sameness import computed
from sanbo.agents.analysis.spec.chips import reading_text
from sanbo.agents.analysis.spec.filters import Among, Compare
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.plots import Bar, Line, Scatter
from tests.examples import spread
from tests.unit.agents.analysis.profiles import SHOP, day, number, table, words
from tests.unit.agents.analysis.questions import test_exclusions as exclusions
from tests.unit.agents.analysis.reader.tables import CLAIMS, CLINIC


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
        ("キャンセル以外の日の予約は何件ありますか", CLINIC, "件数・キャンセルを除く（来院状況）"),
        ("担当医ごとに何人診た？", CLINIC, "件数・担当医ごと"),
    ],
)
def test_what_is_likely_is_answered_though_a_word_says_nothing(
    asked: str, profile: DatasetProfile, said: str
) -> None:
    sure = readings_of([asked], profile).sure
    assert sure is not None
    assert reading_text(sure.specs, "ja").startswith(said)


@pytest.mark.parametrize(
    ("asked", "profile", "ops"),
    [
        ("データの概要を教えて", CLINIC, ["dataset_overview"]),
        ("待ち時間の正規性を検定して", CLINIC, ["distribution"]),
        ("来院状況と担当医のクロス集計", CLINIC, ["pivot"]),
        ("ClaimedとPaid Outのスピアマンの相関係数", CLAIMS, ["correlation_matrix", "scatter"]),
    ],
)
def test_what_a_word_names_by_itself_is_done(
    asked: str, profile: DatasetProfile, ops: list[str]
) -> None:
    likeliest = readings_of([asked], profile).all[0]
    made = [str(getattr(spec, "op", getattr(spec, "kind", ""))) for spec in likeliest.specs]
    assert made == ops
    assert "スピアマン" not in asked or "spearman" in str(likeliest.specs)


@pytest.mark.parametrize(
    "asked", ["待ち時間の中央値の予測", "来月の予約は何件になりそう", "なぜキャンセルが多いの"]
)
def test_what_no_table_tells_is_declined(asked: str) -> None:
    readings = readings_of([asked], CLINIC)
    assert readings.scope in ("prediction", "causal")
    assert not readings.all


def test_of_a_wide_table_the_columns_of_the_question_are_looked_at() -> None:
    many = [number(f"指標{at:03d}", 1, 900) for at in range(300)]
    wide = table(words("店舗", "新宿店", "大阪店"), *many)
    likeliest = readings_of(["店舗ごとの指標299の合計"], wide).all[0]
    assert reading_text(likeliest.specs, "ja").startswith("指標299の合計・店舗ごと")


def test_a_share_is_of_the_rows_that_are_left() -> None:
    """未定を除いた承諾率: a condition on the same column leaves rows out, and is no part."""
    offers = table(words("結果", "承諾", "辞退", "未定"), words("経路", "紹介", "広告"))
    likeliest = readings_of(["未定を除いた承諾の割合"], offers).all[0]
    first, second = likeliest.specs
    assert [one.model_dump()["op"] for one in first.filters] == ["!="]
    assert [one.model_dump()["value"] for one in second.filters] == ["承諾"]


@pytest.mark.parametrize(
    "asked", ["1000円未満は除いて一覧", "list them, leaving out those under 1000"]
)
def test_what_is_left_out_by_its_size_is_not_kept(asked: str) -> None:
    orders = table(words("店舗", "大阪店", "東京店"), number("金額", 10, 9000, "円"))
    for one in readings_of([asked], orders).all:
        assert "'op': '<'" not in str([spec.model_dump() for spec in one.specs])


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


def test_a_table_without_columns_has_no_reading() -> None:
    assert readings_of(["how many rows"], table(rows=3)) == Readings()


def test_no_exclusion_is_inverted_in_a_conversation() -> None:
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
    assert not likeliest.unread


PEOPLE = table(
    words("店舗", "新宿店", "大阪店"),
    number("年齢", 18, 79),
    number("数量", 1, 40),
    number("売上", 100, 90_000, "円"),
    day("受注日"),
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("年代別の売上", "名前: 10–19"),
        ("年度別の売上合計", "売上の合計・受注日の年度ごと"),
        ("店舗のパレート分析", "構成比とABC区分・件数・店舗ごと"),
        ("数量と売上の散布図を店舗ごとに別々のグラフで", "図を分ける：店舗"),
        ("店舗別の売上の合計を積み上げ棒グラフで", "積み上げ"),
        ("売上のヒストグラムを幅500で", "区間の幅：500"),
    ],
)
def test_what_a_word_adds_to_a_reading_is_in_it(asked: str, said: str) -> None:
    found = readings_of([asked], PEOPLE).all
    assert any(said in reading_text(one.specs, "ja") for one in found), [
        reading_text(one.specs, "ja") for one in found
    ]
