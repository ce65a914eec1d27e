"""Web pages."""

import re

from sanbo.documents.file_formats import FileFormat

_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+"
    rb"<(?:!doctype\s+html|html)\b",
    re.I,
)
_FIRST = 4096

FORMAT = FileFormat(
    name="html",
    titles={"ja": "HTML", "en": "HTML"},
    rank=70,
    endings={".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml"},
    reader="sanbo.documents.formats.html.reader:read",
    begins=lambda data: _BEGINNING.match(data[:_FIRST]) is not None,
    is_text=True,
    looks_so=lambda text: text.startswith("<") and "</" in text,
)
