"""All that is in doubt is decided at once, on sheets; what they leave open, chunk by chunk."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from sanbo.agents.comparison import decisions, nodes, sheets
from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.differences.changes import grouped
from sanbo.agents.comparison.material import PairView
from sanbo.agents.comparison.model import Decision, Link, Pair, Side
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.scripted_model import Json, MalformedJson, Refused, Reply, ScriptedModel, WrongKey
from tests.unit.agents.comparison.comparing import (
    NEW,
    OLD,
    change_of,
    compare,
    compared,
    decide,
    doubting,
    on_bench,
    result_of,
    with_model,
)

Letter = Literal["A", "B"]
ALIGNER = "sanbo.agents.comparison.alignment.align.align"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as script:
        yield script


@pytest.fixture
def _two_doubts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ALIGNER, doubting(1, 3))


def said(*decisions: tuple[str, list[str], float], effect: str = "手続が変わりました。") -> Reply:
    names = ("old_id", "new_ids", "confidence")
    told = [dict(zip(names, each, strict=True)) | {"effect": effect} for each in decisions]
    return Json({"decisions": told})


def asked(model: ScriptedModel, workspace: Path, *replies: Reply, **more: Any) -> Run:
    model.replies(*replies)
    return compared(with_model(workspace, model), old_text=OLD, new_text=NEW, **more)


@pytest.mark.usefixtures("_two_doubts")
def test_one_call_decides_all_that_is_in_doubt(model: ScriptedModel, tmp_path: Path) -> None:
    run = asked(model, tmp_path, said(("A2", ["B2"], 0.9), ("A4", [], 0.8)))
    [request] = model.requests
    assert "電子メールで" in request.prompt
    assert "月額33万円" in request.prompt  # what the program is sure of and is not the same
    assert "2024年4月1日から1年間" not in request.prompt  # the same in both is not shown
    assert change_of(run, "A2")["new"] == ["B2"]
    assert change_of(run, "A2")["explanation"].startswith("手続が変わりました。")
    assert change_of(run, "A4")["kind"] == "deleted"
    assert change_of(run, "A4")["decided_by"] == "model"
    assert result_of(run)["summary"]["doubtful_sent"] == 2
    assert run.usage.calls == 1


@pytest.mark.usefixtures("_two_doubts")
def test_what_the_model_is_not_sure_of_is_asked_alone_with_what_was_decided(
    model: ScriptedModel, tmp_path: Path
) -> None:
    run = asked(model, tmp_path, said(("A2", ["B2"], 0.9), ("A4", ["B4"], 0.3)), decide("B4"))
    _, second = model.requests
    assert 'Decide about the old chunk "A4"' in second.prompt
    assert '"decided_for": ["A2"]' in second.prompt
    assert change_of(run, "A2")["confidence"] == 0.9
    assert change_of(run, "A4")["explanation"] == "内容が変わりました。"


@pytest.mark.usefixtures("_two_doubts")
@pytest.mark.parametrize(
    "sheet",
    [
        said(("A2", ["B2"], 0.9), ("A4", ["B77"], 0.9)),
        said(("A2", ["B2"], 0.9), ("A4", ["B1"], 0.9)),
        said(("A2", ["B2"], 0.9), ("A77", ["B4"], 0.9)),
        said(("A2", ["B2"], 0.9)),
    ],
    ids=["no such new chunk", "the counterpart of another", "no such old chunk", "left out"],
)
def test_what_is_not_accepted_is_asked_alone(
    model: ScriptedModel, tmp_path: Path, sheet: Reply
) -> None:
    run = asked(model, tmp_path, sheet, decide("B4", explanation="通知で足ります。"))
    assert len(model.requests) == 2
    assert change_of(run, "A4")["explanation"] == "通知で足ります。"
    assert change_of(run, "A2")["decided_by"] == "model"


@pytest.mark.usefixtures("_two_doubts")
def test_an_effect_that_quotes_what_is_nowhere_is_not_accepted(
    model: ScriptedModel, tmp_path: Path
) -> None:
    sheet = said(
        ("A2", ["B2"], 0.9), ("A4", ["B4"], 0.9), effect="「罰金を支払う」ことになります。"
    )
    run = asked(model, tmp_path, sheet, decide("B2"), decide("B4"))
    assert len(model.requests) == 3
    assert "罰金" not in str(result_of(run))


@pytest.mark.usefixtures("_two_doubts")
@pytest.mark.parametrize("replies", [[Refused()], [MalformedJson(), MalformedJson()]])
def test_a_sheet_without_a_usable_reply_is_asked_chunk_by_chunk(
    model: ScriptedModel, tmp_path: Path, replies: list[Reply]
) -> None:
    run = asked(model, tmp_path, *replies, decide("B2"), decide("B4"))
    assert model.remaining == 0
    assert [change_of(run, each)["decided_by"] for each in ("A2", "A4")] == ["model", "model"]


@pytest.mark.usefixtures("_two_doubts")
def test_what_the_program_is_sure_of_can_be_corrected_and_who_loses_is_asked(
    model: ScriptedModel, tmp_path: Path
) -> None:
    sheet = said(("A2", ["B2"], 0.9), ("A4", ["B3"], 0.9))
    run = asked(model, tmp_path, sheet, decide("B4", explanation="支払は再委託の条に移りました。"))
    assert 'Decide about the old chunk "A3"' in model.requests[1].prompt
    assert change_of(run, "A4")["new"] == ["B3"]
    assert change_of(run, "A3")["new"] == ["B4"]


def test_what_a_run_has_looked_over_is_not_looked_over_again(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ALIGNER, doubting(1, 3))
    monkeypatch.setattr(sheets, "LONGEST_SHEET", 10)  # each doubt has a sheet of its own
    monkeypatch.setattr(sheets, "NEAREST", 0)
    monkeypatch.setattr(nodes, "SHEETS_AT_ONCE", 1)
    model.replies(said(("A2", ["B2"], 0.9)), WrongKey())

    async def work(bench: Workbench) -> tuple[Run, Run]:
        failed = await compare(bench, old_text=OLD, new_text=NEW)
        model.replies(said(("A4", ["B4"], 0.9)))
        await bench.resume(LOCAL, failed.run_id)
        return failed, await bench.wait(LOCAL, failed.run_id)

    failed, resumed = on_bench(with_model(tmp_path, model), work)
    assert failed.status is Status.FAILED
    assert resumed.status is Status.SUCCEEDED
    assert len(model.requests) == 3
    assert change_of(resumed, "A2")["decided_by"] == "model"
    assert change_of(resumed, "A4")["decided_by"] == "model"


def _side(letter: Letter, text: str) -> Side:
    return document_side(extract(Source(name=f"{letter}.md", data=text.encode())), letter)


def _pair(old: Side, new: Side, *doubts: int) -> Pair:
    return Pair(old=old, new=new, alignment=doubting(*doubts)(old, new))


def _long(word: str) -> str:
    return "\n\n".join(
        f"第{n}の定めとして、{word}の扱いをここに置く。{'あ' * 300}" for n in range(200)
    )


def test_a_long_document_has_several_sheets_with_every_doubt_on_one() -> None:
    places = tuple(range(0, 200, 4))
    view = PairView(_pair(_side("A", _long("旧い方")), _side("B", _long("新しい方")), *places))
    found = sheets.sheets_of(view)
    assert [old for sheet in found for old in sheet.asked] == [f"A{at + 1}" for at in places]
    assert 1 < len(found) < len(places)
    for sheet in found:
        assert len(sheet.old) <= sheets.MOST_OLD
        told = sheets.messages_of(view, sheet, "ja")
        assert sum(len(str(message.text)) for message in told) < 2 * sheets.LONGEST_SHEET
        assert {new for old in sheet.asked for new in view.links_of_old[old].new} <= {*sheet.new}


def test_nothing_in_doubt_needs_no_sheet() -> None:
    assert sheets.sheets_of(PairView(_pair(_side("A", OLD), _side("B", NEW)))) == []


def _clauses(letter: Letter, **clauses: str) -> Side:
    whole = (f"## （{title}）\n\n{text}" for title, text in clauses.items())
    return _side(letter, "\n\n".join(whole))


def _id(side: Side, words: str) -> str:
    return next(chunk.id for chunk in side.chunks if words in chunk.text)


def _rows(old: Side, new: Side, *decided: Decision) -> dict[tuple[str, ...], tuple[str, ...]]:
    groups = grouped(_pair(old, new, 1), decided)
    return {tuple(group.old): tuple(group.new) for group in groups}


SECRET = "業務の情報を漏らしてはならない。"
LATE, LATE_ANEW = "遅れる者は、電話で連絡する。", "遅刻するときは上長に知らせる。"


def test_a_heading_goes_where_the_clauses_under_it_were_decided_to_have_gone() -> None:
    old = _clauses("A", 届出=LATE, 秘密=SECRET)
    new = _clauses("B", 届出="住所が変わった者は、届け出る。", 秘密=SECRET, 遅刻=LATE_ANEW)
    decided = Decision(old=_id(old, "電話"), new=(_id(new, "上長"),), confidence=0.9)
    rows = _rows(old, new, decided)
    assert rows[(_id(old, "（届出）"),)] == (_id(new, "（遅刻）"),)
    assert rows[(_id(old, "（秘密）"),)] == (_id(new, "（秘密）"),)
    [added] = [group for group in grouped(_pair(old, new, 1), [decided]) if group.new == ["B1"]]
    assert (added.old, added.confidence, added.decided_by) == ([], 0.9, "model")


def test_headings_whose_clauses_changed_places_change_places() -> None:
    old = _clauses("A", 届出=LATE, 秘密=SECRET)
    new = _clauses("B", 届出="知り得た事柄を外に出さない。", 秘密=LATE_ANEW)
    rows = _rows(
        old,
        new,
        Decision(old=_id(old, "電話"), new=(_id(new, "上長"),), confidence=0.9),
        Decision(old=_id(old, "漏らし"), new=(_id(new, "知り得た"),), confidence=0.9),
    )
    assert rows[(_id(old, "（届出）"),)] == (_id(new, "（秘密）"),)
    assert rows[(_id(old, "（秘密）"),)] == (_id(new, "（届出）"),)


@pytest.mark.parametrize("sibling", ["", f"\n\n{LATE}"], ids=["alone", "with a sibling that stays"])
def test_a_heading_stays_where_the_one_its_clause_went_under_is_anothers(sibling: str) -> None:
    old = _clauses("A", 支払="代金は月末に払う。" + sibling, 一般=SECRET)
    new = _clauses("B", 支払="手数料は乙が負う。" + sibling, 一般=f"{SECRET}\n\n対価は毎月払う。")
    rows = _rows(old, new, Decision(old=_id(old, "代金"), new=(_id(new, "対価"),), confidence=0.9))
    assert rows[(_id(old, "（支払）"),)] == (_id(new, "（支払）"),)
    assert rows[(_id(old, "（一般）"),)] == (_id(new, "（一般）"),)


def test_what_was_decided_of_a_heading_itself_stands() -> None:
    old, new = _clauses("A", 届出=LATE), _clauses("B", 届出="別の定め。", 遅刻=LATE_ANEW)
    rows = _rows(
        old,
        new,
        Decision(old=_id(old, "（届出）"), new=(), confidence=0.9),
        Decision(old=_id(old, "電話"), new=(_id(new, "上長"),), confidence=0.9),
    )
    assert rows[(_id(old, "（届出）"),)] == ()


# ---- what is read of a reply ----


def _read(view: PairView, sheet: sheets.Sheet, *said: Any) -> sheets.Read:
    reply = {"decisions": [dict(one) for one in said]}
    return sheets.read(sheets.SaidOfSheet.model_validate(reply), view, sheet)


def _said(old_id: str, *new_ids: str, confidence: float = 0.9, effect: str = "変わる。") -> Any:
    return {
        "old_id": old_id,
        "new_ids": list(new_ids),
        "confidence": confidence,
        "effect": effect,
    }


def _small() -> tuple[PairView, sheets.Sheet]:
    view = PairView(_pair(_side("A", OLD), _side("B", NEW), 1, 3))
    [sheet] = sheets.sheets_of(view)
    return view, sheet


@pytest.mark.parametrize(
    "odd",
    [
        _said("A4", "B4") | {"confidence": 90},
        _said("A4", "B4", effect=" \u200b"),
        _said("A4", "B4") | {"new_ids": None},
        {"old_id": "A4"},
    ],
    ids=["confidence", "nothing to see", "no ids", "half of it"],
)
def test_one_entry_that_can_not_be_read_does_not_cost_the_others(odd: Any) -> None:
    read = _read(*_small(), odd, _said("A2", "B2", effect="長" * 900) | {"why": "?"})
    assert [(one.old, one.new) for one in read.decisions] == [("A2", ("B2",))]
    assert read.closer == ["A4"]


def test_who_contradicts_itself_is_asked_again() -> None:
    read = _read(*_small(), _said("A2", "B2"), _said("A4", "B4"), _said("A4"))
    assert [one.old for one in read.decisions] == ["A2"]
    assert read.closer == ["A4"]


def test_what_two_sheets_give_to_two_is_looked_at_by_one_who_sees_both() -> None:
    read = _read(*_small(), _said("A2", "B2"), _said("A4", "B4"))
    left = sheets.without_rivals(read, {"B4"})
    assert [one.old for one in left.decisions] == ["A2"]
    assert left.closer == ["A4"]


def test_what_was_not_shown_is_not_taken_and_whoever_loses_is_asked_though_not_shown() -> None:
    view = PairView(_pair(_side("A", _long("旧い方")), _side("B", _long("新しい方")), 0, 60))
    sheet = sheets.Sheet(("A1",), ("A1",), ("A1",), ("B1", "B61"))
    hidden = _read(view, sheet, _said("A1", "B150"))
    assert (hidden.decisions, hidden.closer) == ([], ["A1"])
    taken = _read(view, sheet, _said("A1", "B61"), _said("A61", "B1"))
    assert [one.old for one in taken.decisions] == ["A1"]
    assert taken.closer == ["A61"]


def test_a_chunk_is_open_on_one_sheet_and_headings_on_none() -> None:
    view = PairView(_pair(_side("A", _long("旧い方")), _side("B", _long("新しい方")), *range(60)))
    every = [old for sheet in sheets.sheets_of(view) for old in sheet.open]
    assert len(every) == len(set(every))
    old, new = _clauses("A", 届出=LATE, 秘密="秘。"), _clauses("B", 届出="改めた。", 別紙="秘密。")
    [sheet] = sheets.sheets_of(PairView(_pair(old, new, 1)))
    assert [sheet.old, sheet.new] == [("A2", "A4"), ("B2", "B4")]
    told = str(sheets.messages_of(PairView(_pair(old, new, 1)), sheet, "ja")[1].text)
    assert '"stands_under": "（別紙）"' in told
    assert told.count('"in_doubt": true') == 1


def test_many_claims_to_one_chunk_make_no_endless_sheet() -> None:
    old, new = _side("A", _long("旧い方")), _side("B", _long("新しい方"))
    alignment = doubting(*range(100))(old, new)
    merged = Link(old=tuple(f"A{n}" for n in range(1, 101)), new=("B1",), confidence=0.5)
    rest = [link for link in alignment.links if link.old[0] not in merged.old]
    alignment = alignment.model_copy(update={"links": (merged, *rest)})
    view = PairView(Pair(old=old, new=new, alignment=alignment))
    for sheet in sheets.sheets_of(view):
        assert len(sheet.old) <= sheets.MOST_OLD


def test_what_several_sheets_left_open_is_asked_once_each_and_in_the_end(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ALIGNER, doubting(1, 3))
    monkeypatch.setattr(sheets, "LONGEST_SHEET", 10)
    monkeypatch.setattr(sheets, "NEAREST", 0)
    monkeypatch.setattr(nodes, "SHEETS_AT_ONCE", 1)
    monkeypatch.setattr(decisions, "PORTION", 1)
    run = asked(
        model,
        tmp_path,
        said(("A2", ["B2"], 0.2)),
        said(("A4", ["B4"], 0.2)),
        decide("B2"),
        decide("B4"),
    )
    first, second = model.requests[2:]
    assert 'old chunk "A2"' in first.prompt
    assert 'old chunk "A4"' in second.prompt
    assert '"decided_for": ["A2"]' in second.prompt  # though that was put away
    assert result_of(run)["summary"]["doubtful_sent"] == 2


def test_who_fails_is_told_when_the_others_have_ended(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ALIGNER, doubting(1, 2, 3))
    monkeypatch.setattr(sheets, "LONGEST_SHEET", 10)
    monkeypatch.setattr(sheets, "NEAREST", 0)
    model.otherwise(WrongKey())
    run = on_bench(
        with_model(tmp_path, model), lambda bench: compare(bench, old_text=OLD, new_text=NEW)
    )
    assert run.status is Status.FAILED
    assert len(model.requests) == 3
    assert run.usage.calls == 3


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_what_came_before_a_failure_is_kept(failing: int) -> None:
    ended: list[int] = []

    async def work(number: int) -> int:
        await asyncio.sleep(0)
        ended.append(number)
        if number == failing:
            raise InvalidInput("analysis_no_draft")
        return number

    works = nodes.those_before_a_problem(work(number) for number in range(3))
    if failing:
        assert asyncio.run(works) == list(range(failing))
    else:
        with pytest.raises(InvalidInput):
            asyncio.run(works)
    assert ended == [0, 1, 2]


def test_sheets_that_claim_the_same_are_settled_chunk_by_chunk(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ALIGNER, doubting(1, 3))
    monkeypatch.setattr(sheets, "LONGEST_SHEET", 10)
    monkeypatch.setattr(nodes, "SHEETS_AT_ONCE", 1)
    run = asked(model, tmp_path, said(("A2", ["B2"], 0.9)), said(("A4", ["B2"], 0.9)), decide("B4"))
    assert 'old chunk "A4"' in model.requests[2].prompt
    assert '"decided_for": ["A2"]' in model.requests[2].prompt
    assert result_of(run)["summary"]["doubtful_sent"] == 2
