"""Mails, and the files attached to them."""

import re

from sanbo.documents.file_formats import FileFormat

_HEADERS = re.compile(rb"\A(?:[!-9;-~]++:[^\n]*+\n(?:[ \t][^\n]*+\n)*+){2,}+\r?\n", re.ASCII)
_FIELDS = re.compile(rb"^(?:from|to|subject|date|received|mime-version):", re.I | re.M)
_FIRST = 8192


def _begins(data: bytes) -> bool:
    return _HEADERS.match(data) is not None and len(set(_FIELDS.findall(data[:_FIRST]))) >= 2


FORMAT = FileFormat(
    name="eml",
    titles={"ja": "EML", "en": "EML"},
    rank=90,
    endings={".eml": "message/rfc822"},
    reader="sanbo.documents.formats.eml.reader:read",
    unpacker="sanbo.documents.formats.eml.reader:attachments",
    may_hold_files=lambda data: _FIELDS.search(data[:_FIRST]) is not None,
    begins=_begins,
    is_text=True,
    lines="wrapped",
)
