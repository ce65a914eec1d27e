"""At a terminal: questions are asked there, and wrong entries asked again."""

import os
import subprocess
import time
from collections.abc import Generator

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
    opened = Terminal([*command, "runs", "start", "approval", "--input", '{"topic": "備品"}'])
    yield opened
    opened.stop()


def test_questions_are_asked_again_until_the_entry_fits_and_can_be_left_for_later(
    terminal: Terminal, sanbo: Sanbo
) -> None:
    for text, typed in [
        ("修正の指示", "もっと短く"),
        ("承認しますか", "たぶん"),
        ("y（はい）か n（いいえ）", ""),
        ("を入力してください", "いいえ"),
        ("コメント", ""),
        ("revise", ""),  # its second question, after the revision
        ("承認しますか", "\x04"),
    ]:
        terminal.expect(text)
        terminal.expect("> ")
        terminal.type(typed)
    terminal.expect("回答を待っています")
    assert terminal.leave() == 3
    assert "\x1b[" in terminal.screen
    assert "Traceback" not in terminal.screen
    run = sanbo("runs", "list", "--json").json[0]
    assert run["status"] == "waiting"
    events = sanbo("runs", "events", run["run_id"], "--json").out
    assert "もっと短く" in events
