"""Office packages: whole, bounded and unprotected ones pass, everything else is a clear problem."""

import io
import struct
import zipfile
import zlib

import pytest
from docx import Document as new_document

from sanbo.documents.model import Source
from sanbo.documents.ooxml import package as office_package
from sanbo.documents.ooxml.package import Package
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat
from tests.unit.documents.damage import damaged, repacked


def _docx() -> bytes:
    document = new_document()
    document.add_paragraph("本契約は、甲と乙の間で締結する。")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _zip(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _problem(data: bytes) -> SanboError:
    with pytest.raises(SanboError) as raised:
        Package(Source(name="契約書.docx", data=data))
    return raised.value


def test_a_sound_package_passes() -> None:
    Package(Source(name="契約書.docx", data=_docx()))


def test_a_broken_off_download_is_called_damaged() -> None:
    problem = _problem(_docx()[:2000])
    assert problem.problem.text_id == "office_package_damaged"
    assert "契約書.docx" in problem.problem.message


def test_any_flipped_byte_of_content_is_noticed() -> None:
    data = bytearray(_docx())
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        place = archive.getinfo("word/document.xml")
    data[place.header_offset + 30 + len(place.filename) + place.compress_size // 2] ^= 0xFF
    assert _problem(bytes(data)).problem.text_id == "office_package_damaged"


def test_a_password_is_named_as_the_reason() -> None:
    compound = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512)
    assert _problem(compound + "EncryptedPackage".encode("utf-16-le")).problem.text_id == (
        "office_file_protected"
    )


def test_old_binary_files_ask_for_the_new_format() -> None:
    compound = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512)
    assert _problem(compound).problem.text_id == "office_file_old_format"


def test_a_zip_that_is_no_office_file_lacks_a_part() -> None:
    problem = _problem(_zip({"写真.txt": b"hello"}))
    assert problem.problem.text_id == "office_part_missing"


def test_a_bomb_is_refused_by_what_it_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_package, "MAX_TOTAL_BYTES", 1_000_000)
    bomb = _zip({"[Content_Types].xml": b"<Types/>", "a": bytes(900_000), "b": bytes(900_000)})
    assert isinstance(_problem(bomb), LimitExceeded)


def test_a_large_part_of_nothing_is_refused() -> None:
    bomb = _zip({"[Content_Types].xml": b"<Types/>", "xl/sheet.xml": bytes(40 * 1024 * 1024)})
    assert _problem(bomb).problem.text_id == "office_package_too_large"


def test_too_many_parts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_package, "MAX_PARTS", 50)
    parts = {f"part{number}": b"x" for number in range(60)}
    assert _problem(_zip({"[Content_Types].xml": b"", **parts})).problem.text_id == (
        "office_package_too_many_parts"
    )


def test_a_part_that_lies_about_its_size_is_refused() -> None:
    content = b"x" * 100_000
    data = _zip({"[Content_Types].xml": b"<Types/>", "big": content})
    for truth, lie in ((100_000, 10), (zlib.crc32(content), zlib.crc32(content[:10]))):
        assert data.count(struct.pack("<I", truth)) == 2  # the local and the central record
        data = data.replace(struct.pack("<I", truth), struct.pack("<I", lie))
    assert _problem(data).problem.text_id == "office_package_damaged"


def test_two_parts_of_one_name_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<a/>")
        archive.writestr("word/Document.xml", "<b/>")
    assert _problem(buffer.getvalue()).problem.text_id == "office_package_damaged"


def test_damage_of_any_kind_never_escapes_as_a_library_error() -> None:
    outcomes = {"sound": 0, "problem": 0}
    for broken in damaged(_docx(), 60):
        try:
            Package(Source(name="契約書.docx", data=broken))
            outcomes["sound"] += 1
        except SanboError:
            outcomes["problem"] += 1
    assert outcomes["problem"] > 200


def test_parts_are_found_whatever_the_case_of_their_names() -> None:
    mixed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_docx())) as old, zipfile.ZipFile(mixed, "w") as new:
        for name in old.namelist():
            new.writestr(name.replace("word/document.xml", "Word/Document.XML"), old.read(name))
    package = Package(Source(name="契約書.docx", data=mixed.getvalue()))
    assert "甲と乙" in "".join(
        element.text or "" for element in package.xml(package.main_part("word/document.xml")).iter()
    )


def test_relations_that_lead_out_of_the_file_are_not_followed() -> None:
    def point_outside(name: str, data: bytes) -> bytes:
        if name != "word/_rels/document.xml.rels":
            return data
        external = (
            b'<Relationship Id="rX" Type="http://x/attachedTemplate" TargetMode="External"'
            b' Target="http://127.0.0.1:9/evil.dotm"/></Relationships>'
        )
        return data.replace(b"</Relationships>", external)

    package = Package(Source(name="a.docx", data=repacked(_docx(), point_outside)))
    related = package.relationships("word/document.xml")
    assert related
    assert all("evil" not in entry.target for entry in related)


@pytest.mark.parametrize(
    "part",
    [
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>',
        b'<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>',
        b"<x><y></x>",
        b"\xff\xfe\x00",
        b"",
        b"<a>" * 5000,
    ],
)
def test_xml_that_is_hostile_or_broken_is_a_damaged_part(part: bytes) -> None:
    data = repacked(_docx(), lambda name, old: part if name == "word/document.xml" else old)
    package = Package(Source(name="a.docx", data=data))
    with pytest.raises(UnsupportedFormat) as raised:
        package.xml("word/document.xml")
    assert raised.value.problem.text_id == "office_part_damaged"


def test_a_part_of_millions_of_elements_is_refused_before_it_fills_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sanbo.documents.ooxml.xml.MAX_NODES", 1000)
    huge = b"<a>" + b"<b/>" * 2000 + b"</a>"
    data = repacked(_docx(), lambda name, old: huge if name == "word/document.xml" else old)
    package = Package(Source(name="a.docx", data=data))
    with pytest.raises(LimitExceeded):
        package.xml("word/document.xml")
