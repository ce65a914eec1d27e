"""Functions of ours that a stranger's text or file can make slow or large, called in guarded
processes: within a limit, and never under the GIL of a process that serves others."""

import asyncio
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast, get_type_hints

from pydantic import TypeAdapter

from sanbo.sandbox.client import Sandbox, StoppableThreads
from sanbo.sandbox.jobs import Called
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory

JOBS = "sanbo.sandbox.jobs"
THINKING = Limits(seconds=60, memory_bytes=2 << 30)
"""Reading a question, choosing what answers it: seconds at most, whatever was written."""
P = ParamSpec("P")
T = TypeVar("T")


class Calls:
    """For all threads; the module of a function is loaded once, before its first call."""

    def __init__(
        self,
        limits: Limits = THINKING,
        *,
        at_once: int | None = None,
        modules: Sequence[str] = (),
    ) -> None:
        """`modules` are loaded with the first call, whatever it calls."""
        self.sandbox = Sandbox(JOBS, limits, at_once=at_once)
        self._modules = tuple(modules)
        self._threads = StoppableThreads(self.sandbox.at_once, "guarded")

    def close(self) -> None:
        self.sandbox.close()
        self._threads.close()

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Blocks; what the function raises is raised here, where it is a problem of ours."""
        answer = self.sandbox.run(_job(function, args, kwargs), (), preload=self._needed(function))
        returned = get_type_hints(function)["return"]
        return TypeAdapter[T](returned).validate_json(answer.report)

    def pieces(
        self,
        function: Callable[..., Iterator[bytes]],
        *args: object,
        inputs: Sequence[Memory] = (),
        limits: Limits | None = None,
    ) -> Memory | None:
        """All that the function yields. `inputs` follow its arguments, as views of memory."""
        job = _job(function, args, {})
        return self.sandbox.run(job, inputs, limits, preload=self._needed(function)).output

    def _needed(self, function: Callable[..., Any]) -> tuple[str, ...]:
        return (*self._modules, function.__module__)

    async def pieces_apart(
        self,
        function: Callable[..., Iterator[bytes]],
        *args: object,
        inputs: Sequence[Memory] = (),
        limits: Limits | None = None,
    ) -> Memory:
        """As `pieces`; cancelled, it also ends what is at work."""
        made = await self.waiting(
            lambda: self.pieces(function, *args, inputs=inputs, limits=limits)
        )
        return made or Memory()

    async def apart(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `call`; cancelled, it also ends what is at work."""
        return await self._threads.run(lambda: self.call(function, *args, **kwargs))

    async def waiting(self, work: Callable[[], T]) -> T:
        """Blocking work with these processes, in a thread that nobody else waits for."""
        return await self._threads.run(work)


def _job(
    function: Callable[..., Any], arguments: tuple[object, ...], named: Mapping[str, object]
) -> bytes:
    name: str = cast("Any", function).__qualname__
    return pickle.dumps(tuple(Called(function.__module__, name, arguments, named)))


class _Provided(NamedTuple):
    thoughts: Calls
    labours: Calls


_of_server: _Provided | None = None


def provide(thoughts: Calls, labours: Calls) -> None:
    """A server does so; a command has nobody else to keep waiting, and thinks in a thread."""
    global _of_server  # noqa: PLW0603 - one for the process, as its event loop
    _of_server = _Provided(thoughts, labours)


def withdraw() -> None:
    global _of_server  # noqa: PLW0603 - see above
    _of_server = None


def is_serving() -> bool:
    return _of_server is not None


async def apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """A pure function of strangers' words, off the loop."""
    if _of_server is None:
        return await asyncio.to_thread(function, *args, **kwargs)
    return await _of_server.thoughts.apart(function, *args, **kwargs)


async def pieces_apart(
    function: Callable[..., Iterator[bytes]],
    *args: object,
    inputs: Sequence[Memory] = (),
    limits: Limits | None = None,
) -> Memory:
    """Large things: they pass from process to process, and are never taken in on the way."""
    if _of_server is None:
        views = [each.view() for each in inputs]
        return await asyncio.to_thread(lambda: Memory.of(function(*args, *views)))
    return await _of_server.labours.pieces_apart(function, *args, inputs=inputs, limits=limits)
