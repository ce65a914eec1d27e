"""A report as a page that is whole in itself: to be read in a browser, and printed as a PDF."""

import base64
from collections.abc import Iterator, Mapping
from html import escape

from sanbo.reports.blocks import Block, Code, Grid, Heading, Item, Line, Paragraph, Picture
from sanbo.reports.content import Report, blocks_in
from sanbo.reports.letters import printable
from sanbo.runs.parts import Changes

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light; }
body { font-family: "Hiragino Sans", "Yu Gothic", YuGothic, Meiryo, "Noto Sans CJK JP",
  "Noto Sans JP", sans-serif; font-size: 10.5pt; line-height: 1.7; color: #1b1f24;
  max-width: 190mm; margin: 2em auto; padding: 0 1em; overflow-wrap: anywhere; }
body.wide { max-width: 277mm; }
h1 { font-size: 17pt; line-height: 1.4; margin: 0 0 .2em; }
h2 { font-size: 13pt; margin: 1.6em 0 .5em; padding-bottom: .15em;
  border-bottom: 1px solid #c9d1d9; }
h3 { font-size: 11.5pt; margin: 1.3em 0 .4em; }
h4 { font-size: 10.5pt; margin: 1em 0 .3em; }
p { margin: .4em 0; white-space: pre-line; }
.byline, .note, .grey { color: #57606a; font-size: 9pt; margin: 0; }
.warning { background: #fff8e1; border-left: 4px solid #d4a017; padding: .35em .8em; }
blockquote { margin: .2em 0 .8em 1em; padding-left: .8em; border-left: 3px solid #c9d1d9;
  color: #3c444d; }
.item { padding-left: 1.4em; text-indent: -1.1em; }
table { border-collapse: collapse; margin: .6em 0 .3em; font-size: 9pt; line-height: 1.5; }
table.full { width: 100%; table-layout: fixed; }
th, td { border: 1px solid #b6bfc8; padding: .25em .6em; text-align: left; vertical-align: top;
  white-space: pre-line; }
thead th { background: #eef1f4; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
pre { background: #f6f8fa; padding: .7em; font-size: 8.5pt; line-height: 1.45;
  white-space: pre-wrap; }
ins, del { text-decoration: underline; text-underline-offset: .15em; }
ins { background: #e3f2e6; } del { background: #fbe6e6; }
figure { margin: .6em 0; } figure img { max-width: 100%; height: auto; }
figcaption { color: #57606a; font-size: 9pt; }
@page { size: A4; margin: 16mm 15mm; }
@page wide { size: A4 landscape; margin: 14mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 9.5pt; }
  body.wide { page: wide; }
  h1, h2, h3, h4 { break-after: avoid; }
  tr, figure, .warning { break-inside: avoid; }
  thead { display: table-header-group; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def written(report: Report) -> bytes:
    is_wide = any(isinstance(part, Changes) for part in report.parts)
    body = "\n".join(
        (
            f"<h1>{_text(report.title)}</h1>",
            *(f'<p class="byline">{_text(each)}</p>' for each in report.byline),
            *_drawn(report),
        )
    )
    page = (
        f'<!doctype html>\n<html lang="{report.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f'<body class="{"wide" if is_wide else "plain"}">\n{body}\n</body>\n</html>\n'
    )
    return page.encode("utf-8", "replace")


def _drawn(report: Report) -> Iterator[str]:
    for block in blocks_in(report):
        yield _block(block, report.pictures)


def _block(block: Block, pictures: Mapping[str, bytes]) -> str:
    match block:
        case Heading():
            return f"<h{block.level}>{_text(block.text)}</h{block.level}>"
        case Paragraph():
            look = ' class="warning"' if block.is_warning else ""
            told = f"<p{look}>{_words(block.words)}</p>"
            return f"<blockquote>{told}</blockquote>" if block.is_quote else told
        case Item():
            mark = "・" if block.number is None else f"{block.number}. "
            margin = f' style="margin-left:{1.2 * block.depth:g}em"' if block.depth else ""
            return f'<p class="item"{margin}>{mark}{_words(block.words)}</p>'
        case Code():
            return f"<pre>{_text(block.text)}</pre>"
        case Grid():
            return _grid(block)
        case Picture():
            return _picture(block, pictures)


def _grid(grid: Grid) -> str:
    columns = "".join(
        f'<col style="width:{100 * part / sum(grid.widths):.1f}%">' for part in grid.widths
    )
    header = "".join(f"<th>{_text(name)}</th>" for name in grid.header)
    rows = "".join(
        "<tr>"
        + "".join(f"<td{_right(grid, at)}>{_words(words)}</td>" for at, words in enumerate(cells))
        + "</tr>\n"
        for cells in grid.rows
    )
    look = ' class="full"' if grid.widths else ""
    note = f'<p class="note">{_text(grid.note)}</p>' if grid.note else ""
    head = f"<thead><tr>{header}</tr></thead>" if header else ""
    group = f"<colgroup>{columns}</colgroup>" if columns else ""
    return f"<table{look}>{group}{head}<tbody>\n{rows}</tbody></table>{note}"


def _right(grid: Grid, at: int) -> str:
    return ' class="number"' if at < len(grid.right) and grid.right[at] else ""


def _picture(block: Picture, pictures: Mapping[str, bytes]) -> str:
    caption = f"<figcaption>{_text(block.description)}</figcaption>" if block.description else ""
    data = pictures.get(block.picture.artifact_id)
    if data is None:
        return f"<figure>{caption}</figure>"
    # In an image nothing of a drawing can act.
    kind = "image/png" if data.startswith(b"\x89PNG") else "image/svg+xml"
    source = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return f'<figure><img src="{source}" alt="{_text(block.title)}">{caption}</figure>'


def _words(words: Line) -> str:
    parts: list[str] = []
    for each in words:
        text = _text(each.text)
        if each.code:
            text = f"<code>{text}</code>"
        if each.bold:
            text = f"<strong>{text}</strong>"
        if each.italic:
            text = f"<em>{text}</em>"
        if each.grey:
            text = f'<span class="grey">{text}</span>'
        if each.mark:
            tag = "ins" if each.mark == "added" else "del"
            text = f"<{tag}>{text}</{tag}>"
        parts.append(text)
    return "".join(parts)


def _text(text: str) -> str:
    return escape(printable(text))
