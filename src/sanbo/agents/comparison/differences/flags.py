"""What in a change deserves a second look: amounts, dates, negations, obligations, parties.

And what the changed sentence is about: liability, the law and the court, an end, people's data.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from sanbo.agents.comparison.differences.duties import Denial, Duty, binding, denies
from sanbo.agents.comparison.differences.parties import agents, exchanges
from sanbo.agents.comparison.differences.segments import Segment, runs_of
from sanbo.agents.comparison.differences.spans import F, Found, Span, Value, spans_within, within
from sanbo.agents.comparison.differences.tokens import Reading
from sanbo.agents.comparison.model import ATTENTION, Flag, FlagDetail

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


IMPORTANCE: tuple[Flag, ...] = (*ATTENTION, "notation", "furniture")
_MOST_DETAILS = 100


def in_order(details: Iterable[FlagDetail], *more: Flag) -> tuple[Flag, ...]:
    """The flags of these details, and more, the most important first."""
    present = {detail.flag for detail in details} | set(more)
    return tuple(flag for flag in IMPORTANCE if flag in present)


def flags_of_change(
    old: Reading, new: Reading, segments: Sequence[Segment]
) -> tuple[FlagDetail, ...]:
    """What changed inside a text, in the words of both sides; `notation` where nothing did."""
    changed = _without_moves(old, new, [segment for segment in segments if not segment.equal])
    if changed and bare(old.text) == bare(new.text):
        return (FlagDetail(flag="furniture", old=_one_line(old.text), new=_one_line(new.text)),)
    details: list[FlagDetail] = []
    stretches = [
        (_Words(old, one.old_start, one.old_end), _Words(new, one.new_start, one.new_end))
        for one in changed
    ]
    _leave_out_moved(stretches)
    for before, after in stretches:
        details += _values(before, after)
        details += _duties(before, after)
        details += _denials(before, after)
    texts = old.squeezed, new.squeezed
    others = dict.fromkeys((*exchanges(*texts, changed), *agents(*texts, changed)))
    details += [FlagDetail(flag="party", old=one, new=other) for one, other in others]
    details = _without_moved_words(details)
    if not details:
        details += _notation(old, new, changed)
    if not all(detail.flag == "notation" for detail in details) or not details:
        details += topics_of_change(*texts, changed)
    return tuple(dict.fromkeys(details))[:_MOST_DETAILS]


def _leave_out_moved(stretches: Sequence[tuple["_Words", "_Words"]]) -> None:
    """A value that is gone here and has come there, in whatever writing, is the same."""

    def alone(side: int) -> Counter[tuple[str, str]]:
        return Counter(
            (value.kind, value.meaning)
            for pair in stretches
            for value in pair[side].values
            if not any(value.kind == other.kind for other in pair[1 - side].values)
        )

    moved = alone(0) & alone(1)
    if moved:
        for words in (each for pair in stretches for each in pair):
            words.values = [each for each in words.values if not moved[each.kind, each.meaning]]


def _without_moved_words(details: Sequence[FlagDetail]) -> list[FlagDetail]:
    """The same word, gone here and come there: the sentence was put in another order."""
    gone = Counter((each.flag, each.old) for each in details if not each.new)
    come = Counter((each.flag, each.new) for each in details if not each.old)
    moved = gone & come
    return [
        each
        for each in details
        if (each.old and each.new) or not moved[each.flag, each.old or each.new]
    ]


def flags_of_one_side(reading: Reading, *, added: bool) -> tuple[FlagDetail, ...]:
    """What an added or deleted text brings or takes with it."""
    found: list[tuple[Flag, Value | Duty | Denial]] = [
        *((value.kind, value) for value in reading.values if not value.meaning.startswith("::")),
        *(("obligation", duty) for duty in reading.duties if binding(duty)),
        *(("negation", duty) for duty in reading.duties if denies(duty)),
        *(("negation", denial) for denial in reading.denials if _is_said(reading, denial)),
    ]
    words: list[tuple[Flag, str]] = [
        *((flag, reading.squeezed[one.start : one.end]) for flag, one in found),
        *topics_of_one_side(reading.squeezed),
    ]
    return tuple(
        FlagDetail(flag=flag, old="" if added else word, new=word if added else "")
        for flag, word in dict.fromkeys(words)
    )[:_MOST_DETAILS]


_END = re.compile("[。．.、，]|$|ものとする|こと。")


def _is_said(reading: Reading, denial: Denial) -> bool:
    """Whether the sentence itself denies: 返金しません。, and not 払わないときは."""
    is_word = denial.meaning not in ("not", "without")
    is_latin = reading.squeezed[denial.start].isascii()
    return is_word or is_latin or _END.match(reading.squeezed, denial.end) is not None


class _Words:
    """What was found within a changed stretch of a text."""

    def __init__(self, reading: Reading, start: int, end: int) -> None:
        self.values: Sequence[Value] = [
            value
            for value in within(reading.values, start, end)
            if not _is_inside(value, reading.squeezed)
        ]
        self.duties = within(reading.duties, start, end)
        self.denials = reading.denials_within(start, end)
        self._text = reading.squeezed

    def of(self, found: Found | None) -> str:
        return self._text[found.start : found.end].strip() if found else ""


def _is_inside(value: Value, text: str) -> bool:
    """Whether it belongs to what the document tells of itself: the 3 of page 3."""
    around = max(0, value.start - _FURNITURE_REACH)
    return any(
        found.start() <= value.start and value.end <= found.end()
        for found in _FURNITURE.finditer(text, around, value.end + _FURNITURE_REACH)
    )


def _values(before: _Words, after: _Words) -> Iterator[FlagDetail]:
    if not before.values and not after.values:
        return
    for kind in _VALUE_KINDS:
        olds = [value for value in before.values if value.kind == kind]
        news = [value for value in after.values if value.kind == kind]
        for old, new in _paired(olds, news, lambda value: value.meaning):
            same = old is not None and new is not None and old.meaning == new.meaning
            if not same:
                yield FlagDetail(flag=kind, old=before.of(old), new=after.of(new))
            elif before.of(old) != after.of(new):
                yield FlagDetail(flag="notation", old=before.of(old), new=after.of(new))


_VALUE_KINDS = ("amount", "deadline", "date")


def _duties(before: _Words, after: _Words) -> Iterator[FlagDetail]:
    pairs = _paired(before.duties, after.duties, lambda duty: f"{duty.level}{duty.denied}")
    for old, new in pairs:
        words = before.of(old), after.of(new)
        if binding(old) != binding(new):
            yield FlagDetail(flag="obligation", old=words[0], new=words[1])
        if denies(old) != denies(new):
            yield FlagDetail(flag="negation", old=words[0], new=words[1])


def _denials(before: _Words, after: _Words) -> Iterator[FlagDetail]:
    for old, new in _paired(before.denials, after.denials, lambda denial: denial.meaning):
        if old is None or new is None or old.meaning != new.meaning:
            yield FlagDetail(flag="negation", old=before.of(old), new=after.of(new))


def _paired(
    olds: Sequence[F], news: Sequence[F], meaning: Callable[[F], str]
) -> list[tuple[F | None, F | None]]:
    """One for one where there are as many; else those that mean the same, and the rest in order."""
    if len(olds) == len(news):
        return list(zip(olds, news, strict=True))
    here, there = [meaning(one) for one in olds], [meaning(one) for one in news]
    pairs: list[tuple[F | None, F | None]] = []
    for run in runs_of(here, there):
        left, right = olds[slice(*run.old)], news[slice(*run.new)]
        # 12,000円 becomes 15,000円 and not the 1 of 1泊.
        units = [_UNIT.sub("", each) for each in here[slice(*run.old)]]
        for part in runs_of(units, [_UNIT.sub("", each) for each in there[slice(*run.new)]]):
            pairs += zip_longest(left[slice(*part.old)], right[slice(*part.new)])
    return pairs


_UNIT = re.compile(r"[0-9.,]+")
"""What is not the unit in a meaning."""


def _without_moves(old: Reading, new: Reading, changed: list[Segment]) -> list[Segment]:
    """A phrase that left its place in the sentence and is found again word for word is the same."""
    gone = {
        old.squeezed[one.old_start : one.old_end].strip(_EDGES): one
        for one in changed
        if one.new_start == one.new_end
    }
    come = {
        new.squeezed[one.new_start : one.new_end].strip(_EDGES): one
        for one in changed
        if one.old_start == one.old_end
    }
    moved = {
        id(found) for words in gone.keys() & come.keys() for found in (gone[words], come[words])
    }
    return [segment for segment in changed if id(segment) not in moved]


_EDGES = " \t\n　、，,。．."

# ---- What a document tells of itself ----

_FURNITURE_REACH = 60
_FURNITURE = re.compile(
    r"(?:最終更新日?|最終改[定訂]日?|更新日|改[定訂]日?|制定日?|施行日|発行日|作成日|版数?|バージョン"
    r"|last[ _-]?(?:updated|modified|revised)|updated|modified|revision|version|date)"
    r"\s*[:：]\s*[^\s　]{1,40}"
    r"|\d{1,4}\s*[/／]\s*\d{1,4}\s*(?:ページ|頁)|(?:ページ|頁)\s*\d{1,4}"
    r"|\bpage \d{1,4}(?: of \d{1,4})?|\bdraft \d{1,4}|第\d{1,3}版",
    re.IGNORECASE,
)


def bare(text: str) -> str:
    """Without the day of the last update, the version and page numbers."""
    return _FURNITURE.sub("", text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


# ---- Notation ----

_FORMS = str.maketrans(
    {
        **dict.fromkeys("、，､", ","),
        **dict.fromkeys("。．｡", "."),
        **dict.fromkeys("‐‑‒–—―−－─", "-"),
        **dict.fromkeys("〜～", "~"),
        **dict.fromkeys('“”„『』«»"', "「"),
        "」": "「",
        **dict.fromkeys("‘’‚", "'"),
        "・": "･",
    }
)
_SPACE = re.compile(r"\s+")


def _notation(old: Reading, new: Reading, changed: Sequence[Segment]) -> list[FlagDetail]:
    """Where nothing else changed."""
    words = [
        (old.squeezed[one.old_start : one.old_end], new.squeezed[one.new_start : one.new_end])
        for one in changed
    ]
    if not all(is_notation(before, after) for before, after in words):
        return []
    return [
        FlagDetail(flag="notation", old=before.strip(), new=after.strip())
        for before, after in words
    ]


def is_notation(old: str, new: str) -> bool:
    """Whether nothing but width, case or the form of punctuation differs."""
    return _form(old) == _form(new)


def _form(text: str) -> str:
    narrow = unicodedata.normalize("NFKC", text.translate(_FORMS)).translate(_FORMS)
    return _SPACE.sub("", narrow).casefold()
