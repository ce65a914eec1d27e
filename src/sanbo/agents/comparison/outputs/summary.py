"""What a person reads first: what was compared, how much differs, what to look at."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from sanbo.agents.comparison.model import Change, ComparedPair, Flag, Kind, Outcome, Summary
from sanbo.agents.comparison.outputs.wording import (
    detail_words,
    flag_words,
    kind_word,
    pair_name,
    where,
)
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import Language, tell

MOST_LISTED = 10
_MOST_DETAILS = 3
_NAMED = ("unrelated", "only_old", "only_new")


def summarise(
    changes: Sequence[Change],
    pairs: Sequence[ComparedPair],
    *,
    language: Language,
    doubtful_sent: int,
    chunks: int,
) -> Summary:
    """`changes` with what needs attention first."""
    kinds = Counter(change.kind for change in changes)
    flags = Counter(flag for change in changes for flag in change.flags)
    counts: dict[Kind, int] = {kind: kinds[kind] for kind in get_args(Kind)}
    paragraphs = [
        _sentences([*_compared(pairs, language), *_numbers(counts, language)], language),
        *(_attention(changes, language) if any(map(_is_meaningful, pairs)) else ()),
        _sentences(_to_check(flags["doubtful"], doubtful_sent, chunks, language), language),
        *_warnings(pairs, language),
    ]
    return Summary(
        text_md="\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        counts=counts,
        flags={flag: flags[flag] for flag in get_args(Flag)},
        attention=sum(change.needs_attention for change in changes),
        doubtful_sent=doubtful_sent,
        chunks=chunks,
    )


def _sentences(sentences: Iterable[str], language: Language) -> str:
    return ("" if language == "ja" else " ").join(sentences)


def _compared(pairs: Sequence[ComparedPair], language: Language) -> Iterator[str]:
    if len(pairs) == 1:
        yield from _one_pair(pairs[0], language)
        return
    yield tell("comparison_outputs.summary.pairs", language, count=len(pairs))
    outcomes = Counter(pair.outcome for pair in pairs)
    counts = [
        tell(f"comparison_outputs.summary.pair_counts.{outcome}", language, count=outcomes[outcome])
        for outcome in get_args(Outcome)
        if outcomes[outcome]
    ]
    if counts:
        told = tell("comparison_outputs.separator", language).join(counts)
        yield tell("comparison_outputs.summary.pair_counts_told", language, counts=told)


def _one_pair(pair: ComparedPair, language: Language) -> Iterator[str]:
    if pair.outcome in ("only_old", "only_new"):
        name = plain(pair_name(pair, language))
        yield tell(f"comparison_outputs.summary.{pair.outcome}", language, name=name)
        return
    yield tell(
        "comparison_outputs.summary.compared",
        language,
        old=plain(pair.old.name if pair.old else ""),
        new=plain(pair.new.name if pair.new else ""),
    )
    if pair.outcome in ("identical", "unrelated"):
        yield tell(f"comparison_outputs.summary.{pair.outcome}", language)


def _numbers(counts: dict[Kind, int], language: Language) -> Iterator[str]:
    differing: dict[Kind, int] = {
        kind: count for kind, count in counts.items() if kind != "unchanged" and count
    }
    unchanged = counts["unchanged"]
    if differing:
        kinds = [
            tell(
                "comparison_outputs.summary.kind_count",
                language,
                kind=kind_word(kind, language),
                count=count,
            )
            for kind, count in differing.items()
        ]
        yield tell(
            "comparison_outputs.summary.differences",
            language,
            count=sum(differing.values()),
            kinds=tell("comparison_outputs.separator", language).join(kinds),
            unchanged=unchanged,
        )
    elif unchanged:
        yield tell("comparison_outputs.summary.no_differences_left", language, unchanged=unchanged)


def _is_meaningful(pair: ComparedPair) -> bool:
    """Where documents have nothing to do with each other, no difference is worth anything."""
    return pair.outcome != "unrelated"


def _attention(changes: Sequence[Change], language: Language) -> Iterator[str]:
    flagged = [change for change in changes if change.needs_attention]
    if not flagged:
        if any(change.kind not in ("unchanged", "renumbered") for change in changes):
            yield tell("comparison_outputs.summary.no_attention", language)
        return
    yield tell("comparison_outputs.summary.attention", language, count=len(flagged))
    yield "\n".join(f"- {_attention_row(change, language)}" for change in flagged[:MOST_LISTED])
    if len(flagged) > MOST_LISTED:
        more = len(flagged) - MOST_LISTED
        yield tell("comparison_outputs.summary.attention_more", language, count=more)


def _attention_row(change: Change, language: Language) -> str:
    row = tell(
        "comparison_outputs.summary.attention_row",
        language,
        where=plain(where(change, language)),
        flags=flag_words(change, language),
    )
    details = list(
        dict.fromkeys(
            plain(detail_words(detail, language))
            for detail in change.flag_details
            if detail.old or detail.new
        )
    )
    if not details:
        return row
    words = tell("comparison_outputs.summary.words_separator", language).join(
        details[:_MOST_DETAILS]
    )
    return tell("comparison_outputs.summary.attention_row_words", language, row=row, words=words)


def _to_check(doubtful: int, sent: int, chunks: int, language: Language) -> Iterator[str]:
    if doubtful:
        yield tell("comparison_outputs.summary.doubtful", language, count=doubtful)
    if sent:
        yield tell("comparison_outputs.summary.sent", language, sent=sent, chunks=chunks)


def _warnings(pairs: Sequence[ComparedPair], language: Language) -> Iterator[str]:
    lines: list[str] = []
    for outcome in _NAMED if len(pairs) > 1 else ():
        names = [plain(pair_name(pair, language)) for pair in pairs if pair.outcome == outcome]
        if names:
            told = _names(names, language)
            named = f"comparison_outputs.summary.named.{outcome}"
            lines.append(f"- {tell(named, language, names=told)}")
    warnings = {
        problem.in_language(language).message: None for pair in pairs for problem in pair.warnings
    }
    lines += [
        f"- {tell('comparison_outputs.summary.warning', language, message=plain(message))}"
        for message in list(warnings)[:MOST_LISTED]
    ]
    if lines:
        yield "\n".join(lines)


def _names(names: Sequence[str], language: Language) -> str:
    told = tell("comparison_outputs.separator", language).join(names[:MOST_LISTED])
    if len(names) <= MOST_LISTED:
        return told
    more = len(names) - MOST_LISTED
    return tell("comparison_outputs.summary.names_more", language, names=told, count=more)
