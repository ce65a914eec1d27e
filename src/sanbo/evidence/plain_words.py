"""Words of documents, models and people in a report: shown letter by letter, never obeyed."""

import re
import unicodedata

_ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"
_SPECIAL = re.compile(
    r"""
    [\\`*\[\]<>~$|]
    | (?<![^\W_])_ | _(?![^\W_])          # inside a word an underscore is a letter
    | &(?=\#?\w+;)
    | :(?=[A-Za-z])                       # :red[…], :smile:
    | ^(?:\#+|[-+=]+)                     # headings, lists, rules
    | (?<=\s)\#+$                         # what ends a heading
    """,
    re.VERBOSE,
)
_LIST_NUMBER = re.compile(r"^(\d{1,9})([.)])", re.ASCII)
# Readers of Markdown make links of bare addresses after they have taken the backslashes away, so
# that only a character in between helps.
_ADDRESS = re.compile(
    r"(?<=:)(?=//) | (?<=www)(?=\.) | (?<=@)(?=[\w-]) | (?<=mailto:)|(?<=xmpp:)",
    re.VERBOSE | re.IGNORECASE,
)
# `[3]` in a quote must not pass for a citation of the report.
_NUMBER_MARK = re.compile(r"(?<=\[)(?=\s*\d+\s*\])")
# What a page that shows a plain report as Markdown would follow or fetch.
_LINK = re.compile(r"(?<=!)(?=\[)|(?<=\])(?=[\[(:])")
_CITATION_MARK = re.compile(
    r"""
    (?<!\s)\s*+(?:
      [\[［【〔(（]\s*+[PpＰｐ]\s*+[0-9０-９]++
        (?:\s*+[,、，;・-]\s*+(?:[PpＰｐ]\s*+)?[0-9０-９]++)*+\s*+[\]］】〕)）]
      | [\[［【]\s*+[0-9０-９]{1,3}(?:\s*+[,、，;-]\s*+[0-9０-９]{1,3})*+\s*+[\]］】]
      | 【[^【】]{0,40}†[^【】]{0,40}】
    )
    """,
    re.VERBOSE,
)
# Between Japanese letters the end of a line is no space.
_WIDE = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60"
_BROKEN_LINE = re.compile(rf"(?<=[{_WIDE}])[ \t]*\r?\n[ \t]*(?=[{_WIDE}])")
_DROPPED = frozenset({"Cf", "Cs", "Co", "Cn"})


def one_line(text: str, most: int | None = None) -> str:
    """One line without control characters or such as turn the direction of writing."""
    line = " ".join("".join(map(_visible, _BROKEN_LINE.sub("", text))).split())
    return line if most is None or len(line) <= most else line[: most - 1].rstrip() + "…"


def without_marks(text: str) -> str:
    """Without the citation marks that a model wrote itself."""
    return _CITATION_MARK.sub("", text).strip()


def as_markdown(text: str) -> str:
    """Nothing in it is read as Markdown: no link, image, HTML, heading, table or emphasis."""
    line = _ADDRESS.sub(_ZERO_WIDTH, one_line(text))
    line = _NUMBER_MARK.sub(_ZERO_WIDTH, line)
    line = _SPECIAL.sub(lambda found: f"\\{found[0]}", line)
    return _LIST_NUMBER.sub(r"\1\\\2", line)


def as_text(text: str) -> str:
    return _NUMBER_MARK.sub(_ZERO_WIDTH, _LINK.sub(_ZERO_WIDTH, one_line(text)))


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in _DROPPED else character
