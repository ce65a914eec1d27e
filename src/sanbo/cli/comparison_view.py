"""A comparison on the screen: what to look at first, then the changes with their words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from sanbo.cli.progress import show_line
from sanbo.cli.screen import err, harmless, out, words
from sanbo.kernel.messages import current_language, tell
from sanbo.service.comparison import (
    Change,
    Piece,
    explanation,
    flag_words,
    is_quiet,
    kind_word,
    pair_name,
    place_word,
    result_of,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sanbo.runs.model import Run

MOST_CHANGES = 30
LONGEST_TEXT = 300
LONGEST_EQUAL = 60
"""Of a stretch that both have: its two ends."""
LONGEST_EXPLANATION = 600
_NO_EDGE = 10_000
_KIND_STYLES = {"added": "green", "deleted": "red"}
_IN_DIFFERENCE = {"delete": "red strike", "insert": "green"}


def show_comparison(run: Run, *, fold_renumbered: bool) -> None:
    """The summary, then what needs attention, then the rest; the files have everything."""
    result = result_of(run)
    console = out()
    _show_markdown(console, result.summary.text_md)
    shown = [
        change for change in result.changes if not is_quiet(change, fold_renumbered=fold_renumbered)
    ]
    names = [pair_name(pair, current_language()) for pair in result.pairs]
    for change in shown[:MOST_CHANGES]:
        console.print()
        _show_change(console, change, names[change.pair] if len(names) > 1 else "")
    if len(shown) > MOST_CHANGES:
        console.print()
        more = tell("cli.compare.more", count=len(shown) - MOST_CHANGES)
        console.print(words(more, "dim"))
    if shown:
        show_line(err(), "ok", tell("cli.compare.format_hint"))


def _show_markdown(console: Console, text: str) -> None:
    """As text without its marks; in a file every paragraph on a line of its own."""
    written = Markdown(harmless(text))
    if console.is_terminal:
        console.print(written)
        return
    for line in console.render_lines(written, console.options.update(width=_NO_EDGE), pad=False):
        console.print(Text("".join(part.text for part in line).rstrip()), soft_wrap=True)


def _show_change(console: Console, change: Change, document: str) -> None:
    language = current_language()
    head = Text("■ ").append(kind_word(change.kind, language), style="bold")
    if document:
        head.append_text(words(f"  {document}", "dim"))
    if place := _place(change):
        head.append_text(words(f"  {place}"))
    if flags := flag_words(change, language):
        head.append_text(words(f"  {flags}", "yellow"))
    console.print(head)
    _indented(console, _marked(change, is_coloured=console.color_system is not None))
    if said := " ".join(_said(change)):
        _indented(console, words(said, "dim"))


def _indented(console: Console, text: Text) -> None:
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, 2)))
    else:  # a file has no edge, and wants no blanks up to it
        for line in text.split("\n"):
            console.print(Text("  ").append_text(line), soft_wrap=True)


def _place(change: Change) -> str:
    old = place_word(change.old_places, current_language())
    new = place_word(change.new_places, current_language())
    if old and new and old != new:
        return tell("comparison_outputs.from_to_words", old=old, new=new)
    return new or old


def _marked(change: Change, *, is_coloured: bool) -> Text:
    if change.diff:
        return _difference(change.diff, is_coloured=is_coloured)
    text = _cut(change.new_text or change.old_text, LONGEST_TEXT)
    return words(text, _KIND_STYLES.get(change.kind, ""))


def _difference(pieces: Sequence[Piece], *, is_coloured: bool) -> Text:
    marked = Text()
    for number, piece in enumerate(pieces):
        if piece.op == "equal":
            ends = (number > 0, number < len(pieces) - 1)
            marked.append_text(words(_ends(piece.new, *ends)))
        else:
            marked.append_text(_changed(piece.old, "delete", is_coloured=is_coloured))
            marked.append_text(_changed(piece.new, "insert", is_coloured=is_coloured))
        if len(marked) > 2 * LONGEST_TEXT:
            marked.append(" …")
            break
    return marked


def _changed(text: str, op: str, *, is_coloured: bool) -> Text:
    if not text:
        return Text()
    text = _cut(text, LONGEST_TEXT)
    if is_coloured:
        return words(text, _IN_DIFFERENCE[op])
    # Where no colour is shown: as wdiff writes it.
    return words(f"[-{text}-]" if op == "delete" else f"{{+{text}+}}")


def _ends(text: str, has_before: bool, has_after: bool) -> str:
    """What stands next to a change; the middle of a long stretch says nothing."""
    half = LONGEST_EQUAL // 2
    if len(text) <= LONGEST_EQUAL:
        return text
    before = text[:half] if has_before else ""
    after = text[-half:] if has_after else ""
    return f"{before}…{after}"


def _said(change: Change) -> Iterator[str]:
    if told := explanation(change, current_language(), LONGEST_EXPLANATION):
        yield told
    if "doubtful" in change.flags:
        yield tell("cli.compare.confidence", share=f"{change.confidence:.0%}")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"
