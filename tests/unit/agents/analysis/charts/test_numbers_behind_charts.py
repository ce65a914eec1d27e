"""Every figure carries the very numbers that are drawn, equal to plain pandas."""

import numpy as np
import pandas as pd
import pytest

from sanbo.agents.analysis.execution.perform import draw
from sanbo.agents.analysis.outcome import JsonCell, Outcome, ResultTable
from sanbo.agents.analysis.spec.plots import Bar, Box, Hist, Line, Pie, Scatter
from sanbo.kernel.messages import use_language
from tests.unit.agents.analysis.charts.tables import frame_of, names, sales


def _table(outcome: Outcome) -> ResultTable:
    return outcome.figures[0].table


def _by_first(table: ResultTable, column: int = -1) -> dict[JsonCell, JsonCell]:
    return {row[0]: row[column] for row in table.rows}


def _sales() -> pd.DataFrame:
    return sales().pandas()


def test_a_bar_without_an_aggregate_is_the_sum() -> None:
    table = _table(draw(Bar(x="店舗", y="売上"), sales()))
    assert _by_first(table) == _sales().groupby("店舗")["売上"].sum().to_dict()
    assert [column.label for column in table.columns] == ["店舗", "売上（合計）"]
    assert table.columns[1].unit == "円"


def test_without_y_rows_are_counted() -> None:
    table = _table(draw(Bar(x="店舗"), sales()))
    assert _by_first(table) == {"新宿店": 42, "大阪店": 42}


def test_one_value_for_each_place_is_shown_as_it_is() -> None:
    outcome = draw(Bar(x="名", y="値"), names(4))
    assert outcome.figures[0].title == "名別の値"
    assert _table(outcome).columns[1].name == "値"


def test_percentages_are_averaged_and_never_summed() -> None:
    outcome = draw(Bar(x="店舗", y="達成率"), sales())
    assert _by_first(_table(outcome)) == pytest.approx({"新宿店": 2 / 3, "大阪店": 2 / 3})
    assert "平均" in outcome.figures[0].title
    assert _table(outcome).columns[1].kind == "share"


def test_months_stand_in_order_of_time() -> None:
    table = _table(draw(Line(x="日付", x_unit="month", y="売上"), sales()))
    plain = _sales().assign(月=_sales()["日付"].dt.strftime("%Y-%m"))
    assert _by_first(table) == plain.groupby("月")["売上"].sum().to_dict()
    assert [row[0] for row in table.rows] == sorted(plain["月"].unique())


def test_colours_and_panels_are_columns_of_the_table() -> None:
    spec = Bar(x="日付", x_unit="year", y="売上", color="カテゴリ", facet="店舗", stacked=True)
    table = _table(draw(spec, sales()))
    assert [column.name for column in table.columns] == ["店舗", "日付", "カテゴリ", "売上_sum"]
    assert table.row_count == 2 * 2 * 3


def test_the_largest_come_first_and_the_others_are_told_of() -> None:
    outcome = draw(Bar(x="名", y="値", top_k=3), names(10))
    assert [row[0] for row in _table(outcome).rows] == ["項目9", "項目8", "項目7"]
    assert "全10項目のうち、値の大きい3項目" in outcome.notes[0].text


def test_the_smallest_are_chosen_when_they_are_asked_for() -> None:
    outcome = draw(Bar(x="名", y="値", top_k=2, sort="value_asc"), names(10))
    assert [row[0] for row in _table(outcome).rows] == ["項目0", "項目1"]


def test_no_more_than_fifty_bars_are_drawn() -> None:
    outcome = draw(Bar(x="名", y="値"), names(300))
    assert _table(outcome).row_count == 50
    assert outcome.notes[0].kind == "caution"


def test_many_colours_are_put_together_from_the_rows_themselves() -> None:
    data = {"月": [1] * 20, "商品": [f"P{n:02}" for n in range(20)], "値": list(range(20, 0, -1))}
    frame = frame_of(data, {"月": "integer", "商品": "text", "値": "integer"})
    outcome = draw(Bar(x="月", y="値", color="商品", agg="mean", stacked=True), frame)
    by_colour = {row[1]: row[2] for row in _table(outcome).rows}
    assert len(by_colour) == 8
    assert by_colour["その他"] == np.mean(range(1, 14))  # not a mean of means


def test_shares_of_stacked_bars_add_up_to_one() -> None:
    spec = Bar(x="店舗", color="カテゴリ", normalized=True)
    table = _table(draw(spec, sales()))
    shares = pd.DataFrame(list(table.rows)).groupby(0)[3].sum()
    assert shares.tolist() == pytest.approx([1, 1])


def test_pieces_after_the_largest_are_one_piece() -> None:
    outcome = draw(Pie(x="名", y="値", top_k=3), names(10))
    table = _table(outcome)
    assert [row[0] for row in table.rows] == ["項目9", "項目8", "項目7", "その他"]
    assert [row[1] for row in table.rows] == [10, 9, 8, 28]
    assert sum(row[2] for row in table.rows) == pytest.approx(1)  # type: ignore[misc]


def test_bins_hold_every_value_once() -> None:
    values = [0.0, 1.5, 2.5, 2.5, 9.99, 10.0, None]
    frame = frame_of({"値": values}, {"値": "number"})
    outcome = draw(Hist(x="値", bins=4), frame)
    table = _table(outcome)
    expected, edges = np.histogram([value for value in values if value is not None], bins=4)
    assert [row[2] for row in table.rows] == expected.tolist()
    assert [row[0] for row in table.rows] == edges[:-1].tolist()
    assert any("1行は含みません" in note.text for note in outcome.notes)


def test_few_whole_numbers_have_a_bar_each() -> None:
    frame = frame_of({"個": [1, 1, 2, 4]}, {"個": "integer"})
    table = _table(draw(Hist(x="個"), frame))
    assert [row[2] for row in table.rows] == [2, 1, 0, 1]


def test_quartiles_are_those_of_numpy() -> None:
    table = _table(draw(Box(x="店舗", y="売上"), sales()))
    shop = _sales().query("店舗 == '新宿店'")["売上"]
    row = dict(zip((column.name for column in table.columns), table.rows[0], strict=True))
    assert [row["q25"], row["median"], row["q75"]] == shop.quantile([0.25, 0.5, 0.75]).tolist()
    assert row["count"] == 42


def test_a_scatter_says_how_many_points_and_their_correlation() -> None:
    frame = frame_of({"x": [1, 2, 3, None], "y": [2, 4, 7, 1]}, {"x": "number", "y": "number"})
    outcome = draw(Scatter(x="x", y="y"), frame)
    r = np.corrcoef([1, 2, 3], [2, 4, 7])[0, 1]
    assert f"相関係数は{r:.3f}" in outcome.notes[-1].text
    assert _table(outcome).rows == ((1.0, 2), (2.0, 4), (3.0, 7))


def test_of_many_points_always_the_same_are_drawn() -> None:
    numbers = np.arange(50_000, dtype=float)
    frame = frame_of({"x": numbers, "y": numbers % 97}, {"x": "number", "y": "number"})
    first, second = (draw(Scatter(x="x", y="y"), frame) for _ in range(2))
    assert first == second
    assert "50,000点のうち、無作為に選んだ5,000点" in first.notes[0].text
    assert len(first.figures[0].vega["data"]["values"]) == 5_000


def test_sums_beyond_what_floating_point_holds_stay_exact() -> None:
    frame = frame_of({"名": ["a", "a"], "値": [2**60, 1]}, {"名": "text", "値": "integer"})
    assert _table(draw(Bar(x="名", y="値"), frame)).rows == (("a", 2**60 + 1),)


def test_missing_names_are_a_bar_of_their_own() -> None:
    frame = frame_of({"名": ["a", None], "値": [1, 2]}, {"名": "text", "値": "integer"})
    assert _table(draw(Bar(x="名", y="値"), frame)).rows == (("a", 1), (None, 2))


def test_the_words_of_a_chart_are_in_the_language_of_the_person() -> None:
    spec = Line(x="日付", x_unit="month", y="売上")
    figure = draw(spec, sales()).figures[0]
    assert figure.title == "月別の売上（合計）の推移"
    assert figure.alt.startswith("折れ線グラフ「月別の売上（合計）の推移」。")
    with use_language("en"):
        figure = draw(spec, sales()).figures[0]
    assert figure.title == "売上 (sum) by month"
    assert figure.alt.startswith("Line chart: 売上 (sum) by month.")
