"""What to search for: the question, its parts, its terms, and other words for them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sanbo.evidence.model import Expansion
from sanbo.evidence.rules.lexicon import reworded
from sanbo.evidence.rules.sub_questions import sub_questions
from sanbo.evidence.rules.terms import key_terms
from sanbo.language.questions import has_interrogative, without_asking
from sanbo.retrieval.tokens import letters

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
