"""Formats that an instruction names: those that it gives, and those that it wants."""

import re
from typing import NamedTuple

from sanbo.plans.designing.vocabulary import formats_in

_WANTED = re.compile(
    r"\s?(?:ファイル|ブック|形式|表|の一覧|の表|のファイル|の一覧表)?(?:"
    r"(?:に|へ|として|と[しす])(?!まとめた|入って|入り)|で(?!す|届|渡|もら|来|落と|受|用意|出て|送|提供)|"
    r"を(?:\d?つ)?(?:作|つく|出|書き出|保存|くだ|下さ|ほし|欲|お願|生成|用意して)|お願い|[。!?]|$|\s?please)"
)
_BEFORE = re.compile(
    r"(?:\b(?:to|into|as|in|write|need|want|make|give me|create|produce|then)|[.:;]|^)"
    r" ?(?:(?:the|an?|one|new|separate|own|small|single|their|this) ){0,3}$"
)
_GIVEN = re.compile(
    r"(?:from|of|is|are|have|with|via|reconcile|match|compare|read|take) "
    r"(?:(?:the|an?|this|these|our|my) ){0,2}$|"
    r"\b(?:sends?|sent|comes?|came|arrives?|got|gets|receives?|received|saved|stored)\b[^.;,]{0,60}$"
)


class FormatMention(NamedTuple):
    start: int
    end: int
    name: str
    is_target: bool


def format_mentions(text: str) -> list[FormatMention]:
    """Of a text in plain form, from left to right."""
    made: list[FormatMention] = []
    for at, name, word in formats_in(text):
        before, behind = text[:at], text[at + len(word) :]
        if not (before[-8:] + behind[:8]).isascii():
            is_target = bool(_WANTED.match(behind))
        else:
            is_alone = behind.strip(" .") in ("", "please")
            is_target = (is_alone or bool(_BEFORE.search(before))) and not _GIVEN.search(before)
        made.append(FormatMention(at, at + len(word), name, is_target))
    return made
