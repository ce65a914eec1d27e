"""Blanks that only typesetting has put there: a PDF says `第 1 条` and `50 万円`."""

import re

_JAPANESE = r"[\u3040-\u30ff\u4e00-\u9fff々〇（）「」『』【】、。・]"
_COUNTED = "条項号章節編款目年月日時分秒円銭万億兆千百人名件社個回台本枚歳通部週箇ヶか割倍階度点％%"
# Only within a sentence: at its beginning `2 本人は` is the second paragraph, not two books.
_APART = re.compile(
    rf"(?<={_JAPANESE})[ \u00a0]?(?P<number>[0-9][0-9,.]*)[ \u00a0](?=[{_COUNTED}])"
    rf"|(?<={_JAPANESE})[ \u00a0](?P<close>[0-9][0-9,.]*)(?=[{_COUNTED}])"
)


def tightened(text: str) -> str:
    return _APART.sub(lambda found: found["number"] or found["close"], text)
