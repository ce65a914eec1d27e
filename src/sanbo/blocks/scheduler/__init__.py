"""Blocks about times."""
