"""Blocks that ask databases of others."""
