"""How many letters and lines a text has."""
