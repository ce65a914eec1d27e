"""The texts side by side as HTML: rows, folds of what did not change, marks of what did."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby

from sanbo.agents.comparison.model import Change, Place
from sanbo.agents.comparison.outputs.marked import is_blank, new_spans, old_spans
from sanbo.agents.comparison.outputs.rows import is_quiet, titles_at_end
from sanbo.agents.comparison.outputs.wording import (
    caption,
    explanation,
    flag_word,
    kind_word,
    place_word,
)
from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import Span, printable

_MOVED = ("moved", "moved_changed")


@dataclass(frozen=True)
class View:
    """What every row needs to know."""

    language: Language
    numbers: dict[tuple[int, int], int]
    headings: frozenset[str]
    """Ids of chunks that are headings."""
    fold_renumbered: bool

    def number(self, change: Change) -> int:
        return self.numbers[change.pair, change.order]


@dataclass(frozen=True)
class Left:
    """Where something stood that was moved away."""

    change: Change


def pair_rows(changes: Sequence[Change], view: View) -> Iterator[str]:
    """Of one pair, in the order of the documents."""
    items = list(with_old_places(changes))
    for quiet, group in groupby(items, key=_is_foldable):
        run = list(group)
        if not quiet:
            for item in run:
                yield _left(item.change, view) if isinstance(item, Left) else _row(item, view)
            continue
        still = [item for item in run if isinstance(item, Change)]
        titles = titles_at_end(still) if run[-1] is not items[-1] else ()
        yield from _quiet(still[: len(still) - len(titles)], view)
        yield from (_same(title, view, "title") for title in titles)


def with_old_places(changes: Sequence[Change]) -> Iterator[Change | Left]:
    """Moved ones stand where they are now; where they were, a row says where they went."""
    settled = [
        (change.old_places[0].start, at)
        for at, change in enumerate(changes)
        if change.old_places and change.kind not in _MOVED
    ]
    starts: list[int] = []
    for start, _ in settled:  # a merged one may begin before its neighbour
        starts.append(max(start, starts[-1] if starts else start))
    left: dict[int, list[Change]] = {}
    for change in changes:
        if change.kind in _MOVED and change.old_places:
            place = bisect_right(starts, change.old_places[0].start)
            before = settled[place][1] if place < len(settled) else len(changes)
            left.setdefault(before, []).append(change)
    for at in range(len(changes) + 1):
        yield from map(Left, sorted(left.get(at, ()), key=lambda one: one.old_places[0].start))
        if at < len(changes):
            yield changes[at]


def _is_foldable(item: Change | Left) -> bool:
    return isinstance(item, Change) and is_quiet(item, fold_renumbered=True)


def _quiet(changes: Sequence[Change], view: View) -> Iterator[str]:
    """Unchanged ones folded; with renumbered ones among them, all of it can be folded away."""
    if not any(change.kind == "renumbered" for change in changes):
        yield from _folded(changes, view)
        return
    count = sum(max(len(change.old), len(change.new)) for change in changes)
    told = tell("comparison_outputs.view.folded", view.language, count=count)
    is_open = "" if view.fold_renumbered else " open"
    yield f'<details class="quiet"{is_open}><summary>{escape(told)}</summary>'
    for kind, group in groupby(changes, key=lambda change: change.kind):
        if kind == "unchanged":
            yield from _folded(list(group), view)
        else:
            yield from (_row(change, view) for change in group)
    yield "</details>"


def _folded(changes: Sequence[Change], view: View) -> Iterator[str]:
    if not changes:
        return
    count = sum(max(len(change.old), len(change.new)) for change in changes)
    told = tell("comparison_outputs.view.unchanged", view.language, count=count)
    yield f'<details class="same"><summary>{escape(told)}</summary>'
    yield from (_same(change, view) for change in changes)
    yield "</details>"


def _same(change: Change, view: View, *names: str) -> str:
    classes = ["row", "unchanged", *names, *_heading(change, view)]
    return (
        f'<div class="{" ".join(classes)}">'
        f"{_side('old', old_spans(change), change.old_places, change.old_text, view)}"
        f"{_side('new', new_spans(change), change.new_places, change.new_text, view)}</div>"
    )


def _row(change: Change, view: View) -> str:
    number = view.number(change)
    classes = ["row", "differs", change.kind, *_heading(change, view)]
    if change.needs_attention:
        classes.append("attention")
    old = _side("old", old_spans(change), change.old_places, change.old_text, view)
    if change.kind in _MOVED:
        old = _from_elsewhere(change, view)
    new = _side("new", new_spans(change), change.new_places, change.new_text, view)
    return (
        f'<div class="{" ".join(classes)}" id="c{number}" tabindex="-1" '
        f"{attributes(change, view)}>{_meta(change, number, view)}{old}{new}</div>"
    )


def attributes(change: Change, view: View) -> str:
    """What filters go by; the words are ours, never a document's."""
    quiet = " data-quiet" if is_quiet(change, fold_renumbered=True) else ""
    return (
        f'data-n="{view.number(change)}" data-kind="{change.kind}" '
        f'data-flags="{" ".join(change.flags)}"{quiet}'
    )


def _meta(change: Change, number: int, view: View) -> str:
    language = view.language
    parts = [
        f'<span class="number">{number}</span>',
        f'<span class="badge {change.kind}">{escape(kind_word(change.kind, language))}</span>',
        *(
            f'<span class="flag {flag}">{escape(flag_word(flag, language))}</span>'
            for flag in change.flags
        ),
        f'<span class="why">{escape(explanation(change, language, 600))}</span>',
    ]
    if change.confidence < 1:
        share = f"{change.confidence:.0%}"
        told = tell("comparison_outputs.view.confidence", language, share=share)
        parts.append(f'<span class="note">{escape(told)}</span>')
    if change.decided_by == "model":
        told = tell("comparison_outputs.view.by_model", language)
        parts.append(f'<span class="note">{escape(told)}</span>')
    return f'<div class="meta">{"".join(parts)}</div>'


def _side(side: str, spans: Sequence[Span], places: Sequence[Place], text: str, view: View) -> str:
    if not spans:
        none = tell("comparison_outputs.view.nothing", view.language)
        return (
            f'<div class="{side} empty">{_tag(side, view)}<span class="none">{escape(none)}</span>'
            "</div>"
        )
    place = _place(places, text, view)
    return (
        f'<div class="{side}">{_tag(side, view)}{place}'
        f'<div class="text">{_marked(spans, "del" if side == "old" else "ins")}</div></div>'
    )


def _tag(side: str, view: View) -> str:
    return _named(side, view.language)


@cache
def _named(side: str, language: Language) -> str:
    told = tell(f"comparison_outputs.view.{side}_short", language)
    return f'<span class="tag">{escape(told)}</span>'


def _place(places: Sequence[Place], text: str, view: View) -> str:
    words = [caption(places, text)]
    if places and places[0].page is not None:
        words.append(tell("comparison_outputs.page", view.language, page=places[0].page))
    told = " ・ ".join(word for word in words if word)
    return f'<div class="place">{escape(told)}</div>' if told else ""


def _marked(spans: Sequence[Span], tag: str) -> str:
    return "".join(
        f"<{tag}{_unseen(span)}>{escape(span.text)}</{tag}>" if span.marked else escape(span.text)
        for span in spans
    )


def _unseen(span: Span) -> str:
    return ' class="unseen"' if is_blank(span.text) else ""


def _from_elsewhere(change: Change, view: View) -> str:
    number = view.number(change)
    place = place_word(change.old_places, view.language)
    name = "moved_from" if place else "moved_from_elsewhere"
    told = tell(f"comparison_outputs.view.{name}", view.language, place=place)
    look = tell("comparison_outputs.view.old_place", view.language)
    return (
        f'<div class="old">{_tag("old", view)}<div class="elsewhere"><div class="place">'
        f'{escape(told)} <a href="#c{number}-from">{escape(look)}</a></div>'
        f'<div class="text">{_marked(old_spans(change), "del")}</div></div></div>'
    )


def _left(change: Change, view: View) -> str:
    number = view.number(change)
    place = place_word(change.new_places, view.language)
    name = "moved_to" if place else "moved_elsewhere"
    told = tell(f"comparison_outputs.view.{name}", view.language, place=place)
    return (
        f'<div class="row gone" id="c{number}-from" tabindex="-1" {attributes(change, view)}>'
        f'<div class="old">{_tag("old", view)}{_place(change.old_places, change.old_text, view)}'
        f'<div class="text">{escape(printable(change.old_text))}</div></div>'
        f'<div class="new empty"><a href="#c{number}">{escape(told)}</a></div></div>'
    )


def _heading(change: Change, view: View) -> list[str]:
    return ["heading"] if view.headings.intersection((*change.old, *change.new)) else []
