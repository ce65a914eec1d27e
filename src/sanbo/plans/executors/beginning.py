"""The moment when a block itself begins: what is loaded before does not count to its limit."""

from collections.abc import Callable

_listener: Callable[[], None] | None = None


def listen(listener: Callable[[], None]) -> None:
    """For a process that performs one call at a time."""
    global _listener  # noqa: PLW0603 - one process, one listener
    _listener = listener


def announce() -> None:
    if _listener is not None:
        _listener()
