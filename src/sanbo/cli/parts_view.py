"""Parts on the screen: one way of drawing each kind, whatever workflow they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Words

from sanbo.cli.screen import Mark, err, harmless, mark, show_line, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import Artifact
from sanbo.runs.parts import (
    ChangeItem,
    Changes,
    Column,
    Facts,
    Figure,
    Files,
    Graph,
    Part,
    Progress,
    ProgressStep,
    Score,
    Segment,
    Sources,
    Table,
    Text,
    Tone,
    Trouble,
    shown_cell,
)

if TYPE_CHECKING:
    from pydantic import JsonValue
    from rich.console import Console, RenderableType
    from rich.markdown import Markdown

MOST_ROWS = 20
MOST_COLUMNS = 10
MOST_CHANGES = 30
LONGEST_VALUE = 300
LONGEST_TEXT = 300
LONGEST_EQUAL = 60
"""Of a stretch that both sides have: its two ends."""
BAR_WIDTH = 20
_NO_EDGE = 10_000
_STYLES: dict[Tone, str] = {"good": "green", "caution": "yellow", "bad": "red", "plain": "cyan"}
STEP_MARKS: dict[str, Mark] = {
    "pending": "skipped",
    "running": "running",
    "waiting": "waiting",
    "succeeded": "ok",
    "failed": "broken",
    "skipped": "skipped",
}


def _markdown(text: str) -> Markdown:
    from rich import markdown  # noqa: PLC0415 - lists and help need not wait for it

    return markdown.Markdown(harmless(text))


def show_parts(console: Console, parts: Iterable[Part]) -> None:
    """One below the other; what people should heed goes to standard error."""
    for part in parts:
        _DRAWN[type(part)](console, part)


def heading(console: Console, title: str) -> None:
    if title:
        console.print()
        console.print(words(title, "bold"))


# ---- texts ---------------------------------------------------------------------------------


def _show_text(console: Console, part: Text) -> None:
    heading(console, part.title)
    if part.is_plain:
        console.print(words(part.markdown), soft_wrap=True)
    elif console.is_terminal:
        console.print(_markdown(part.markdown))
    elif part.document or part.markdown.startswith("#"):
        # A pipe gets a document as it is: Markdown is made to be read and kept as such.
        console.print(words(part.markdown.rstrip("\n")), soft_wrap=True)
    else:
        _show_unmarked(console, part.markdown)


def _show_unmarked(console: Console, text: str) -> None:
    """As text without its marks; in a file every paragraph on a line of its own."""
    written = _markdown(text)
    for line in console.render_lines(written, console.options.update(width=_NO_EDGE), pad=False):
        console.print(Words("".join(part.text for part in line).rstrip()), soft_wrap=True)


# ---- tables, facts -------------------------------------------------------------------------


def _show_table(console: Console, part: Table) -> None:
    heading(console, part.title)
    grid = Grid(box=None, pad_edge=False)
    shown = part.columns[: min(MOST_COLUMNS, max(4, console.width // 10))]
    for column in shown:
        unit = f" ({column.unit})" if column.unit else ""
        is_number = column.kind in ("number", "share")
        grid.add_column(harmless(f"{column.name}{unit}"), justify="right" if is_number else "left")
    for row in part.rows[:MOST_ROWS]:
        cells = zip(row, shown, strict=False)
        grid.add_row(*(words(cell_words(value, column)) for value, column in cells))
    console.print(grid)
    left_out = part.total_rows - min(len(part.rows), MOST_ROWS)
    if left_out:
        console.print(words(tell("cli.show.more", count=left_out), "dim"))
    if len(part.columns) > len(shown):
        more = tell("cli.show.more_columns", count=len(part.columns) - len(shown))
        console.print(words(more, "dim"))
    if part.note:
        console.print(words(part.note, "dim"))


def cell_words(value: JsonValue, column: Column | None = None) -> str:
    text = shown_cell(value, column)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _show_facts(console: Console, part: Facts) -> None:
    heading(console, part.title)
    grid = facts_grid()
    for fact in part.items:
        if fact.tone == "plain":
            note = f"  {fact.note}" if fact.note else ""
            grid.add_row(words(fact.label), words(f"{cell_words(fact.value)}{note}"))
        else:
            kind: Mark = "ok" if fact.tone == "good" else "warning"
            show_line(err(), kind, cell_words(fact.value))
    if grid.row_count:
        console.print(Padding(grid, (0, 0, 0, 2)) if console.is_terminal else grid)


def facts_grid() -> Grid:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


# ---- scores, sources -----------------------------------------------------------------------


def _show_score(console: Console, part: Score) -> None:
    console.print()
    line = words(part.title, "bold").append("  ")
    line.append_text(score_bar(console, part.value, part.tone, BAR_WIDTH))
    console.print(line.append("  ").append_text(words(part.level)), soft_wrap=True)
    if part.sentence:
        console.print(words(f"  {part.sentence}", "dim"), soft_wrap=True)
    for sentence in part.explanation:
        console.print(words(f"  {tell('cli.show.bullet')}{sentence}"), soft_wrap=True)


def score_bar(console: Console, score: float, tone: Tone, width: int = 10) -> Words:
    """Filled as far as the score goes, then its percent; full for 100% alone."""
    full, empty = _letters(console)
    most = width if f"{score:.0%}" == "100%" else width - 1
    filled = min(int(score * width + 0.5), most)
    bar = Words(full * filled, style=_STYLES[tone])
    bar.append(empty * (width - filled), style="dim")
    return bar.append(f" {score:>4.0%}", style=f"bold {_STYLES[tone]}")


def _letters(console: Console) -> tuple[str, str]:
    try:
        "█░".encode(console.encoding)
    except UnicodeEncodeError:
        return "■", "□"  # every Japanese character set has them
    return "█", "░"


def _show_sources(console: Console, part: Sources) -> None:
    heading(console, part.title)
    for source in part.items:
        place = source.place or source.document
        line = words(f"  [{source.mark}] ", "cyan").append_text(words(place, "default"))
        if source.is_verified is not None:
            line.append("  ").append_text(mark(console, "ok" if source.is_verified else "warning"))
        console.print(line.append_text(words(f" {source.note}", "dim")), soft_wrap=True)
        if source.quote:
            quote = tell("cli.show.quote", quote=_cut(" ".join(source.quote.split())))
            console.print(words(f"      {quote}", "dim"), soft_wrap=True)


# ---- changes -------------------------------------------------------------------------------


def _show_changes(console: Console, part: Changes) -> None:
    for item in part.items[:MOST_CHANGES]:
        console.print()
        _show_change(console, item)
    if part.total_items > MOST_CHANGES:
        console.print()
        more = tell("cli.show.more_changes", count=part.total_items - MOST_CHANGES)
        console.print(words(more, "dim"))


def _show_change(console: Console, item: ChangeItem) -> None:
    head = Words("■ ").append(harmless(item.label), style="bold")
    if item.document:
        head.append_text(words(f"  {item.document}", "dim"))
    old, new = (side.place if side else "" for side in (item.old, item.new))
    place = tell("cli.show.from_to", old=old, new=new) if old and new and old != new else new or old
    head.append_text(words(f"  {place}" if place else ""))
    if item.flags:
        head.append_text(words(f"  {tell('cli.show.separator').join(item.flags)}", "yellow"))
    console.print(head)
    _indented(console, _marked(item, is_coloured=console.color_system is not None))
    said = item.explanation
    if item.confidence is not None:
        said += " " + tell("cli.show.sure", share=f"{item.confidence:.0%}")
    if said:
        _indented(console, words(said.strip(), "dim"))


def _indented(console: Console, text: Words) -> None:
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, 2)))
    else:  # a file has no edge, and wants no blanks up to it
        for line in text.split("\n"):
            console.print(Words("  ").append_text(line), soft_wrap=True)


def _marked(item: ChangeItem, *, is_coloured: bool) -> Words:
    if item.diff:
        return _difference(item.diff, is_coloured=is_coloured)
    side = item.new or item.old
    style = {"added": "green", "deleted": "red"}.get(item.change, "")
    return words(_cut(side.text if side else ""), style)


def _difference(segments: Sequence[Segment], *, is_coloured: bool) -> Words:
    marked = Words()
    for number, segment in enumerate(segments):
        if segment.op == "same":
            marked.append_text(words(_ends(segment.text, number > 0, number < len(segments) - 1)))
        elif is_coloured:
            style = "red strike" if segment.op == "deleted" else "green"
            marked.append_text(words(_cut(segment.text), style))
        else:  # where no colour is shown: as wdiff writes it
            text = _cut(segment.text)
            marked.append_text(words(f"[-{text}-]" if segment.op == "deleted" else f"{{+{text}+}}"))
        if len(marked) > 2 * LONGEST_TEXT:
            marked.append(" …")
            break
    return marked


def _ends(text: str, has_before: bool, has_after: bool) -> str:
    """What stands next to a change; the middle of a long stretch says nothing."""
    half = LONGEST_EQUAL // 2
    if len(text) <= LONGEST_EQUAL:
        return text
    return f"{text[:half] if has_before else ''}…{text[-half:] if has_after else ''}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


# ---- files, pictures -----------------------------------------------------------------------


def _show_files(console: Console, part: Files) -> None:
    heading(console, part.title)
    grid = Grid.grid(padding=(0, 2))
    for artifact in part.items:
        grid.add_row(
            words(artifact.name),
            words(artifact.title),
            words(artifact.media_type, "dim"),
            words(_size(artifact), "dim"),
        )
    console.print(grid)


def _size(artifact: Artifact) -> str:
    if artifact.made_of:  # not known before somebody asks for it
        return "–"
    size = float(artifact.size)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _show_figure(console: Console, part: Figure) -> None:
    console.print()
    line = words(tell("cli.show.figure", title=part.title), "bold")
    console.print(line.append_text(words(f"  {part.picture.name}", "dim")), soft_wrap=True)
    if part.description:
        console.print(words(f"  {part.description}", "dim"))


# ---- steps ---------------------------------------------------------------------------------


def _show_progress(console: Console, part: Progress) -> None:
    heading(console, part.title)
    grid = Grid.grid(padding=(0, 2))
    for step in part.steps:
        status = tell(f"cli.step.{step.status}")
        grid.add_row(
            step_mark(console, step),
            words("  " * step.depth + step.title),
            words("/".join(step.path), "dim"),
            words(f"{status}{count_words(step)}"),
            words(duration(step.duration_ms), "dim"),
            words(step.detail.split("\n")[0], "dim"),
        )
    console.print(grid)


def step_mark(console: Console, step: ProgressStep) -> Words:
    is_odd = step.status == "succeeded" and step.tone == "caution" and step.score is None
    return mark(console, "warning" if is_odd else STEP_MARKS[step.status])


def count_words(step: ProgressStep) -> str:
    if step.done is None:
        return ""
    return f"  {step.done}/{step.of}" if step.of is not None else f"  {step.done}"


def duration(milliseconds: int | None, *, whole: bool = False) -> str:
    if milliseconds is None:
        return ""
    seconds = milliseconds / 1000
    if seconds < 60:
        figure = f"{int(seconds)}" if whole else f"{seconds:.1f}"
        return tell("cli.duration.seconds", seconds=figure)
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return tell("cli.duration.minutes", minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    return tell("cli.duration.hours", hours=hours, minutes=minutes)


def _show_graph(console: Console, part: Graph) -> None:
    heading(console, part.title)
    for edge in part.edges:
        label = f"  {edge.label}" if edge.label else ""
        console.print(words(f"  {edge.source} → {edge.target}{label}", "dim"), soft_wrap=True)


def _show_trouble(_console: Console, part: Trouble) -> None:
    problem = part.problem
    text = tell("cli.show.warned", step=part.title, message=problem.message, hint=problem.hint)
    show_line(err(), "warning", text)


_DRAWN: dict[type[Any], Callable[[Console, Any], None]] = {
    Text: _show_text,
    Table: _show_table,
    Figure: _show_figure,
    Sources: _show_sources,
    Score: _show_score,
    Changes: _show_changes,
    Graph: _show_graph,
    Files: _show_files,
    Facts: _show_facts,
    Trouble: _show_trouble,
    Progress: _show_progress,
}


def newest_lines(console: Console, text: str, most: int) -> RenderableType:
    """Of a text that is being written, as it will look: as many as there is room for."""
    lines = console.render_lines(_markdown(text), console.options, pad=False)
    shown = Words()
    for line in lines[-most:]:
        for segment in line:
            shown.append(segment.text, segment.style)
        shown.append("\n")
    return shown
