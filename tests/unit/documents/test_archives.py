"""ZIP files: names as people saw them, one bad file beside good ones, and no harm from bad ones."""

import bz2
import random
import resource
import struct
import subprocess
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats.zip import ArchiveLimits, read_archive
from sanbo.documents.model import Skipped, Source
from sanbo.kernel.problems import Code, LimitExceeded, SanboError, UnsupportedFormat
from tests.examples import examples
from tests.unit.documents.zip_files import RawName, packed


def _read(data: bytes, limits: ArchiveLimits | None = None) -> dict[str, bytes | str]:
    """Names with their content, or with the text id of what was wrong."""
    return {
        found.name: found.data if isinstance(found, Source) else found.problem.text_id
        for found in read_archive(Source(name="outer.zip", data=data), limits)
    }


def _names(data: bytes) -> list[str]:
    return list(_read(data))


def test_files_come_out_as_they_went_in() -> None:
    files = {"議事録/4月.txt": "本文".encode(), "empty.txt": b"", "a.bin": bytes(range(256)) * 50}
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        expected = {f"outer.zip/{name}": data for name, data in files.items()}
        assert _read(packed(files, method)) == expected


@pytest.mark.parametrize(
    "name", ["①請求書（株）髙島.pdf", "見積書/表紙.txt", "ソート能力.csv", "ﾃﾞｰﾀ.txt", "山﨑.docx"]
)
def test_names_written_by_windows_are_read(name: str) -> None:
    data = packed({RawName(name.encode("cp932")): b"x"})
    assert _names(data) == [f"outer.zip/{name}"]


def test_names_written_by_a_mac_are_composed() -> None:
    apart = unicodedata.normalize("NFD", "プログラム/ガイド.pdf")
    data = packed({RawName(apart.encode("utf-8")): b"x", "__MACOSX/._ガイド.pdf": b"x"})
    assert _names(data) == ["outer.zip/プログラム/ガイド.pdf"]


def test_the_unicode_name_beside_an_old_one_is_honoured() -> None:
    raw = "????.txt".encode("cp932")
    name = "絵文字😀.txt"
    body = struct.pack("<BL", 1, zlib.crc32(raw)) + name.encode("utf-8")
    extra = struct.pack("<HH", 0x7075, len(body)) + body
    assert _names(packed({RawName(raw, extra): b"x"})) == [f"outer.zip/{name}"]
    of_another = struct.pack("<BL", 1, 0) + b"else.txt"
    extra = struct.pack("<HH", 0x7075, len(of_another)) + of_another
    assert _names(packed({RawName(raw, extra): b"x"})) == ["outer.zip/????.txt"]


def test_what_systems_leave_behind_is_left_out_silently() -> None:
    litter = ["__MACOSX/a.txt", ".DS_Store", "a/Thumbs.db", "~$見積.docx", ".git/config", "a/"]
    assert _names(packed(dict.fromkeys([*litter, "a/見積.docx"], b"x"))) == [
        "outer.zip/a/見積.docx"
    ]


def test_two_files_of_one_name_are_told_apart() -> None:
    first, second = zipfile.ZipInfo("a/メモ.txt"), zipfile.ZipInfo("a/メモ.txt")
    with pytest.warns(UserWarning, match="Duplicate"):
        data = packed({first: b"1", second: b"2"})
    assert _read(data) == {"outer.zip/a/メモ.txt": b"1", "outer.zip/a/メモ (2).txt": b"2"}


def test_a_name_made_up_for_a_second_file_takes_no_other_files_place() -> None:
    files: dict[zipfile.ZipInfo, bytes] = {
        zipfile.ZipInfo(name): str(number).encode()
        for number, name in enumerate(["報告.txt", "報告.txt", "報告 (2).txt", "報告.txt"])
    }
    with pytest.warns(UserWarning, match="Duplicate"):
        data = packed({**files})
    assert _read(data) == {
        "outer.zip/報告.txt": b"0",
        "outer.zip/報告 (3).txt": b"1",
        "outer.zip/報告 (2).txt": b"2",
        "outer.zip/報告 (4).txt": b"3",
    }


def test_a_name_that_falsely_claims_to_be_utf_8_does_not_stop_the_others() -> None:
    raw = "請求書.txt".encode("cp932")
    data = packed({RawName(raw): b"x" * 50, "良い.txt": b"good"})
    data = _patched(data, raw, flags=0x800)
    assert _read(data) == {"outer.zip/請求書.txt": b"x" * 50, "outer.zip/良い.txt": b"good"}


@pytest.mark.parametrize("names", [[], ["a/", "a/b/"], ["__MACOSX/._a.txt", ".DS_Store"]])
def test_an_archive_without_a_file_says_so(names: list[str]) -> None:
    assert _read(packed(dict.fromkeys(names, b""))) == {"outer.zip": "archive_empty"}
    inside = packed({"inner.zip": packed(dict.fromkeys(names, b"")), "good.txt": b"good"})
    assert _read(inside) == {"outer.zip/inner.zip": "archive_empty", "outer.zip/good.txt": b"good"}


def test_a_file_without_a_name_is_told_of() -> None:
    found = list(
        read_archive(Source(name="outer.zip", data=packed({"a.txt": b"x", RawName(b""): b"y"})))
    )
    assert found[0] == Source(name="outer.zip/a.txt", data=b"x")
    assert isinstance(found[1], Skipped)
    assert found[1].problem.text_id == "archive_entry_unnamed"
    assert found[1].problem.params == {"archive": "outer.zip", "number": 2}


def test_archives_inside_are_read_in_place() -> None:
    inner = packed({"file.txt": b"inner"})
    data = packed({"inner.zip": inner, "file.txt": b"outer"})
    assert _read(data) == {
        "outer.zip/inner.zip/file.txt": b"inner",
        "outer.zip/file.txt": b"outer",
    }


def test_archives_too_deep_inside_are_named() -> None:
    data = packed({"file.txt": b"deep"})
    for level in (4, 3, 2):
        data = packed({f"{level}.zip": data})
    assert _read(data) == {"outer.zip/2.zip/3.zip/4.zip": "archive_too_deep"}


def test_a_damaged_archive_inside_does_not_stop_the_others() -> None:
    inner = packed({"file.txt": b"inner" * 100})[:-30]
    data = packed({"inner.zip": inner, "file.txt": b"outer"})
    assert _read(data) == {"outer.zip/inner.zip": "archive_damaged", "outer.zip/file.txt": b"outer"}


OUTSIDE = ["../../outside.txt", "a/../../b.txt", "/etc/passwd", "C:/Windows/a.txt", "..\\..\\a.txt"]


@pytest.mark.parametrize("name", [*OUTSIDE, "\\\\server\\share\\a.txt", "C:\\a.txt"])
def test_a_name_that_leads_out_is_refused_and_the_others_read(name: str) -> None:
    data = packed({RawName(name.encode()): b"x", "good.txt": b"good"})
    found = list(read_archive(Source(name="outer.zip", data=data)))
    assert isinstance(found[0], Skipped)
    assert found[0].problem.text_id == "archive_entry_outside"
    assert found[0].problem.code == Code.INPUT_VALIDATION_FAILED
    assert found[1] == Source(name="outer.zip/good.txt", data=b"good")


def test_backslashes_between_folders_are_read_as_windows_means_them() -> None:
    assert _names(packed({RawName(b"folder\\file.txt"): b"x"})) == ["outer.zip/folder/file.txt"]


def test_invisible_characters_of_a_name_are_not_shown() -> None:
    assert _names(packed({"請求\u202efdp.exe": b"x"})) == ["outer.zip/請求fdp.exe"]


def test_a_link_is_refused() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.create_system = 3
    link.external_attr = 0o120777 << 16
    assert _read(packed({link: b"/etc/passwd", "good.txt": b"x"})) == {
        "outer.zip/link.txt": "archive_entry_link",
        "outer.zip/good.txt": b"x",
    }


def _patched(data: bytes, name: bytes, *, flags: int = 0, method: int = 8) -> bytes:
    """With these flags and this method in both headers of a file."""
    patched = bytearray(data)
    for signature, length, at in ((b"PK\x03\x04", 30, 6), (b"PK\x01\x02", 46, 8)):
        header = data.index(name, data.index(signature)) - length
        while data[header : header + 4] != signature:
            header = data.index(name, header + length + 1) - length
        struct.pack_into("<HH", patched, header + at, flags, method)
    return bytes(patched)


@pytest.mark.parametrize(
    ("flags", "method", "text_id"),
    [
        (1, 8, "archive_entry_encrypted"),  # ZipCrypto
        (1, 99, "archive_entry_encrypted"),  # AES
        (0, 9, "archive_entry_compression"),  # Deflate64
        (0, 14, "archive_entry_compression"),
        (0, 93, "archive_entry_compression"),
    ],
)
def test_a_file_that_cannot_be_unpacked_is_named_and_the_others_read(
    flags: int, method: int, text_id: str
) -> None:
    data = packed({"secret.txt": b"secret" * 10, "good.txt": b"good"})
    data = _patched(data, b"secret.txt", flags=flags, method=method)
    assert _read(data) == {"outer.zip/secret.txt": text_id, "outer.zip/good.txt": b"good"}


def test_a_damaged_file_is_named_and_the_others_read() -> None:
    data = bytearray(packed({"bad.txt": random.Random(1).randbytes(500), "good.txt": b"good"}))
    data[60:200] = bytes(140)
    assert _read(bytes(data)) == {
        "outer.zip/bad.txt": "archive_entry_damaged",
        "outer.zip/good.txt": b"good",
    }


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_truncated_archive_is_one_problem(share: float) -> None:
    data = packed({f"{n}.txt": random.Random(n).randbytes(2000) for n in range(10)})
    with pytest.raises(UnsupportedFormat) as refused:
        _read(data[: int(len(data) * share)])
    assert refused.value.problem.text_id == "archive_damaged"
    assert "outer.zip" in refused.value.problem.message


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06", b"hello" * 100, b"PK\x03\x04" * 20])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        _read(data)


@given(st.integers(0, 400), st.binary(min_size=1, max_size=8))
@settings(max_examples=examples(150))
def test_any_damage_is_a_problem_and_no_crash(at: int, junk: bytes) -> None:
    data = bytearray(packed({"一.txt": b"one" * 30, "inner.zip": packed({"二.txt": b"two"})}))
    data[at : at + len(junk)] = junk
    try:
        found = _read(bytes(data))
    except SanboError:
        return
    assert all(name.startswith("outer.zip") for name in found)


def test_too_many_files_are_refused() -> None:
    data = packed({f"{n}.txt": b"" for n in range(30)})
    assert len(_read(data, ArchiveLimits(files=30))) == 30
    with pytest.raises(LimitExceeded) as refused:
        _read(data, ArchiveLimits(files=29))
    assert refused.value.problem.text_id == "archive_too_many"


def test_files_of_archives_inside_are_counted_too() -> None:
    data = packed({f"{n}.zip": packed({"a": b"", "b": b"", "c": b""}) for n in range(5)})
    with pytest.raises(LimitExceeded):
        _read(data, ArchiveLimits(files=12))


def test_a_file_that_is_too_large_is_named_and_the_others_read() -> None:
    data = packed({"large.bin": random.Random(1).randbytes(3000), "good.txt": b"good"})
    assert _read(data, ArchiveLimits(file_bytes=2000)) == {
        "outer.zip/large.bin": "archive_entry_too_large",
        "outer.zip/good.txt": b"good",
    }


def test_all_files_together_are_bounded() -> None:
    data = packed({f"{n}.bin": random.Random(n).randbytes(1000) for n in range(10)})
    with pytest.raises(LimitExceeded) as refused:
        _read(data, ArchiveLimits(total_bytes=5000))
    assert refused.value.problem.text_id == "archive_too_large"


def _zeros(megabytes: int) -> bytes:
    """A stream of packed zeros, made from one megabyte of them over and over."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    megabyte = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = 0
    for _ in range(megabytes):
        checksum = zlib.crc32(bytes(1 << 20), checksum)
    return _package(megabyte * megabytes + packer.flush(), 8, checksum, megabytes << 20)


def _zeros_by_bzip2(megabytes: int) -> bytes:
    zeros = bytes(megabytes << 20)
    return _package(bz2.compress(zeros), 12, zlib.crc32(zeros), len(zeros))


def _package(stream: bytes, method: int, checksum: int, size: int) -> bytes:
    about = struct.pack("<5H3L2H", 20, 0, method, 0, 0, checksum, len(stream), size, 9, 0)
    local = b"PK\x03\x04" + about + b"zeros.txt" + stream
    central = b"PK\x01\x02\x14\x00" + about + bytes(14) + b"zeros.txt"
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + tail


def _lying(data: bytes) -> bytes:
    """Says that only ten bytes are in there."""
    at = data.rindex(b"PK\x01\x02")
    patched = bytearray(data)
    struct.pack_into("<L", patched, at + 24, 10)
    return bytes(patched)


def _overlapping() -> bytes:
    """Many files that are all the same bytes."""
    data = packed({"a.txt": bytes(1 << 20)})
    at = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = data[at:end]
    entries = b"".join(entry.replace(b"a.txt", f"{n:05}".encode()) for n in range(5000))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 5000, 5000, len(entries), at, 0)
    return data[:at] + entries + tail


def _many_small() -> bytes:
    """Each harmless by itself."""
    inner = _zeros(40)
    return packed({f"{n}.zip": inner for n in range(100)})


BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: _zeros(1500),
    "bzip2": lambda: _zeros_by_bzip2(150),
    "lying": lambda: _lying(_zeros(500)),
    "overlapping": _overlapping,
    "nested": lambda: packed({"1.zip": packed({"2.zip": _zeros(500)})}),
    "many": _many_small,
}

HARNESS = """
import re, resource, sys
from pathlib import Path
from sanbo.documents.formats.zip import read_archive
from sanbo.documents.model import Source
from sanbo.kernel.problems import SanboError
try:
    for found in read_archive(Source(name="bomb.zip", data=Path(sys.argv[1]).read_bytes())):
        if hasattr(found, "problem"):
            print(found.problem.text_id)
except SanboError as error:
    print(error.problem.text_id)
# A child's ru_maxrss begins with what its parent held when it forked; Linux tells it apart.
status = Path("/proc/self/status")
peak = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print((int(peak[1]) if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // 1024)
"""


def _in_a_process(path: Path) -> tuple[list[str], int, float]:
    """What was said, the peak of memory in MB, and the seconds of work it took."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", HARNESS, str(path)], capture_output=True, text=True, check=True
    )
    *said, memory = done.stdout.split()
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, int(memory), end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused_soon_and_in_little_memory(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(BOMBS[kind]())
    said, memory, seconds = _in_a_process(path)
    assert said == ["archive_bomb"]
    assert memory < 200
    assert seconds < 4  # half of it for a machine that does other work


def test_the_other_attacks_end_as_soon(tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    good = packed({"../../outside.txt": b"x", "secret.txt": b"y"})
    path.write_bytes(_patched(good, b"secret.txt", flags=1))
    said, memory, seconds = _in_a_process(path)
    assert said == ["archive_entry_outside", "archive_entry_encrypted"]
    path.write_bytes(good[:-40])
    said_of_truncated, memory_of_truncated, _ = _in_a_process(path)
    assert said_of_truncated == ["archive_damaged"]
    assert max(memory, memory_of_truncated) < 200
    assert seconds < 4


def test_well_packed_files_of_an_office_are_no_bomb() -> None:
    text = ("2025-04-01,東京本店,売上,1000\n" * 400_000).encode()
    data = packed({"log.csv": text})
    assert len(text) > 100 * len(data)
    assert _read(data) == {"outer.zip/log.csv": text}


def test_files_are_read_one_by_one() -> None:
    data = packed({f"{n}.bin": bytes(1000) for n in range(100)})
    reading = read_archive(Source(name="outer.zip", data=data))
    assert next(reading).name == "outer.zip/0.bin"
    assert next(reading).name == "outer.zip/1.bin"
