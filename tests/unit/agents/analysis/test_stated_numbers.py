"""A number may be stated if a table, the question or a spec has it; nothing is computed anew."""

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sanbo.agents.analysis.decision import ResultView, Turn, View
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile
from sanbo.agents.analysis.spec.operations import CompareGroups, GroupbyAgg, Outliers
from sanbo.agents.analysis.stated_numbers import Grounds, grounds_of, table_grounds, unfounded

STORES = ResultTable(
    title="店舗別の売上（合計）",
    columns=(
        TableColumn(name="店舗", label="店舗", kind="text"),
        TableColumn(name="売上_sum", label="売上（合計）", kind="integer", unit="円"),
        TableColumn(name="share", label="構成比", kind="share"),
        TableColumn(name="売上_difference", label="売上（差）", kind="number", unit="円"),
        TableColumn(name="期間", label="期間", kind="text"),
    ),
    rows=(
        ("新宿店", 33_210_000, 0.3214, -1234.5, "2025-04"),
        ("渋谷店", 24_567_890, 0.2377, 98.76, "2025-05"),
        ("30代向け店", 45_555_000, 0.4409, 0.0021, "FY2024-Q3"),
    ),
    row_count=3,
)
GROUNDS = table_grounds([STORES])


@pytest.mark.parametrize(
    "text",
    [
        "新宿店は33,210,000円です。",
        "新宿店は３３，２１０，０００円です。",
        "新宿店は33210000円です。",
        "新宿店は3,321万円です。",
        "新宿店は0.33億円です。",
        "新宿店は33,210千円です。",
        "新宿店は約3,300万円です。",
        "渋谷店は2,456万7,890円です。",
        "渋谷店は2456万8千円です。",
        "渋谷店は2,457万円ほどです。",
        "Shinjuku sold 33.21 million yen.",
        "Shinjuku sold ¥33.2M, 33,210K to be exact.",
        "Shinjuku sold about 33,200,000 yen.",
        "3.321e7",
        "3.321×10^7",
        "32.1%",
        "32.14パーセント",
        "３２％",
        "32 percent",
        "約3割",
        "3割2分",
        "1,234.5円の減少",
        "▲1,234.5円",
        "-1,234.5円",
        "マイナス1,234.5円",
        "a decrease of 1,234.5 yen",
        "98.8円の増加",
        "+98.76円",
        "3店舗のうち",
        "三店舗を比べると",
        "all three stores",
        "上位2店舗",
        "第1位は",
        "the 2nd largest",
        "2025年4月",
        "２０２５年４月",
        "令和7年5月",
        "2025-04",
        "2025/4",
        "4月",
        "4〜5月",
        "April 2025",
        "In May 2025",
        "in 2025",
        "2024年度第3四半期",
        "2024年度Q3",
        "Q3 FY2024",
        "30代向け店",
        "合計は100%です。",
        "1. 新宿店\n2. 渋谷店\n3. 30代向け店\n4. 以上",
        "十分に大きく、一部は一方的です。",
        "0.002",
    ],
)
def test_a_number_of_the_table_may_be_stated_in_any_usual_spelling(text: str) -> None:
    assert unfounded(text, GROUNDS) == []


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("新宿店は33,210,001円です。", "33,210,001"),
        ("新宿店は3,322万円です。", "3,322万"),
        ("新宿店は0.34億円です。", "0.34億"),
        ("新宿店は33,000,000円です。", "33,000,000"),
        ("32.2%", "32.2%"),
        ("32.14", "32.14"),
        ("4割5分", "4割5分"),
        ("差は8,642,110円", "8,642,110"),
        ("1.35倍", "1.35"),
        ("1,234.5円の増加", "1,234.5"),
        ("▲98.76円", "▲98.76"),
        ("2025年6月", "2025年6月"),
        ("2024年4月", "2024年4月"),
        ("2025-04-01", "2025-04-01"),
        ("2024年度第2四半期", "2024年度第2四半期"),
        ("June 2025", "June 2025"),
        ("九店舗", "九"),
        ("seven stores", "seven"),
        ("三百万円", "三百万"),
        ("上位7店舗", "7"),
        ("12か月", "12"),
        ("10時", "10時"),
        ("3分の2", "3分の2"),
        ("p < 0.05", "0.05"),
        ("0件", "0"),
    ],
)
def test_a_number_that_no_table_has_is_named(text: str, refused: str) -> None:
    assert unfounded(text, GROUNDS) == [refused]


@pytest.mark.parametrize(
    "text",
    [
        "`99,999`",
        "```\n99,999\n```",
        "[99,999](https://example.com)",
        "![99,999](x.png)",
        "| 店舗 | 99,999 |\n| --- | --- |",
        "**99,999**",
        "99\\,999",
        "９９，９９９",
        "<b>99,999</b>",
        "9\u200b9,999",
        "𝟗𝟗,𝟗𝟗𝟗",
    ],
)
def test_markup_hides_no_number(text: str) -> None:
    assert unfounded(text, GROUNDS) != []


def test_each_refused_number_is_named_once_in_order() -> None:
    assert unfounded("777円、555円、777円", GROUNDS) == ["777", "555"]


def _view(question: str, *results: ResultView) -> View:
    dataset = DatasetProfile(
        dataset_id="ds_1",
        name="sales_7.csv",
        sha256="0" * 64,
        size=1,
        rows=1440,
        columns=(
            ColumnProfile(name="売上", type="integer", missing=17, minimum=100.0, maximum=2e6),
            ColumnProfile(name="日付", type="date", minimum="2024-01-01", maximum="2025-12-31"),
        ),
    )
    return View(
        language="ja",
        turns=(Turn(role="user", text=question),),
        dataset=dataset,
        results=results,
        acts_left=8,
    )


def _result(spec: GroupbyAgg | Outliers | CompareGroups, *tables: ResultTable) -> ResultView:
    return ResultView(
        result_id="r1",
        spec=spec,
        tables=tables,
        notes=("有意水準は5%です。",),
        profile=TableProfile(rows=0, columns=()),
        is_of_this_turn=True,
    )


def test_numbers_of_the_question_the_dataset_and_the_specs_may_be_repeated() -> None:
    spec = GroupbyAgg.model_validate(
        {"op": "groupby_agg", "filters": [{"col": "売上", "op": ">=", "value": 250000}]}
    )
    grounds = grounds_of(_view("100万円以上で20%引きの2023年の売上は？", _result(spec)))
    assert unfounded("1,000,000円以上、20%、2023年、25万、1,440行、欠損17件", grounds) == []
    assert unfounded("2024年1月から2025年12月31日まで、5%水準", grounds) == []
    assert unfounded("1,000,001円、21%、2022年、26万、1,441行", grounds) == [
        "1,000,001",
        "21%",
        "2022年",
        "26万",
        "1,441",
    ]


def test_a_question_is_repeated_not_rounded() -> None:
    grounds = grounds_of(_view("1,234,567円を超えた日は？"))
    assert unfounded("1,234,567円", grounds) == []
    assert unfounded("123万円", grounds) == ["123万"]


def test_what_the_assistant_said_before_is_no_ground() -> None:
    view = _view("売上は？")
    said = Turn(role="assistant", text="987,654円でした。")
    grounds = grounds_of(view.model_copy(update={"turns": (said, *view.turns)}))
    assert unfounded("987,654円", grounds) == ["987,654"]


def test_defaults_of_a_spec_are_nobodys_figures_but_the_limits_of_a_method_are() -> None:
    spec = Outliers(column="売上")
    grounds = grounds_of(_view("外れ値は？", _result(spec)))
    assert unfounded("四分位範囲の1.5倍", grounds) == []
    assert unfounded("50件", grounds) == ["50"]


def test_a_p_value_may_be_set_against_a_bound_that_it_keeps() -> None:
    table = ResultTable(
        title="検定",
        columns=(TableColumn(name="p", label="p値", kind="number"),),
        rows=((0.0032,),),
        row_count=1,
    )
    grounds = table_grounds([table])
    assert unfounded("p < 0.01、p値＜0.05、p = 0.003、p>0.001", grounds) == []
    assert unfounded("p < 0.001", grounds) == ["0.001"]


def test_a_column_in_thousands_may_be_stated_in_full() -> None:
    column = TableColumn(name="売上", label="売上", kind="integer", unit="千円")
    grounds = table_grounds(
        [ResultTable(title="", columns=(column,), rows=((45_678,),), row_count=1)]
    )
    assert unfounded("45,678千円、4,568万円、45,678", grounds) == []
    assert unfounded("4,569万円", grounds) == ["4,569万"]


def test_a_rate_may_be_stated_in_percent_and_other_numbers_not() -> None:
    columns = (
        TableColumn(name="利益率", label="利益率", kind="number"),
        TableColumn(name="相関", label="相関係数", kind="number"),
    )
    grounds = table_grounds(
        [ResultTable(title="", columns=columns, rows=((0.253, 0.871),), row_count=1)]
    )
    assert unfounded("利益率は25.3%、相関係数は0.87", grounds) == []
    assert unfounded("相関は87.1%", grounds) == ["87.1%"]


def test_years_and_months_along_the_two_sides_of_a_table_make_a_date() -> None:
    table = ResultTable(
        title="",
        columns=(
            TableColumn(name="年", label="年", kind="integer"),
            TableColumn(name="4月", label="4月", kind="integer"),
        ),
        rows=((2025, 777),),
        row_count=1,
    )
    assert unfounded("2025年4月は777", table_grounds([table])) == []
    assert unfounded("2025年5月", table_grounds([table])) == ["2025年5月"]


# ---- both ways, for any number ----


def _one(value: JsonCell, kind: str = "number") -> Grounds:
    column = TableColumn.model_validate({"name": "値", "label": "値", "kind": kind})
    rows = ((value,),)
    return table_grounds([ResultTable(title="", columns=(column,), rows=rows, row_count=1)])


FIGURES = st.integers(10_000, 10**13) | st.decimals(
    1000, 10**7, places=3, allow_nan=False, allow_infinity=False
).map(float)
_HALF = str.maketrans("０１２３４５６７８９，．", "0123456789,.")
_FULL = str.maketrans("0123456789,.", "０１２３４５６７８９，．")


def _spellings(value: float) -> list[str]:
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    texts = [f"{exact:,f}", f"{exact:f}", f"{exact:,f}".translate(_FULL)]
    for size, digits, unit in [
        (4, 0, "万"), (4, 1, "万"), (8, 2, "億"), (3, 0, "千"), (6, 2, " million"), (6, 1, "M"),
        (9, 2, " billion"), (0, 0, ""), (0, 1, ""),
    ]:  # fmt: skip
        scaled = exact / Decimal(10) ** size
        for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN):
            shown = scaled.quantize(Decimal(1).scaleb(-digits), rounding)
            if shown:
                texts.append(f"{shown:,f}{unit}")
    if isinstance(value, int):
        large, small = divmod(value, 10_000)
        if small:
            texts.append(f"{large:,}万{small:,}")
    return texts


@given(
    FIGURES, st.sampled_from(["売上は{}円です。", "It was {} yen.", "| {} |", "**{}**", "（{}）"])
)
def test_every_usual_spelling_of_a_number_is_accepted(value: float, sentence: str) -> None:
    grounds = _one(value)
    for spelling in _spellings(value):
        assert unfounded(sentence.format(spelling), grounds) == [], spelling


@given(st.data(), FIGURES)
def test_a_number_changed_in_any_digit_is_refused(data: st.DataObject, value: float) -> None:
    grounds = _one(value)
    for spelling in _spellings(value):
        places = [at for at, letter in enumerate(spelling) if letter.isdigit()]
        at = data.draw(st.sampled_from(places))
        digit = data.draw(st.sampled_from("0123456789"))
        changed = spelling[:at] + digit + spelling[at + 1 :]
        stated = Decimal(re.sub("[^0-9.]", "", changed.translate(_HALF)))
        if stated < 10:  # the number of rows could be meant
            continue
        if changed.translate(_HALF) in {one.translate(_HALF) for one in _spellings(value)}:
            continue
        assert unfounded(f"売上は{changed}円です。", grounds) != [], changed


@given(st.floats(0.0001, 0.9999), st.integers(0, 3))
def test_a_share_is_accepted_in_percent_as_python_rounds_it(share: float, digits: int) -> None:
    text = f"{share * 100:.{digits}f}%"
    assume(Decimal(text[:-1]) != 0)
    assert unfounded(text, _one(share, "share")) == []


@given(st.dates())
def test_a_date_of_the_table_is_accepted_in_any_form(day: object) -> None:
    year, month, number = (int(part) for part in str(day).split("-"))
    grounds = _one(str(day), "date")
    for text in (
        str(day), f"{year}年{month}月{number}日", f"{year:04}/{month}/{number}",
        f"{month}月{number}日", f"{year}年{month}月", f"{month}月", f"{number}日",
    ):  # fmt: skip
        assert unfounded(text, grounds) == [], text


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert unfounded(text, table_grounds([], [text])) == []


def test_a_long_text_of_digits_is_read_in_time() -> None:
    for text in (
        "1" * 20_000,
        "1," * 10_000,
        "1万" * 5_000,
        "1999-" * 4_000,
        "九" * 5_000 + "店舗",
    ):
        assert unfounded(text, GROUNDS)


INVENTED_WORDS = [
    "売上三億円を超えました。",
    "合計五〇〇万円です。",
    "約七割を占めます。",
    "売上の六割です。",
    "全体の五分の四です。",
    "二倍になりました。",
    "売上は倍増しました。",
    "売上の半分です。",
    "過半数を占めます。",
    "半減しました。",
    "two thirds of sales",
    "half of the sales",
    "more than half of sales",
    "sales doubled",
    "sales were halved",
    "seventy percent of it",
    "fifteen stores",
    "one hundred stores",
    "ninety million yen",
    "a dozen stores",
    "three quarters of it",
    "tenfold growth",
]


@pytest.mark.parametrize("text", INVENTED_WORDS)
def test_numbers_in_words_are_checked_too(text: str) -> None:
    assert unfounded(text, GROUNDS)


@pytest.mark.parametrize(
    "text",
    [
        "約三割を占めます。",
        "構成比は四割強です。",
        "新宿店は約三分の一です。",
        "about a third of sales",
        "一部の店舗では、一方で百貨店が十分に伸びました。",
        "第一に、唯一の例外は万一の場合です。",
        "one of the stores, first and second",
        "forty-four percent of it",
    ],
)
def test_true_words_and_words_that_are_no_numbers_are_let_through(text: str) -> None:
    assert unfounded(text, GROUNDS) == []
