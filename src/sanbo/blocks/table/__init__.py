"""Blocks that give rows another shape."""
