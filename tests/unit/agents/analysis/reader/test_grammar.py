"""Whatever the network may write is a reading, or told to be none."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sanbo.agents.analysis.building.specs import specs_of
from sanbo.agents.analysis.building.steps import NotMeant
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.reader.features import features_of
from sanbo.agents.analysis.reader.frames import frame_of
from sanbo.agents.analysis.reader.grammar import Column, Grammar, Place, Token
from sanbo.agents.analysis.spec.chips import reading_text
from tests.unit.agents.analysis.profiles import SHOP, number, table
from tests.unit.agents.analysis.reader.tables import CLINIC

ASKED = {
    "新宿店と「夜間」の2024年4月から6月の売上金額が5万円以上の上位3店舗": SHOP,
    "内科で30分以上待った人を2024年度の月別に、キャンセル以外で10件": CLINIC,
}
_LONGEST = 40


@given(data=st.data(), asked=st.sampled_from(sorted(ASKED)))
def test_all_that_the_grammar_admits_becomes_operations_or_is_refused(
    data: st.DataObject, asked: str
) -> None:
    scene = scene_of(ASKED[asked])
    items = features_of(asked, scene).items
    grammar = Grammar(items, scene)
    tokens: list[Token] = []
    while tokens[-1:] != ["END"] and len(tokens) < _LONGEST:
        may = grammar.after(tokens)
        assert may is not None
        options: list[Token] = [
            *sorted(may.words),
            *map(Place, sorted(may.places)),
            *map(Column, sorted(may.columns)),
        ]
        if not options:
            return  # a table without such a column
        tokens.append(data.draw(st.sampled_from(options)))
    if tokens[-1] != "END":
        return
    try:
        specs = specs_of(frame_of(tokens, items, scene), scene, 1)
    except (NotMeant, ValidationError):
        return
    assert reading_text(specs, "ja")


def test_what_no_reading_begins_with_is_not_admitted() -> None:
    scene = scene_of(SHOP)
    grammar = Grammar(features_of("店舗別の売上", scene).items, scene)
    names = list(scene.columns)
    date, shop, sales = (Column(names.index(name)) for name in ("日付", "店舗名", "売上金額"))
    assert grammar.after(["SUM", sales, "BY", date, "MONTH", "TOP", "ONE", "END"]) is not None
    assert grammar.after(["SUM", shop]) is None
    assert grammar.after(["COUNT", "BY", shop, "MONTH"]) is None
    assert grammar.after(["COUNT", "WHERE", "END"]) is None
    assert grammar.after(["RATE", "BY"]) is None


def test_nothing_is_told_twice() -> None:
    scene = scene_of(SHOP)
    grammar = Grammar(features_of("新宿店と渋谷店の売上", scene).items, scene)
    names = list(scene.columns)
    sales = Column(names.index("売上金額"))
    again = grammar.after(["SUM", sales, "SUM"])
    assert again is not None
    assert not again.admits(sales)
    rows = grammar.after(["ROWS", sales])
    assert rows is not None
    assert not rows.admits(sales)


def test_a_column_has_one_value_at_a_time() -> None:
    scene = scene_of(SHOP)
    features = features_of("新宿店と渋谷店の売上", scene)
    items = features.items[: features.said]
    grammar = Grammar(items, scene)
    shop = Column(list(scene.columns).index("店舗名"))
    first, second = (
        Place(at) for at, item in enumerate(items) if item.text in ("新宿店", "渋谷店")
    )
    told: list[Token] = ["COUNT", "WHERE", "EQ", first, shop]
    assert grammar.after([*told, "EQ"]) is None, "no other column has one of these"
    either = grammar.after([*told, "OR", "EQ"])
    assert either is not None
    assert either.admits(second)
    assert grammar.after(["COUNT", "WHERE", "IN", first, second, shop, "END"]) is not None


def test_money_is_held_against_money_and_not_against_pieces() -> None:
    scene = scene_of(
        table(number("売上金額", 0, 10**6), number("原価", 0, 10**6), number("数量", 1, 9))
    )
    grammar = Grammar(features_of("売上から原価を引く", scene).items, scene)
    sales, cost, pieces = map(Column, range(3))
    for told in (
        ["SUM", "SUB", sales],
        ["MINUS", "SUM", sales, "SUM"],
        ["COUNT", "WHERE", "COLS", "GT", sales],
    ):
        then = grammar.after(told)
        assert then is not None
        assert then.columns == {cost.at}
    product = grammar.after(["SUM", "MUL", sales])
    assert product is not None
    assert product.admits(pieces)
