"""As programs of their own: pipes, encodings, Ctrl-C, two at a time."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import orjson
import pytest

from tests.unit.cli.conftest import ROOT, Sanbo
from tests.workflows.trace import read

Start = Callable[..., "subprocess.Popen[bytes]"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals and pipes")


def test_start_in_one_process_answer_in_another(
    start_process: Start, sanbo: Sanbo, tmp_path: Path
) -> None:
    quote = tmp_path / "見積 書.csv"
    quote.write_text("品名,金額\n", "utf-8")
    starting = start_process("runs", "start", "intake", "--json")
    out, err = starting.communicate(timeout=60)
    assert starting.returncode == 3, err.decode()
    run = orjson.loads(out)
    assert run["open_interactions"][0]["message"].startswith("「備品の購入」")
    assert b"Traceback" not in err
    assert b"\x1b" not in out + err
    # The second one on a console that knows neither ✓ nor every character.
    data = '{"reason": "研修で使うため 🎓", "kind": "new", "count": 1}'
    answering = start_process(
        *("runs", "answer", run["run_id"], "--data", data, "--file", f"quote={quote}"),
        PYTHONIOENCODING="cp932",
    )
    out, err = answering.communicate(timeout=60)
    assert answering.returncode == 3, err.decode("cp932")
    assert "この内容で申請してよろしいですか。" in out.decode("cp932")
    assert "OK form" in err.decode("cp932")
    assert b"\x1b" not in out + err
    shown = sanbo("runs", "show", run["run_id"], "--json").json
    assert [step["status"] for step in shown["steps"]] == ["succeeded", "waiting"]


def test_ctrl_c_lets_go_of_the_run_and_it_is_taken_up_again(
    start_process: Start, sanbo: Sanbo, workspace: Path, tmp_path: Path
) -> None:
    trace = str(tmp_path / "trace.jsonl")
    given = orjson.dumps({"topic": "備品", "step_seconds": 2, "trace": trace}).decode()
    process = start_process("runs", "start", "approval", "--input", given)
    assert process.stderr is not None
    run_id = _until(process.stderr, "を始めました").split()[1]
    _until(process.stderr, "構成を決める")

    busy = sanbo("runs", "resume", run_id, "--json")
    assert busy.code == 1
    assert busy.json["problem"]["code"] == "RUN_BUSY"

    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    rest = process.communicate(timeout=20)[1].decode()
    # A second on an idle machine; the bound leaves room for busy ones.
    assert time.monotonic() - began < 3
    assert process.returncode == 130
    assert f"sanbo runs resume {run_id}" in rest
    assert "Traceback" not in rest
    with sqlite3.connect(workspace / "sanbo.db") as database:
        row = database.execute("SELECT status, holder FROM runs").fetchone()
    assert row == ("running", None)

    resumed = sanbo("runs", "resume", run_id)
    assert resumed.code == 3
    assert [line["step"] for line in read(trace)].count("plan") == 1


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "sanbo", "--help"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.wait(20)


def test_the_server_refuses_an_open_address_without_a_token(start_process: Start) -> None:
    starting = start_process("up", "--host", "0.0.0.0", "--port", "0")
    out, err = starting.communicate(timeout=60)
    assert starting.returncode == 1
    assert "PERMISSION_DENIED" in err.decode()
    assert "sanbo token create" in err.decode()
    assert b"Traceback" not in out + err


def _until(stream: IO[bytes], text: str) -> str:
    """The first line with this text in it."""
    seen: list[str] = []
    for line in stream:
        seen.append(line.decode())
        if text in seen[-1]:
            return seen[-1]
    raise AssertionError(f"{text} never came: {''.join(seen)}")
