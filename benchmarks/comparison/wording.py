"""Changes of a paragraph's words, with clauses and words that the same law really uses."""

import random
import re
from collections.abc import Sequence
from typing import NamedTuple

_CLAUSE = re.compile(r"[^、。]*[、。]|[^、。]+$")
_WORD = re.compile(r"[一-鿿々]{2,6}")
_NUMBERED = re.compile(r"[〇一二三四五六七八九十百千第条項号又若及並当]")
_OPEN, _CLOSE = "「『（", "」』）"
LEAST_CHANGED = 0.10
MOST_CHANGED = 0.40


class Wording(NamedTuple):
    """What a law's own paragraphs offer to write with; clauses by paragraph."""

    clauses: list[list[str]]
    words: list[str]

    @classmethod
    def of(cls, bodies: Sequence[str]) -> "Wording":
        by_body = [
            # A clause that is most of its paragraph would bring the paragraph itself along.
            [
                clause
                for clause in _clauses(body)
                if _donates(clause) and len(clause) < len(body) / 2
            ]
            for body in bodies
        ]
        words = sorted({word for body in bodies for word in _words(body)})
        return cls([clauses for clauses in by_body if clauses], words)


def rewritten(body: str, wording: Wording, chance: random.Random) -> str | None:
    """Between a tenth and two fifths of the characters anew; None where the text is too short."""
    wanted = chance.uniform(LEAST_CHANGED, MOST_CHANGED) * len(body)
    text, changed = body, 0
    for _ in range(60):
        attempt, cost = _one_change(text, wording, chance)
        if not cost or changed + cost > MOST_CHANGED * len(body):
            continue
        text, changed = attempt, changed + cost
        if changed >= wanted:
            break
    return text if changed >= LEAST_CHANGED * len(body) and text != body else None


def composed(wording: Wording, chance: random.Random) -> str:
    """A new paragraph of clauses from at least four old ones, none of which is half of it."""
    while True:
        sources = chance.sample(wording.clauses, k=min(chance.randint(4, 6), len(wording.clauses)))
        clauses = [chance.choice(source) for source in sources]
        text = "".join(clauses).rstrip("、。") + "。"
        if len(text) >= 40 and max(map(len, clauses)) <= len(text) * 0.4:
            return text


def split_in_two(body: str, chance: random.Random) -> tuple[str, str] | None:
    """At the end of a sentence if there is one, else after a clause."""
    sentences, clauses = _cuts(body, "。"), _cuts(body, "、")
    cuts = sentences or clauses
    if not cuts:
        return None
    cut = chance.choice(cuts)
    first, second = body[:cut], body[cut:]
    if first.endswith("、"):
        first = first[:-1] + "。"
    if chance.random() < 0.5 and not second.startswith(("ただし", "この場合", "前項の場合")):
        second = chance.choice(("この場合において、", "前項の場合において、")) + second
    return first, second


def merged(first: str, second: str) -> str:
    return first + second if first.endswith("。") else f"{first}並びに{second}"


def _one_change(text: str, wording: Wording, chance: random.Random) -> tuple[str, int]:
    """The text after one change and how many characters that touched; 0 if none was possible."""
    way = chance.choices(("word", "replace", "insert", "delete"), (4, 3, 2, 2))[0]
    if way == "word":
        found = [word for word in _WORD.finditer(text) if not _NUMBERED.search(word[0])]
        if not found:
            return text, 0
        old, new = chance.choice(found), chance.choice(wording.words)
        return text[: old.start()] + new + text[old.end() :], max(len(old[0]), len(new))
    clauses = _clauses(text)
    at = chance.randrange(len(clauses))
    new = chance.choice(chance.choice(wording.clauses)) if way != "delete" else ""
    if way == "insert":
        clauses.insert(at, new)
        return "".join(clauses), len(new)
    if len(clauses) == 1 or not _donates(clauses[at]):
        return text, 0
    old, clauses[at] = clauses[at], new
    return "".join(clauses), max(len(old), len(new))


def _cuts(body: str, stop: str) -> list[int]:
    """Behind which characters each half keeps at least a quarter, outside of brackets."""
    cuts: list[int] = []
    depth = ended = 0
    least = max(len(body) // 4, 12)
    for at, character in enumerate(body, start=1):
        depth += (character in _OPEN) - (character in _CLOSE)
        inside = least <= at <= len(body) - least
        # No sentence ends behind `ただし、`.
        if character == stop and depth == 0 and inside and at - ended >= 10:
            cuts.append(at)
        if character == "。":
            ended = at
    return cuts


def _clauses(text: str) -> list[str]:
    return _CLAUSE.findall(text)


def _donates(clause: str) -> bool:
    """Whole brackets only, and neither a stub nor half a page."""
    balanced = all(
        clause.count(opened) == clause.count(closed)
        for opened, closed in zip(_OPEN, _CLOSE, strict=True)
    )
    return balanced and 5 <= len(clause) <= 60


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if not _NUMBERED.search(word)]
