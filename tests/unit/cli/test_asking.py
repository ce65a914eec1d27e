"""All eight types of fields and all four modes, asked one by one; the lines are typed for us."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sanbo.cli import asking, progress
from sanbo.cli.commands import runs
from sanbo.cli.main import run
from tests.unit.cli.conftest import Sanbo

Typist = Callable[..., list[str | Callable[[], str]]]


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Types these lines; a function among them is called instead."""

    def type_lines(*lines: str | Callable[[], str]) -> list[str | Callable[[], str]]:
        waiting = list(lines)

        def read(*_: object) -> str:
            if not waiting:
                raise asking.GivenUp
            line = waiting.pop(0)
            return line if isinstance(line, str) else line()

        monkeypatch.setattr(asking, "_read", read)
        for module in (progress, runs):
            monkeypatch.setattr(module, "can_ask", lambda: True)
        return waiting

    return type_lines


def test_every_field_of_every_mode_can_be_answered(
    sanbo: Sanbo, types: Typist, tmp_path: Path
) -> None:
    quote, picture = tmp_path / "見積 書.csv", tmp_path / "写真.png"
    folder = tmp_path / "資料"
    folder.mkdir()
    for file in (quote, picture, folder / "a.txt"):
        file.write_text("x")
    left = types(
        "プリンターの購入",
        *("ない.csv", str(picture), f"'{quote}'"),  # file: not there, not accepted, good
        *(str(quote), str(picture), ""),  # files, one a line
        str(folder),
        *("短い", "研修で使うため"),
        *("5", "更新"),
        "はい",
        *("0", "１，０００"),
        "急ぎません",
        *("y", ""),  # confirm: approved, comment
        *("", "6月10日まで"),  # inquire: an answer is needed
        *("2", "", "", "領収書は後日"),  # mixed
    )
    done = sanbo("runs", "start", "intake")
    assert done.code == 0, done.err
    assert left == []
    for refusal in ("見つかりません", "使えません", "5文字以上", "1〜2の番号", "以上にして"):
        assert refusal in done.err
    listed = sanbo("runs", "list", "--json").json
    answers = sanbo("runs", "show", listed[0]["run_id"], "--json").json["result"]["answers"]
    form = answers["form"]
    assert form["quote"]["name"] == quote.name
    assert [file["name"] for file in form["extras"]] == [quote.name, picture.name]
    assert [file["name"] for file in form["folder"]] == ["a.txt"]
    assert (form["kind"], form["urgent"], form["count"]) == ("renewal", True, 1000)
    assert answers["confirm"] == {"approved": True}
    assert answers["inquire"] == {"response": "6月10日まで"}
    assert answers["mixed"] == {"payment": "カード", "response": "領収書は後日"}


def test_closing_the_input_leaves_the_question_open(sanbo: Sanbo, types: Typist) -> None:
    types("備品")
    left_open = sanbo("runs", "start", "intake")
    assert left_open.code == 3
    run_id = sanbo("runs", "list", "--json").json[0]["run_id"]
    types()
    assert sanbo("runs", "answer", run_id).code == 3
    assert sanbo("runs", "start", "intake").code == 2


def test_an_answer_that_came_from_elsewhere_meanwhile_is_no_error(
    sanbo: Sanbo, types: Typist, workspace: Path
) -> None:
    given = '{"title": "出張", "amounts": "12000, 34000"}'
    run_id = sanbo("runs", "start", "expenses", "--input", given, "--json").json["run_id"]

    def answered_in_the_browser() -> str:
        data = ["--data", '{"approved": true}']
        assert run(["--workspace", str(workspace), "runs", "answer", run_id, *data]) == 0
        return "n"

    types("", "", answered_in_the_browser, "")
    late = sanbo("runs", "answer", run_id)
    assert late.code == 1
    assert "すでに回答があります" in late.err
    assert sanbo("runs", "show", run_id, "--json").json["result"]["approved"] is True


def test_deleting_is_confirmed_first(sanbo: Sanbo, types: Typist) -> None:
    given = '{"title": "出張", "amounts": "1"}'
    run_id = sanbo("runs", "start", "expenses", "--input", given, "--json").json["run_id"]
    types("")
    assert sanbo("runs", "delete", run_id).code == 1
    types("なに", "はい")
    assert sanbo("runs", "delete", run_id).code == 0
