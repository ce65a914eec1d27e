"""Expressions in the syntax of CEL, over values of JSON: numbers are decimal, as on paper."""
