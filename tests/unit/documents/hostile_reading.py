"""What a reader might try once a file has taken it over."""

import socket
from collections.abc import Iterator
from pathlib import Path


def attempts(secret: str, port: int, data: memoryview) -> Iterator[bytes]:
    _ = data
    yield _outcome(lambda: Path(secret).read_text())
    yield _outcome(lambda: Path(secret).write_text("overwritten"))
    yield _outcome(lambda: socket.create_connection(("127.0.0.1", port), 2).close())
    yield _outcome(lambda: __import__("os").fork())


def _outcome(attempt: object) -> bytes:
    try:
        # pyrefly: ignore[not-callable]
        attempt()
    except OSError as error:
        return f"{type(error).__name__} ".encode()
    return b"done "
