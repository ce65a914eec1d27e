"""From what a question asks for to operations in a row."""
