"""A copy of the house in which something can be added, and its command line in a process."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[2] / "src" / "sanbo"
COMMANDS = """
import contextlib, io, json, os, sys
from sanbo.cli.main import run

told, given = sys.stdout, dict(os.environ)
for line in sys.stdin:
    arguments, environment = json.loads(line)
    os.environ.clear()
    os.environ.update(given | environment)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    print(json.dumps([code, out.getvalue(), err.getvalue()]), file=told, flush=True)
"""
"""One command after the other: what all of them load is loaded once."""


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class House:
    """Files are linked, not copied, compiled ones too: only what is added is its own."""

    folder: Path

    @classmethod
    @contextmanager
    def built_in(cls, folder: Path) -> Generator["House"]:
        shutil.copytree(SOURCE, folder / "sanbo", copy_function=_link)
        with cls(folder).opened() as house:
            yield house

    @contextmanager
    def opened(self) -> Generator["House"]:
        try:
            yield self
        finally:
            if "_commands" in vars(self):
                self._commands.kill()
                self._commands.communicate()

    def add(self, file: Path, place: str) -> None:
        """A file that the recipe says is new; one that is there already is a mistake."""
        target = self.folder / "sanbo" / place / file.name
        assert not target.exists()
        target.parent.mkdir(exist_ok=True)
        shutil.copy(file, target)

    def replace(self, place: str, words: str, by: str) -> None:
        """A line or two that the recipe says to write into a file that is there."""
        target = self.folder / "sanbo" / place
        text = target.read_text("utf-8")
        assert text.count(words) == 1
        target.unlink()  # the original is the same file
        target.write_text(text.replace(words, by), "utf-8")

    def sanbo(self, *arguments: str, **environment: str) -> Ended:
        """As a command does that is typed."""
        asked, told = self._commands.stdin, self._commands.stdout
        assert asked is not None
        assert told is not None
        print(json.dumps([arguments, environment]), file=asked, flush=True)
        return Ended(*json.loads(told.readline()))

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    @cached_property
    def _commands(self) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", COMMANDS]
        return subprocess.Popen(command, env=self._environment, stdin=pipe, stdout=pipe, text=True)

    @property
    def _environment(self) -> dict[str, str]:
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        return kept | {
            "PYTHONPATH": str(self.folder),
            "SANBO_WORKSPACE": str(self.folder / "work"),
        }


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)  # of the same time: what is compiled fits
    return target
