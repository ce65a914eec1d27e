"""Thinking without a model: questions in Japanese and English to specs, offline."""

from sanbo.agents.analysis.rules.deciding import decide
from sanbo.agents.analysis.rules.suggestions import suggestions

__all__ = ["decide", "suggestions"]
