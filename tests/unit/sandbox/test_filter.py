"""The seccomp program, worked through step by step: for both architectures on any machine."""

import errno
import platform
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.sandbox import guards
from sanbo.sandbox.guards import filter_program

KILL, ALLOW = 0x80000000, 0x7FFF0000
REFUSE, UNKNOWN = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
OWN_PID = 4711
MACHINES = list(guards.ARCHITECTURES)
# What no program can do without, by its numbers on x86_64 and aarch64.
NEEDED = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "pwrite64": (18, 68),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "getpid": (39, 172),
    "exit": (60, 93),
    "ftruncate": (77, 46),
    "futex": (202, 98),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "newfstatat": (262, 79),
    "getrandom": (318, 278),
}


def judged(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would answer to this call."""
    given_arguments = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    call = struct.pack("=IIQ6Q", number, architecture, 0, *given_arguments)
    steps = list(struct.iter_unpack("=HBBI", program))
    value = at = 0
    while True:
        code, when_true, when_false, operand = steps[at]
        at += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", call, operand)
            case 0x15:
                at += when_true if value == operand else when_false
            case 0x35:
                at += when_true if value >= operand else when_false
            case _:
                assert code == 0x06
                return operand


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    monkeypatch.setattr(platform, "machine", lambda: request.param)
    return guards.ARCHITECTURES[request.param]


def test_every_refused_call_is_refused(machine: tuple[int, int]) -> None:
    place, architecture = machine
    program = filter_program(OWN_PID, may_open=False)
    for calls in (
        guards.CALLS.network,
        guards.CALLS.processes,
        guards.CALLS.privileges,
        guards.CALLS.system,
        guards.CALLS.memory_elsewhere,
        guards.CALLS.files_changed,
        guards.CALLS.opening,
    ):
        for number in guards.numbers_of(calls, place):
            assert judged(program, architecture, number) == REFUSE
    for number in guards.numbers_of(guards.CALLS.killed, place):
        assert judged(program, architecture, number) == KILL


def test_what_every_program_needs_is_allowed(machine: tuple[int, int]) -> None:
    place, architecture = machine
    program = filter_program(OWN_PID, may_open=True)
    for numbers in NEEDED.values():
        assert judged(program, architecture, numbers[place]) == ALLOW
    for number in guards.numbers_of(guards.CALLS.opening, place):
        assert judged(program, architecture, number) == ALLOW


def test_calls_are_judged_by_what_they_ask(machine: tuple[int, int]) -> None:
    place, architecture = machine
    program = filter_program(OWN_PID, may_open=True)

    def answer(name: str, *arguments: int) -> int:
        number = guards.CALLS.special[name][place]
        assert number is not None
        return judged(program, architecture, number, *arguments)

    assert answer("clone3") == UNKNOWN
    assert answer("tgkill", OWN_PID, OWN_PID, 6) == ALLOW
    assert answer("tgkill", 1, 1, 9) == REFUSE
    assert answer("tkill", 1, 9) == REFUSE
    assert answer("prlimit64", 0, 9, 0, 0xFFFF) == ALLOW
    assert answer("prlimit64", 0, 9, 0xFFFF, 0) == REFUSE
    assert answer("prlimit64", 0, 9, 1 << 32, 0) == REFUSE
    assert answer("ioctl", 1, 0x5401) == ALLOW
    assert answer("ioctl", 1, 0x5412) == REFUSE  # TIOCSTI: typing into a terminal
    assert answer("fcntl", 3, 1033) == ALLOW
    assert answer("fcntl", 3, 8, 1) == REFUSE


def test_no_number_is_named_twice(machine: tuple[int, int]) -> None:
    place, _ = machine
    named = [
        number
        for calls in (
            guards.CALLS.killed,
            guards.CALLS.network,
            guards.CALLS.processes,
            guards.CALLS.privileges,
            guards.CALLS.system,
            guards.CALLS.memory_elsewhere,
            guards.CALLS.files_changed,
            guards.CALLS.opening,
            guards.CALLS.special,
            NEEDED,
        )
        for number in guards.numbers_of(calls, place)
    ]
    assert len(named) == len(set(named))


@given(
    number=st.integers(guards.CALLS.newest + 1, (1 << 32) - 1), machine=st.sampled_from(MACHINES)
)
def test_calls_newer_than_this_list_do_not_exist(number: int, machine: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platform, "machine", lambda: machine)
        program = filter_program(OWN_PID, may_open=True)
    _, architecture = guards.ARCHITECTURES[machine]
    expected = KILL if number >= 0x40000000 else UNKNOWN
    assert judged(program, architecture, number) == expected


@given(number=st.integers(0, 600), architecture=st.integers(0, (1 << 32) - 1))
def test_another_architecture_is_the_end(number: int, architecture: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platform, "machine", lambda: "x86_64")
        program = filter_program(OWN_PID, may_open=True)
        own = guards.ARCHITECTURES["x86_64"][1]
    if architecture != own:
        assert judged(program, architecture, number) == KILL


def test_a_machine_whose_numbers_are_not_known_has_no_filter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(OSError, match="not implemented"):
        filter_program(OWN_PID, may_open=True)
