"""One HTML file, the two documents side by side; it asks nothing of anybody else.

Rows, folds of what did not change, marks of what did.
"""

from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from itertools import groupby

from sanbo.agents.comparison.model import Change, ComparedPair, ComparisonResult, Flag, Pair, Place
from sanbo.agents.comparison.outputs.rows import (
    in_order,
    is_blank,
    is_quiet,
    is_worth_reading,
    new_spans,
    numbers,
    old_spans,
    titles_at_end,
)
from sanbo.agents.comparison.outputs.wording import (
    caption,
    detail_words,
    document_name,
    explanation,
    flag_word,
    kind_word,
    pair_name,
    place_word,
    where,
)
from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import Span, excerpt, printable

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


_LISTED_WORDS = 60


def side_by_side(
    result: ComparisonResult,
    pairs: Sequence[Pair],
    language: Language,
    *,
    fold_renumbered: bool = False,
) -> str:
    """`pairs` tell which parts are headings; all that is shown is in the result."""
    view = View(language, numbers(result.changes), _headings(pairs), fold_renumbered)
    title = escape(tell("comparison_outputs.view.title", language))
    style, script = _part("view.css"), _part("view.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return "".join(
        (
            f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{style}</style></head>\n<body>",
            f'<header class="top"><h1>{title}</h1>{_counts(result, language)}</header>',
            '<div class="layout">',
            *_list_beside(result, view),
            "<main>",
            _bar(result, language),
            *_sections(result, view),
            f"</main></div>\n<script>{script}</script></body></html>\n",
        )
    )


def _headings(pairs: Sequence[Pair]) -> frozenset[str]:
    return frozenset(
        chunk.id
        for pair in pairs
        for side in (pair.old, pair.new)
        for chunk in (side.chunks if side else ())
        if chunk.kind == "heading"
    )


@cache
def _part(name: str) -> str:
    return (resources.files(__package__ or "") / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _counts(result: ComparisonResult, language: Language) -> str:
    items = [
        f"<li>{escape(kind_word(kind, language))} <b>{count}</b></li>"
        for kind, count in result.summary.counts.items()
        if count
    ]
    return f'<ul class="counts">{"".join(items)}</ul>'


def _list_beside(result: ComparisonResult, view: View) -> Iterator[str]:
    language = view.language
    label = escape(tell("comparison_outputs.view.list", language))
    note = escape(tell("comparison_outputs.view.list_note", language))
    yield f'<nav class="side" aria-label="{label}">'
    yield from _filters(result, view)
    yield f'<details open><summary>{label}</summary><p class="note">{note}</p><ol class="list">'
    for change in result.changes:
        if is_worth_reading(change):
            yield _listed(change, view)
    yield "</ol></details></nav>"


def _filters(result: ComparisonResult, view: View) -> Iterator[str]:
    language = view.language
    yield '<details class="filters scripted" open>'
    yield f"<summary>{escape(tell('comparison_outputs.view.filters', language))}</summary>"
    yield f"<fieldset><legend>{escape(tell('comparison_outputs.view.kinds', language))}</legend>"
    for kind, count in result.summary.counts.items():
        if count:
            yield _box("kind", kind, kind_word(kind, language), count, checked=True)
    yield "</fieldset>"
    flags: list[tuple[Flag, int]] = [each for each in result.summary.flags.items() if each[1]]
    if flags:
        told = escape(tell("comparison_outputs.view.flags", language))
        yield f"<fieldset><legend>{told}</legend>"
        for flag, count in flags:
            yield _box("flag", flag, flag_word(flag, language), count, checked=False)
        yield "</fieldset>"
    if any(
        change.kind == "renumbered" and is_quiet(change, fold_renumbered=True)
        for change in result.changes
    ):
        checked = " checked" if view.fold_renumbered else ""
        told = escape(tell("comparison_outputs.view.fold", language))
        yield f'<p><label><input type="checkbox" id="fold"{checked}> {told}</label></p>'
    told = escape(tell("comparison_outputs.view.reset", language))
    yield f'<button type="button" id="reset">{told}</button></details>'


def _box(name: str, value: str, word: str, count: int, *, checked: bool) -> str:
    state = " checked" if checked else ""
    return (
        f'<label><input type="checkbox" name="{name}" value="{value}"{state}> '
        f"{escape(word)} <small>{count}</small></label>"
    )


def _listed(change: Change, view: View) -> str:
    language = view.language
    details = [detail for detail in change.flag_details if detail.old or detail.new]
    if details:
        words = detail_words(details[0], language, 30)
    else:
        words = excerpt(change.new_text or change.old_text, _LISTED_WORDS)
    attention = ' class="attention"' if change.needs_attention else ""
    flags = "".join(
        f' <span class="flag {flag}">{escape(flag_word(flag, language))}</span>'
        for flag in change.flags
    )
    return (
        f'<li{attention} {attributes(change, view)}><a href="#c{view.number(change)}">'
        f'<span class="badge {change.kind}">{escape(kind_word(change.kind, language))}</span> '
        f"{escape(where(change, language))}{flags}"
        f'<span class="words">{escape(words)}</span></a></li>'
    )


def _bar(result: ComparisonResult, language: Language) -> str:
    differing = sum(is_worth_reading(change) for change in result.changes)
    template = escape(tell("comparison_outputs.view.shown", language, all=differing))
    previous = escape(tell("comparison_outputs.view.previous", language))
    following = escape(tell("comparison_outputs.view.next", language))
    keys = escape(tell("comparison_outputs.view.keys", language))
    nothing = escape(tell("comparison_outputs.view.none_shown", language))
    return (
        '<div class="bar scripted">'
        f'<button type="button" id="previous">↑ {previous}</button>'
        f'<button type="button" id="next">↓ {following}</button>'
        f'<span id="shown" role="status" data-template="{template}"></span>'
        f'<span class="note keys">{keys}</span></div>'
        f'<p class="empty-list" id="nothing" hidden>{nothing}</p>'
    )


def _sections(result: ComparisonResult, view: View) -> Iterator[str]:
    rows = {
        pair: list(group)
        for pair, group in groupby(in_order(result.changes), key=lambda change: change.pair)
    }
    for place, pair in enumerate(result.pairs):
        yield '<section class="pair">'
        if len(result.pairs) > 1:
            yield f"<h2>{place + 1}. {escape(pair_name(pair, view.language))}</h2>"
        yield from _told(pair, view.language)
        yield _head(pair, view.language)
        yield from pair_rows(rows.get(place, []), view)
        if place not in rows:
            none = escape(tell("comparison_outputs.view.no_rows", view.language))
            yield f'<p class="empty-list">{none}</p>'
        yield "</section>\n"


def _told(pair: ComparedPair, language: Language) -> Iterator[str]:
    if pair.outcome != "related":
        told = tell(f"comparison_outputs.outcome.{pair.outcome}", language)
        yield f'<p class="told {pair.outcome}">{escape(told)}</p>'
    for warning in pair.warnings:
        yield f'<p class="told">{escape(printable(warning.in_language(language).message))}</p>'


def _head(pair: ComparedPair, language: Language) -> str:
    old_name, new_name = document_name(pair.old, language), document_name(pair.new, language)
    old = tell("comparison_outputs.view.old", language, name=old_name)
    new = tell("comparison_outputs.view.new", language, name=new_name)
    return f'<div class="row head"><div>{escape(old)}</div><div>{escape(new)}</div></div>'
