"""What a changed sentence is about: liability, the law and the court, an end, people's data."""

import re
from collections.abc import Iterator, Sequence

from sanbo.agents.comparison.differences.segments import Segment
from sanbo.agents.comparison.differences.spans import Span, spans_within
from sanbo.agents.comparison.model import Flag, FlagDetail

_TOPICS: dict[Flag, re.Pattern[str]] = {
    "liability": re.compile(
        r"損害|賠償|責任(?!者)|免責|補償|違約金|過失|不適合|瑕疵"
        r"|(?i:\b(?:liab(?:le|ility|ilities)|indemni\w+|damages|negligen\w+|warrant(?:y|ies|s)"
        r"|remed(?:y|ies)))\b"
    ),
    "law": re.compile(
        r"準拠法|裁判所|管轄|仲裁|調停"
        r"|(?i:\b(?:govern(?:ed|ing)\b[^.;]{0,20}\blaws?|laws? of|courts?|tribunal"
        r"|arbitrat\w+|jurisdiction))\b"
    ),
    "termination": re.compile(r"解除|解約|契約の終了|退職|(?i:\bterminat\w+|\bcancel\w*)"),
    "data": re.compile(
        r"個人(?:情報|データ)|秘密|機密|守秘|漏えい|開示|第三者に(?:提供|開示)"
        r"|(?i:\b(?:personal (?:data|information)|confidential\w*|disclos\w+|privacy"
        r"|(?:your|the) (?:data|information)))\b"
    ),
}
_MAY_BE = re.compile("|".join(pattern.pattern for pattern in _TOPICS.values()))
_SENTENCE = re.compile(r"[^。．\n;]+?(?:[。．\n;]|\.(?=\s|$)|$)")
_CONTENT = re.compile("[一-鿿々]{2,}|[ァ-ヶー]{2,}|[A-Za-z]{4,}")
_FUNCTION = re.compile(
    "(?:shall|must|will|this|that|such|with|from|under|which|when|have|been|their|those|these|then"
    "|than|into|upon|where)$"
)


def topics_of_change(old: str, new: str, changed: Sequence[Segment]) -> Iterator[FlagDetail]:
    """Of sentences in which a word of weight gave way to another, came or went."""
    if not _MAY_BE.search(old) and not _MAY_BE.search(new):
        return
    here, there = ([found.span() for found in _SENTENCE.finditer(text)] for text in (old, new))
    for segment in changed:
        before, after = segment[1:3], segment[3:5]
        ours, theirs = _around(old, here, before), _around(new, there, after)
        gone, come = old[slice(*before)].strip(), new[slice(*after)].strip()
        if not (_weighty(gone, theirs) or _weighty(come, ours)):
            continue
        for flag, pattern in _TOPICS.items():
            if pattern.search(ours) or pattern.search(theirs):
                yield FlagDetail(flag=flag, old=gone, new=come)


def topics_of_one_side(text: str) -> Iterator[tuple[Flag, str]]:
    """The first word that tells of each."""
    for flag, pattern in _TOPICS.items():
        if found := pattern.search(text):
            yield flag, found.group()


def _around(text: str, sentences: Sequence[Span], changed: Span) -> str:
    """The sentences that it stands in; where something was taken out, the one it was in."""
    found = spans_within(sentences, changed[0] - 1, changed[1] + 1)
    return text[found[0][0] : found[-1][1]] if found else ""


def _weighty(words: str, other_side: str) -> bool:
    """Whether it has a word that carries meaning and stands nowhere in the other sentence."""
    other = other_side.casefold()
    return any(
        word not in other and not _FUNCTION.match(word)
        for word in (found.group().casefold() for found in _CONTENT.finditer(words))
    )
