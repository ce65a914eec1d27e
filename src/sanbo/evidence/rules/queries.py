"""What to search for: the question, its parts, its terms, and other words for them.

A question is taken apart into what it asks, whole where that is not sure; one that goes on from the
one before it is read as it stands alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice

import yaml

from sanbo.evidence.model import Expansion
from sanbo.evidence.rules.japanese_questions import (
    english_comparison,
    japanese_parts,
    names_its_topic,
)
from sanbo.evidence.rules.terms import asked_words, is_japanese, key_terms, reworded
from sanbo.kernel.text import matching_form
from sanbo.language.questions import has_interrogative, wanted, without_asking
from sanbo.retrieval.tokens import letters, morphemes

_ENGLISH_SENTENCE = re.compile(r"[^?!.]+(?:\.(?=\w)[^?!.]+)*[?!.]*")
_ASKING = r"(?:what|when|where|who|whom|whose|which|why|how)"
_VERB = r"(?:is|are|was|were|do|does|did|can|could|must|should|shall|will|would|may|has|have|had)"
_ASKS = re.compile(
    rf"[?]\s*$|^(?:{_ASKING}|{_VERB})\b|\b(?:tell me|explain|describe|list|show|compare)\b",
    re.IGNORECASE,
)
_AND_ASKING = re.compile(
    rf"(?<!\s)(?:(?:\s*+,)?\s++and\s++(?:also\s++)?(?={_ASKING}\b)"
    rf"|\s*+,\s++(?={_ASKING}\b(?!\s*+,)[^,]*\band\b))",
    re.IGNORECASE,
)
_SPEAKERS = frozenset({"i", "we", "you", "one"})
_PLEASANTRY = re.compile(
    r"^(?:hello|hi|thanks?(?: you)?|please|dear \w+|best regards)\b.{0,20}$", re.IGNORECASE
)
_POINTS_BACK = re.compile(r"\b(it|its|they|them|their|this|that|these|those)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"^(?:{_ASKING}(?:\s+(?:much|many|long|often|far|tall|high|old|big|large|\w+))??)\s+"
    rf"(?P<verb>{_VERB})\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_ENDS_A_NAME = re.compile(
    r"^(?:\w+ed|built|made|held|paid|written|given|taken|sent|set|found|begun|born|kept|done|sold"
    r"|bought|in|on|at|by|to|with|from|until|before|after|during|when|if|that|which|who|and|or)$",
    re.IGNORECASE,
)
_OWNED = {"its": "’s", "their": "’s"}


def english_parts(question: str) -> list[str]:
    """Fewer than two where the question is to stay whole."""
    sentences = [found.strip() for found in _ENGLISH_SENTENCE.findall(question)]
    sentences = [text for text in sentences if text and not _PLEASANTRY.match(text)]
    if not sentences or not all(_ASKS.search(text) for text in sentences):
        return []
    if len(sentences) == 1:
        compared = english_comparison(sentences[0])
        if compared:
            return [f"{side[0].upper()}{side[1:]}" for side in compared]
    pieces = [piece for text in sentences for piece in _AND_ASKING.split(text)]
    return _resolved(pieces) if len(pieces) > 1 else []


def _resolved(pieces: Sequence[str]) -> list[str]:
    """Each piece by itself: `it` becomes what the first one asks about."""
    parts: list[str] = []
    subject = ""
    for piece in pieces:
        text = piece.strip(" ,;?.!")
        if parts and _POINTS_BACK.search(text):
            if not subject:
                return []
            text = _with_subject(text, subject)
            if _POINTS_BACK.search(text):
                return []
        if len(text.split()) < 3 or not re.match(rf"{_ASKING}|{_VERB}|\w+ me", text, re.IGNORECASE):
            return []
        subject = subject or _subject(text)
        parts.append(f"{text[0].upper()}{text[1:]}?")
    return parts


def _with_subject(text: str, subject: str) -> str:
    return _POINTS_BACK.sub(lambda found: _named(found[1], subject), text, count=1)


def _named(pronoun: str, subject: str) -> str:
    return subject + _OWNED.get(pronoun.casefold(), "")


def _subject(question: str) -> str:
    """The travel allowance, in When must the travel allowance be claimed; empty where unsure."""
    found = _SUBJECT.match(question)
    if found is None:
        return ""
    words = found["rest"].split()
    if words[0].casefold() in _SPEAKERS:
        return " ".join(words[2:])  # what they do it to
    name: list[str] = []
    for word in words:
        if name and (_ENDS_A_NAME.match(word) or word.casefold() == "be"):
            break
        name.append(word)
    helps = found["verb"].casefold() in {"do", "does", "did", "can", "must", "should", "will"}
    if helps and len(name) == len(words) > 1:
        name.pop()  # the verb that the helping one belongs to
    return " ".join(name) if len(name) <= 8 else ""


MOST_PARTS = 5
# What nobody asks in one breath: a pasted text is a question as it stands.
_LONGEST = 400


def sub_questions(question: str) -> tuple[str, ...]:
    """At least one; the question itself where it asks one thing."""
    whole = " ".join(question.split())
    if len(whole) > _LONGEST:
        return (whole,)
    parts = japanese_parts(whole) if is_japanese(whole) else english_parts(whole)
    different = {letters(part): _tidy(part) for part in parts if letters(part)}
    if not 1 <= len(different) <= MOST_PARTS:
        return (whole,)
    return tuple(different.values())


def _tidy(part: str) -> str:
    return re.sub(r"\s+", " ", part).strip(" 　、,;。")


QUERIES = 5
"""Of one cycle, where nobody says otherwise."""
_TERMS = 12


def expand(question: str, most: int = QUERIES) -> Expansion:
    whole = " ".join(question.split())
    parts = sub_questions(question)
    return Expansion(sub_questions=parts, queries=different(_first(whole, parts), (), most))


def _first(question: str, parts: Sequence[str]) -> Iterator[str]:
    yield question
    yield from parts
    yield by_terms(question)
    for part in parts:
        yield from _other_words(part)
    if len(parts) > 1:
        yield from (by_terms(part) for part in parts)


def by_terms(question: str) -> str:
    """The question's terms alone; a pasted text has more of them than a search can use."""
    return " ".join(key_terms(question)[:_TERMS])


def _other_words(question: str) -> Iterator[str]:
    """The question without what makes it one, an office word put otherwise."""
    yield from reworded(by_terms(question) or without_asking(question))


def different(queries: Iterable[str], asked: Iterable[str], most: int) -> tuple[str, ...]:
    """The first ones that differ in their letters from each other and from what was asked."""
    seen = {letters(query) for query in asked}
    kept: list[str] = []
    for query in queries:
        form = letters(query)
        if form and form not in seen and len(kept) < most:
            seen.add(form)
            kept.append(" ".join(query.split()))
    return tuple(kept)


MOST_WORDINGS = 4
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
    return tuple(islice(dict.fromkeys(_wordings(question)), MOST_WORDINGS))


def _wordings(question: str) -> Iterator[str]:
    plain = plainly(question)
    yield plain
    yield from islice(reworded(plain, whole=True), 2)
    short = _PREAMBLE.sub("", plain)
    if short != plain:
        yield from islice(reworded(short, whole=True), 1)


_FEW = 2
"""With no more words of its own a question says too little to stand alone."""
_MARKS = re.compile(r"[。？?！!\s]+")
_WORDS = re.compile(r"[a-z']+")


@cache
def _table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    told = yaml.safe_load(files(__package__ or "").joinpath("follow_ups.yaml").read_text("utf-8"))
    return {
        where: {
            language: tuple(word.replace("|", " ") for word in text.split())
            for language, text in each.items()
        }
        for where, each in told.items()
    }


def follows(question: str) -> bool:
    """Whether it leaves out what it is about."""
    form = _MARKS.sub(" ", matching_form(question)).strip()
    language = "ja" if is_japanese(form) else "en"
    points, begins, ends = (frozenset(_table()[where][language]) for where in _table())
    is_short = len(asked_words(question)) <= _FEW
    if language == "en":
        words = _WORDS.findall(form)
        goes_on = words[:1] and (words[0] in begins or words[-1] in ends)
        return is_short or bool(goes_on) or not points.isdisjoint(words)
    if form.startswith(tuple(begins)) or form.endswith(tuple(ends)):
        return True
    if not points.isdisjoint(each.normal for each in morphemes(form)):
        return True
    return is_short and not names_its_topic(form)


def understood(question: str, before: Sequence[str]) -> str:
    """With what the question before it was about; the question itself where it needs nothing."""
    if not before or not follows(question):
        return question
    last = understood(before[-1], before[:-1])
    own = _MARKS.sub(" ", question).strip()
    if wanted(question) is None and wanted(last) is not None:  # じゃあ仙台だったら？ asks the same
        return f"{own} {_MARKS.sub(' ', last).strip()}"
    return f"{by_terms(last) or last} {own}"
