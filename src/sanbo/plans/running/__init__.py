"""Runs a plan over the journal: what is ready starts, what is finished stands, people are asked."""
