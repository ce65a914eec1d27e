"""A reader of passages: a small network that tells which sentence answers a question."""
