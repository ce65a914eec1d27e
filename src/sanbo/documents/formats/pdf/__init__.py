"""PDF files."""

from sanbo.documents.file_formats import FileFormat

_FIRST = 1024  # some programs write a few lines of their own in front

FORMAT = FileFormat(
    name="pdf",
    titles={"ja": "PDF", "en": "PDF"},
    rank=10,
    endings={".pdf": "application/pdf"},
    reader="sanbo.documents.formats.pdf.reader:read",
    pictures="sanbo.documents.formats.pdf.reader:pictures",
    begins=lambda data: b"%PDF-" in data[:_FIRST],
    lines="joined",
    has_set_pages=True,
)
