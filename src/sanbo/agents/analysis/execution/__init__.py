"""Executing specs on a table: inside the sandbox, by templates, never by code of a model."""
