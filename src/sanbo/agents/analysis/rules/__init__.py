"""Thinking without a model: questions in Japanese and English to specs, offline."""

from sanbo.agents.analysis.rules.decision import Understood, decide, decide_on, suggestions

__all__ = ["Understood", "decide", "decide_on", "suggestions"]
