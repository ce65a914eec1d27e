"""GRACE without a model. Pure functions."""
