"""The corpus that the network learnt from: what its authors wrote, and the tokens that it makes."""

from functools import cache
from pathlib import Path

import pytest
from benchmarks.analysis.gold_tokens import examples_of, gold_tokens
from benchmarks.analysis.made_up import profile_of
from benchmarks.analysis.notation import Asked, NotationError, Table, read_tables, wanted_of

from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.reader.features import features_of
from sanbo.agents.analysis.reader.grammar import Column, Grammar, Place, Token

CORPUS = sorted((Path(__file__).parents[5] / "benchmarks/analysis/corpus").glob("*.yaml"))
EVERY_DAY = ("ja1", "en1")
RECEIPTS = "レジ売上明細_2024.csv"
LOST = Asked("the ones that turn, dearer than a single pound", "count | where price > 1")
TILL = "till_receipts_2024.csv"


@cache
def _table(name: str) -> Table:
    files = (path for path in CORPUS if path.stem in ("ja1", "en1"))
    return next(table for path in files for table in read_tables(path) if table.name == name)


def _gold(name: str, question: str) -> str:
    """Places in brackets, in small letters; columns by their names in angles."""
    table = _table(name)
    scene = scene_of(profile_of(table))
    items = features_of(question, scene).items
    wanted = next(asked.wanted for asked in table.questions if asked.text == question)
    tokens = gold_tokens(wanted_of(wanted, table), items, scene, table)
    grammar = Grammar(items, scene)
    for at, token in enumerate(tokens):
        may = grammar.after(tokens[:at])
        assert may is not None
        assert may.admits(token)

    def written(token: Token) -> str:
        match token:
            case Place(at):
                return f"[{items[at].text}]"
            case Column(at):
                return f"<{[*scene.columns][at]}>"
            case _:
                return token

    return " ".join(written(token) for token in tokens)


def test_there_is_a_corpus_in_both_languages() -> None:
    assert {path.stem[:2] for path in CORPUS} == {"ja", "en"}


@pytest.mark.parametrize(
    "path",
    [
        path if path.stem in EVERY_DAY else pytest.param(path, marks=pytest.mark.thorough)
        for path in CORPUS
    ],
    ids=lambda path: path.stem,
)
def test_every_annotation_is_read(path: Path) -> None:
    wrong: list[str] = []
    for table in read_tables(path):
        for asked in table.questions:
            try:
                wanted_of(asked.wanted, table)
            except NotationError as error:
                wrong.append(f"{path.name}, {table.name}, {asked.text}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("sum 値段", "no column '値段'"),
        ("total 数量", "no figure 'total 数量'"),
        ("count | where 店舗 = 札幌店", "'札幌店' is no value of 店舗"),
        ("count | where 販売日時 in April", "no period 'April'"),
        ("count | where 数量 > 多い", "no number '多い'"),
        ("count | by 店舗 | chart radar", "no such part: 'chart radar'"),
        ("share 売上金額", "share needs by"),
    ],
)
def test_what_is_no_annotation_is_told(wanted: str, reason: str) -> None:
    with pytest.raises(NotationError, match=reason):
        wanted_of(wanted, _table(RECEIPTS))


@pytest.mark.parametrize(
    ("table", "question", "tokens"),
    [
        (RECEIPTS, "店舗別売上", "SUM <売上金額> BY <店舗> END"),
        (
            RECEIPTS,
            "大宮以外で、QR決済か電子マネーで払われた売上を部門別に多い順で",
            "SUM <売上金額> BY <部門> WHERE NE [大宮] <店舗> "
            "IN [qr決済] [電子マネー] <支払方法> DESC END",
        ),
        (
            RECEIPTS,
            "500個以上売れた商品だけ数量と売上を並べて",
            "SUM <数量> SUM <売上金額> BY <商品名> HAVING SUM <数量> GE [500個] END",
        ),
        (RECEIPTS, "何時台が一番売れてるのかな", "SUM <売上金額> BY <販売日時> HOUR TOP ONE END"),
        (
            RECEIPTS,
            "1レシートあたりの金額を店舗ごとに見せて",
            "RATIO SUM <売上金額> NUNIQUE <レシート番号> BY <店舗> END",
        ),
        (
            TILL,
            "How many receipts did Riverside ring up in March 2024?",
            "COUNT WHERE EQ [riverside] <store> DATEIN [march 2024] <sold_at> END",
        ),
        (TILL, "List the ten biggest sales", "ROWS TOP [ten] <amount_gbp> END"),
        (TILL, "any sales with no assistant recorded?", "ROWS WHERE BLANK <sales_assistant> END"),
        (
            TILL,
            "percent of receipts that had any discount at all, store by store",
            "RATE POSITIVE <discount_gbp> BY <store> END",
        ),
        (TILL, "What was our gross margin per store?", "ASK END"),
    ],
)
def test_an_annotation_becomes_the_tokens_of_a_reading(
    table: str, question: str, tokens: str
) -> None:
    assert _gold(table, question) == tokens


def test_days_of_the_week_are_a_condition() -> None:
    tokens = "SUM <売上金額> WHERE DAYSIN [土日] <販売日時> EQ [鮮魚] <部門> END"
    assert _gold(RECEIPTS, "土日の鮮魚の売上合計") == tokens


SHIPMENTS: dict[str, str | tuple[str, ...]] = {
    "Order": "id",
    "Ordered": "date",
    "Delivered": "date",
    "Weight (kg)": "number",
    "Carrier": ("Swift", "Royal"),
}


def _tokens(question: str, wanted: str) -> tuple[Token, ...]:
    table = Table("shipments.csv", SHIPMENTS, (Asked(question, wanted),))
    return next(examples_of(table)).tokens


def test_days_between_two_dates_are_a_condition() -> None:
    made = _tokens("which took longer than 5 days", "rows | where days(Delivered, Ordered) > 5")
    assert made[:4] == ("ROWS", "WHERE", "GAP", "GT")
    assert made[-3:] == (Column(1), Column(2), "END")
    with pytest.raises(NotationError, match="no limit on days"):
        wanted_of("rows | where days(Ordered, Delivered)", Table("t", SHIPMENTS, ()))


def test_a_number_stands_in_the_columns_unit() -> None:
    made = _tokens("over 5 kg within 3 days", "count | where Weight (kg) > 5")
    assert made[:3] == ("COUNT", "WHERE", "GT")
    assert made[4] == Column(3)
    days = Table(
        "shipments.csv", SHIPMENTS, (Asked("over 5 days", "count | where Weight (kg) > 5"),)
    )
    assert next(examples_of(days)).tokens == ("OTHER", "END"), "days weigh nothing"


def test_of_what_no_place_says_is_learnt_that_it_can_not_be_said() -> None:
    table = Table("stock.csv", {"item": ("nut", "bolt"), "price": "money"}, (LOST,))
    assert [one.tokens for one in examples_of(table)] == [("OTHER", "END")]


def test_a_follow_up_is_read_with_what_it_follows() -> None:
    asked = Asked("Only the bolts.", "sum price | where item = bolt", ("total price",))
    table = Table("stock.csv", {"item": ("nut", "bolt"), "price": "money"}, (asked,))
    made = next(examples_of(table))
    assert made.question == "total price。 Only the bolts."
    assert made.tokens[:3] == ("SUM", Column(1), "WHERE")
