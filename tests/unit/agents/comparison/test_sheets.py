"""All that is in doubt is decided at once, on sheets; what they leave open, chunk by chunk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from sanbo.agents.comparison import nodes, sheets
from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.differences.changes import grouped
from sanbo.agents.comparison.material import PairView
from sanbo.agents.comparison.model import Decision, Pair, Side
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
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


CLAUSES = ("## 第1条（届出）\n\n{}", "## 第2条（秘密）\n\n{}", "## 第3条（雑則）\n\n{}")


def _clauses(letter: Letter, *texts: str) -> Side:
    whole = (each.format(text) for each, text in zip(CLAUSES, texts, strict=True))
    return _side(letter, "\n\n".join(whole))


def _id(side: Side, words: str) -> str:
    return next(chunk.id for chunk in side.chunks if words in chunk.text)


def test_headings_go_where_the_clauses_under_them_were_decided_to_have_gone() -> None:
    secret = "業務の情報を漏らしてはならない。"
    old = _clauses("A", "遅れる者は、電話で連絡する。", secret, "その他は別に定める。")
    new = _clauses("B", "住所が変わった者は、届け出る。", secret, "遅刻するときは上長に知らせる。")
    decided = [
        Decision(old=_id(old, "電話"), new=(_id(new, "遅刻"),), confidence=0.9),
        Decision(old=_id(old, "別に"), new=(), confidence=0.9),
    ]
    rows = {tuple(group.old): tuple(group.new) for group in grouped(_pair(old, new, 1), decided)}
    assert rows[(_id(old, "（届出）"),)] == (_id(new, "（雑則）"),)
    assert rows[(_id(old, "（秘密）"),)] == (_id(new, "（秘密）"),)
    assert rows[(_id(old, "（雑則）"),)] == ()
