"""A vendor of models."""
