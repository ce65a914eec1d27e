"""What the comparison page makes of what was given, of the work and of the outcome."""

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from sanbo.kernel.messages import use_language
from sanbo.runs.model import Event, JsonObject, LoopIteration, NodeStart
from sanbo.ui.comparison.given import holds_tables, input_of, missing, source_of, swapped
from sanbo.ui.comparison.progress import STAGES, Reached, latest, share_of, stage_line
from sanbo.ui.comparison.result_view import flag_pills, kind_pills

OLD: JsonObject = {
    "file_id": "a" * 64,
    "name": "契約書.docx",
    "size": 1,
    "media_type": "text/plain",
}
NEW: JsonObject = {**OLD, "file_id": "b" * 64, "name": "契約書（改定）.pdf"}
TABLE: JsonObject = {**OLD, "file_id": "c" * 64, "name": "一覧.CSV"}


def _given(**values: JsonValue) -> JsonObject:
    return dict(values)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (_given(), "旧と新のファイルを選んでください"),
        (_given(old=[OLD]), "新（変更後）のファイルを選んでください"),
        (_given(new=[NEW]), "旧（変更前）のファイルを選んでください"),
        (_given(old=[OLD], new=[NEW]), ""),
        (_given(source="text", old=[OLD], new=[NEW], old_text=" \n"), "旧と新の文章を貼り付け"),
        (_given(source="text", old_text="甲", new_text="乙"), ""),
        (_given(source="collection", old_document="x"), "新（変更後）の文書を選んでください"),
    ],
)
def test_what_is_missing_is_said_for_the_way_that_is_open(given: JsonObject, told: str) -> None:
    with use_language("ja"):
        assert missing(given).startswith(told)
        assert bool(missing(given)) == bool(told)


def test_a_run_is_given_only_what_the_open_way_holds() -> None:
    given = _given(
        source="text",
        old=[OLD],
        new=[TABLE],
        old_text="甲",
        new_text="乙",
        collection="契約",
        old_document="x",
        id_column="番号",
        fold_renumbered=True,
        every_chunk=False,
    )
    assert input_of(given) == {"old_text": "甲", "new_text": "乙", "fold_renumbered": True}
    assert input_of({**given, "source": "files"}) == {
        "old": [OLD],
        "new": [TABLE],
        "id_column": "番号",
        "fold_renumbered": True,
    }
    assert "id_column" not in input_of({**given, "source": "files", "new": [NEW]})
    assert input_of({**given, "source": "collection"})["collection"] == "契約"


def test_columns_are_asked_for_where_a_table_is_compared() -> None:
    assert holds_tables(_given(old=[OLD], new=[TABLE]))
    assert not holds_tables(_given(old=[OLD], new=[NEW]))
    assert not holds_tables(_given(source="text", old=[TABLE]))


def test_a_runs_own_input_opens_the_form_in_the_way_it_was_given() -> None:
    assert source_of(_given(old=[], new=[], old_text="甲", new_text="乙")) == "text"
    assert source_of(_given(collection="契約", old_document="x", new_document="y")) == "collection"
    assert source_of(_given()) == "files"


def test_swapping_twice_changes_nothing() -> None:
    given = _given(old=[OLD], new=[NEW], old_text="甲", new_text="", old_document="x")
    once = swapped(given)
    assert (once["old"], once["new"], once["new_text"]) == ([NEW], [OLD], "甲")
    assert {name: swapped(once)[name] for name in given} == given


# ---- the work ----


def _event(seq: int, payload: LoopIteration | NodeStart) -> Event:
    path = ("select_next_chunk",)
    return Event(run_id="r", seq=seq, time=datetime.now(UTC), path=path, payload=payload)


def test_the_newest_paragraph_is_what_is_told() -> None:
    events = [
        _event(3, LoopIteration(iteration=1, item={"id": "A1", "of": 12})),
        _event(7, LoopIteration(iteration=3, item={"id": "A5", "of": 12})),
        _event(8, NodeStart(key="k")),
    ]
    reached = latest(events, Reached())
    assert reached == Reached(seq=8, position=3, total=12)
    assert latest([], reached) == reached
    with use_language("ja"):
        line = stage_line("checking", reached)
    assert "**段落 3/12 を確認中**" in line
    assert line.index("✓") < line.index("**") < line.index("結果の作成")


def test_the_bar_never_goes_back() -> None:
    shares = [share_of("reading", Reached())]
    shares += [share_of("checking", Reached(0, position, 12)) for position in range(13)]
    shares.append(share_of("writing", Reached(0, 12, 12)))
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1
    assert STAGES == ("reading", "checking", "writing")


# ---- the outcome ----


def test_pills_name_what_there_is_and_no_other() -> None:
    with use_language("ja"):
        pills = kind_pills({"changed": 3, "added": 0, "unchanged": 1200})
        assert pills == ":orange-badge[変更 3] :gray-badge[変更なし 1,200]"
        assert (
            kind_pills({"changed": 3, "unchanged": 2}, without=("unchanged",)).count("badge") == 1
        )
        assert "金額・数量 2" in flag_pills({"amount": 2, "date": 0})
    assert kind_pills({}) == ""
