"""A file's media type by its name, alike on every machine."""

import mimetypes

UNKNOWN = "application/octet-stream"

_OFFICE = "application/vnd.openxmlformats-officedocument"
# Without what this machine's own lists say; office files are in Python's only since 3.14.
_types = mimetypes.MimeTypes()
for _ending, _type in {
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".md": "text/markdown",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".zip": "application/zip",
    ".eml": "message/rfc822",
    ".webp": "image/webp",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}.items():
    _types.add_type(_type, _ending)


def media_type_of(name: str) -> str:
    # A name that begins like an address would be read as one.
    return _types.guess_type(f"./{name.rpartition('/')[2]}", strict=True)[0] or UNKNOWN
