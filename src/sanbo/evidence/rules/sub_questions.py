"""Takes a question apart into what it asks; whole where that is not sure."""

import re

from sanbo.evidence.rules.english_questions import english_parts
from sanbo.evidence.rules.japanese_questions import japanese_parts
from sanbo.evidence.rules.terms import is_japanese
from sanbo.retrieval.tokens import letters

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
