import io
import json
import sys

import pytest

from sanbo.cli.screen import harmless, mark, out, print_json, words


def test_json_survives_a_console_that_can_not_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding in ("cp932", "utf-8"):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
        print_json({"件名": "出張 🎓 ✓"})
        assert json.loads(written.getvalue().decode(encoding)) == {"件名": "出張 🎓 ✓"}


def test_marks_are_letters_where_there_are_no_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="cp932"))
    assert str(mark(out(), "ok")) == "OK"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert str(mark(out(), "ok")) == "✓"


def test_what_others_wrote_can_not_act_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert harmless("a\x1b[2Jb\x07\r\nc\td\x9b") == "a[2Jb\nc\td"
    out().print(words("[red]請求[/red] \x1b[31m:smile:"))
    assert capsys.readouterr().out == "[red]請求[/red] [31m:smile:\n"
