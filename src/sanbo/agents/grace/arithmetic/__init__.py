"""Figures in what was found, and what can be worked out from them."""
