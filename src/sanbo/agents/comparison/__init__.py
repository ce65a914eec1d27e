"""What changed between two documents, and what it means."""
