"""Questions taken apart and answered by extracts, without a model. Pure functions."""

from sanbo.evidence.rules.answers import answer
from sanbo.evidence.rules.queries import QUERIES, expand

__all__ = ["QUERIES", "answer", "expand"]
