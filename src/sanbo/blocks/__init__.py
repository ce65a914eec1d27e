"""Typed units of work that plans are made of."""
