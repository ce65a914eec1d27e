"""A workflow as its recipe adds it: one folder."""
