"""Thinking without a model: questions in Japanese and English to specs, offline."""

from sanbo.agents.analysis.rules.decision import decide, suggestions

__all__ = ["decide", "suggestions"]
