"""Text of documents, models and people on the page: shown, but never acting on its own."""

import re

# `![` is what makes a browser fetch an image by itself, and so tell a stranger's server that
# somebody reads this. Everywhere, code included: to guess where code ends is to guess wrong once.
_IMAGE = re.compile(r"!(?=\\?\[)")
_ZERO_WIDTH_SPACE = "\u200b"

# Streamlit sets what stands between two dollar signs as a formula: "$100 か $200".
_DOLLAR = re.compile(r"(?<!\\)\$")

# What Markdown and Streamlit's directives would give a meaning. No more than that: a widget's
# label is also read aloud by screen readers, as it is written here.
_SPECIAL = re.compile(
    r"""
    [\\`*\[\]<$~]
    | (?<![^\W_])_ | _(?![^\W_])     # inside a word an underscore is a letter
    | :(?=[a-z])                     # :material/…: and :red[…]
    | &(?=\#?\w+;)
    | ^(?:\#+|>|[-+=])(?=\s|$|[-=])  # headings, quotes, lists, rules
    | (?<=^\d)[.)](?=\s) | (?<=^\d\d)[.)](?=\s)
    """,
    re.VERBOSE,
)


def document(text: str) -> str:
    """Markdown that keeps its headings, tables and links; its images become links."""
    return _DOLLAR.sub(r"\\$", _IMAGE.sub(f"!{_ZERO_WIDTH_SPACE}", text))


def plain(text: str) -> str:
    """Text for places that read Markdown (labels, titles), shown letter by letter."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", " ".join(text.split()))


def paragraphs(text: str) -> str:
    """The same for a text of several lines: its line breaks are kept."""
    return "  \n".join(plain(line) for line in text.splitlines())
