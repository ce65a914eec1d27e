"""System calls by number, for x86_64 and aarch64: what an action may not do.

The table is `syscalls.yaml`. Every call that Linux has up to `newest` was looked at: what is not
named there is harmless to an action that can open nothing. What is newer does not exist for it.
"""

import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from sanbo.kernel.yaml_files import read_yaml

Numbers = Mapping[str, tuple[int | None, int | None]]
"""The call's number on x86_64 and on aarch64; None where there is no such call."""

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By machine: the place in `Numbers`, and the name that the kernel gives the architecture."""


class _Table(BaseModel):
    newest: int
    killed: Numbers
    network: Numbers
    processes: Numbers
    privileges: Numbers
    system: Numbers
    memory_elsewhere: Numbers
    files_changed: Numbers
    opening: Numbers
    special: Numbers


CALLS = _Table.model_validate(read_yaml(Path(__file__).with_suffix(".yaml")))


def architecture() -> tuple[int, int] | None:
    """Of this machine; None where the numbers are not known."""
    # A 32-bit Python on a 64-bit kernel makes calls of another architecture.
    is_wide = sys.maxsize > 1 << 32
    return ARCHITECTURES.get(platform.machine()) if is_wide else None


def numbers_of(calls: Numbers, place: int) -> list[int]:
    found = (numbers[place] for numbers in calls.values())
    return [number for number in found if number is not None]


def number_of(name: str) -> int:
    """Of a call that both architectures have, on this machine."""
    known = architecture()
    number = {**CALLS.privileges, **CALLS.special}[name][known[0]] if known else None
    if number is None:
        raise OSError(f"the number of {name} is not known on this machine")
    return number
