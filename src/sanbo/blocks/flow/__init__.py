"""Blocks that decide whether a plan may go on."""
