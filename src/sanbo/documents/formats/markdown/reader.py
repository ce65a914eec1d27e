"""Reads Markdown: its headings, lists, tables and code, and the text without the markup."""

import re
from collections.abc import MutableMapping
from typing import Any, cast

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.encodings import decode
from sanbo.documents.formats.html.elements import HEADINGS
from sanbo.documents.formats.html.reader import add_page
from sanbo.documents.model import Document, Role, Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

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


# Deeper quotes and lists than this the parser leaves out.
_DEEPEST = 100
# A key on the first line tells it from a text between two rules.
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(\s*(?:#[^\n]*\n\s*)*[\w\"'-]+[ \t]*:.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*\S.*$", re.MULTILINE | re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}\]:[ \t]*")


def read(source: Source) -> Document:
    decoded = decode(source.data)
    builder = DocumentBuilder(source.name, "markdown")
    if decoded.replaced:
        builder.warn(UnsupportedFormat("text_bytes_replaced", count=decoded.replaced))
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    if front := _FRONT_MATTER.match(text):
        builder.paragraph(front[1], role="metadata")
        builder.title = _stated_title(front[1])
        text = text[front.end() :]
    too_deep = _Reader(builder).read(text)
    if too_deep is not None:
        if not builder.length:
            raise too_deep
        builder.warn(too_deep)
    if not builder.length:
        raise UnsupportedFormat("document_without_text", name=source.name)
    return builder.build()


def _stated_title(front_matter: str) -> str | None:
    """One line of YAML: the rest is shown as it stands and never loaded."""
    line = _TITLE.search(front_matter)
    try:
        stated = yaml.safe_load(line[0].partition(":")[2]) if line and len(line[0]) < 1000 else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return stated.strip() or None if isinstance(stated, str) else None


def _parser() -> MarkdownIt:
    """Blocks only: `visible_text` reads what is inside them."""
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.block.ruler.before(
        "reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]}
    )
    return parser.disable(["inline", "text_join"])


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`[^1]: 補足` is a note; without this rule it reads as the target of a link and is lost."""
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    mark = None if state.is_code_block(start) else _FOOTNOTE.match(line)
    if mark is None:
        return False
    if silent:
        return True
    following = start + 1
    while following < end and not state.isEmpty(following) and state.sCount[following] >= 4:
        following += 1
    token = state.push("footnote", "", 0)
    lines = state.getLines(start + 1, following, 4, False)
    token.content = "\n".join(part for part in (line[mark.end() :], lines) if part)
    state.line = following
    return True


class _Reader:
    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._parser = _parser()
        self._references: dict[str, object] = {}
        self._items = 0
        self._label = ""
        self._rows: list[list[str]] = []

    def read(self, text: str) -> LimitExceeded | None:
        """What was left out, if anything was."""
        blocks = self._parser.parse(text, self._references)
        inside = ""
        for block in blocks:
            if block.type == "inline":
                self._text(block, inside)
            elif block.nesting == 1:
                inside = block.tag
                self._open(block)
            elif block.nesting == -1:
                self._close(block)
            else:
                self._leaf(block)
        if any(block.level >= _DEEPEST - 1 for block in blocks):
            return LimitExceeded("markdown_too_deep", limit=_DEEPEST)
        return None

    def _text(self, block: Token, inside: str) -> None:
        text = visible_text(self._parser, block.content, self._references)
        if inside in HEADINGS:
            self._builder.heading(text, HEADINGS[inside])
        elif inside in ("th", "td"):
            self._rows[-1].append(text)
        else:
            self._paragraph(text, "list_item" if self._items else "body")

    def _open(self, block: Token) -> None:
        if block.type == "list_item_open":
            self._items += 1
            self._label = f"{block.info}{block.markup} " if block.info else ""
        elif block.type == "table_open":
            self._rows = []
        elif block.type == "tr_open":
            self._rows.append([])

    def _close(self, block: Token) -> None:
        if block.type == "list_item_close":
            self._items -= 1
            self._label = ""
        elif block.type == "table_close":
            self._builder.table(self._rows[1:], columns=self._rows[0])

    def _leaf(self, block: Token) -> None:
        if block.type in ("fence", "code_block"):
            self._paragraph(block.content, "code")
        elif block.type == "html_block":
            add_page(self._builder, block.content)
        elif block.type == "footnote":
            text = visible_text(self._parser, block.content, self._references)
            self._builder.paragraph(text, role="footnote")

    def _paragraph(self, text: str, role: Role) -> None:
        self._builder.paragraph(self._label + text, role=role)
        self._label = ""
