"""What happened in a change, in a sentence or two, as the rules see it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sanbo.agents.comparison.differences.flags import IMPORTANCE
from sanbo.agents.comparison.model import FlagDetail, Kind, Piece
from sanbo.agents.comparison.numbering import own_mark
from sanbo.kernel.messages import Language, tell

_MOST_SENTENCES = 2
_MOST_FLAGGED = 3
_LONGEST = 40
_ALONE: tuple[Kind, ...] = ("added", "deleted")
_BETWEEN: dict[Language, str] = {"ja": "", "en": " "}


@dataclass(frozen=True)
class Happened:
    """What a sentence is made of."""

    kind: Kind
    diff: Sequence[Piece]
    details: Sequence[FlagDetail]
    doubtful: bool
    old_label: str = ""
    new_label: str = ""
    references_changed: bool = False
    """Of a text that differs in numbers alone."""
    old_count: int = 1
    new_count: int = 1


def explain(happened: Happened, language: Language) -> str:
    """Empty where nothing happened."""
    flagged = {} if happened.kind in _ALONE else dict.fromkeys(_flagged(happened, language))
    sentences = [*dict.fromkeys(_sentences(happened, flagged, language))]
    most = _MOST_SENTENCES if len(flagged) < _MOST_FLAGGED else _MOST_FLAGGED
    told = sentences[: most - happened.doubtful]
    if untold := len(flagged.keys() - {*told}):
        told.append(tell("comparison_change.more", language, count=untold))
    if happened.doubtful:
        told.append(tell("comparison_change.doubtful", language))
    return _BETWEEN[language].join(told)


def _sentences(happened: Happened, flagged: Iterable[str], language: Language) -> Iterator[str]:
    if happened.kind in _ALONE:
        yield tell(f"comparison_change.kind.{happened.kind}", language)
        yield from _contained(happened, language)
        return
    if happened.kind in ("split", "merged"):
        count = max(happened.old_count, happened.new_count)
        yield tell(f"comparison_change.kind.{happened.kind}", language, count=count)
    elif happened.kind in ("moved", "moved_changed"):
        yield tell(f"comparison_change.kind.{happened.kind}", language)
    yield from flagged
    yield from _renumbered(happened, language)
    if happened.kind not in ("unchanged", "renumbered", "moved") and not happened.details:
        yield from _worded(happened, language)


def _contained(happened: Happened, language: Language) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for detail in _by_importance(happened.details):
        words = tell("comparison_change.quoted", language, words=_excerpt(detail.new or detail.old))
        found.setdefault(_what(detail, language), []).append(words)
    if found:
        comma = tell("comparison_change.comma", language)
        listed = comma.join(
            tell("comparison_change.contained", language, what=what, words="".join(words[:3]))
            for what, words in found.items()
        )
        yield tell("comparison_change.contains", language, what=listed)


def _by_importance(details: Sequence[FlagDetail]) -> list[FlagDetail]:
    return sorted(details, key=lambda detail: IMPORTANCE.index(detail.flag))


def _flagged(happened: Happened, language: Language) -> Iterator[str]:
    told: set[tuple[str, str]] = set()
    parties = {(one.old, one.new) for one in happened.details if one.flag == "party"}
    for detail in _by_importance(happened.details):
        if detail.flag == "party" and (detail.new, detail.old) in parties:
            one, other = sorted((detail.old, detail.new))  # said once of both
            yield tell("comparison_change.flag.swapped", language, old=one, new=other)
            continue
        # できる → できない is a duty and a denial; 甲及び came where 乙 became 甲及び乙.
        if (detail.old, detail.new) in told or (
            detail.flag in _TOPICS
            and any(detail.old in one and detail.new in two for one, two in told)
        ):
            continue
        told.add((detail.old, detail.new))
        yield tell(
            f"comparison_change.flag.{_sort(detail)}",
            language,
            what=_what(detail, language),
            old=_excerpt(detail.old),
            new=_excerpt(detail.new),
        )


def _sort(detail: FlagDetail) -> str:
    if detail.flag in ("notation", "furniture"):
        return detail.flag
    if detail.flag == "reference":
        return "reference_stale" if detail.old == detail.new else "reference_changed"
    sort = "changed" if detail.old and detail.new else "gone" if detail.old else "come"
    return f"topic_{sort}" if detail.flag in _TOPICS else sort


def _what(detail: FlagDetail, language: Language) -> str:
    words = detail.old or detail.new
    if detail.flag != "amount":
        what = detail.flag
    elif _EACH.search(words):
        what = "unit"
    elif _TAX.match(words):
        what = "tax"
    elif _MONEY.search(words):
        what = "money"
    else:
        what = "share" if _SHARE.search(words) else "quantity"
    return tell(f"comparison_change.what.{what}", language)


_TOPICS = ("liability", "law", "termination", "data")
"""What the sentence is about, and not the words that changed in it."""
_EACH = re.compile("(?:につき|[当あ]たり)$")
_TAX = re.compile(r"税|\D+\b(?:tax|VAT)\b", re.IGNORECASE)
_MONEY = re.compile("[円額税$＄¥￥€£]|ドル|ユーロ|ポンド|USD|JPY|EUR|GBP|dollar|yen|euro|pound")
_SHARE = re.compile("[%％割]|半数|パーセント|分の|percent|per cent")


def _renumbered(happened: Happened, language: Language) -> Iterator[str]:
    old, new = happened.old_label, happened.new_label
    if happened.kind in ("unchanged", "split", "merged"):
        return
    if old and new and old != new:
        yield tell("comparison_change.renumbered", language, old=_excerpt(old), new=_excerpt(new))
    if happened.references_changed and not any(
        detail.flag == "reference" for detail in happened.details
    ):
        yield tell("comparison_change.references_followed", language)


def _worded(happened: Happened, language: Language) -> Iterator[str]:
    changed = [piece for piece in happened.diff if piece.op != "equal"]
    if happened.kind in ("split", "merged"):  # each half has its own number now
        changed = [bare for piece in changed if (bare := _without_number(piece)) is not None]
    if len(changed) > _MOST_SENTENCES:
        yield tell("comparison_change.worded.places", language, count=len(changed))
        return
    for piece in changed:
        old, new = _excerpt(piece.old), _excerpt(piece.new)
        if max(len(old), len(new)) >= _LONGEST:
            yield tell(f"comparison_change.worded.long_{piece.op}", language)
        else:
            yield tell(f"comparison_change.worded.{piece.op}", language, old=old, new=new)


def _without_number(piece: Piece) -> Piece | None:
    old, new = _after_number(piece.old), _after_number(piece.new)
    if not old.strip() and not new.strip():
        return None
    if old.strip() and new.strip():
        return Piece(op="replace", old=old, new=new)
    return Piece(op="delete" if old.strip() else "insert", old=old, new=new)


def _after_number(text: str) -> str:
    mark = own_mark(text)
    return text[mark.end :] if mark else text


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"
