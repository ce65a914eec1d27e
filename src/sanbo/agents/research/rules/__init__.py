"""Research without a model: questions taken apart, sufficiency, extracts. Pure functions."""

from sanbo.agents.research.rules.answering import answer
from sanbo.agents.research.rules.deciding import decide
from sanbo.agents.research.rules.queries import QUERIES, expand

__all__ = ["QUERIES", "answer", "decide", "expand"]
