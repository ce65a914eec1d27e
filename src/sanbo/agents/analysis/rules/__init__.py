"""Thinking without a model: a question becomes readings, a sure one becomes operations."""
