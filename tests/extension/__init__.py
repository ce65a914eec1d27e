"""The recipes of CONTRIBUTING followed literally: each adds one thing, and everything has it."""
