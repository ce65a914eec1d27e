"""Plain text: paragraphs by blank lines, chapters by their markers."""

import re

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.chunks import Rank, marker_of
from sanbo.documents.encodings import decode
from sanbo.documents.file_formats import FileFormat
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import UnsupportedFormat

_BLANK_LINES = re.compile(r"\n[ \t　]*\n")
_LONGEST_HEADING = 60

FORMAT = FileFormat(
    name="text",
    titles={"ja": "TXT", "en": "TXT"},
    rank=80,
    endings={".txt": "text/plain", ".text": "text/plain", ".log": "text/plain"},
    reader="sanbo.documents.formats.text:read",
    is_text=True,
    table="delimited",
    lines="wrapped",
)


def read(source: Source) -> Document:
    decoded = decode(source.data)
    builder = DocumentBuilder(source.name, "text")
    if decoded.replaced:
        builder.warn(UnsupportedFormat("text_bytes_replaced", count=decoded.replaced))
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    for block in _BLANK_LINES.split(text):
        _read_block(builder, block)
    return builder.build()


def _read_block(builder: DocumentBuilder, block: str) -> None:
    """Lines of one block are one paragraph, unless they begin something of their own."""
    gathered: list[str] = []

    def finish() -> None:
        builder.paragraph("\n".join(gathered))
        gathered.clear()

    for line in block.split("\n"):
        marker = marker_of(line)
        if marker is None:
            gathered.append(line)
            continue
        finish()
        if marker.rank < Rank.ARTICLE and len(line.strip()) <= _LONGEST_HEADING:
            builder.heading(line, int(marker.rank))
        else:
            gathered.append(line)
    finish()
