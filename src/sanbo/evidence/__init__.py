"""What a collection's passages say about a question, and the proof that they do."""
