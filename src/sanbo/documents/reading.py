"""Reads files in processes of their own: a file that crashes, hangs or swells a reader ends that
process, and becomes a problem of that file alone."""

import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO

from pydantic import TypeAdapter

from sanbo.documents.model import Document, Frozen, Source
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import (
    LimitExceeded,
    Problem,
    SanboError,
    TimedOut,
    Unexpected,
    UnsupportedFormat,
)

HEADER = struct.Struct(">II")
READ_SECONDS = 300.0
MEMORY_MB = 4096
MOST_ANSWER_BYTES = 512 * 1024 * 1024
# A process is replaced after so many files: what libraries leak does not add up.
FILES_A_PROCESS = 500
# A reader needs no keys: it gets nothing of the environment but what Python itself needs.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT", "PYTHONPATH")


class Reading(Frozen):
    """What a reading process answers."""

    document: Document | None = None
    problem: Problem | None = None


_READING = TypeAdapter(Reading)


class ReadingFailed(SanboError):
    """A problem that was found in the reading process, raised again here."""

    def __init__(self, problem: Problem) -> None:
        Exception.__init__(self, f"{problem.code}: {problem.message}")
        self.problem = problem


class Readers:
    """A few reading processes, started when needed and shared by all threads."""

    def __init__(self, count: int = 2, *, timeout_seconds: float = READ_SECONDS) -> None:
        self._timeout = timeout_seconds
        self._free = threading.Semaphore(count)
        self._idle: list[_ReadingProcess] = []
        self._busy: set[_ReadingProcess] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def read(self, source: Source) -> Document:
        with self._process() as process:
            reading = process.read(source, self._timeout)
        if reading.problem is not None:
            raise ReadingFailed(reading.problem)
        assert reading.document is not None
        return reading.document

    def close(self) -> None:
        """Ends every process, also one that is at work: its reader gets a problem."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for process in idle:
            process.end()
        for process in busy:
            process.kill()

    @contextmanager
    def _process(self) -> Generator["_ReadingProcess"]:
        with self._free:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            process = process or _ReadingProcess()
            with self._lock:
                self._busy.add(process)
            try:
                yield process
            finally:
                with self._lock:
                    self._busy.discard(process)
                    keep = not self._is_closed and process.is_fit
                    if keep:
                        self._idle.append(process)
                if not keep:
                    process.end()


class _ReadingProcess:
    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        # -P: modules are never taken from the folder a person happens to be in.
        module = ["-P", "-m", "sanbo.documents.reading_process"]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, *module, str(MEMORY_MB)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "PYTHONUTF8": "1"},
            start_new_session=True,  # Ctrl-C is for the process in front
        )
        self._files = 0
        self._is_broken = False

    @property
    def is_fit(self) -> bool:
        return not self._is_broken and self._files < FILES_A_PROCESS

    def read(self, source: Source, timeout_seconds: float) -> Reading:
        self._files += 1
        self._is_broken = True  # until the whole answer is here
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(timeout_seconds, give_up)
        timer.start()
        try:
            answer = self._exchange(source)
        except (OSError, EOFError):
            if late.is_set():
                raise TimedOut(
                    "file_reading_slow", name=source.name, seconds=int(timeout_seconds)
                ) from None
            raise UnsupportedFormat("file_reader_ended", name=source.name) from None
        finally:
            timer.cancel()
        self._is_broken = False
        return _READING.validate_json(answer)

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what could not be written any more

    def _exchange(self, source: Source) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        about = json.dumps({"name": source.name, "language": current_language()}).encode()
        self._process.stdin.write(HEADER.pack(len(about), len(source.data)))
        self._process.stdin.write(about)
        self._process.stdin.write(source.data)
        self._process.stdin.flush()
        size, _ = HEADER.unpack(read_exactly(self._process.stdout, HEADER.size))
        if size > MOST_ANSWER_BYTES:
            raise LimitExceeded("file_reading_large", name=source.name, limit_mb=MEMORY_MB)
        return read_exactly(self._process.stdout, size)


def read_exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def problem_of(error: BaseException, name: str) -> Problem:
    """A reader's failure as a person should see it; the cause of a defect stays in the log."""
    if isinstance(error, SanboError):
        return error.problem
    if isinstance(error, MemoryError | RecursionError):
        return LimitExceeded("file_reading_large", name=name, limit_mb=MEMORY_MB).problem
    return Unexpected("file_reader_defect", name=name, kind=type(error).__name__).problem
