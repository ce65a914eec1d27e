"""The text of one side of a change, cut into stretches that changed and stretches that did not."""

import unicodedata

from sanbo.agents.comparison.model import Change
from sanbo.reports.letters import Span, joined, tight


def old_spans(change: Change) -> list[Span]:
    if change.diff:
        return tight(joined([(piece.old, piece.op != "equal") for piece in change.diff]))
    return joined([Span(change.old_text, not change.new)])


def new_spans(change: Change) -> list[Span]:
    if change.diff:
        return tight(joined([(piece.new, piece.op != "equal") for piece in change.diff]))
    return joined([Span(change.new_text, not change.old)])


def is_blank(text: str) -> bool:
    """Nothing in it can be seen."""
    return all(letter.isspace() or unicodedata.category(letter) == "Cf" for letter in text)
