"""ZIP files as other programs write them, with names in encodings that Python would not use."""

import io
import zipfile
from collections.abc import Mapping


class RawName(zipfile.ZipInfo):
    """An entry whose name is written as these bytes, without the mark of UTF-8."""

    def __init__(self, raw: bytes, extra: bytes = b"") -> None:
        super().__init__(raw.decode("latin-1"))
        self.raw = raw
        self.extra = extra
        self.compress_type = zipfile.ZIP_DEFLATED

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:
        return self.raw, self.flag_bits & ~0x800


def packed(
    files: Mapping[str, bytes]
    | Mapping[zipfile.ZipInfo, bytes]
    | Mapping[str | zipfile.ZipInfo, bytes],
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as package:
        for name, data in files.items():
            package.writestr(name, data, method)
    return buffer.getvalue()
