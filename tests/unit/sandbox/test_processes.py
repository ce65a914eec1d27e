"""Processes come and go: none is left over, and the sandbox goes on."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path

import psutil
import pytest

from sanbo.kernel.problems import Problem, SanboError
from sanbo.sandbox.client import STOP, Sandbox, Stop, Stopped
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory
from tests.unit.sandbox.conftest import (
    JOBS,
    MEBIBYTE,
    ROOT,
    SHORT,
    a_sandbox,
    descriptors,
    do,
)

PATIENCE_SECONDS = 30


def eventually(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE_SECONDS
    while not is_so() and time.monotonic() < until:
        time.sleep(0.02)
    return is_so()


def memories(pid: int) -> int:
    """How many of the sandbox's files in memory a process has open."""
    folder = Path(f"/proc/{pid}/fd")
    targets: list[str] = []
    for link in folder.iterdir():
        with suppress(OSError):  # closed meanwhile
            targets.append(os.readlink(link))
    return sum("sanbo" in target for target in targets if target.startswith("/memfd:"))


def zygotes() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE and "zygote" in " ".join(child.cmdline())
    ]


def one_zygote(before: list[psutil.Process]) -> psutil.Process:
    (found,) = [each for each in zygotes() if each not in before]
    return found


class InThread:
    """An action that is at work while the test goes on."""

    def __init__(self, sandbox: Sandbox, zygote: psutil.Process) -> None:
        self.problem: Problem | None = None
        self._sandbox = sandbox
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert eventually(lambda: bool(zygote.children()))
        self.process = zygote.children()[0]

    def _run(self) -> None:
        try:
            do(self._sandbox, "endless_sleep", limits=Limits(seconds=120))
        except SanboError as error:
            self.problem = error.problem

    def text_id(self) -> str:
        self._thread.join(PATIENCE_SECONDS)
        assert self.problem is not None
        return self.problem.text_id


def test_an_output_is_the_input_of_a_later_action() -> None:
    with a_sandbox() as sandbox:
        first = do(sandbox, "echo", [Memory.of([b"table, "])], text="売上")
        assert first.output is not None
        second = do(sandbox, "echo", [first.output], text="!")
        assert first.report.decode() == "table, 売上"
        assert second.report.decode() == "売上!"


def test_many_actions_at_once_from_many_threads() -> None:
    table = Memory.of([b"shared "])
    with a_sandbox() as sandbox, ThreadPoolExecutor(8) as threads:
        before = memories(os.getpid())
        texts = [f"question {number}" for number in range(20)]
        asked = [threads.submit(do, sandbox, "echo", [table], text=text) for text in texts]
        answers = [each.result() for each in asked]
        assert [answer.report.decode() for answer in answers] == [
            f"shared {text}" for text in texts
        ]
        for answer in answers:
            assert answer.output is not None
            answer.output.close()
        assert memories(os.getpid()) <= before


def test_actions_do_not_hinder_each_other() -> None:
    with a_sandbox() as sandbox, ThreadPoolExecutor(4) as threads:
        slow = threads.submit(do, sandbox, "endless", limits=SHORT)
        quick = [threads.submit(do, sandbox, "echo", text=str(number)) for number in range(3)]
        crashing = threads.submit(do, sandbox, "segfault")
        assert [each.result().report for each in quick] == [b"0", b"1", b"2"]
        assert isinstance(crashing.exception(), SanboError)
        assert isinstance(slow.exception(), SanboError)


def test_no_zombie_and_no_descriptor_is_left_by_actions() -> None:
    before = zygotes()
    with a_sandbox() as sandbox:
        zygote = one_zygote(before)
        held, held_there = memories(os.getpid()), memories(zygote.pid)
        for number in range(25):
            answer = do(sandbox, "echo", [Memory.of([b"x" * MEBIBYTE])], text=str(number))
            assert answer.output is not None
            answer.output.close()
        assert zygote.children() == []
        # Fewer is fine: what earlier tests have left is collected at any time.
        assert eventually(
            lambda: memories(os.getpid()) <= held and memories(zygote.pid) <= held_there
        )


def test_a_zygote_that_was_killed_is_replaced() -> None:
    before = zygotes()
    with a_sandbox() as sandbox:
        first = one_zygote(before)
        first.kill()
        assert do(sandbox, "echo", text="after").report == b"after"
        assert one_zygote(before).pid != first.pid


def test_an_action_whose_zygote_was_killed_ends_with_it() -> None:
    before = zygotes()
    with a_sandbox() as sandbox:
        zygote = one_zygote(before)
        action = InThread(sandbox, zygote)
        zygote.kill()
        assert action.text_id() == "sandbox_lost"
        assert eventually(lambda: not action.process.is_running())
        assert do(sandbox, "echo", text="after").report == b"after"


def test_an_action_that_someone_killed_is_a_problem() -> None:
    before = zygotes()
    with a_sandbox() as sandbox:
        action = InThread(sandbox, one_zygote(before))
        action.process.kill()
        assert action.text_id() == "sandbox_killed"
        assert do(sandbox, "echo", text="after").report == b"after"


def test_a_zygote_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sanbo.sandbox.client.ANSWER_SECONDS", 3)
    before = zygotes()
    with a_sandbox() as sandbox:
        first = one_zygote(before)
        first.suspend()
        assert do(sandbox, "echo", text="after").report == b"after"
        assert not first.is_running()


def test_closing_ends_what_is_at_work_and_leaves_no_process() -> None:
    before = zygotes()
    held = descriptors()
    with a_sandbox() as sandbox:
        zygote = one_zygote(before)
        action = InThread(sandbox, zygote)
        sandbox.close()
        assert action.text_id() == "sandbox_closed"
        assert not zygote.is_running()
        assert not action.process.is_running()
        with pytest.raises(SanboError, match="終了中"):
            do(sandbox, "echo", text="too late")
        sandbox.close()
    assert descriptors() == held


WORKING = f"""
import os, signal, sys, threading, time
from sanbo.sandbox.client import Sandbox
sandbox = Sandbox("{JOBS}.hostile")
print(sandbox.level.guard, flush=True)
def work():
    sandbox.run(b'{{"do": "endless_sleep"}}', [])
"""


def started(script: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKING + script],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
    )


def test_nothing_is_left_when_the_parent_is_killed() -> None:
    with started("threading.Thread(target=work).start()") as process:
        assert process.stdout is not None
        process.stdout.readline()
        parent = psutil.Process(process.pid)
        assert eventually(lambda: len(parent.children(recursive=True)) == 2)
        family = parent.children(recursive=True)
        process.kill()
        process.wait()
        assert eventually(lambda: not any(each.is_running() for each in family))


def test_a_caller_that_is_interrupted_ends_its_action() -> None:
    script = """
def interrupt(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
signal.alarm(2)
try:
    work()
except KeyboardInterrupt:
    print("interrupted", flush=True)
time.sleep(60)
"""
    with started(script) as process:
        assert process.stdout is not None
        process.stdout.readline()
        parent = psutil.Process(process.pid)
        assert eventually(lambda: len(parent.children(recursive=True)) == 2)
        assert process.stdout.readline() == b"interrupted\n"
        assert eventually(lambda: len(parent.children(recursive=True)) == 1)
        process.send_signal(signal.SIGKILL)


def test_an_action_that_nobody_waits_for_any_more_ends_and_no_other_begins() -> None:
    before = zygotes()
    with a_sandbox() as sandbox:
        zygote = one_zygote(before)
        stop = Stop()

        def work() -> None:
            STOP.set(stop)
            with pytest.raises(Stopped):
                do(sandbox, "endless_sleep", limits=Limits(seconds=120))
            with pytest.raises(Stopped):
                do(sandbox, "echo", text="もう一度")

        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(copy_context().run, work)
            assert eventually(lambda: bool(zygote.children()))
            stop.set()
            working.result(PATIENCE_SECONDS)
        assert eventually(lambda: not zygote.children())
        answer = do(sandbox, "echo", text="次の質問")
        assert answer.report.decode() == "次の質問"


def test_the_thread_that_started_it_may_end() -> None:
    """The kernel's signal for the death of a parent would listen for the thread's."""
    before = zygotes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with Sandbox(f"{JOBS}.hostile") as sandbox:
            thread = threading.Thread(target=lambda: sandbox.level)
            thread.start()
            thread.join()
            zygote = one_zygote(before)
            assert do(sandbox, "echo", text="x").report == b"x"
            assert one_zygote(before) == zygote


def test_no_file_is_made_by_a_library_that_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some look for a folder when they are imported, and make one."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    temporary = set(Path("/tmp").glob("cached-*"))
    with Sandbox(f"{JOBS}.caching") as sandbox:
        assert sandbox.run(b"", []).report == b"no cache"
    assert list(tmp_path.iterdir()) == []
    assert set(Path("/tmp").glob("cached-*")) <= temporary
