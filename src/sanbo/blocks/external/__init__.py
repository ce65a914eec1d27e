"""Blocks that ask other systems."""
