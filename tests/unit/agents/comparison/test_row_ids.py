"""Tables whose rows have the same ids on both sides."""

from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.differences.changes import changes_of
from sanbo.agents.comparison.model import Pair, Side
from sanbo.agents.comparison.preparation import as_named, told_apart
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from tests.unit.agents.comparison.comparing import doubting


def rows(letter: str, text: str) -> Side:
    document = extract(Source(name="手順.csv", data=("番号,内容\n" + text).encode()))
    side = "A" if letter == "A" else "B"
    return table_side(document, side, id_column="番号", text_column="内容")


def test_every_row_of_both_tables_is_in_the_result_once_and_under_its_own_id() -> None:
    old = rows("A", "K-1,鍵を返す\nK-2,灯りを消す\nK-3,窓を閉める\n")
    new = rows("B", "K-1,まったく別の手順\nK-2,灯りを消す\nK-3,窓を閉める\nK-4,戸を閉める\n")
    whole = Pair(old=old, new=new, alignment=doubting(0)(old, new))
    # What stands under K-1 in both is not the same: one was deleted, another added.
    links = tuple(link for link in whole.alignment.links if "K-1" not in link.old)
    alone = {"K-1": 0.8, "K-4": 1.0}
    alignment = whole.alignment.model_copy(update={"links": links, "unlinked": alone})
    apart = told_apart(whole.model_copy(update={"alignment": alignment}))
    changes = as_named(changes_of(apart, (), number=0, language="ja"), apart)
    found = sorted((change.kind, change.old, change.new) for change in changes)
    assert found == [
        ("added", (), ("K-1",)),
        ("added", (), ("K-4",)),
        ("deleted", ("K-1",), ()),
        ("unchanged", ("K-2",), ("K-2",)),
        ("unchanged", ("K-3",), ("K-3",)),
    ]
    places = {place.id for change in changes for place in (*change.old_places, *change.new_places)}
    assert places == {"K-1", "K-2", "K-3", "K-4"}


def test_other_documents_keep_their_ids() -> None:
    old = rows("A", "K-1,鍵を返す\n").model_copy(update={"keyed": False})
    pair = Pair(old=old, new=old, alignment=doubting()(old, old))
    assert told_apart(pair) is pair
