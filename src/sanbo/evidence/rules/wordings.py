"""A question as it may be put otherwise: without politeness, in the words that documents use."""

import re
from collections.abc import Iterator
from itertools import islice

from sanbo.evidence.rules.lexicon import reworded
from sanbo.language.questions import has_interrogative

MOST = 4
_SENTENCE = re.compile(r"[^。？?！!]+[。？?！!]*")
# A whole that is asked for: what answers it does not say so.
_ALL = r"(?:を|は|について)?、?(?:すべて|全て|全部|全員|もれなく|いくつか|それぞれ|一つずつ)?"
_LISTED = re.compile(
    rf"{_ALL}(?:を|は)?(?:一覧に|箇条書きに|リストに|表に)?(?:お?教え|お?知らせ|説明し|示し|挙げ|あげ|列挙し|述べ|まとめ|並べ|し|見せ)て"
    r"(?:ください|下さい|ほしいです|ほしい|もらえますか|いただけますか|くださいませんか)?[。？?！!\s]*$"
)
_PREAMBLE = re.compile(r"^.{2,80}?(?:のですが|んですが|ますが|ですが|ましたが|けれど|けど)、")
_RATHER = re.compile(r"^.{1,20}?(?:ではなくて?|じゃなくて?)、?")


def plainly(question: str) -> str:
    """What is asked, without greetings around it and without すべて挙げてください."""
    said = [found.group().strip() for found in _SENTENCE.finditer(question)]
    asking = [sentence for sentence in said if has_interrogative(sentence)]
    text = asking[0] if len(said) > 1 and len(asking) == 1 else question.strip()
    return _LISTED.sub("", _RATHER.sub("", text)) or text


def wordings(question: str) -> tuple[str, ...]:
    """The question itself first; others with one office word in other words."""
    return tuple(islice(dict.fromkeys(_wordings(question)), MOST))


def _wordings(question: str) -> Iterator[str]:
    plain = plainly(question)
    yield plain
    yield from islice(reworded(plain, whole=True), 2)
    short = _PREAMBLE.sub("", plain)
    if short != plain:
        yield from islice(reworded(short, whole=True), 1)
