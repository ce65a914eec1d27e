"""Markdown files."""

from sanbo.documents.file_formats import FileFormat

FORMAT = FileFormat(
    name="markdown",
    titles={"ja": "Markdown", "en": "Markdown"},
    rank=60,
    endings={".md": "text/markdown", ".markdown": "text/markdown"},
    reader="sanbo.documents.formats.markdown.reader:read",
    is_text=True,
    table="delimited",
)
