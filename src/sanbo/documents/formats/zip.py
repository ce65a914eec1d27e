"""ZIP files: no documents themselves, but files that may be."""

from sanbo.documents.file_formats import FileFormat

FORMAT = FileFormat(
    name="zip",
    titles={"ja": "ZIP", "en": "ZIP"},
    rank=110,
    endings={".zip": "application/zip"},
    unpacker="sanbo.documents.archives:read_archive",
    may_hold_files=lambda data: data[:2] == b"PK",
)
