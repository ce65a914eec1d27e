"""Thinking without a model: a question becomes readings, and one that is sure becomes operations."""
