"""Reads records out of documents by their labels and types, without a model. It never guesses."""
