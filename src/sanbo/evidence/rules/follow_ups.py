"""A question that goes on from the one before it, as it reads when it stands alone."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml

from sanbo.evidence.rules.queries import by_terms
from sanbo.evidence.rules.terms import asked_words, is_japanese
from sanbo.kernel.text import matching_form
from sanbo.language.questions import wanted
from sanbo.retrieval.tokens import morphemes

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
    if len(asked_words(question)) <= _FEW:
        return True
    if language == "en":
        words = _WORDS.findall(form)
        return words[0] in begins or words[-1] in ends or not points.isdisjoint(words)
    if form.startswith(tuple(begins)) or form.endswith(tuple(ends)):
        return True
    return not points.isdisjoint(each.normal for each in morphemes(form))


def understood(question: str, before: Sequence[str]) -> str:
    """With what the question before it was about; the question itself where it needs nothing."""
    if not before or not follows(question):
        return question
    last = understood(before[-1], before[:-1])
    own = _MARKS.sub(" ", question).strip()
    if wanted(question) is None and wanted(last) is not None:  # じゃあ仙台だったら？ asks the same
        return f"{own} {_MARKS.sub(' ', last).strip()}"
    return f"{by_terms(last) or last} {own}"
