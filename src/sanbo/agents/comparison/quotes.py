"""What an explanation quotes must stand in one of the documents. Pure functions."""

import re
import unicodedata
from collections.abc import Collection, Iterator

from sanbo.kernel.text import matching_form

_PAIRS = ("「」", "『』", "《》", "〈〉", "‘’", "«»", "‹›", '""', "``")
# What is never closed is read to the end, without a group: nothing after it is closed either.
_ENCLOSED = tuple(
    re.compile(f"{left}(?:([^{left if left == right else ''}{right}]*+){right}|[^{right}]*+\\Z)")
    for left, right in _PAIRS
)
# Languages differ in which of these opens and which closes.
_DOUBLE = re.compile("[“„‟〝❝]([^“”„‟〝〞〟❝❞]*)[”“‟〞〟❞]")
# An apostrophe stands inside or after a Latin word; a quotation mark opens before one.
_LATIN = r"0-9A-Za-z\u00c0-\u024f"
_SINGLE = re.compile(
    rf"(?<![{_LATIN}])['’‚‛❛]([^'’‚‛❛❜\n]*(?:(?<=[{_LATIN}])['’](?=[{_LATIN}])[^'’‚‛❛❜\n]*)*)"
    rf"['’‘❜](?![{_LATIN}])"
)
_BLOCK = re.compile(r"^[ \t]*>[> \t]*(.*)$", re.MULTILINE)
_ENTITY = re.compile(r"&(?:quot|apos|[lr]dquo|[lr]squo|#0*3[49]|#x0*2[27]);", re.IGNORECASE)
_LEFT_OUT = re.compile(r"…+|⋯+|\.{3,}|\[\.*\]|（(?:中略|略)）|\((?:中略|略)\)|〔(?:中略|略)〕")


def folded(text: str) -> str:
    """Matching form without any white space: a line break of a PDF is no difference."""
    return "".join(matching_form(text).split())


def quoted(explanation: str) -> Iterator[str]:
    """Every text that stands in quotation marks, in the order of their kinds."""
    # Full-width and half-width marks (＂ ｢ ｀) become the ordinary ones.
    text = unicodedata.normalize("NFKC", _ENTITY.sub('"', explanation))
    for pattern in (*_ENCLOSED, _DOUBLE, _SINGLE, _BLOCK):
        for found in pattern.finditer(text):
            if found[1] is not None:
                yield found[1]


def invented(
    explanation: str, documents: Collection[str], names: Collection[str] = ()
) -> list[str]:
    """Quotations that are in none of the documents, which are given folded.

    `names`: what may be put in quotation marks though no document says it: ids, labels, files.
    """
    known = {folded(name) for name in names}
    return [
        quote
        for quote in dict.fromkeys(quoted(explanation))
        if folded(quote) not in known and not _stands_in(quote, documents)
    ]


def _stands_in(quote: str, documents: Collection[str]) -> bool:
    """All its parts, where it leaves something out, in one document."""
    parts = [part for piece in _LEFT_OUT.split(quote) if (part := folded(piece))]
    return any(all(part in document for part in parts) for document in documents)
