"""Markdown made of untrusted words: cells, names, a model's sentences. Shown, never obeyed."""

import json
import re
from collections.abc import Iterable, Sequence

from sanbo.kernel.markdown import cell, plain, visible

# What a model may use in its sentences: lists, emphasis, code, tables. No images, links, HTML,
# headings or fences, which could pass for a part of the report or fetch something.
_ACTIVE = re.compile(
    r"""
    \\[!-/:-@\[-`{-~]                # plain already; of \\[ the first two are such a pair
    | !(?=\\?\[) | [\[\]<] | &(?=\#?\w+;) | \$
    | ^[ \t>]*\#+ | ^[ \t>]*(?:`{3,}|~{3,}) | ^[ \t>]*(?:=+|-{2,}|\*{3,}|_{3,})[ \t]*$
    | (?<=https):(?=//) | (?<=http):(?=//) | (?<=\bwww)\.
    | (?<=\bftp):(?=//) | (?<=mailto):
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


def sentences(text: str) -> str:
    """A model's own Markdown, with all that acts or pretends to be another part made plain."""
    lines = [visible(line).rstrip() for line in re.split(r"\r\n|\r|\n", text)]
    return _ACTIVE.sub(_quiet, "\n".join(lines).strip("\n"))


def _quiet(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith("\\"):
        return text
    start = len(text) - len(text.lstrip(" \t>"))
    return f"{text[:start]}\\{text[start:]}"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> str:
    lines = [
        "| " + " | ".join(cell(header) or " " for header in headers) + " |",
        "| " + " | ".join("---:" if is_right else "---" for is_right in right) + " |",
    ]
    lines += ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows]
    return "\n".join(lines)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {plain(item)}" for item in items)


def fenced_json(value: object) -> str:
    """Sorted keys: the same spec is the same text."""
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
    text = re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}json\n{text}\n{fence}"


def code(text: str) -> str:
    """A hash or a version: short, without backticks."""
    return f"`{re.sub(r'[^0-9A-Za-z_.+:-]', '', text)}`"
