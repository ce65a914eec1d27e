"""The text that a line of Markdown shows: without stars, link targets and tags."""

import re
from collections.abc import MutableMapping
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Brackets that lead nowhere cost the parser time by the square of their number.
_MOST_BRACKETS = 1_000
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,100}\]")
# CommonMark does not see the end of `**（注）**ただし`, but everyone who writes it means bold.
_STRONG = re.compile(r"\*\*([^*\n]+)\*\*")
_LITERAL = "\x00"
_TAG = re.compile(r"<(/?)([a-zA-Z0-9]+)")
_UNREAD_TAGS = ("rt", "rp", "script", "style")


def visible_text(parser: MarkdownIt, source: str, references: MutableMapping[str, Any]) -> str:
    if source.count("[") > _MOST_BRACKETS:
        return source
    children = parser.inline.parse(source, parser, references, cast("list[Token]", []))
    pieces: list[str] = []
    literals: list[str] = []
    unread: str | None = None
    for token in children:
        if token.type == "html_inline":
            unread = _unread_after(token.content, unread)
            pieces.append("\n" if token.content.lower().startswith("<br") else "")
        elif unread is not None:
            continue
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append("\n")
        elif token.type in ("code_inline", "text_special"):
            literals.append(token.content)
            pieces.append(_LITERAL)
        elif token.type in ("text", "image"):
            pieces.append(token.content.replace(_LITERAL, ""))
    text = _FOOTNOTE_MARK.sub("", _STRONG.sub(r"\1", "".join(pieces)))
    waiting = iter(literals)
    return re.sub(_LITERAL, lambda _: next(waiting), text)


def _unread_after(tag: str, unread: str | None) -> str | None:
    """The element whose text is not shown, if one is open after this tag."""
    match = _TAG.match(tag)
    name = match[2].lower() if match else ""
    if unread is not None:
        return None if match and match[1] and name == unread else unread
    return name if match and not match[1] and name in _UNREAD_TAGS else None
