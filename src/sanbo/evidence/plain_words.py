"""Words of documents, models and people in a report: shown letter by letter, never obeyed."""

import re

from sanbo.kernel.markdown import UNSEEN, one_line, plain

# `[3]` in a quote must not pass for a citation of the report.
_NUMBER_MARK = re.compile(r"(?<=\[)(?=\s*\d+\s*\\?\])")
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


def without_marks(text: str) -> str:
    """Without the citation marks that a model wrote itself."""
    return _CITATION_MARK.sub("", text).strip()


def as_markdown(text: str) -> str:
    """Nothing in it is read as Markdown: no link, image, HTML, heading, table or emphasis."""
    return _NUMBER_MARK.sub(UNSEEN, plain(text))


def as_text(text: str) -> str:
    return _NUMBER_MARK.sub(UNSEEN, _LINK.sub(UNSEEN, one_line(text)))
