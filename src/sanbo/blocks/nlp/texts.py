"""Texts and files as a plan gives them, each with an id that its chunks carry."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

TextInput = str | Mapping[str, JsonValue]


@dataclass(frozen=True)
class NamedText:
    id: str
    text: str


def named_texts(texts: Sequence[TextInput]) -> list[NamedText]:
    """A text is a string, or an object with `text` and perhaps `id` or `name`."""
    named: list[NamedText] = []
    for number, each in enumerate(texts):
        if isinstance(each, str):
            named.append(NamedText(str(number), each))
            continue
        name = each.get("id") or each.get("chunk_id") or each.get("path") or each.get("name")
        text = each.get("text") or each.get("text_excerpt") or ""
        named.append(NamedText(str(number) if name is None else str(name), str(text)))
    return named


def tidied(text: str) -> str:
    """White space of a line as single blanks, and no more than one empty line."""
    lines = [" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines()]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip()
