"""Blocks that ask people: forms, approvals, differences to look at."""
