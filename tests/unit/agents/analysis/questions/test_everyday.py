"""The plainest questions, of headings as offices write them: answered at once."""

from itertools import product

import pytest

from sanbo.agents.analysis.profile import ColumnProfile
from tests.unit.agents.analysis.profiles import day, number, table, words
from tests.unit.agents.analysis.questions.reads import is_asked, reads


def _few(name: str) -> ColumnProfile:
    """A measure of which many rows have the same."""
    return number(name, 0, 20).model_copy(update={"distinct": 12})


STAFF = table(
    ColumnProfile(name="社員番号", type="text", distinct=1000, is_identifier=True),
    words("課 名", "一課", "二課"),
    words("得意先名", "青山商事", "北川工業"),
    words("性別", "男", "女"),
    words("県名", "東京都", "大阪府"),
    day("入社日"),
    number("残業時間", 0, 80),
    _few("有休日数"),
)
CLAIMS = table(
    ColumnProfile(name="Order No", type="text", distinct=1000, is_identifier=True),
    words("Claimant", "Kim", "Lee", "Max"),
    words("Cost Centre", "HQ", "North"),
    words("Dept", "Sales", "IT"),
    day("Order Date"),
    number("Amount Paid", 5, 60_000),
    _few("Qty"),
)
_GROUPS = {"課": "課 名", "課名": "課 名", "得意先": "得意先名", "県": "県名", "性別": "性別"}
_JAPANESE = (
    ("{group}別の{measure}の合計", "{measure}の合計・{column}ごと"),
    ("{group}ごとの{measure}の平均を教えて", "{measure}の平均・{column}ごと"),
    ("{group}ごとに{measure}の最大値を出して", "{measure}の最大・{column}ごと"),
    ("{group}別に{measure}を合計して多い順に並べて", "{measure}の合計・{column}ごと"),
)
_VALUES = {"女": "性別", "一課": "課 名", "青山商事": "得意先名"}
_OF_VALUES = (
    ("{value}の{measure}の合計はいくつですか", "{measure}の合計・{column}が{value}"),
    ("{value}以外の{measure}の合計", "{measure}の合計・{value}を除く（{column}）"),
    ("{value}を除いた{measure}の平均は？", "{measure}の平均・{value}を除く（{column}）"),
)
_ENGLISH = (
    ("total {measure} by {group}", "total of {name}, by {column}"),
    ("Show me the maximum {measure} for each {group}", "maximum of {name}, by {column}"),
    ("Which {group} has the maximum {measure}?", "total of {name}, by {column}, largest first"),
    ("top 3 orders by {measure}", "by {name}, largest first, 3 rows"),
    ("maximum {measure}", "maximum of {name}"),
    ("How many claims are there per {group}?", "number of rows, by {column}"),
    ("number of claims with {measure} below 9", "number of rows, {name} below 9"),
)


@pytest.mark.parametrize(("asked", "said"), _JAPANESE)
def test_by_groups_whatever_their_heading(asked: str, said: str) -> None:
    for (group, column), measure in product(_GROUPS.items(), ("残業時間", "有休日数")):
        names = {"group": group, "column": column, "measure": measure}
        assert said.format(**names) in reads(asked.format(**names), STAFF)


@pytest.mark.parametrize(("asked", "said"), _OF_VALUES)
def test_of_one_value_and_without_it(asked: str, said: str) -> None:
    for (value, column), measure in product(_VALUES.items(), ("残業時間", "有休日数")):
        names = {"value": value, "column": column, "measure": measure}
        assert said.format(**names) in reads(asked.format(**names), STAFF)


@pytest.mark.parametrize(("asked", "said"), _ENGLISH)
def test_english(asked: str, said: str) -> None:
    groups = {"claimant": "Claimant", "cost centre": "Cost Centre", "department": "Dept"}
    measures = {"amount paid": "Amount Paid", "quantity": "Qty"}
    for (group, column), (measure, name) in product(groups.items(), measures.items()):
        names = {"group": group, "column": column, "measure": measure, "name": name}
        assert said.format(**names) in reads(asked.format(**names), CLAIMS)


def test_a_counter_is_no_column() -> None:
    people = table(words("人名", "山田", "鈴木"), words("県名", "東京都", "大阪府"))
    assert reads("県別に何人いますか", people).startswith("件数・県名ごと")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("数量×単価の合計", "数量×単価 = 数量 × 単価 → 数量×単価の合計"),
        ("数量が0のものの一覧", "数量が0"),
        ("評価が2の店舗別の件数", "件数・店舗ごと・評価が2"),
        ("渋谷店を除いた1店舗の単価の平均", "渋谷店を除く（店舗）"),
    ],
)
def test_a_number_is_what_it_stands_beside(asked: str, said: str) -> None:
    goods = table(
        words("品名", "ねじ", "ばね", distinct=900),
        words("店舗", "渋谷店", "梅田店"),
        number("数量", 0, 90),
        number("単価", 1, 900),
        _few("評価"),
    )
    assert said in reads(asked, goods)


WEATHER = table(
    day("日付"),
    words("店舗", "渋谷店", "梅田店"),
    words("サイズ", "大", "中", "小"),
    words("月名", "1月", "2月"),
    words("Company", "Microtek", "Datacom"),
    number("売上", 10, 90_000),
    number("送料", 0, 3_000),
    number("湿度", 5, 95),
    number("Price", 3, 900),
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("月別の売上", "売上の合計・日付の月ごと"),
        ("中の売上合計", "売上の合計・サイズが中"),
    ],
)
def test_a_word_keeps_its_usual_meaning(asked: str, said: str) -> None:
    read = reads(asked, WEATHER)
    assert said in read
    assert ("サイズ" in read) == ("サイズ" in said)


@pytest.mark.parametrize(
    "asked",
    [
        "湿度が一番高い店舗",
        "How much does price vary",
    ],
)
def test_what_may_be_something_else_is_asked(asked: str) -> None:
    assert is_asked(asked, WEATHER)


ATTENDANCE = table(
    ColumnProfile(name="社員番号", type="text", distinct=40, is_identifier=True),
    words("氏名", "社員01", "社員02", distinct=40),
    words("部門", "総務部", "経理部"),
    number("残業", 0, 80),
    number("有給", 0, 2),
    number("欠勤", 0, 1),
    rows=40,
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("有給を取っていない人は何人", "件数・有給が0"),
        ("欠勤のない人は何人", "件数・欠勤が0"),
        ("欠勤した人の名前を教えて", "行の一覧・欠勤が0より大きい・100件"),
        ("欠勤があった社員の一覧", "行の一覧・欠勤が0より大きい・100件"),
        ("残業した人の平均残業", "残業の平均・残業が0より大きい"),
    ],
)
def test_those_who_did_not_have_none_of_it_and_the_others_some(asked: str, said: str) -> None:
    assert said in reads(asked, ATTENDANCE)
