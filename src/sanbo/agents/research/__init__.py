"""Research: a cited report from a collection, in at most three cycles."""
