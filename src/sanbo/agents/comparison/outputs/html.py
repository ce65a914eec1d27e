"""One HTML file, the two documents side by side; it asks nothing of anybody else."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from itertools import groupby

from sanbo.agents.comparison.model import Change, ComparedPair, ComparisonResult, Flag, Pair
from sanbo.agents.comparison.outputs.html_rows import View, attributes, pair_rows
from sanbo.agents.comparison.outputs.rows import in_order, is_quiet, is_worth_reading, numbers
from sanbo.agents.comparison.outputs.wording import (
    detail_words,
    document_name,
    flag_word,
    kind_word,
    pair_name,
    where,
)
from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import excerpt, printable

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
            *_side(result, view),
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


def _side(result: ComparisonResult, view: View) -> Iterator[str]:
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
