"""The sandbox as its callers see it: a job and inputs go in, an answer or a problem comes out."""

import os
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import ValidationError

from sanbo.kernel.messages import current_language, has_text
from sanbo.kernel.problems import (
    Conflict,
    LimitExceeded,
    MissingDependency,
    PermissionDenied,
    Problem,
    SanboError,
    TimedOut,
    Unexpected,
)
from sanbo.sandbox.limits import DEFAULT, Level, Limits
from sanbo.sandbox.memory import MEBIBYTE, Memory, output_too_large, report_too_large
from sanbo.sandbox.process import Late, Lost, NeverStarted, ZygoteProcess
from sanbo.sandbox.wire import MOST_DESCRIPTORS, NO_MEMORY, PROBLEM, REPORT, Request

ATTEMPTS = 2
MOST_INPUTS = MOST_DESCRIPTORS - 4
_MOST_PROBLEM_BYTES = 1 << 20


@dataclass(frozen=True)
class Answer:
    report: bytes
    output: Memory | None
    """What the action wrote beside its report, for later actions; whoever gets it closes it."""


class ActionFailed(SanboError):
    """A problem that was found in the sandbox, raised again here."""

    def __init__(self, problem: Problem) -> None:
        Exception.__init__(self, f"{problem.code}: {problem.message}")
        self.problem = problem


class Sandbox:
    """One zygote, started when it is first needed and again when it is gone; for all threads."""

    def __init__(self, jobs: str, limits: Limits = DEFAULT, *, at_once: int | None = None) -> None:
        """`jobs`: a module with `perform(job, inputs, output) -> bytes`, perhaps `warm_up()`."""
        self._jobs = jobs
        self._limits = limits
        self.at_once = at_once or max(2, os.cpu_count() or 1)
        self._places = threading.Semaphore(self.at_once)
        self._lock = threading.Lock()
        self._zygote: ZygoteProcess | None = None
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def level(self) -> Level:
        return self._running().level

    @property
    def pid(self) -> int:
        """Of the zygote."""
        return self._running().pid

    def run(
        self,
        job: bytes,
        inputs: Sequence[Memory],
        limits: Limits | None = None,
        *,
        preload: tuple[str, ...] = (),
    ) -> Answer:
        """Blocks until the action has ended, or was ended at its limit."""
        if len(inputs) > MOST_INPUTS:
            raise LimitExceeded("sandbox_inputs_many", limit=MOST_INPUTS)
        limits = limits or self._limits
        asked, report, output = Memory.of([job]), Memory(), Memory()
        keeps_output = False
        try:
            descriptors = [each.fd for each in (asked, report, output, *inputs)]
            with self._places:  # time spent waiting here does not count
                exit_code = self._perform(limits, descriptors, preload)
            _raise_for(exit_code, limits)
            told = _report_in(report, limits)
            size = output.size
            if size > limits.output_bytes:
                raise output_too_large(limits.output_bytes)
            if size:
                output.seal()
                keeps_output = True
            return Answer(told, output if keeps_output else None)
        finally:
            asked.close()
            report.close()
            if not keeps_output:
                output.close()

    def close(self) -> None:
        """Ends everything; an action that is at work ends in a problem. It can't be used again."""
        self._is_closed = True
        with self._lock:
            zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.end()

    def _perform(self, limits: Limits, descriptors: Sequence[int], preload: tuple[str, ...]) -> int:
        request = Request(
            language=current_language(),
            seconds=limits.seconds,
            memory_bytes=limits.memory_bytes,
            output_bytes=limits.output_bytes,
            report_bytes=limits.report_bytes,
            preload=preload,
        )
        for _ in range(ATTEMPTS):
            zygote = self._running()
            try:
                return zygote.perform(request, descriptors).exit_code
            except Late:
                raise TimedOut("sandbox_time", seconds=_shown(limits.seconds)) from None
            except Lost:
                break
            except NeverStarted:
                self._forget(zygote)
        if self._is_closed:
            raise Conflict("sandbox_closed")
        raise Unexpected("sandbox_lost")

    def _running(self) -> ZygoteProcess:
        if not hasattr(os, "fork"):
            raise MissingDependency("sandbox_unsupported")
        with self._lock:
            if self._is_closed:
                raise Conflict("sandbox_closed")
            if self._zygote is not None and not self._zygote.is_running:
                self._zygote.kill()
                self._zygote = None
            if self._zygote is None:
                self._zygote = ZygoteProcess(self._jobs)
            return self._zygote

    def _forget(self, zygote: ZygoteProcess) -> None:
        with self._lock:
            if self._zygote is zygote:
                self._zygote = None
        zygote.kill()


def _raise_for(exit_code: int, limits: Limits) -> None:
    """By how the process ended; the words of the process itself are in its report."""
    if exit_code == 0:
        return
    if exit_code > 0:
        raise Unexpected("sandbox_ended", details={"exit_code": exit_code})
    if exit_code == -signal.SIGKILL:
        # Not by us: the system was short of memory.
        raise LimitExceeded("sandbox_killed")
    if exit_code == -signal.SIGXCPU:
        raise TimedOut("sandbox_time", seconds=_shown(limits.seconds))
    if exit_code == -signal.SIGXFSZ:
        raise output_too_large(limits.output_bytes)
    if exit_code == -signal.SIGSYS:
        raise PermissionDenied("sandbox_forbidden")
    raise Unexpected("sandbox_crashed", details={"signal": -exit_code})


def _report_in(report: Memory, limits: Limits) -> bytes:
    """Nothing that is in it is trusted: the process may not have been itself any more."""
    size = report.size - 1
    if size > limits.report_bytes:
        raise report_too_large(limits.report_bytes)
    kind = os.pread(report.fd, 1, 0)
    if kind == NO_MEMORY:
        raise LimitExceeded("sandbox_memory", limit_mb=limits.memory_bytes // MEBIBYTE)
    if kind == REPORT:
        return bytes(report.view()[1:])
    if kind == PROBLEM and size <= _MOST_PROBLEM_BYTES:
        raise ActionFailed(_problem_in(bytes(report.view()[1:])))
    raise Unexpected("sandbox_ended")


def _problem_in(data: bytes) -> Problem:
    """Its texts are taken from the catalogue, not from what came across."""
    try:
        problem = Problem.model_validate_json(data)
        if has_text(f"{problem.text_id}.message"):
            return problem.in_language(current_language())
    except (ValidationError, LookupError, ValueError, AttributeError):
        pass
    return Unexpected("sandbox_ended").problem


def _shown(seconds: float) -> int | float:
    return int(seconds) if seconds == int(seconds) else seconds
