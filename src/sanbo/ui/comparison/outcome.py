"""What came out, told before anything else: in sentences, then in numbers."""

from collections.abc import Collection, Mapping
from typing import Literal

import streamlit as st

from sanbo.agents.comparison.model import Flag, Kind
from sanbo.kernel.markdown import document, literal, paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.service.comparison import Overview

Colour = Literal["red", "orange", "blue", "green", "gray", "violet"]
_KINDS: dict[Kind, Colour] = {
    "changed": "orange",
    "added": "green",
    "deleted": "red",
    "moved": "blue",
    "moved_changed": "blue",
    "renumbered": "gray",
    "split": "violet",
    "merged": "violet",
    "unchanged": "gray",
}
_FLAGS: tuple[Flag, ...] = (
    "amount",
    "deadline",
    "date",
    "negation",
    "obligation",
    "party",
    "reference",
    "doubtful",
    "notation",
)


def draw_outcome(overview: Overview) -> None:
    summary = overview.summary
    told = document(summary.text_md)
    if outcome_is(overview, "identical"):
        st.success(told, icon=":material/check_circle:")
    elif outcome_is(overview, "unrelated"):
        st.warning(told, icon=":material/link_off:")
    else:
        st.markdown(told)
    for pair in overview.pairs:
        for warning in pair.warnings:
            problem = warning.in_language(current_language())
            st.warning(paragraphs(f"{problem.message}\n{problem.hint}"), icon=":material/warning:")
    _draw_pills("kinds", kind_pills(summary.counts))
    _draw_pills("flags", flag_pills(summary.flags))


def outcome_is(overview: Overview, outcome: Literal["identical", "unrelated"]) -> bool:
    """Of every pair: then this is what there is to say."""
    return bool(overview.pairs) and all(pair.outcome == outcome for pair in overview.pairs)


def kind_pills(counts: Mapping[Kind, int], *, without: Collection[Kind] = ()) -> str:
    return " ".join(
        _pill(tell(f"comparison_outputs.kind.{kind}"), count, colour)
        for kind, colour in _KINDS.items()
        if kind not in without and (count := counts.get(kind, 0))
    )


def flag_pills(flags: Mapping[Flag, int]) -> str:
    return " ".join(
        _pill(tell(f"comparison_outputs.flag.{flag}"), count, "red")
        for flag in _FLAGS
        if (count := flags.get(flag, 0))
    )


def _pill(word: str, count: int, colour: Colour) -> str:
    text = tell("ui.comparison.count", word=word, count=f"{count:,}")
    return f":{colour}-badge[{literal(text)}]"


def _draw_pills(title: str, pills: str) -> None:
    if pills:
        heading = literal(tell(f"ui.comparison.{title}"))
        st.markdown(f":gray[:small[{heading}]] &ensp; {pills}")
