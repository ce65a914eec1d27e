"""Rows of a table: what they stand under tells rows apart that say nearly the same."""

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.chunking.sides import Letter
from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.model import Side
from tests.unit.agents.comparison.alignment.clauses import linked
from tests.unit.agents.comparison.chunking.made import read

OLD = """区分,番号,要件
文書の保管,1,鍵は総務課長が保管すること。
文書の保管,2,記録は三年間保存すること。
車両の使用,3,鍵は総務課長が保管すること。
車両の使用,4,走行距離を毎回記入すること。
"""
# The groups changed places; no other row tells where the keys belong.
NEW = """区分,番号,要件
社有車両の使用,A,鍵は使うたびに総務課長が保管すること。
社有車両の使用,B,傷を見つけたら写真を撮ること。
重要文書の保管,C,鍵は閉じるたびに総務課長が保管すること。
重要文書の保管,D,持ち出すときは控えを残すこと。
"""


def side(letter: Letter, content: str) -> Side:
    return table_side(read("要件.csv", content), letter, id_column="番号", text_column="要件")


def test_rows_that_say_the_same_go_where_their_group_went() -> None:
    found = linked(align(side("A", OLD), side("B", NEW)))
    assert {("1", "C"), ("3", "A")} <= found


def test_without_groups_only_the_words_speak() -> None:
    """What the test above shows is the groups' doing."""
    found = linked(align(side("A", _ungrouped(OLD)), side("B", _ungrouped(NEW))))
    assert not {("1", "C"), ("3", "A")} <= found


def test_a_column_that_says_the_same_everywhere_tells_nothing() -> None:
    """Else all rows would resemble each other more, and strangers would be paired."""
    everywhere = [_grouped(_ungrouped(content), "全社共通の規程") for content in (OLD, NEW)]
    alone = align(side("A", _ungrouped(OLD)), side("B", _ungrouped(NEW)))
    assert align(side("A", everywhere[0]), side("B", everywhere[1])) == alone


def _grouped(content: str, group: str) -> str:
    first, *rows = content.splitlines()
    return "\n".join([f"区分,{first}", *(f"{group},{row}" for row in rows)]) + "\n"


def _ungrouped(content: str) -> str:
    return "\n".join(line.partition(",")[2] for line in content.splitlines()) + "\n"
