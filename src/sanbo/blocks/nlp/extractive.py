"""A summary out of a document's own sentences: those that say most of what it is about."""

from collections import Counter
from collections.abc import Sequence

from sanbo.documents.model import Document, Heading
from sanbo.evidence.rules.sentences import Sentence, one_line, sentences
from sanbo.evidence.rules.terms import content_words

SHORTEST, LONGEST = 8, 300
_FIRST_BONUS = 0.3
_ASKED_BONUS = 0.5
_TOO_ALIKE = 0.6


def title_of(document: Document) -> str | None:
    if document.title:
        return document.title
    heading = next((each for each in document.blocks if isinstance(each, Heading)), None)
    if heading is not None:
        return one_line(document.text_of(heading)) or None
    first = document.text.strip().split("\n", 1)[0].strip()
    return one_line(first) if 0 < len(first) <= 80 else None


def telling_sentences(document: Document, most: int, asked: str = "") -> list[Sentence]:
    """In the order of the text; none twice in other words."""
    candidates = [
        each
        for each in sentences(document.text)
        if not each.is_heading and SHORTEST <= len(each.text) <= LONGEST
    ]
    prose = [each for each in candidates if not each.is_row] or candidates
    words = [frozenset(content_words(one_line(each.text))) for each in prose]
    weights = Counter(word for each in words for word in each)
    wanted = frozenset(content_words(asked)) if asked else frozenset[str]()
    ranked = sorted(
        range(len(prose)),
        key=lambda number: (-_score(number, words, weights, wanted), number),
    )
    chosen: list[int] = []
    for number in ranked:
        if len(chosen) == most:
            break
        if words[number] and not any(_alike(words[number], words[each]) for each in chosen):
            chosen.append(number)
    return [prose[number] for number in sorted(chosen)]


def _score(
    number: int,
    words: Sequence[frozenset[str]],
    weights: Counter[str],
    wanted: frozenset[str],
) -> float:
    own = words[number]
    if not own:
        return 0.0
    # The square root keeps long sentences from winning by their length alone.
    about = sum(weights[word] - 1 for word in own) / len(own) ** 0.5
    most = max(weights.values(), default=1)
    score = about / most
    score += _FIRST_BONUS if number == 0 else 0.0
    return score + _ASKED_BONUS * len(own & wanted)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _TOO_ALIKE * min(len(one), len(other))
