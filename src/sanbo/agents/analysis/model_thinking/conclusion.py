"""A model's conclusion as Markdown that can only be read: no links, images, HTML or headings."""

import re

LONGEST = 4000
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()]{0,2000}\)")
_ADDRESS = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]{1,20}:/{2}|www\.|data:|javascript:)\S*", re.IGNORECASE
)
_REFERENCE = re.compile(r"!?\[([^\[\]]{0,500})\](?:\[[^\[\]]{0,500}\])?")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+", re.MULTILINE)
_FENCE = re.compile(r"^\s{0,99}+(?:```|~~~).*+$\n?", re.MULTILINE)


def as_plain_markdown(text: str) -> str:
    text = text[:LONGEST]
    text = _FENCE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _REFERENCE.sub(r"\1", text)
    text = _ADDRESS.sub("…", text)
    text = _HEADING.sub("", text)
    return text.replace("<", "&lt;").strip()
