"""Questions that are suggested name columns that make sense, and the rules can answer them."""

from typing import Any

from sanbo.agents.analysis.deciding import fitting_questions
from sanbo.agents.analysis.profile import ColumnProfile, TableProfile


def column(name: str, kind: Any, distinct: int, **more: Any) -> ColumnProfile:
    return ColumnProfile(name=name, type=kind, distinct=distinct, **more)


SALES = TableProfile(
    rows=100,
    columns=(
        column("注文番号", "integer", 100, minimum=1, maximum=100, is_identifier=True),
        column("日付", "date", 30),
        column("年度", "integer", 3, minimum=2023, maximum=2025),
        column("月", "integer", 12, minimum=1, maximum=12),
        column("店舗", "text", 5),
        column("担当者", "text", 100),
        column("数量", "integer", 9, minimum=1, maximum=9),
        column("売上", "integer", 90, minimum=10, maximum=9000),
        column("値引率", "percent", 7, minimum=0.0, maximum=0.3, is_rate=True),
        column("税", "integer", 1, minimum=1, maximum=1),
    ),
)


def test_only_figures_groups_and_dates_are_asked_about() -> None:
    asked = fitting_questions(SALES, "ja")
    assert asked[0] == "店舗別の売上の合計"
    assert "月別の売上の推移" in asked
    assert "店舗別の値引率の平均" in asked
    named = "".join(asked)
    assert not any(name in named for name in ("注文番号", "年度", "担当者", "税"))
    assert fitting_questions(SALES, "en")[0] == "total 売上 by 店舗"


def test_a_table_of_words_is_counted_and_one_of_nothing_has_no_questions() -> None:
    words = TableProfile(rows=9, columns=(column("部署", "text", 3), column("氏名", "text", 9)))
    assert fitting_questions(words, "ja") == ("部署別の件数",)
    figures = TableProfile(rows=9, columns=(column("長さ", "number", 9, minimum=1, maximum=2.5),))
    assert fitting_questions(figures, "ja") == ("長さの分布",)
    assert fitting_questions(TableProfile(rows=9, columns=()), "ja") == ()
