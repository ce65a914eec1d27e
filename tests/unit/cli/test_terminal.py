"""At a terminal: questions are asked there, and wrong entries asked again."""

import os
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import ROOT, Sanbo

pty = pytest.importorskip("pty")

SECONDS = 40


class Terminal:
    """A person in front of a program: waits for a text, types a line."""

    def __init__(self, command: list[str]) -> None:
        self.screen = ""
        self._end, other_end = os.openpty()
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
            stdin=other_end,
            stdout=other_end,
            stderr=other_end,
        )
        os.close(other_end)
        self._seen = 0

    def expect(self, text: str) -> None:
        deadline = time.monotonic() + SECONDS
        while text not in self.screen[self._seen :]:
            assert time.monotonic() < deadline, self.screen
            assert self._read(), self.screen
        self._seen = self.screen.index(text, self._seen) + len(text)

    def type(self, line: str) -> None:
        os.write(self._end, f"{line}\n".encode())

    def leave(self) -> int:
        while self._read():
            pass
        os.close(self._end)
        return self._process.wait(SECONDS)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read(self) -> bool:
        try:
            piece = os.read(self._end, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self.screen += piece.decode("utf-8", "replace")
        return bool(piece)


@pytest.fixture
def terminal(command: list[str]) -> Generator[Terminal]:
    given = '{"title": "出張", "amounts": "12000, 34000"}'
    opened = Terminal([*command, "runs", "start", "expenses", "--input", given])
    yield opened
    opened.stop()


def test_a_question_is_asked_and_a_wrong_entry_asked_again(
    terminal: Terminal, sanbo: Sanbo, workspace: Path
) -> None:
    terminal.expect("承認しますか。")
    terminal.expect("理由")
    terminal.expect("> ")
    terminal.type("")
    terminal.expect("勘定科目")
    terminal.expect("2. 会議費")
    terminal.expect("> ")
    terminal.type("9")
    terminal.expect("1〜2の番号")
    terminal.expect("> ")
    terminal.type("会議費")
    terminal.expect("承認しますか")
    terminal.expect("> ")
    terminal.type("")
    terminal.expect("を入力してください")
    terminal.expect("> ")
    terminal.type("はい")
    terminal.expect("コメント")
    terminal.expect("> ")
    terminal.type("了解です")
    terminal.expect("完了しました")
    assert terminal.leave() == 0
    assert "Traceback" not in terminal.screen
    run = sanbo("runs", "list", "--json").json[0]
    assert run["status"] == "succeeded"
    assert "会議費" in sanbo("runs", "events", run["run_id"], "--json").out


def test_a_question_can_be_left_for_later(terminal: Terminal, sanbo: Sanbo) -> None:
    terminal.expect("理由")
    terminal.expect("> ")
    terminal.type("\x04")
    terminal.expect("回答を待っています")
    assert terminal.leave() == 3
    assert sanbo("runs", "list", "--json").json[0]["status"] == "waiting"
