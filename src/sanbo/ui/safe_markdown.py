"""Text of documents, models and people on the page: shown, but never acting on its own."""

import re

# `![` is what makes a browser fetch an image by itself, and so tell a stranger's server that
# somebody reads this. Everywhere, code included: to guess where code ends is to guess wrong once.
_IMAGE = re.compile(r"!(?=\\?\[)")
_ZERO_WIDTH_SPACE = "\u200b"

# What Markdown and Streamlit's own directives give a meaning.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:^=])")

# Streamlit sets what stands between two dollar signs as a formula: "$100 か $200".
_DOLLAR = re.compile(r"(?<!\\)\$")


def document(text: str) -> str:
    """Markdown that keeps its headings, tables and links; its images become links."""
    return _DOLLAR.sub(r"\\$", _IMAGE.sub(f"!{_ZERO_WIDTH_SPACE}", text))


def plain(text: str) -> str:
    """Text for places that read Markdown (labels, titles), shown letter by letter."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def paragraphs(text: str) -> str:
    """The same for a text of several lines: its line breaks are kept."""
    return "  \n".join(plain(line) for line in text.splitlines())
