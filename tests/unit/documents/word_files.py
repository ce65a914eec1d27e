"""Word files from WordprocessingML, for what Word writes and python-docx can't."""

import io
import zipfile

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def word_file(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    footnotes: str = "",
    endnotes: str = "",
    comments: str = "",
) -> bytes:
    """`body` and the rest are what stands inside the root of each part."""
    roots = {
        "styles": ("styles", styles),
        "numbering": ("numbering", numbering),
        "footnotes": ("footnotes", footnotes),
        "endnotes": ("endnotes", endnotes),
        "comments": ("comments", comments),
    }
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _relations({"officeDocument": "word/document.xml"}),
        "word/document.xml": f"<w:document {_NAMESPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _relations({name: f"{name}.xml" for name in roots}),
    }
    for name, (root, content) in roots.items():
        parts[f"word/{name}.xml"] = f"<w:{root} {_NAMESPACES}>{content}</w:{root}>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, xml in parts.items():
            archive.writestr(name, xml)
    return buffer.getvalue()


def paragraph(text: str, *, style: str = "", list_id: int | None = None, level: int = 0) -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if list_id is not None:
        properties += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: list[str], header_rows: int = 0) -> str:
    """Cells are texts, or `<w:tc>…` as they should be."""
    lines: list[str] = []
    for number, row in enumerate(rows):
        mark = "<w:trPr><w:tblHeader/></w:trPr>" if number < header_rows else ""
        cells = (text if text.startswith("<w:tc>") else cell(text) for text in row)
        lines.append(f"<w:tr>{mark}{''.join(cells)}</w:tr>")
    return f"<w:tbl>{''.join(lines)}</w:tbl>"


def cell(text: str, properties: str = "", content: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content or paragraph(text)}</w:tc>"


def list_definition(list_id: int, *levels: tuple[str, str], more: str = "") -> str:
    """An abstract list and one list of the same id; a level is its format and its text."""
    shown = "".join(
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{style}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for number, (style, text) in enumerate(levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="{list_id}">{shown}</w:abstractNum>'
        f'<w:num w:numId="{list_id}"><w:abstractNumId w:val="{list_id}"/></w:num>'
    )


def _relations(targets: dict[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="r{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items())
    )
    address = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{address}">{entries}</Relationships>'
