"""Blocks that tell people."""
