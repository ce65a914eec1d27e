"""Blocks on texts: summaries, chunks, vectors."""
