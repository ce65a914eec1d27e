"""Word: paragraphs, tables and notes in order, numbers written out, changes as accepted."""
