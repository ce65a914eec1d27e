"""Processes take turns at a folder that only one may have open.

Whoever has the turn keeps it while nobody else wants it, so that a busy process does not open and
close for every call; whoever wants it leaves a note and gets it at the next pause.
"""

import os
import secrets
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sanbo.kernel.problems import Conflict

LOOK_SECONDS = 0.02
# A note is renewed while its writer waits; an older one was left by a process that died.
NOTE_SECONDS = 5.0
RENEW_SECONDS = 1.0
# Long enough that two busy processes spend their time working, not opening and closing.
SLICE_SECONDS = 0.5
IDLE_SECONDS = 60.0


class Turns:
    """`with turns.mine():` the folder is this process's; `on_leave` runs before others get it."""

    def __init__(self, folder: Path, name: str, on_leave: Callable[[], None]) -> None:
        self._folder = folder
        self._name = name
        self._on_leave = on_leave
        self._lock: FileLock | None = None
        self._guard = threading.Condition()
        self._users = 0
        self._since = 0.0
        self._used = 0.0
        self._stand_back_until = 0.0
        self._watch: threading.Thread | None = None

    @contextmanager
    def mine(self, timeout_seconds: float) -> Generator[None]:
        """Calls of several threads share the turn; waits for other processes, not for ever."""
        self._enter(timeout_seconds)
        try:
            yield
        finally:
            with self._guard:
                self._users -= 1
                self._used = time.monotonic()
                self._guard.notify_all()

    def leave(self) -> None:
        """Gives the turn up when nobody in this process is at work."""
        with self._guard:
            while self._users:
                self._guard.wait()
            self._give_up()

    def _enter(self, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while True:
            with self._guard:
                if self._lock is not None and not self._should_pass_on():
                    self._users += 1
                    return
                if self._lock is not None and self._users == 0:
                    self._give_up()
                if self._lock is None and self._take(deadline):
                    self._users += 1
                    return
                if self._lock is not None:  # others here still work; then it is passed on
                    self._guard.wait(LOOK_SECONDS)
            if time.monotonic() > deadline:
                raise Conflict("collection_busy", collection=self._name, recoverable=True)

    def _take(self, deadline: float) -> bool:
        """Waits with a note on the door. Called with the guard held: threads here wait too."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / "turn.lock", thread_local=False)
        note = self._folder / f"wanted-{os.getpid()}-{secrets.token_hex(4)}"
        renewed = 0.0
        try:
            while True:
                # Who has just had its turn lets the others try first.
                if time.monotonic() > self._stand_back_until or not self._is_wanted():
                    with suppress(Timeout):
                        lock.acquire(timeout=0)
                        break
                if time.monotonic() > deadline:
                    return False
                if (
                    time.monotonic() > self._stand_back_until
                    and time.monotonic() - renewed > RENEW_SECONDS
                ):
                    note.touch()
                    renewed = time.monotonic()
                time.sleep(LOOK_SECONDS)
        finally:
            note.unlink(missing_ok=True)
        self._lock = lock
        self._since = self._used = time.monotonic()
        if self._watch is None or not self._watch.is_alive():
            self._watch = threading.Thread(target=self._keep_watch, daemon=True)
            self._watch.start()
        return True

    def _give_up(self) -> None:
        if self._lock is None:
            return
        try:
            self._on_leave()
        finally:
            self._lock.release()
            self._lock = None
            self._stand_back_until = time.monotonic() + LOOK_SECONDS * 10

    def _keep_watch(self) -> None:
        """Passes the turn on while nobody here calls, and after a long silence."""
        while True:
            time.sleep(LOOK_SECONDS * 5)
            with self._guard:
                if self._lock is None:
                    return
                silent = time.monotonic() - self._used > IDLE_SECONDS
                if self._users == 0 and (silent or self._should_pass_on()):
                    self._give_up()
                    return

    def _should_pass_on(self) -> bool:
        return time.monotonic() - self._since > SLICE_SECONDS and self._is_wanted()

    def _is_wanted(self) -> bool:
        now = time.time()
        for note in self._folder.glob("wanted-*"):
            with suppress(FileNotFoundError):
                # Dated in the future is as strange as from long ago: a clock was set.
                if abs(now - note.stat().st_mtime) < NOTE_SECONDS:
                    return True
                note.unlink()
        return False
