"""Words of documents, models and people in Markdown: shown letter by letter, never obeyed."""

import re
import unicodedata

UNSEEN = "\N{ZERO WIDTH SPACE}"
_SPECIAL = re.compile(
    r"""
    [\\`*\[\]<>~$|]
    | (?<![^\W_])_ | _(?![^\W_])          # inside a word an underscore is a letter
    | &(?=\#?\w+;)
    | :(?=[A-Za-z])                       # :red[…], :smile:
    """,
    re.VERBOSE,
)
# Headings and what ends one, lists, rules.
_OF_A_LINE = re.compile(r"^(?:#+|[-+=]+)|(?<=\s)#+$")
_LIST_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)", re.ASCII)
# Readers of Markdown make links of bare addresses after they have taken the backslashes away, so
# that only a character in between helps.
_ADDRESS = re.compile(
    r"(?<=:)(?=//) | (?<=www)(?=\.) | (?<=@)(?=[\w-]) | (?<=mailto:)|(?<=xmpp:)",
    re.VERBOSE | re.IGNORECASE,
)
_MAY_BE_SPECIAL = re.compile(r"[\\`*_\[\]<>~$|#&:.@\-+=)]")
# Between Japanese letters the end of a line is no space.
_WIDE = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60"
_BROKEN_LINE = re.compile(rf"(?<=[{_WIDE}])[ \t]*\r?\n[ \t]*(?=[{_WIDE}])")
# `![` is what makes a browser fetch an image by itself, and so tell a stranger's server that
# somebody reads this. Everywhere, code included: to guess where code ends is to guess wrong once.
_IMAGE = re.compile(r"!(?=\\?\[)")
# Streamlit sets what stands between two dollar signs as a formula: "$100 か $200".
_DOLLAR = re.compile(r"(?<!\\)\$")
_DROPPED = frozenset({"Cf", "Cs"})


def one_line(text: str, most: int | None = None) -> str:
    """One line without control characters or such as turn the direction of writing."""
    line = " ".join(visible(_BROKEN_LINE.sub("", text)).split())
    return line if most is None or len(line) <= most else line[: most - 1].rstrip() + "…"


def plain(text: str) -> str:
    """One line of which nothing is a link, image, HTML, heading, list, table or emphasis."""
    return _begun(_quoted(one_line(text)))


def literal(text: str) -> str:
    """The same on a page, where people copy addresses: those stay as they are, and may be links."""
    return _begun(_SPECIAL.sub(_behind_a_backslash, one_line(text)))


def paragraphs(text: str) -> str:
    """The same for a text of several lines: its line breaks are kept."""
    return "  \n".join(literal(line) for line in text.splitlines())


def document(markdown: str) -> str:
    """Markdown that keeps its headings, tables and links; its images become links."""
    return _DOLLAR.sub(r"\\$", _IMAGE.sub(f"!{UNSEEN}", markdown))


def cell(text: str) -> str:
    """The same in a table, where no line begins: `-1,234` stays as it is."""
    # An entity, because renderers disagree on a backslash before a pipe.
    return _quoted(one_line(text)).replace("\\|", "&#124;")


def without_links(markdown: str) -> str:
    """Of what was put together from parts: none of them was an address by itself."""
    return _ADDRESS.sub(UNSEEN, markdown)


def _quoted(line: str) -> str:
    if _MAY_BE_SPECIAL.search(line) is None:  # nearly always, in Japanese
        return line
    return _SPECIAL.sub(_behind_a_backslash, without_links(line))


def _begun(line: str) -> str:
    return _LIST_NUMBER.sub(r"\1\\\2", _OF_A_LINE.sub(_behind_a_backslash, line))


def _behind_a_backslash(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def visible(text: str) -> str:
    """Control characters and those that turn the direction of writing are blanks, or nothing."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in _DROPPED else character
