"""Whether a text holds an answer of the kind that is asked for."""

import re

from sanbo.language.moments import FULL_MONTHS
from sanbo.language.numerals import KANJI_DIGITS, WORD
from sanbo.retrieval.relevance.question import Question

_NUMERAL = f"[0-9{KANJI_DIGITS}十百千万億数半]"
_DATE = re.compile(
    rf"(?:\d{{1,4}}|[元{KANJI_DIGITS}十]{{1,12}})(?:年|世紀|月|日)|時代|年代|\d{{3,4}}"
    rf"|\b(?:{FULL_MONTHS})\b"
)
_NUMBER = re.compile(
    rf"\d+|[{KANJI_DIGITS}十百千万億数半両]+"
    rf"|\b(?:{WORD}|dozen|hundred|thousand)\b"
)


def holds_kind(question: Question, form: str) -> float:
    """1 where the text has a date or number that is not the question's own, -1 where not."""
    if question.answer == "other":
        return 0.0
    kind = _DATE if question.answer == "date" else _NUMBER
    return 1.0 if any(found not in question.form for found in kind.findall(form)) else -1.0


def holds_counted(question: Question, form: str) -> float:
    """何条 wants 28条 (1), 何派 wants 国際派 (0.5); -1 where neither stands there."""
    if question.counted is None:
        return 0.0
    unit = re.escape(question.counted)
    if _has_new(rf"{_NUMERAL}[\d,.]{{0,20}}\s?{unit}", question, form):
        return 1.0
    return 0.5 if _has_new(rf"[一-龠ァ-ヶーa-z0-9]{unit}", question, form) else -1.0


def _has_new(pattern: str, question: Question, form: str) -> bool:
    return any(found not in question.form for found in re.findall(pattern, form))
