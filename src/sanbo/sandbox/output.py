"""What an action writes, counted."""

import errno
import io
import os
from typing import TYPE_CHECKING

from typing_extensions import override

from sanbo.kernel.problems import LimitExceeded

if TYPE_CHECKING:
    from typing_extensions import Buffer

MEBIBYTE = 1 << 20


class Output(io.FileIO):
    """A file of an action's own; the kernel's limit on files stands behind it."""

    def __init__(self, fd: int, most_bytes: int) -> None:
        super().__init__(fd, "wb", closefd=False)
        self._left = most_bytes
        self._most = most_bytes

    @override
    def write(self, data: "Buffer", /) -> int:
        size = memoryview(data).nbytes
        self._left -= size
        if self._left < 0:
            raise output_too_large(self._most)
        write_all(self.fileno(), data)
        return size


def write_all(fd: int, data: "Buffer", offset: int | None = None) -> None:
    """At an offset, or where the file stands."""
    rest = memoryview(data).cast("B")
    while rest:
        done = os.write(fd, rest) if offset is None else os.pwrite(fd, rest, offset)
        offset = None if offset is None else offset + done
        rest = rest[done:]


def output_too_large(limit_bytes: int) -> LimitExceeded:
    return LimitExceeded("sandbox_output_large", limit_mb=limit_bytes // MEBIBYTE)


def report_too_large(limit_bytes: int) -> LimitExceeded:
    return LimitExceeded("sandbox_report_large", limit_mb=limit_bytes // MEBIBYTE)


def is_too_large(error: BaseException) -> bool:
    """The kernel's own words for it."""
    return isinstance(error, OSError) and error.errno == errno.EFBIG
