"""Takes a question apart into what it asks; whole where that is not sure."""

import re
from collections.abc import Sequence

from sanbo.evidence.rules.japanese_questions import english_comparison, japanese_parts
from sanbo.evidence.rules.terms import is_japanese
from sanbo.retrieval.tokens import letters

_SENTENCE = re.compile(r"[^?!.]+(?:\.(?=\w)[^?!.]+)*[?!.]*")
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
    sentences = [found.strip() for found in _SENTENCE.findall(question)]
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


MOST = 5
# What nobody asks in one breath: a pasted text is a question as it stands.
_LONGEST = 400


def sub_questions(question: str) -> tuple[str, ...]:
    """At least one; the question itself where it asks one thing."""
    whole = " ".join(question.split())
    if len(whole) > _LONGEST:
        return (whole,)
    parts = japanese_parts(whole) if is_japanese(whole) else english_parts(whole)
    different = {letters(part): _tidy(part) for part in parts if letters(part)}
    if not 1 <= len(different) <= MOST:
        return (whole,)
    return tuple(different.values())


def _tidy(part: str) -> str:
    return re.sub(r"\s+", " ", part).strip(" 　、,;。")
