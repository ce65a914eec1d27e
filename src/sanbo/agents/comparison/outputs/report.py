"""The report in Markdown: what a person reads first, and the changes as a table.

Words from documents and models are shown letter by letter, never obeyed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from sanbo.agents.comparison.model import (
    Change,
    ComparedPair,
    ComparisonResult,
    Flag,
    Kind,
    Outcome,
    Summary,
)
from sanbo.agents.comparison.outputs.rows import is_worth_reading, new_spans, old_spans
from sanbo.agents.comparison.outputs.wording import (
    detail_words,
    explanation,
    flag_words,
    from_to,
    kind_word,
    pair_name,
    where,
)
from sanbo.kernel.markdown import UNSEEN, cell, plain, without_links
from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import Span, printable, shortened

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


def marked_cell(spans: Sequence[Span], mark: str) -> str:
    """A cell whose changed words stand between marks: `~~` or `**`."""
    parts: list[str] = []
    for span in spans:
        core = cell(printable(span.text))
        if span.marked and not core and span.text.strip():
            core = "\N{REPLACEMENT CHARACTER}"  # what has changed is seen, whatever it is
        before = " " if span.text[:1].isspace() else ""
        after = " " if span.text[-1:].isspace() and core else ""
        parts.append(f"{before}{_between(core, mark) if span.marked else core}{after}")
    return without_links(re.sub(" +", " ", "".join(parts)).strip())


def _between(words: str, mark: str) -> str:
    """Between letters, marks next to a bracket or a full stop are read as plain asterisks."""
    if not words:
        return ""
    first = "" if _is_letter(words[0]) else UNSEEN
    last = "" if _is_letter(words[-1]) else UNSEEN
    return f"{mark}{first}{words}{last}{mark}"


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Of cells that are Markdown already."""
    lines = [
        f"| {' | '.join(headers)} |",
        f"| {' | '.join('---' for _ in headers)} |",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)


LONGEST_CELL = 280
_COLUMNS = ("kind", "old", "new", "attention", "explanation")


def table_md(changes: Sequence[Change], *, language: Language) -> str:
    """What differs, in the order given; unchanged rows are counted below."""
    worth = [change for change in changes if is_worth_reading(change)]
    unchanged = len(changes) - len(worth)
    parts: list[str] = []
    if worth:
        headers = [tell(f"comparison_outputs.column.{name}", language) for name in _COLUMNS]
        parts.append(table(headers, [_row(change, language) for change in worth]))
    if unchanged:
        left_out = tell("comparison_outputs.report.unchanged_left_out", language, count=unchanged)
        parts.append(left_out)
    return "\n\n".join(parts)


def tables_md(
    changes: Sequence[Change], pairs: Sequence[ComparedPair], *, language: Language
) -> str:
    """One table, or one under its heading for each pair of documents."""
    if len(pairs) == 1:
        return table_md(changes, language=language)
    parts: list[str] = []
    for place, pair in enumerate(pairs):
        own = [change for change in changes if change.pair == place]
        outcome = tell(f"comparison_outputs.outcome.{pair.outcome}", language)
        parts.append(f"### {place + 1}. {plain(pair_name(pair, language))}")
        if pair.outcome != "related":
            parts.append(outcome)
        parts.append(table_md(own, language=language))
    return "\n\n".join(part for part in parts if part)


def report_md(result: ComparisonResult, *, language: Language) -> str:
    parts = [
        f"# {tell('comparison_outputs.report.title', language)}",
        result.summary.text_md,
        f"## {tell('comparison_outputs.report.changes', language)}",
    ]
    if any(is_worth_reading(change) for change in result.changes):
        parts.append(tell("comparison_outputs.report.marks", language))
    parts.append(result.table_md)
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(change: Change, language: Language) -> list[str]:
    parts = (from_to(change, language), explanation(change, language))
    said = tell("comparison_outputs.part_separator", language).join(part for part in parts if part)
    return [
        kind_word(change.kind, language),
        _side(old_spans(change), "~~", language),
        _side(new_spans(change), "**", language),
        flag_words(change, language),
        cell(said),
    ]


def _side(spans: Sequence[Span], mark: str, language: Language) -> str:
    shown = marked_cell(shortened(spans, LONGEST_CELL), mark)
    return shown or tell("comparison_outputs.report.empty_side", language)
