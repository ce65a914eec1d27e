"""Blocks that read documents into records, by a model or by rules."""
