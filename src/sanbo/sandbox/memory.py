"""Bytes that processes share: in memory, without a path; and what an action writes, counted."""

import errno
import io
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, BinaryIO, Self

from typing_extensions import override

from sanbo.kernel.problems import LimitExceeded

if TYPE_CHECKING:
    from typing_extensions import Buffer


if sys.platform == "linux":
    import fcntl

    _SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE

_NEVER_EXECUTABLE = 0x0008  # MFD_NOEXEC_SEAL; kernels before 6.3 do not know it


class Memory:
    """An anonymous file in memory (memfd); where there is none, a temporary file without a name."""

    def __init__(self) -> None:
        """Empty, and not sealed yet: for one writer."""
        self.fd = _new()
        self._closing = weakref.finalize(self, os.close, self.fd)

    @classmethod
    def of(cls, parts: Iterable[bytes | memoryview]) -> Self:
        def write(file: BinaryIO) -> None:
            for part in parts:
                file.write(part)

        return cls.written(write)

    @classmethod
    def written(cls, write: Callable[[BinaryIO], object]) -> Self:
        """What `write` puts into the file it is given; large data needs no second copy."""
        memory = cls()
        try:
            with os.fdopen(os.dup(memory.fd), "wb", buffering=1 << 20) as file:
                write(file)
            memory.seal()
        except BaseException:
            memory.close()
            raise
        return memory

    @property
    def size(self) -> int:
        return os.fstat(self.fd).st_size

    def seal(self) -> None:
        """From now on nobody can change it, whoever holds its descriptor."""
        if sys.platform == "linux":
            fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, _SEALS)

    def view(self) -> memoryview:
        """Mapped, not read; it stays valid after `close`."""
        return view_of(self.fd)

    def close(self) -> None:
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def view_of(fd: int) -> memoryview:
    size = os.fstat(fd).st_size
    if size == 0:
        return memoryview(b"")
    # Private: kernels before 6.7 refuse a shared mapping of a sealed file even for reading.
    return memoryview(mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ))


def _new() -> int:
    if sys.platform == "linux":
        flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
        try:
            return os.memfd_create("sanbo", flags | _NEVER_EXECUTABLE)
        except OSError:
            return os.memfd_create("sanbo", flags)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


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
