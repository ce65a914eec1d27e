"""What changed between two documents, by words, and what of it deserves a second look."""
