"""Thinking with a language model: it chooses operations and fills them in, never more."""

from sanbo.agents.analysis.model_thinking.thinker import ModelThinker

__all__ = ["ModelThinker"]
