"""From an instruction and its documents to a plan: an outline, YAML, and what is wrong with it."""
