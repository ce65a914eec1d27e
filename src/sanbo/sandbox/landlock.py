"""Landlock: the kernel lets an action read the libraries of Python, and no other file."""

import ctypes
import os
import site
import struct
import sysconfig
from pathlib import Path

import sanbo
from sanbo.sandbox.kernel_calls import system_call

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
# Python and pyarrow look up time zones there; it is the same on every machine.
_TIME_ZONES = "/usr/share/zoneinfo"


def landlock_abi() -> int:
    """The version that the kernel offers; 0 where there is none."""
    try:
        return system_call(_CREATE, 0, 0, _VERSION)
    except (OSError, AssertionError):
        return 0


def new_ruleset(abi: int) -> int:
    """A descriptor; every right that this kernel can judge is refused but reading libraries."""
    fields = [_rights_on_files(abi)]
    if abi >= 4:
        fields.append(_TCP_BIND_AND_CONNECT)
    if abi >= 6:
        fields.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = _buffer(struct.pack(f"={len(fields)}Q", *fields))
    ruleset = system_call(_CREATE, ctypes.addressof(attributes), len(attributes), 0)
    for folder in readable_folders():
        _allow_reading(ruleset, folder)
    return ruleset


def restrict_self(ruleset: int) -> None:
    """For good, and for this process only; it needs `no_new_privs`."""
    system_call(_RESTRICT, ruleset, 0)


def readable_folders() -> list[str]:
    """Where modules that are imported late are found."""
    named = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {sysconfig.get_path(name) for name in named}
    folders.update(site.getsitepackages())
    folders.add(str(Path(sanbo.__file__).parent))
    folders.add(_TIME_ZONES)
    return sorted(folder for folder in folders if Path(folder).is_dir())


def _rights_on_files(abi: int) -> int:
    """As many bits as the ABI has rights; a right that is not handled would be granted."""
    count = 13 + (abi >= 2) + (abi >= 3) + (abi >= 5)
    return (1 << count) - 1


def _allow_reading(ruleset: int, folder: str) -> None:
    parent = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _buffer(struct.pack("=Qi", _READ_FILE | _READ_DIR, parent))
        system_call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.addressof(rule), 0)
    finally:
        os.close(parent)


def _buffer(data: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(data, len(data))
