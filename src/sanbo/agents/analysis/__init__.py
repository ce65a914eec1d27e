"""Analysis: questions about a table, answered by typed specs that templates execute."""
