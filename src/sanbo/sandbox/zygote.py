"""The process that has everything loaded and forks one child for each action.

It holds no data and no state: what an action needs comes with its request. It ends when the
process that started it does.
"""

import gc
import importlib
import mimetypes
import os
import selectors
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import ModuleType
from typing import cast

from sanbo.kernel.messages import catalogue
from sanbo.sandbox.child import (
    Descriptors,
    Perform,
    Setting,
    live,
    refuse_writing,
)
from sanbo.sandbox.guards import find_level
from sanbo.sandbox.wire import (
    Ended,
    Gone,
    Ready,
    Request,
    Started,
    receive_with_descriptors,
    send,
)

# How often it looks whether its parent is still there. A closed line tells at once; but a copy of
# the line may live on in a process that the parent has forked. (PR_SET_PDEATHSIG would not do: it
# listens for the end of the thread that started the zygote, and threads of servers come and go.)
_LOOK_SECONDS = 2.0
_THREAD_SECONDS = 5.0
# Where processors are short, whoever answers people comes first, and their work second.
_BEHIND_THE_SERVER = 5


def main() -> None:
    line = socket.socket(fileno=int(sys.argv[1]))
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process in front
    os.nice(_BEHIND_THE_SERVER)
    refuse_writing()
    gc.disable()  # nothing of what is loaded is rubbish
    try:
        perform = _load(sys.argv[2])
        level, ruleset = find_level()
    except Exception as error:
        send(line, Ready(failure=type(error).__name__))
        raise
    null = os.open(os.devnull, os.O_RDWR)
    setting = Setting(perform, level, ruleset, null, os.getpid())
    gc.enable()
    gc.freeze()  # else the collector of every child would touch, and so copy, all these pages
    with suppress(Gone):
        send(line, Ready(guard=level.guard, landlock_abi=level.landlock_abi))
        Zygote(line, setting).serve(parent)
    os._exit(0)


def _load(jobs: str) -> Perform:
    module = _warmed_up(jobs)
    catalogue()  # read now: an action may not be able to open it
    mimetypes.init()  # likewise
    return cast("Perform", module.perform)


def _warmed_up(name: str) -> ModuleType:
    module = importlib.import_module(name)
    warm_up = cast("Callable[[], None] | None", getattr(module, "warm_up", None))
    if warm_up is not None:
        warm_up()
    for thread in threading.enumerate():  # a fork takes along the calling thread alone
        if thread is not threading.current_thread():
            thread.join(_THREAD_SECONDS)
    return module


def _wake_up(number: int, frame: object) -> None:
    """Nothing to do: that a signal came is what the bell tells."""


class Zygote:
    def __init__(self, line: socket.socket, setting: Setting) -> None:
        self._line = line
        self._setting = setting
        self._preloaded: set[str] = set()
        self._channels: dict[int, socket.socket] = {}
        """By process: where its end is told, and where it is heard that it must end."""
        self._selector = selectors.PollSelector()
        self._bell, bell_rope = socket.socketpair()
        for each in (self._bell, bell_rope):
            each.setblocking(False)
        self._bell_rope = bell_rope
        signal.signal(signal.SIGCHLD, _wake_up)
        signal.set_wakeup_fd(bell_rope.fileno(), warn_on_full_buffer=False)
        self._selector.register(line, selectors.EVENT_READ)
        self._selector.register(self._bell, selectors.EVENT_READ)

    def serve(self, parent: int) -> None:
        """Until whoever asks is gone; no child outlives it."""
        try:
            while os.getppid() == parent:
                for key, _ in self._selector.select(_LOOK_SECONDS):
                    if key.fileobj is self._line:
                        self._start(*receive_with_descriptors(self._line, Request))
                    elif key.fileobj is self._bell:
                        self._bell.recv(4096)
                    else:
                        self._kill(cast("int", key.data))
                self._reap()
        finally:
            for pid in list(self._channels):
                self._kill(pid)
                os.waitpid(pid, 0)

    def _start(self, request: Request, descriptors: list[int]) -> None:
        channel_fd, job, report, output, *inputs = descriptors
        channel = socket.socket(fileno=channel_fd)
        self._preload(request.preload)
        try:
            pid = os.fork()
        except OSError:
            with suppress(Gone):
                send(channel, Started(forked=False))
            channel.close()
            return
        else:
            if pid == 0:
                live(self._setting, request, Descriptors(job, report, output, tuple(inputs)))
            with suppress(OSError):  # the child did it already, or is gone
                os.setpgid(pid, pid)
            self._channels[pid] = channel
            self._selector.register(channel, selectors.EVENT_READ, pid)
            with suppress(Gone):
                send(channel, Started())
        finally:
            for fd in (job, report, output, *inputs):
                os.close(fd)

    def _preload(self, names: Iterable[str]) -> None:
        new = [name for name in names if name not in self._preloaded]
        if not new:
            return
        self._preloaded.update(new)
        for name in new:
            with suppress(Exception):  # the action that needs it fails in the same way, and says so
                _warmed_up(name)
        gc.collect()
        gc.freeze()

    def _kill(self, pid: int) -> None:
        """Whoever asked has hung up: nobody waits for this action any more."""
        channel = self._channels[pid]
        with suppress(KeyError):
            self._selector.unregister(channel)
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self._channels:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            channel = self._channels.pop(pid)
            with suppress(KeyError):
                self._selector.unregister(channel)
            with suppress(Gone):
                send(channel, Ended(exit_code=os.waitstatus_to_exitcode(status)))
            channel.close()


if __name__ == "__main__":
    main()
