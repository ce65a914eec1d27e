"""Blocks that read the files a person brings."""
