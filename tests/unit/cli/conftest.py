"""The command line as people call it: in this process where that tells as much, else for real."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from sanbo.cli.main import run
from sanbo.kernel.messages import set_language
from sanbo.service import catalog
from tests.unit.cli.entry import DEMOS
from tests.workflows import WORKFLOWS

ROOT = Path(__file__).parents[3]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return orjson.loads(self.out)


Sanbo = Callable[..., Outcome]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "作業 場所"


@pytest.fixture(autouse=True)
def _as_shipped(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """The test workflows, a screen without an edge, and nothing left behind for other tests."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(catalog, "WORKFLOWS", WORKFLOWS)
    monkeypatch.setattr(catalog, "DEMOS", DEMOS)
    yield
    set_language("ja")
    logging.captureWarnings(capture=False)
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, RotatingFileHandler | logging.NullHandler):
            root.removeHandler(handler)
            handler.close()


@pytest.fixture
def sanbo(workspace: Path, capsys: pytest.CaptureFixture[str]) -> Sanbo:
    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = run(["--workspace", str(workspace), *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert "\x1b" not in out + err
        return Outcome(code, out, err)

    return call


@pytest.fixture
def command(workspace: Path) -> list[str]:
    """The command line as a program of its own, with the test workflows in it."""
    return [sys.executable, "-m", "tests.unit.cli.entry", "--workspace", str(workspace)]


@pytest.fixture
def start_process(command: list[str]) -> Callable[..., "subprocess.Popen[bytes]"]:
    def start(*arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*command, *arguments],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start
