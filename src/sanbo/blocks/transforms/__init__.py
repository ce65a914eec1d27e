"""Blocks that pick, filter, join, group and reshape rows."""
