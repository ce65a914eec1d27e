"""How a report was found: searches, decisions, why it ended, what it cost."""

from collections.abc import Iterator

from sanbo.agents.research.report.content import Content
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.messages import Language, tell

LONGEST_QUERY = 200


def trail(content: Content, language: Language) -> Iterator[str]:
    """Line by line, in words that are not set yet."""
    view, ending = content.view, content.ending
    yield tell(
        "research_report.trail.searches",
        language,
        cycles=view.cycle,
        most=view.max_cycles,
        passages=len(view.passages),
    )
    for cycle in range(1, view.cycle + 1):
        for query in view.queries:
            if query.cycle == cycle:
                yield _query(query, language)
        yield from _decision(content, cycle, language)
    reason = tell(f"research_report.stop_reason.{ending.stop_reason}", language)
    yield tell("research_report.trail.stopped", language, reason=reason)
    yield from _means(content, language)
    yield from _checks(content, language)
    if ending.partial:
        yield tell("research_report.trail.partial", language, reason=ending.partial_reason)


def _query(query: SearchedQuery, language: Language) -> str:
    told = tell(
        "research_report.trail.query",
        language,
        cycle=query.cycle,
        query=tell("research_report.quoted", language, text=query.text[:LONGEST_QUERY]),
        hits=query.hits,
        new=query.new,
    )
    if query.cached:
        return f"{told} {tell('research_report.trail.cached', language)}"
    return told


def _decision(content: Content, cycle: int, language: Language) -> Iterator[str]:
    if cycle > len(content.ending.decisions):
        return
    decision = content.ending.decisions[cycle - 1]
    yield tell("research_report.trail.decision", language, cycle=cycle, reason=decision.reason)
    if decision.missing:
        missing = tell("research_report.and", language).join(decision.missing)
        yield tell("research_report.trail.missing", language, missing=missing)


def _means(content: Content, language: Language) -> Iterator[str]:
    ending = content.ending
    if ending.engine:
        yield tell("research_report.trail.engine", language, engine=ending.engine)
    if not ending.calls:
        if ending.engine:
            yield tell("research_report.trail.no_model", language)
        return
    cost = (
        tell("research_report.trail.cost_unknown", language)
        if ending.cost is None
        else tell("research_report.trail.cost", language, dollars=f"{ending.cost:.4f}")
    )
    yield tell(
        "research_report.trail.usage",
        language,
        calls=ending.calls,
        tokens_in=f"{ending.tokens_in:,}",
        tokens_out=f"{ending.tokens_out:,}",
        cost=cost,
    )


def _checks(content: Content, language: Language) -> Iterator[str]:
    verified = sum(citation.verified for citation in content.citations)
    yield tell(
        "research_report.trail.checked",
        language,
        citations=len(content.citations),
        verified=verified,
    )
    yield tell(
        "research_report.trail.refused", language, refused=content.refused, marked=content.marked
    )
    if content.ending.unreadable:
        yield tell("research_report.trail.unreadable", language, count=content.ending.unreadable)
