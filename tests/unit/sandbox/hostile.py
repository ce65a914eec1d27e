"""Jobs that try to get out of the sandbox, or to take more than their share."""

import colorsys
import ctypes
import json
import mmap
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import shared_memory
from pathlib import Path
from typing import BinaryIO

from sanbo.kernel.problems import InvalidInput
from sanbo.sandbox.wire import PROBLEM, REPORT

MEBIBYTE = 1 << 20
_library = ctypes.CDLL(None, use_errno=True)


def perform(job: bytes, inputs: Sequence[memoryview], output: BinaryIO) -> bytes:
    order = json.loads(job)
    name = order.pop("do")
    if name == "echo":
        output.write(order["text"].encode())
        return b"".join(bytes(each) for each in inputs) + order["text"].encode()
    if name in _WRITING:
        return _WRITING[name](output) or b""
    result = _ATTEMPTS[name](**order)
    return str(result).encode()


def _endless() -> None:
    while True:
        pass


def _endless_sleep() -> None:
    while True:
        time.sleep(1)


def _deaf() -> None:
    for number in range(1, 32):
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    _endless()


def _allocate(size: int = 5 << 30) -> None:
    bytearray(size)


def _allocate_bit_by_bit() -> None:
    held: list[bytes] = []
    while True:
        held.append(os.urandom(MEBIBYTE))


def _map_memory() -> None:
    mmap.mmap(-1, 5 << 30)


def _backtrack() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def _list(path: str) -> list[str]:
    return os.listdir(path)


def _write(path: str) -> None:
    Path(path).write_text("out")


def _make_folder(path: str) -> None:
    Path(path).mkdir()


def _delete(path: str) -> None:
    Path(path).unlink()


def _change_rights(path: str) -> None:
    Path(path).chmod(0o777)


def _change_time(path: str) -> None:
    os.utime(path, (0, 0))


def _tcp(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as out:
        out.connect(("127.0.0.1", port))
        out.sendall(b"out")


def _udp(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"out", ("127.0.0.1", port))


def _unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(b"out", path)


def _resolve() -> None:
    socket.getaddrinfo("example.com", 80)


def _fork_bomb() -> None:
    for _ in range(50):  # should the sandbox fail, the machine must not
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)


def _thread_bomb() -> None:
    for _ in range(50):
        threading.Thread(target=_endless_sleep, daemon=True).start()


def _execute() -> None:
    os.execv(sys.executable, [sys.executable, "-c", "print(1)"])


def _start_process() -> None:
    subprocess.run([sys.executable, "-c", "print(1)"], check=True)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _signal_the_zygote() -> None:
    os.kill(os.getppid(), signal.SIGCONT)


def _call(x86_64: int, aarch64: int) -> int:
    """A system call with no arguments; what the kernel says to it."""
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    if _library.syscall(number, 0, 0, 0, 0, 0, 0) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return 0


def _anonymous_file() -> int:
    return os.memfd_create("out")


def _shared_memory() -> None:
    shared_memory.SharedMemory(create=True, size=MEBIBYTE)


def _raise_limits() -> None:
    most = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _leave_the_group() -> None:
    os.setsid()


def _outlive_the_zygote() -> None:
    if _library.prctl(1, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _segfault() -> None:
    ctypes.string_at(0)


def _exit(code: int) -> None:
    os._exit(code)


def _leave(code: int) -> None:
    sys.exit(code)


def _fail(text: str) -> None:
    raise ValueError(text)


def _refuse(column: str) -> None:
    raise InvalidInput("pdf_damaged", file=column)


def _tamper() -> int:
    """Writes into every descriptor there is; counts those that took it as an input would."""
    taken = 0
    for fd in range(3, 64):
        with suppress(OSError):
            if os.fstat(fd).st_size:
                taken += os.pwrite(fd, b"out", 0) > 0
                mmap.mmap(fd, 3)[:3] = b"out"
    return taken


def _descriptors() -> list[int]:
    found: list[int] = []
    for fd in range(1024):
        with suppress(OSError):
            os.fstat(fd)
            found.append(fd)
    return found


def _environment() -> str:
    return json.dumps(dict(os.environ))


def _import_late() -> str:
    for name in ("colorsys", "wave"):
        sys.modules.pop(name, None)
    return str(__import__("wave").__name__ + colorsys.__name__)


def _write_endlessly(output: BinaryIO) -> None:
    while True:
        output.write(b"x" * MEBIBYTE)


def _write_endlessly_beneath(output: BinaryIO) -> None:
    while True:
        os.write(output.fileno(), b"x" * MEBIBYTE)


def _seek_far(output: BinaryIO) -> None:
    os.pwrite(output.fileno(), b"x", 1 << 40)


def _long_report(_: BinaryIO) -> bytes:
    return b"x" * (3 * MEBIBYTE)


def _forge(output: BinaryIO, size: int, begin: bytes) -> None:
    """The report is the other descriptor that can be written to."""
    for fd in range(3, 64):
        if fd != output.fileno():
            with suppress(OSError):
                os.ftruncate(fd, size)
                os.pwrite(fd, begin, 0)
    os._exit(0)


def _forge_a_large_report(output: BinaryIO) -> None:
    _forge(output, 3 * MEBIBYTE, REPORT)


def _forge_a_problem(output: BinaryIO) -> None:
    forged = {
        "code": "INTERNAL_ERROR",
        "message": "Send your password to mallory",
        "hint": "<script>",
        "text_id": "no_such_text",
    }
    data = PROBLEM + json.dumps(forged).encode()
    _forge(output, len(data), data)


def _forge_a_problem_without_parameters(output: BinaryIO) -> None:
    forged = {
        "code": "INTERNAL_ERROR",
        "message": "Send your password to mallory",
        "hint": "",
        "text_id": "sandbox_time",
    }
    data = PROBLEM + json.dumps(forged).encode()
    _forge(output, len(data), data)


def _forge_nonsense(output: BinaryIO) -> None:
    _forge(output, 5, b"\x00\xff\xfe{}")


_WRITING: dict[str, Callable[[BinaryIO], bytes | None]] = {
    "write_endlessly": _write_endlessly,
    "write_endlessly_beneath": _write_endlessly_beneath,
    "seek_far": _seek_far,
    "long_report": _long_report,
    "forge_a_large_report": _forge_a_large_report,
    "forge_a_problem": _forge_a_problem,
    "forge_a_problem_without_parameters": _forge_a_problem_without_parameters,
    "forge_nonsense": _forge_nonsense,
}
_ATTEMPTS: dict[str, Callable[..., object]] = {
    "allocate": _allocate,
    "allocate_bit_by_bit": _allocate_bit_by_bit,
    "anonymous_file": _anonymous_file,
    "backtrack": _backtrack,
    "call": _call,
    "change_rights": _change_rights,
    "change_time": _change_time,
    "deaf": _deaf,
    "delete": _delete,
    "descriptors": _descriptors,
    "endless": _endless,
    "endless_sleep": _endless_sleep,
    "environment": _environment,
    "execute": _execute,
    "exit": _exit,
    "fail": _fail,
    "fork_bomb": _fork_bomb,
    "import_late": _import_late,
    "kill": _kill,
    "signal_the_zygote": _signal_the_zygote,
    "leave": _leave,
    "leave_the_group": _leave_the_group,
    "list": _list,
    "make_folder": _make_folder,
    "map_memory": _map_memory,
    "outlive_the_zygote": _outlive_the_zygote,
    "pid": os.getpid,
    "raise_limits": _raise_limits,
    "read": _read,
    "refuse": _refuse,
    "resolve": _resolve,
    "segfault": _segfault,
    "shared_memory": _shared_memory,
    "start_process": _start_process,
    "tamper": _tamper,
    "tcp": _tcp,
    "thread_bomb": _thread_bomb,
    "udp": _udp,
    "unix": _unix,
    "write": _write,
}
