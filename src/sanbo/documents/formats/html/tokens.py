"""HTML cut into tags and texts by the rules of the HTML Standard, in time linear in its length.

The parsers at hand build trees, and hostile pages make that slow beyond use: 30,000 open `<div>` or
100,000 attributes take seconds to minutes in native code that can't be interrupted. Reading text
needs no tree.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

_ATTRIBUTE = (
    r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+)?+"""
)
_TOKEN = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z))          # a comment
    |<(?:[!?]|/(?![a-zA-Z]))[^>]*+(?:>|\Z)    # a declaration, or what browsers take for a comment
    |<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?P<attributes>(?:[\s/]++|{_ATTRIBUTE})*+)(?:>|\Z)
    """,
    re.DOTALL | re.VERBOSE,
)
_ONE_ATTRIBUTE = re.compile(
    r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>"'][^\s>]*+)?))?+"""
)
# Nothing inside these is a tag, whatever it looks like.
_RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
_RAW_WITH_ENTITIES = {"textarea", "title"}


class Start(NamedTuple):
    name: str
    raw_attributes: str

    def attributes(self) -> dict[str, str]:
        """Names in lower case; of an attribute that is there twice, the first counts."""
        found: dict[str, str] = {}
        for match in _ONE_ATTRIBUTE.finditer(self.raw_attributes):
            value = match[2] or match[3] or match[4] or ""
            found.setdefault(match[1].lower(), html.unescape(value))
        return found


class End(NamedTuple):
    name: str


class Text(NamedTuple):
    text: str


def tokens(page: str) -> Iterator[Start | End | Text]:
    at = 0
    is_xml = page[:200].lstrip().startswith("<?xml")
    while match := _TOKEN.search(page, at):
        if match.start() > at:
            yield Text(html.unescape(page[at : match.start()]))
        at = match.end()
        if match["name"] is None:
            continue
        name = match["name"].lower()
        if match["slash"]:
            yield End(name)
            continue
        yield Start(name, match["attributes"])
        if is_xml and match["attributes"].endswith("/"):
            yield End(name)
        elif name in _RAW:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(page, at)
            end = len(page) if closing is None else closing.start()
            raw = page[at:end]
            yield Text(html.unescape(raw) if name in _RAW_WITH_ENTITIES else raw)
            at = end
    if at < len(page):
        yield Text(html.unescape(page[at:]))
