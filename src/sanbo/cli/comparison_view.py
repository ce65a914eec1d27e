"""A comparison on the screen: what to look at first, then the changes with their words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from sanbo.cli.progress import show_line
from sanbo.cli.screen import err, harmless, out, words
from sanbo.kernel.messages import tell

if TYPE_CHECKING:
    from rich.console import Console

    from sanbo.runs.model import JsonObject, Run

MOST_CHANGES = 30
LONGEST_TEXT = 300
LONGEST_EQUAL = 60
"""Of a stretch that both have: its two ends."""
_KIND_STYLES = {"added": "green", "deleted": "red"}
_IN_DIFFERENCE = {"delete": "red strike", "insert": "green"}


def show_comparison(run: Run, *, fold_renumbered: bool) -> None:
    """The summary, then what needs attention, then the rest; the files have everything."""
    result = run.result or {}
    console = out()
    summary = cast("JsonObject", result["summary"])
    text = str(summary["text_md"])
    console.print(Markdown(harmless(text)) if console.is_terminal else words(text))
    shown = [
        change
        for change in cast("list[JsonObject]", result["changes"])
        if change["kind"] != "unchanged" and not (fold_renumbered and _only_renumbered(change))
    ]
    names = [_pair_name(pair) for pair in cast("list[JsonObject]", result["pairs"])]
    for change in shown[:MOST_CHANGES]:
        console.print()
        document = names[cast("int", change["pair"])] if len(names) > 1 else ""
        _show_change(console, change, document)
    if len(shown) > MOST_CHANGES:
        console.print()
        more = tell("cli.compare.more", count=len(shown) - MOST_CHANGES)
        console.print(words(more, "dim"))
    if shown:
        show_line(err(), "ok", tell("cli.compare.format_hint"))


def _only_renumbered(change: JsonObject) -> bool:
    """What a folded view leaves out; a reference that leads elsewhere is never left out."""
    return change["kind"] == "renumbered" and not _flags(change)


def _pair_name(pair: JsonObject) -> str:
    document = cast("JsonObject", pair["new"] or pair["old"])
    return str(document["name"])


def _show_change(console: Console, change: JsonObject, document: str) -> None:
    kind = str(change["kind"])
    head = Text("■ ").append(tell(f"comparison_outputs.kind.{kind}"), style="bold")
    if document:
        head.append_text(words(f"  {document}", "dim"))
    if place := _place(change):
        head.append_text(words(f"  {place}"))
    if flags := _flags(change):
        separator = tell("comparison_outputs.separator")
        told = separator.join(tell(f"comparison_outputs.flag.{flag}") for flag in flags)
        head.append_text(words(f"  {told}", "yellow"))
    console.print(head)
    _indented(console, _marked(change, is_coloured=console.color_system is not None))
    if said := _said(change):
        _indented(console, words(said, "dim"))


def _indented(console: Console, text: Text) -> None:
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, 2)))
    else:  # a file has no edge, and wants no blanks up to it
        for line in text.split("\n"):
            console.print(Text("  ").append_text(line), soft_wrap=True)


def _flags(change: JsonObject) -> list[str]:
    return cast("list[str]", change["flags"])


def _place(change: JsonObject) -> str:
    old = _labels(cast("list[JsonObject]", change["old_places"]))
    new = _labels(cast("list[JsonObject]", change["new_places"]))
    if old and new and old != new:
        return tell("comparison_outputs.from_to_words", old=old, new=new)
    return new or old


def _labels(places: Sequence[JsonObject]) -> str:
    labels = dict.fromkeys(_label(place)[:LONGEST_EQUAL] for place in places[:3])
    told = tell("comparison_outputs.separator").join(labels)
    return tell("comparison_outputs.and_more_places", places=told) if len(places) > 3 else told


def _label(place: JsonObject) -> str:
    """Its number; else the row, the heading it stands under, the page; else its id."""
    if place["label"]:
        return str(place["label"])
    if place["row"] is not None:
        return tell("comparison_outputs.row", row=place["row"])
    if headings := cast("list[str]", place["headings"]):
        return headings[-1]
    if place["page"] is not None:
        return tell("comparison_outputs.page", page=place["page"])
    return str(place["id"])


def _marked(change: JsonObject, *, is_coloured: bool) -> Text:
    pieces = cast("list[JsonObject]", change["diff"])
    if pieces:
        return _difference(pieces, is_coloured=is_coloured)
    kind = str(change["kind"])
    text = _cut(str(change["new_text"] or change["old_text"]), LONGEST_TEXT)
    return words(text, _KIND_STYLES.get(kind, ""))


def _difference(pieces: Sequence[JsonObject], *, is_coloured: bool) -> Text:
    marked = Text()
    for number, piece in enumerate(pieces):
        old, new = str(piece["old"]), str(piece["new"])
        if piece["op"] == "equal":
            ends = (number > 0, number < len(pieces) - 1)
            marked.append_text(words(_ends(new, *ends)))
        else:
            marked.append_text(_changed(old, "delete", is_coloured=is_coloured))
            marked.append_text(_changed(new, "insert", is_coloured=is_coloured))
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


def _said(change: JsonObject) -> str:
    return " ".join(part for part in _parts_said(change) if part)


def _parts_said(change: JsonObject) -> Iterator[str]:
    yield str(change["explanation"])
    problem = cast("JsonObject | None", change["problem"])
    if problem is not None:
        yield str(problem["message"])
    if "doubtful" in _flags(change):
        share = f"{cast('float', change['confidence']):.0%}"
        yield tell("cli.compare.confidence", share=share)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"
