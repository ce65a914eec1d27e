"""Blocks that find which records belong together."""
