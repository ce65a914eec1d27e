"""As programs of their own: pipes, encodings, Ctrl-C, two at a time."""

import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import orjson
import pytest

from sanbo.cli.arguments import readable_name
from tests.patience import PATIENCE_SECONDS
from tests.unit.cli.conftest import ROOT, Sanbo
from tests.workflows.trace import read

Start = Callable[..., "subprocess.Popen[bytes]"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals and pipes")


def test_start_in_a_process_on_a_console_of_few_characters_and_answer_in_another(
    start_process: Start, sanbo: Sanbo
) -> None:
    # cp932 knows neither ✓ nor every character that people type.
    given = '{"title": "出張 🎓", "amounts": "12000, 34000"}'
    process = start_process("runs", "start", "expenses", "-i", given, PYTHONIOENCODING="cp932")
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    shown, told = out.decode("cp932"), err.decode("cp932")
    assert process.returncode == 3, told
    assert "合計は 46,000 円です。承認しますか。" in shown
    assert "OK 合計する" in told
    assert "Traceback" not in told
    assert "\x1b" not in shown + told
    run_id = shown.split("runs answer ")[1].split()[0]
    answered = sanbo("runs", "answer", run_id, "--data", '{"approved": true}')
    assert answered.code == 0
    assert "# 出張 🎓" in answered.out


@pytest.mark.parametrize(
    "stopped",
    [
        "import sanbo.__main__ as m; signal.raise_signal(signal.SIGINT); m.start()",
        "import sanbo.cli.main as m; m.root = lambda: signal.raise_signal(signal.SIGINT); m.main()",
    ],
    ids=["while it is loaded", "while it gets ready"],
)
def test_ctrl_c_before_anything_has_begun_is_answered_with_a_line(stopped: str) -> None:
    command = [sys.executable, "-c", f"import signal; {stopped}"]
    done = subprocess.run(command, capture_output=True, check=False, env=dict(os.environ))
    assert done.returncode == 130
    assert done.stderr.decode().strip() in ("中断しました。", "Interrupted.")


def test_ctrl_c_lets_go_of_the_run_and_it_is_taken_up_again(
    start_process: Start, sanbo: Sanbo, workspace: Path, tmp_path: Path
) -> None:
    trace = str(tmp_path / "trace.jsonl")
    given = orjson.dumps({"topic": "備品", "step_seconds": 2, "trace": trace}).decode()
    process = start_process("runs", "start", "approval", "--input", given)
    assert process.stderr is not None
    run_id = _until(process.stderr, "を始めました").split()[1]
    _until(process.stderr, "構成を決める")

    assert "実行中" in sanbo("runs", "list").out
    busy = sanbo("runs", "resume", run_id, "--json")
    assert busy.code == 1
    assert busy.json["problem"]["code"] == "RUN_BUSY"

    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=PATIENCE_SECONDS)[1].decode()
    assert process.returncode == 130
    assert f"sanbo runs resume {run_id}" in rest
    assert "Traceback" not in rest
    with sqlite3.connect(workspace / "sanbo.db") as database:
        row = database.execute("SELECT status, holder FROM runs").fetchone()
    assert row == ("running", None)

    listed = sanbo("runs", "list")
    assert "中断" in listed.out
    assert f"sanbo runs resume {run_id}" in listed.err
    assert "中断" in sanbo("runs", "show", run_id).out
    assert sanbo("runs", "list", "--json").json[0]["status"] == "running"

    resumed = sanbo("runs", "resume", run_id)
    assert resumed.code == 3
    assert "中断" not in sanbo("runs", "list").out
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
    process.wait(PATIENCE_SECONDS)


def _until(stream: IO[bytes], text: str) -> str:
    """The first line with this text in it."""
    seen: list[str] = []
    for line in stream:
        seen.append(line.decode())
        if text in seen[-1]:
            return seen[-1]
    raise AssertionError(f"{text} never came: {''.join(seen)}")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('runs start expenses --input $\'{"title": "\\x83\\x81"}\'', 2),
        pytest.param("runs list --json > /dev/full", 1, marks=pytest.mark.thorough),
        pytest.param("runs list --json >&-", 0, marks=pytest.mark.thorough),
        pytest.param("runs answer x --data @. <&- >&-", 1, marks=pytest.mark.thorough),
        pytest.param(
            "runs start expenses --file $'a=\\x83\\x81.csv'", 1, marks=pytest.mark.thorough
        ),
    ],
)
def test_whatever_the_shell_does_there_is_no_traceback(
    command: list[str], arguments: str, code: int
) -> None:
    _ends_without_traceback(command, arguments, code)


def test_a_version_that_finds_no_room_is_told_without_traceback() -> None:
    # As shipped: it loads no workflow, and so takes a tenth of the time.
    _ends_without_traceback([sys.executable, "-m", "sanbo"], "--version > /dev/full", 1)


def _ends_without_traceback(command: list[str], arguments: str, code: int) -> None:
    if "/dev/full" in arguments and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = subprocess.run(
        ["bash", "-c", f"{shlex.join(command)} {arguments}"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"INTERNAL_ERROR" not in done.stderr
    assert done.returncode == code, done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--workspace", "", "runs", "list"), 2),
        (("runs", "start", "expenses", "--input", '{"amounts": NaN}'), 2),
        (("runs", "start", "expenses", "--input", '{"title": "\\ud800"}'), 2),
        (("runs", "start", "expenses", "--input", "@."), 2),
    ],
)
def test_words_that_a_shell_hands_over_unchanged_end_without_traceback(
    sanbo: Sanbo, arguments: tuple[str, ...], code: int
) -> None:
    outcome = sanbo(*arguments)  # which looks for tracebacks
    assert "INTERNAL_ERROR" not in outcome.err
    assert outcome.code == code, outcome.err


def test_file_names_of_older_systems_are_read() -> None:
    assert readable_name(os.fsdecode("売上.csv".encode("cp932"))) == "売上.csv"
    assert readable_name("売上.csv") == "売上.csv"
