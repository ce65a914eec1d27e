"""A report in Markdown: strangers' words are shown in it, never obeyed."""

from collections.abc import Iterator
from itertools import pairwise

from sanbo.kernel.markdown import cell, literal, plain
from sanbo.reports.blocks import Block, Code, Grid, Heading, Item, Line, Paragraph, Picture, Words
from sanbo.reports.content import Report, blocks_in
from sanbo.reports.names import target


def written(report: Report) -> bytes:
    drawn = [
        (Heading(1, report.title), f"# {plain(report.title)}"),
        *((Paragraph(()), plain(each)) for each in report.byline),
        *((block, _block(block)) for block in blocks_in(report)),
    ]
    text = drawn[0][1]
    for (before, _), (block, written_block) in pairwise(drawn):
        is_list = isinstance(before, Item) and isinstance(block, Item)
        text += ("\n" if is_list else "\n\n") + written_block
    return f"{text}\n".encode("utf-8", "replace")


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {plain(block.text)}"
        case Paragraph():
            lead = "> " if block.is_quote or block.is_warning else ""
            return "\n".join(f"{lead}{each}" for each in "".join(_lines(block.words)).split("\n"))
        case Item():
            mark = "-" if block.number is None else f"{block.number}."
            text = "".join(_lines(block.words)).replace("\n", "\n  " + "  " * block.depth)
            return f"{'  ' * block.depth}{mark} {text}"
        case Code():
            fence = "`" * max(3, _longest_ticks(block.text) + 1)
            return f"{fence}\n{block.text}\n{fence}"
        case Grid():
            return _grid(block)
        case Picture():
            shown = f"![{plain(block.description or block.title)}]({target(block.picture.name)})"
            return shown


def _longest_ticks(text: str) -> int:
    return max((len(each) for each in _ticks(text)), default=0)


def _ticks(text: str) -> Iterator[str]:
    """Stretches of nothing but backticks."""
    return iter("".join(letter if letter == "`" else " " for letter in text).split())


def _grid(grid: Grid) -> str:
    header = grid.header or ("",) * len(grid.rows[0])
    marks = [
        "---:" if at < len(grid.right) and grid.right[at] else "---" for at in range(len(header))
    ]
    rows = [
        f"| {' | '.join(cell(name) or ' ' for name in header)} |",
        f"| {' | '.join(marks)} |",
        *(f"| {' | '.join(_cell(words) for words in cells)} |" for cells in grid.rows),
    ]
    return "\n".join(rows) + (f"\n\n{plain(grid.note)}" if grid.note else "")


def _cell(words: Line) -> str:
    return "".join(_marked(each, cell(each.text)) for each in words)


def _lines(words: Line) -> Iterator[str]:
    for each in words:
        yield "  \n".join(
            _marked(each, literal(one)) if one else "" for one in each.text.split("\n")
        )


def _marked(words: Words, text: str) -> str:
    """Where the marks would not be seen as such, the words stand without them."""
    core = text.strip()
    if not core:
        return text
    before, _, after = text.partition(core)
    mark = "**" if words.bold or words.mark == "added" else "~~" if words.mark else ""
    mark = mark or ("*" if words.italic else "")
    return f"{before}{mark}{core}{mark}{after}"
