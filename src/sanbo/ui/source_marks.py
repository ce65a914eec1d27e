"""The marks `[1]` of an answer or a report, as links to their sources."""

import re
from collections.abc import Collection

# Not what was escaped because a document says it, nor what is a link already.
_MARK = re.compile(r"(?<![\\!])\[(\d{1,4})\](?![(:])")


def linked(text: str, numbers: Collection[int], anchor: str) -> str:
    """Markdown in which every mark of a known source leads to `#{anchor}-{number}`."""

    def link(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"[\\[{number}\\]](#{anchor}-{number})" if number in numbers else found[0]

    return _MARK.sub(link, text)
