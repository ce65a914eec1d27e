"""Text as files can hold it, and a text as stretches that are marked or not."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

ELLIPSIS = "…"
_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\ufdd0-\ufdef]")
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"
    "\ud800-\udfff\ufffe\uffff\ufdd0-\ufdef]"
)
_TURNS_WRITING = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_COMBINING = "\u3099\u309a\u200d\ufe0e\ufe0f"


class Span(NamedTuple):
    text: str
    marked: bool
    """It is in this document only."""


def printable(text: str) -> str:
    """As XML can hold it: line breaks are `\\n`; what can't be printed is visible as such.

    Marks that turn the direction of writing would show other words than the document has.
    """
    if text.isprintable() or not _ODD.search(text):
        return text
    text = _LINE_BREAKS.sub("\n", text)
    text = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return _TURNS_WRITING.sub("", text)


def plain_text(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def shortened(spans: Sequence[Span], most: int) -> list[Span]:
    """At most about so many characters: the differences, and what stands around them."""
    if sum(len(span.text) for span in spans) <= most:
        return list(spans)
    context = max(8, min(40, most // 8))
    left = most
    kept: list[Span] = []
    last = len(spans) - 1
    for at, span in enumerate(spans):
        if left <= 0:
            kept.append(Span(ELLIPSIS, False))
            break
        text = span.text if span.marked else _around(span.text, context, at == 0, at == last)
        if len(text) > left:
            text = _whole_letters(text[:left]) + ELLIPSIS
            kept.append(Span(text, span.marked))
            break
        left -= len(text)
        kept.append(Span(text, span.marked))
    return joined(kept)


def excerpt(text: str, most: int) -> str:
    """One line of at most so many characters."""
    line = " ".join(printable(text[: most * 4]).split())
    if len(line) <= most and len(text) <= most * 4:
        return line
    return _whole_letters(line[:most]) + ELLIPSIS


def joined(spans: Iterable[tuple[str, bool]]) -> list[Span]:
    """Printable, without empty ones, neighbours of one kind as one."""
    together: list[Span] = []
    for found, marked in spans:
        text = printable(found)
        if not text:
            continue
        if together and together[-1].marked == marked:
            together[-1] = Span(together[-1].text + text, marked)
        else:
            together.append(Span(text, marked))
    return together


def tight(spans: list[Span]) -> list[Span]:
    """Words are marked, not the white space around them; white space alone is."""
    if not any(span.marked and span.text != span.text.strip() for span in spans):
        return spans
    closer: list[Span] = []
    for span in spans:
        words = span.text.strip()
        if not span.marked or not words or words == span.text:
            closer.append(span)
            continue
        start = span.text.index(words)
        closer += (
            Span(span.text[:start], False),
            Span(words, True),
            Span(span.text[start + len(words) :], False),
        )
    return joined(closer)


def _around(text: str, context: int, is_first: bool, is_last: bool) -> str:
    """The ends of an unchanged stretch that touch a difference."""
    before = 0 if is_first else context
    after = 0 if is_last else context
    if is_first and is_last:
        before = context * 6
    if len(text) <= before + after + 1:
        return text
    tail = text[len(text) - after :] if after else ""
    return _whole_letters(text[:before]) + ELLIPSIS + tail.lstrip(_COMBINING)


def _whole_letters(text: str) -> str:
    """Without a joiner at its end that waits for another letter."""
    return text.rstrip("\u200d")
